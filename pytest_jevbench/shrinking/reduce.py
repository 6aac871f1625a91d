"""Several violated tests of a run, one after the other, as long as there is somebody to ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.questions import Case, Request
from pytest_jevbench.relations.base import TOLERANCE
from pytest_jevbench.relations.known import BUILT_IN, Relations
from pytest_jevbench.rewrite_bank import RewriteBank
from pytest_jevbench.runs.answered import Answered
from pytest_jevbench.runs.results import TestId, TestResult
from pytest_jevbench.shrinking.shrink import REQUESTS, Shrunk, shrink

__all__ = ["Reduced", "reduce_tests"]


@dataclass(frozen=True)
class Reduced:
    """What a run reduced.

    ``violated`` counts its violated tests, ``chosen`` those that were to be reduced, ``requests`` is the bound a test,
    ``stopped`` says why the last ones were not reached.
    """

    tests: tuple[Shrunk, ...]
    violated: int
    chosen: int
    requests: int
    stopped: str = ""


def reduce_tests(
    results: Sequence[TestResult],
    chosen: Sequence[TestResult],
    tests: Mapping[TestId, PlannedTest],
    cases: Mapping[str, Case],
    ask: Callable[[Request], Answered],
    *,
    bank: RewriteBank | None = None,
    seed: int = 0,
    tolerance: float = TOLERANCE,
    requests: int = REQUESTS,
    relations: Relations = BUILT_IN,
    trouble: Callable[[], str] = str,
) -> Reduced:
    """The ``chosen`` violated tests of a run's ``results``, each in the smallest form that ``shrink`` finds.

    ``trouble`` says why nothing more can be asked, or nothing. Neither that nor Ctrl-C nor an error in a law of the
    user's own loses what was reached: ``stopped`` says what it was.
    """
    done: list[Shrunk] = []
    stopped = ""
    try:
        for result in chosen:
            stopped = trouble()
            if stopped:
                break
            test, case = tests[result.id], cases[result.id.case_id]
            done.append(
                shrink(
                    test,
                    case,
                    result,
                    ask,
                    bank=bank,
                    seed=seed,
                    tolerance=tolerance,
                    requests=requests,
                    relations=relations,
                )
            )
    except KeyboardInterrupt:
        stopped = "interrupted"
    except Exception as error:
        stopped = f"{type(error).__name__}: {error}"
    violated = sum(result.verdict == "violated" for result in results)
    return Reduced(tuple(done), violated, len(chosen), requests, stopped)
