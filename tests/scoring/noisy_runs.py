"""Runs of a noisy model on a suite's layout, for simulations.

A test is violated where a latent difficulty plus this run's noise falls below a threshold. The difficulty is the same
in every run; the noise is new in each and a part of it is shared by all tests of a case, as their source answers
are. A drop raises the probability of violation of the tests concerned.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm

from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.relations import registry
from pytest_jevbench.scoring.pairs import Layout, PairedRuns, planned_layout

GROUPS = {relation.name: relation.group for relation in registry.RELATIONS.values()}


def published_suite(name: str) -> Path:
    """The directory of a suite of the published package; its code is not imported."""
    spec = find_spec("jevbench")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "suites" / name


@dataclass(frozen=True)
class PublishedPlan:
    """A published plan as facts: its layout, the domain of each case, the distinct requests of each case."""

    layout: Layout
    domains: dict[str, str]
    requests: dict[str, int]


@lru_cache
def published_plan(name: str) -> PublishedPlan:
    """Read a plan's rows. A case's requests are its base request and the distinct follow-ups."""
    tests: dict[TestId, None] = {}
    requests: dict[str, set[str]] = {}
    with gzip.open(published_suite(name) / "tests.jsonl.gz", "rt", encoding="utf-8") as lines:
        cases = json.loads(next(lines))["cases"]
        for line in lines:
            row = json.loads(line)
            tests[TestId(row["relation"], row["case"], row["key"])] = None
            requests.setdefault(row["case"], {"base"}).update(json.dumps(r) for r in row["requests"].values())
    ordered = sorted(tests, key=lambda test: cases.index(test.case_id))
    return PublishedPlan(
        planned_layout(ordered, GROUPS),
        {case: case.rpartition("-")[0] for case in cases},
        {case: len(found) for case, found in requests.items()},
    )


def columns_of(layout: Layout, dimension: str | None) -> list[int]:
    """The relations of a dimension; all for None."""
    return [i for i, d in enumerate(layout.dimensions) if dimension in (None, d)]


@dataclass(frozen=True)
class NoisyModel:
    """``rate`` of tests violated, ``discordance`` between two runs, ``shared`` part of the noise variance in a case."""

    rate: float = 0.3
    discordance: float = 0.10
    shared: float = 0.2

    def noise(self) -> float:
        """The noise's standard deviation that gives the discordance (the latent total has variance 1)."""
        return _noise(self.rate, self.discordance)

    def pair(
        self,
        layout: Layout,
        random: np.random.Generator,
        *,
        drop: float = 0.0,
        columns: Sequence[int] | None = None,
    ) -> PairedRuns:
        """Two runs; the second violates ``drop`` more of the tests in ``columns`` (default all)."""
        size = layout.tests.shape
        noise = self.noise()
        difficulty = np.sqrt(1 - noise**2) * random.standard_normal(size)
        worse = np.full(size[1], self.rate)
        worse[list(range(size[1]) if columns is None else columns)] += drop
        runs = [
            (difficulty + noise * self._run_noise(size, random) < norm.ppf(rate)) * layout.tests
            for rate in (self.rate, worse)
        ]
        return PairedRuns(layout, runs[0].astype(np.int64), runs[1].astype(np.int64))

    def _run_noise(self, size: tuple[int, ...], random: np.random.Generator) -> npt.NDArray[np.float64]:
        common = random.standard_normal((size[0], 1))
        own = random.standard_normal(size)
        return np.asarray(np.sqrt(self.shared) * common + np.sqrt(1 - self.shared) * own)


@lru_cache
def _noise(rate: float, discordance: float) -> float:
    threshold = norm.ppf(rate)

    def excess(correlation: float) -> float:
        both = multivariate_normal.cdf([threshold, threshold], cov=[[1, correlation], [correlation, 1]])
        return float(2 * (rate - both) - discordance)

    return float(np.sqrt(1 - brentq(excess, 0.0, 1 - 1e-9)))


QUIET = NoisyModel(discordance=0.10, shared=0.2)
"""One test in ten differs between two runs; differences within a case correlate weakly."""

LOUD = NoisyModel(discordance=0.20, shared=0.5)
"""One test in five differs; half of the noise is the case's."""
