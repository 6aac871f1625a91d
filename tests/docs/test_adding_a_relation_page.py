"""The relation of docs/adding-a-relation.md works as it stands there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_jevbench.questions import Choice
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import Relation
from pytest_jevbench.relations.taxonomy import FORMS, GROUPS
from tests.docs.pages import ROOT, file_of
from tests.relations.measuring import all_trials, measure, source_case

NAME = "option_reversal"
PAGE = ROOT / "docs" / "adding-a-relation.md"


@pytest.fixture
def relation() -> Iterator[Relation]:
    exec(compile(file_of(PAGE, f"{NAME}.py"), PAGE.name, "exec"), {"__name__": "page"})
    yield registry.get(NAME)
    registry._BY_NAME.pop(NAME)


def uneven(state: Any, questions: dict[str, Any]) -> dict[str, Any]:
    """Answers by place: the first of n options gets n parts, the last one."""
    answers: dict[str, Any] = {}
    for key, question in questions.items():
        if question["type"] == "noul":
            answers[key] = {"type": "noul", "noul": 0.5}
            continue
        options = question["criteria"]
        ids = list(options) if question["type"] == "choice" else [str(level) for level in range(len(options))]
        parts = {id_: len(ids) - place for place, id_ in enumerate(ids)}
        shares = {id_: part / sum(parts.values()) for id_, part in parts.items()}
        answers[key] = {"type": question["type"], "probabilities": shares}
    return answers


def test_the_relation_of_the_page_is_registered_built_and_measured(relation: Relation) -> None:
    assert relation.group in {group.id for group in GROUPS}
    assert relation.form in FORMS
    source = source_case("pool-log")
    trials = list(all_trials(source, [relation]))
    choices = [key for key, q in source.questions.items() if isinstance(q, Choice) and len(q.options) > 2]
    assert [trial.key for trial in trials] == choices
    for measured in measure(source.case, trials, uneven):
        options = len(source.questions[measured.trial.key].to_json()["criteria"])
        # half the sum of |n - 1 - 2 place|, over the sum of the parts
        expected = sum(abs(options - 1 - 2 * place) for place in range(options)) / (options * (options + 1))
        assert measured.measurement.deviation == pytest.approx(expected)


def test_every_file_and_test_that_the_page_names_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    ast.parse(file_of(PAGE, f"{NAME}.py"))
    named = {word for word in text.replace("`", " ").replace(",", " ").split() if word.startswith("test_")}
    found = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    assert len(named) >= 9
    assert named <= found
