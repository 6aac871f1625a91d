"""One test of a part is asked and judged, before the body of its function runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from pytest_jevbench.errors import JevbenchError
from pytest_jevbench.json_text import printable
from pytest_jevbench.plugin.item import CannotOpen, Unjudged, properties_of
from pytest_jevbench.plugin.judged_test import JevbenchTest
from pytest_jevbench.plugin.keys import MODEL
from pytest_jevbench.plugin.part import PartTest
from pytest_jevbench.plugin.settings import runs_nothing
from pytest_jevbench.questions import Request
from pytest_jevbench.runs.answered import Answered, Unanswered
from pytest_jevbench.runs.gathering import judge_with
from pytest_jevbench.runs.results import TestResult

__all__ = ["JUDGED", "PART_TEST", "TURN", "Judged", "ask_and_judge", "part_test_of"]

PART_TEST: pytest.StashKey[PartTest] = pytest.StashKey()
"""The test of an item that is no function."""
JUDGED: pytest.StashKey[Judged] = pytest.StashKey()
"""What an item found out, between its setup and its teardown."""
TURN: pytest.StashKey[int] = pytest.StashKey()
"""Its place among the tests that are asked ahead."""


@dataclass(frozen=True)
class Judged:
    """A result, and the payload that its report carries."""

    test: JevbenchTest
    payload: dict[str, Any]


def part_test_of(item: pytest.Item) -> PartTest | None:
    """The test of a part that an item stands for, if it does."""
    callspec = getattr(item, "callspec", None)
    found = item.stash.get(PART_TEST, None) if callspec is None else callspec.params.get("jevbench_test")
    return found if isinstance(found, PartTest) else None


def ask_and_judge(item: pytest.Item, of: PartTest) -> JevbenchTest:
    """Ask whatever the test needs and judge it. Raises :class:`Unjudged` where that cannot be done."""
    part, test = of.part, of.test
    case, relation = part.run.cases[test.id.case_id], part.run.relations[test.id.relation]
    exchanged: dict[str, tuple[Request, Answered]] = {}
    payload: dict[str, Any] = {}
    if runs_nothing(item.config):
        result = TestResult(test.id, relation.check, "unjudged", reason="lost", message="nothing is run")
    else:
        model = item.config.stash[MODEL]
        try:
            asked = None if model.broken else model.for_test(case, item.stash.get(TURN, 0), item)
            problem = model.broken  # what did not open once would only cost the same time again
        except Exception as error:
            asked, problem = None, model.broken if isinstance(error, JevbenchError) else str(CannotOpen(error))

        def ask(request: Request) -> Answered:
            got = Unanswered("unreachable", printable(problem)) if asked is None else asked(request)
            exchanged.setdefault(request.key, (request, got))
            return got

        result, payload = judge_with(ask, test, case, part.settings.tolerance, part.run.relations, part.run.repeats)
        payload["spent"] = model.newly_spent()
        if model.far:
            payload["answers"] = model.texts(part.run.requests(test))
        if result.verdict == "violated":
            payload["fails"] = part.fails
        if part.settings.get("junit_properties"):
            item.user_properties[:] = properties_of(result)
    made = JevbenchTest(
        relation=test.id.relation,
        dimension=relation.dimension,
        group=relation.group,
        law=relation.law,
        formula=relation.formula,
        case=case,
        key=test.id.key,
        result=result,
        planned=test,
        definition=relation,
        exchanged=tuple(exchanged.values()),
    )
    item.stash[JUDGED] = Judged(made, payload)
    if result.verdict == "unjudged" and not runs_nothing(item.config):
        raise Unjudged(f"{result.reason}: {result.message}")
    return made
