"""How often the gate's tests fail in simulated pairs of runs. ``python -m tests.scoring.simulated`` prints the tables.

Everything goes through the functions that the gate itself uses; only the sequential wealth is taken for all cases at
once (``drop_wealth``), which a test holds against the case-by-case form.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

from pytest_jevbench.scoring.bootstrap import CaseBootstrap
from pytest_jevbench.scoring.compare import FAMILY, drop_test
from pytest_jevbench.scoring.gate_comparisons import fixed_level
from pytest_jevbench.scoring.noninferiority import LowerBound, lower_bound
from pytest_jevbench.scoring.pairs import PairedRuns
from pytest_jevbench.scoring.sequential import EarlyRule, drop_wealth, early_rule, watch_all
from pytest_jevbench.scoring.swap_test import holm, mcnemar
from pytest_jevbench.scoring.weights import OVERALL, Scored, mean_drops, weigh
from tests.scoring.noisy_runs import LOUD, QUIET, NoisyModel, columns_of, published_plan

LEVEL = 0.05
SEED = 2026
COMMON = NoisyModel(discordance=0.30, shared=1.0)
"""All noise is the case's, so that its tests move together: the worst for a test that takes them as independent."""

SUITES = {"240": "jevbench-240", "mini": "jevbench-mini"}
MODELS = {"quiet": QUIET, "loud": LOUD}


@dataclass(frozen=True)
class Failures:
    """One row a pair: which scores of the family failed (with Holm's correction), and how else it came out.

    ``fixed`` and ``sequential`` (pairs, 6) say which scores dropped significantly in the fixed test at the whole level
    and under the sequential rule; ``alone`` (pairs, 6) holds the unadjusted p-values, ``mcnemar`` (pairs,) that of
    McNemar's test over all tests; ``asked`` (pairs,) is the share of requests sent under the sequential rule, ``early``
    whether it stopped.
    """

    fixed: npt.NDArray[np.bool_]
    sequential: npt.NDArray[np.bool_]
    alone: npt.NDArray[np.float64]
    mcnemar: npt.NDArray[np.float64]
    asked: npt.NDArray[np.float64]
    early: npt.NDArray[np.bool_]


@lru_cache
def rule_of(suite: str) -> EarlyRule:
    plan = published_plan(SUITES[suite])
    return early_rule(plan.layout, plan.domains, level=LEVEL)


def early_cases(rule: EarlyRule, pairs: PairedRuns) -> npt.NDArray[np.int64]:
    """After how many cases each bet's wealth is first enough; more than there are cases where never."""
    place = {case: i for i, case in enumerate(pairs.layout.cases)}
    order = [place[case] for case in rule.order]
    first = []
    for bet in rule.bets:
        wealth = drop_wealth(mean_drops(pairs, bet.score)[order] * bet.cases)
        reached = np.flatnonzero(wealth >= bet.threshold)
        first.append(int(reached[0]) + 1 if len(reached) else len(order) + 1)
    return np.array(first)


def simulate(
    suite: str, model: NoisyModel, pairs: int, *, drop: float = 0.0, dimension: str | None = None, seed: int = SEED
) -> Failures:
    """Pairs of runs of which the second is worse by ``drop``, in one dimension or in all."""
    plan, rule = published_plan(SUITES[suite]), rule_of(suite)
    scores = [score for name in FAMILY if isinstance(score := weigh(plan.layout, name), Scored)]
    columns = columns_of(plan.layout, dimension)
    random = np.random.default_rng(seed)
    requests = np.cumsum([plan.requests[case] for case in rule.order])
    rows = []
    for _ in range(pairs):
        pair = model.pair(plan.layout, random, drop=drop, columns=columns)
        alone = [drop_test(pair, score).p for score in scores]
        adjusted = np.array(holm(alone))
        first = early_cases(rule, pair)
        stopped = first.min() <= len(requests)
        late = adjusted <= fixed_level(LEVEL, watched=True)
        change = pair.now - pair.baseline
        rows.append(
            (
                adjusted <= LEVEL,
                first == first.min() if stopped else late,
                alone,
                mcnemar(int((change < 0).sum()), int((change > 0).sum())),
                requests[first.min() - 1] / requests[-1] if stopped else 1.0,
                stopped,
            )
        )
    fixed, sequential, alone_p, tests, asked, early = (np.array(column) for column in zip(*rows, strict=True))
    return Failures(fixed, sequential, alone_p, tests, asked, early)


def shown_wrongly(suite: str, model: NoisyModel, pairs: int, drop: float, name: str, draws: int = 2000) -> float:
    """How often a margin is shown that the true drop just reaches."""
    plan = published_plan(SUITES[suite])
    score = weigh(plan.layout, name)
    assert isinstance(score, Scored)
    random = np.random.default_rng(SEED)
    shown = 0
    for seed in range(pairs):
        pair = model.pair(plan.layout, random, drop=drop)
        bound = lower_bound(pair, CaseBootstrap.of(pair, draws=draws, seed=seed), score)
        assert isinstance(bound, LowerBound)
        shown += bound.value > -drop
    return shown / pairs


def margin_decided(suite: str, model: NoisyModel, pairs: int, *, drop: float, margin: float) -> tuple[float, float]:
    """How often a margin of the overall score is failed early, and the median share of requests asked."""
    plan = published_plan(SUITES[suite])
    rule = early_rule(plan.layout, plan.domains, margins={OVERALL: margin})
    requests = np.cumsum([plan.requests[case] for case in rule.order])
    random = np.random.default_rng(SEED)
    watches = [watch_all(rule, model.pair(plan.layout, random, drop=drop)) for _ in range(pairs)]
    asked = [requests[watch.seen - 1] / requests[-1] for watch in watches]
    return sum(watch.decided is not None for watch in watches) / pairs, float(np.median(asked))


def within_case(suite: str, model: NoisyModel, pairs: int = 200) -> tuple[float, float]:
    """The discordance of two runs of one model, and the correlation of the differences within a case."""
    plan = published_plan(SUITES[suite])
    random = np.random.default_rng(SEED)
    squares = products = tests = couples = 0.0
    for _ in range(pairs):
        pair = model.pair(plan.layout, random)
        change = pair.now - pair.baseline
        n = plan.layout.tests.sum(axis=1)
        squares += float((change**2).sum())
        products += float((change.sum(axis=1) ** 2 - (change**2).sum(axis=1)).sum())
        tests += float(n.sum())
        couples += float((n * (n - 1)).sum())
    return squares / tests, products / couples / (squares / tests)


def any_failed(found: npt.NDArray[np.bool_]) -> float:
    """The share of pairs in which some score failed."""
    return float(found.any(axis=1).mean())


def row(*cells: object) -> None:
    """Print one line of a Markdown table."""
    sys.stdout.write("| " + " | ".join(f"{c:.3f}" if isinstance(c, float) else str(c) for c in cells) + " |\n")
    sys.stdout.flush()


def print_tables(pairs: int) -> None:
    """Every figure of docs/ci-statistics.md, from ``pairs`` pairs of runs a line."""
    row("noise", "discordance", "correlation within a case")
    for name, model in {**MODELS, "common": COMMON}.items():
        row(name, *within_case("240", model))
    row("suite", "noise", "gate fails", "sequential fails", "stopped early", "McNemar over all tests", *FAMILY)
    for suite, (name, model) in product(SUITES, {**MODELS, "common": COMMON}.items()):
        f = simulate(suite, model, pairs)
        alone = (f.alone <= LEVEL).mean(axis=0).tolist()
        tests = float((f.mcnemar <= LEVEL).mean())
        row(suite, name, any_failed(f.fixed), any_failed(f.sequential), float(f.early.mean()), tests, *alone)
    row("suite", "noise", "drop", *FAMILY)
    for suite, (name, model), drop in product(SUITES, MODELS.items(), (0.05, 0.10)):
        row(suite, name, f"{drop:.2f}", *(power(suite, model, pairs, drop, score) for score in FAMILY))
    row("suite", "noise", "drop", "fixed", "sequential", "stopped early", "median share of requests asked")
    for suite, (name, model), drop in product(SUITES, MODELS.items(), (0.01, 0.02, 0.03, 0.05, 0.10)):
        f = simulate(suite, model, pairs, drop=drop)
        asked = float(np.median(f.asked))
        row(suite, name, f"{drop:.2f}", any_failed(f.fixed), any_failed(f.sequential), float(f.early.mean()), asked)
    row("suite", "noise", "score", "margin = true drop", "shown wrongly")
    for suite, (name, model), (score, drop) in product(
        SUITES, MODELS.items(), ((OVERALL, 0.02), (OVERALL, 0.05), ("BAT", 0.05), ("CHO", 0.10))
    ):
        row(suite, name, score, f"{drop:.2f}", shown_wrongly(suite, model, pairs // 2, drop, score))
    row("suite", "noise", "margin", "drop", "failed early", "median share of requests asked")
    for suite, (name, model), drop in product(SUITES, MODELS.items(), (0.03, 0.05, 0.10)):
        row(suite, name, "0.03", f"{drop:.2f}", *margin_decided(suite, model, pairs // 4, drop=drop, margin=0.03))


def power(suite: str, model: NoisyModel, pairs: int, drop: float, score: str) -> float:
    """How often the drop of a score is found: for the overall all dimensions drop, for a dimension it alone."""
    found = simulate(suite, model, pairs, drop=drop, dimension=None if score == OVERALL else score)
    return float(found.fixed[:, FAMILY.index(score)].mean())


if __name__ == "__main__":
    print_tables(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
