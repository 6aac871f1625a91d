"""A model whose answers all come from one joint distribution keeps every law exactly."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pytest_jevbench.oracle as room
from pytest_jevbench.oracle.joint import Joint
from pytest_jevbench.oracle.table import AmbiguousText, CaseTable, UnknownText, blurred
from pytest_jevbench.questions import Choice, Noul, Question, Score
from pytest_jevbench.relations import registry
from tests.oracle.cases import HERE, read_cases
from tests.relations.measuring import all_trials, measure, oracle, source_case, worst

CASES = sorted(read_cases())
EXACT = 1e-9
SCORED = [relation.name for relation in registry.scored()]


def _joints() -> Iterator[Joint]:
    """Broad, narrow, all but certain, few worlds, one world."""
    yield Joint(1)
    yield Joint(2, worlds=400, sharpness=0.3)
    yield Joint(3, worlds=200, sharpness=3.0)
    yield Joint(4, worlds=6, sharpness=1.0)
    yield Joint(5, worlds=1)


@pytest.mark.parametrize("joint", list(_joints()), ids=repr)
@pytest.mark.parametrize("case_id", CASES)
def test_every_law_holds_exactly_on_every_trial(case_id: str, joint: Joint) -> None:
    source = source_case(case_id)
    found = worst(measure(source.case, all_trials(source, seeds=(0, 1), draws=2), oracle(case_id, joint)))
    assert {name: deviation for name, deviation in found.items() if deviation > EXACT} == {}
    assert sorted(found) == sorted(SCORED)


@pytest.mark.parametrize("case_id", CASES)
def test_every_law_holds_exactly_on_batches_reduced_to_the_targets(case_id: str) -> None:
    source = source_case(case_id)
    reduced = [replace(trial, edit=trial.reduced) for trial in all_trials(source, seeds=(0, 1)) if trial.reduced]
    found = worst(measure(source.case, reduced, oracle(case_id, Joint(6))))
    assert max(found.values()) <= EXACT
    assert sorted(found) == sorted(name for name in SCORED if registry.get(name).dimension != "BAT")


@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**9),
    worlds=st.integers(1, 64),
    sharpness=st.floats(0.0, 6.0),
    plan_seed=st.integers(0, 10**9),
)
def test_every_law_holds_under_any_joint_distribution(seed: int, worlds: int, sharpness: float, plan_seed: int) -> None:
    source = source_case("pool-log")
    trials = all_trials(source, seeds=(plan_seed,))
    found = worst(measure(source.case, trials, oracle("pool-log", Joint(seed, worlds, sharpness))))
    assert max(found.values()) <= EXACT


def test_the_joint_distribution_is_correlated_and_moves_off_the_laws_edges() -> None:
    """What holds of independent or certain answers alone would prove little."""
    ask = oracle("pool-log", Joint(1))
    yes = {key: ask.read.answers[key]["yes"] for key in ("injured", "parents_told", "signs_missing")}
    p = {key: ask.joint.probability(event) for key, event in yes.items()}
    assert all(0.05 < value < 0.95 for value in p.values())
    pairs = (("injured", "parents_told"), ("injured", "signs_missing"), ("parents_told", "signs_missing"))
    together = {(a, b): ask.joint.probability(yes[a] * yes[b]) for a, b in pairs}
    assert all(abs(mass - p[a] * p[b]) > 0.005 for (a, b), mass in together.items())


UNKNOWN: list[Question] = [
    Noul("Was anybody hurt in the flood?"),
    Noul("Is it not the case that: Was anybody hurt in the accident?"),
    Noul("Is the answer to both of these questions yes? (1) Was anybody hurt in the accident? (2) Is it raining?"),
    Noul("Is the answer to both of these questions yes? (1) Was anybody hurt in the accident?"),
    Noul("What was the main cause of the accident?"),
    Noul("Going by the information given, is the number of lifeguards greater than 3?"),
    Choice("What was the main cause of the accident?", {"floor": "The floor was wet", "x": "The floor was blue"}),
    Choice("Was anybody hurt in the accident?", {"yes": "The answer is yes", "no": "The answer is unclear"}),
    Choice("Were there signs?", {"yes": "The answer is yes", "no": "The answer is no"}),
    Choice("What should the manager of the pool do first?", {"a": "The floor was wet", "b": "Train the staff again"}),
    Score("How upset does the father sound?", ("Calm", "Livid")),
    Score("How upset does the father sound?", ("Calm", 'Even higher on the scale than "Angry"')),
]


@pytest.mark.parametrize("question", UNKNOWN, ids=lambda question: question.instructions)
def test_the_oracle_refuses_what_it_does_not_know(question: Question) -> None:
    ask = oracle("pool-log", Joint(1))
    with pytest.raises(UnknownText):
        ask(ask.table.state, {"q": question.to_json()})


def test_the_oracle_refuses_another_state() -> None:
    ask = oracle("pool-log", Joint(1))
    with pytest.raises(UnknownText, match="state"):
        ask("Nothing happened.", {"q": Noul("Was anybody hurt in the accident?").to_json()})


def test_a_table_refuses_a_text_that_is_about_two_things() -> None:
    case = read_cases(HERE)["pool-log"]
    clash = {
        "kind": "paraphrase",
        "source": "Was anybody hurt in the accident?",
        "rewrite": "Were the parents told about the accident?",
        "accepted": True,
    }
    with pytest.raises(AmbiguousText):
        CaseTable(case, [clash])


def test_rejected_rewrites_are_not_known_to_the_oracle() -> None:
    ask = oracle("pool-log", Joint(1))
    for text in ("Did a member of staff push the child?", "Is anybody in the log short of money?"):
        with pytest.raises(UnknownText):
            ask(ask.table.state, {"q": Noul(text).to_json()})


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Was anybody hurt?", "was anybody hurt?"),
        ("Was anybody hurt?", "Was anbyody hurt"),
        ("v2.1 at 12:30, then?", "v2.1 at 12:30 then"),
    ],
)
def test_typing_errors_blur_to_the_same_text(text: str, same: str) -> None:
    assert blurred(text) == blurred(same)


@pytest.mark.parametrize("other", ["Was anybody hart?", "Was nobody hurt?", "hurt anybody was?", "Was somebody hurt?"])
def test_other_words_blur_to_another_text(other: str) -> None:
    assert blurred("Was anybody hurt?") != blurred(other)


def test_the_oracle_imports_nothing_of_what_it_tests() -> None:
    files = sorted(Path(room.__file__).parent.glob("*.py"))
    assert len(files) > 5
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    imported = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    ours = {module for module in imported if module.startswith("pytest_jevbench")}
    assert {module.rpartition(".")[0] for module in ours} == {"pytest_jevbench.oracle"}
