"""Results made by hand, for tests whose numbers are worked out on paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pytest_jevbench.runs.results import SLACK, Outcome, Reason, TestId, TestResult
from pytest_jevbench.scoring.card import ModelFacts, RunFacts, SuiteFacts, known_checks

# One relation a group: the smallest taxonomy in which all five dimensions can be scored.
FIVE = {
    "key_rename": "REP.invariance",
    "batch_solo": "BAT.isolation",
    "option_clone": "MEA.partition",
    "count_upper": "LOG.bounds",
    "pairwise_iia": "CHO.conditioning",
}


def check_of(relation: str) -> str:
    """What a known relation measures; made-up ones measure ``tv``."""
    return known_checks().get(relation, "tv")


def outcome(
    deviation: float | None,
    *,
    tolerance: float = 0.05,
    kind: Literal["noise", "own"] = "noise",
    flip: bool | None = None,
    variant: int = 0,
    key: str = "q",
) -> Outcome:
    """One outcome on the question ``key``."""
    return Outcome((key,), deviation, tolerance, kind, flip, variant=variant)


def judged(relation: str, case: str, *outcomes: float | None | Outcome, key: str = "q") -> TestResult:
    """A judged test; a number stands for an outcome of that deviation."""
    made = tuple(o if isinstance(o, Outcome) else outcome(o, key=key) for o in outcomes)
    violated = any(o.deviation is None or o.deviation > o.tolerance + SLACK for o in made)
    return TestResult(TestId(relation, case, key), check_of(relation), "violated" if violated else "held", made)


def unjudged(relation: str, case: str, reason: Reason = "refused", message: str = "", key: str = "q") -> TestResult:
    """A test that brought no verdict."""
    return TestResult(TestId(relation, case, key), check_of(relation), "unjudged", reason=reason, message=message)


def held_and_violated(relation: str, held: int, violated: int, case: str = "c") -> list[TestResult]:
    """Tests on cases c0, c1, ...: the violated first, with a deviation of 0.525, whose graded score is 0.5."""
    deviations = [0.525] * violated + [0.0] * held
    return [judged(relation, f"{case}{i}", deviation) for i, deviation in enumerate(deviations)]


def facts_for(results: Sequence[TestResult], domains: Mapping[str, str] | None = None, **changes: object) -> RunFacts:
    """The facts of a run that planned exactly these tests."""
    cases = {result.id.case_id: (domains or {}).get(result.id.case_id, "") for result in results}
    given: dict[str, object] = {
        "model": ModelFacts("m", asked="m", dialect="callable"),
        "suite": SuiteFacts("made-up", version="1"),
        "planned": [result.id for result in results],
        "cases": cases,
        "versions": {"python": "3"},
        **changes,
    }
    return RunFacts(**given)  # type: ignore[arg-type]
