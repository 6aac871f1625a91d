"""Which violations of a run are told first: the worst, and of different laws before several of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.runs.results import TestResult

__all__ = ["worst_results"]


def worst_results(
    results: Iterable[TestResult], most: int | None = None, known: Callable[[TestId], bool] = lambda test: False
) -> list[TestResult]:
    """The violated tests, at most so many, worst first.

    Those that are ``known`` come last. No two are of one relation while others are left, unless all are wanted.
    """
    violated = sorted(
        (r for r in results if r.verdict == "violated"), key=lambda r: 1.0 if r.graded is None else r.graded
    )
    new = [r for r in violated if not known(r.id)]
    old = [r for r in violated if known(r.id)]
    return [*new, *old] if most is None else [*_spread(new, most), *_spread(old, most)][:most]


def _spread(violated: list[TestResult], most: int) -> list[TestResult]:
    first = {result.id.relation: result for result in reversed(violated)}
    chosen = sorted(first.values(), key=lambda r: violated.index(r))[:most]
    return chosen + [r for r in violated if r not in chosen][: most - len(chosen)]
