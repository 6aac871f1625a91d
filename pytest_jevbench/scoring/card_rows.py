"""The rows of a card's tests, and values as strict JSON can hold them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, overload

from pytest_jevbench.json_text import JSON
from pytest_jevbench.runs.results import Outcome, TestResult
from pytest_jevbench.scoring.relation_scores import Judged, ScoreSettings, is_violated, tolerance_of

__all__ = ["TestRows", "errors_of", "outcome_row", "strict"]


def errors_of(results: Sequence[TestResult]) -> dict[tuple[str, str], tuple[int, int]]:
    """Each distinct reason and message with its number in the card and the count of its tests."""
    errors: dict[tuple[str, str], tuple[int, int]] = {}
    for result in results:
        if result.verdict == "unjudged":
            number, count = errors.get(_error(result), (len(errors), 0))
            errors[_error(result)] = (number, count + 1)
    return errors


def _error(result: TestResult) -> tuple[str, str]:
    return result.reason or "lost", result.message


class TestRows(Sequence[dict[str, JSON]]):
    """The rows of all tests, each made when it is read: together they take more room than the results."""

    __test__ = False

    def __init__(
        self, judged: Sequence[Judged], settings: ScoreSettings, errors: Mapping[tuple[str, str], tuple[int, int]]
    ) -> None:
        self._judged = judged
        self._settings = settings
        self._errors = errors

    def __len__(self) -> int:
        return len(self._judged)

    @overload
    def __getitem__(self, index: int) -> dict[str, JSON]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, JSON]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, JSON] | list[dict[str, JSON]]:
        if isinstance(index, slice):
            return [_test(test, self._settings, self._errors) for test in self._judged[index]]
        return _test(self._judged[index], self._settings, self._errors)


def _test(test: Judged, settings: ScoreSettings, errors: Mapping[tuple[str, str], tuple[int, int]]) -> dict[str, JSON]:
    result, verdict, graded = test
    row: dict[str, JSON] = {
        "relation": result.id.relation,
        "case": result.id.case_id,
        "key": result.id.key,
        "verdict": verdict,
    }
    if verdict == "unjudged":
        row["error"] = errors[_error(result)][0]
    elif result.judged:
        row["graded"] = graded
        row["outcomes"] = [outcome_row(outcome, settings) for outcome in result.outcomes]
    return row


def outcome_row(outcome: Outcome, settings: ScoreSettings) -> dict[str, JSON]:
    return {
        "targets": list(outcome.targets),
        "variant": outcome.variant,
        "draw": outcome.draw,
        "deviation": outcome.deviation,
        "tolerance": tolerance_of(outcome, settings),
        "tolerance_kind": outcome.tolerance_kind,
        "flip": outcome.flip,
        "violated": is_violated(outcome, settings),
    }


def strict(value: Any) -> JSON:
    """A JSON value as strict JSON can hold it: a number that is not finite becomes its name as text.

    What a model sent may hold such numbers beside the answer that was judged.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict(item) for item in value]
    return value  # type: ignore[no-any-return]
