"""The reference models, by the properties that define them."""

from __future__ import annotations

import hashlib
import json
import math
from itertools import combinations
from typing import Any

import pytest

from pytest_jevbench.answers import read_answer
from pytest_jevbench.distributions import Distribution, condition, relabel
from pytest_jevbench.errors import InputError
from pytest_jevbench.models.protocol import Model
from pytest_jevbench.models.reference import REFERENCE_NAMES, answer, reference_model
from pytest_jevbench.questions import Choice, Noul, Question, Request, Score

OPTIONS = {"billing": "Invoices and refunds", "shipping": "Parcels on their way", "tech": "Things that are broken"}
TEAM = Choice("Which team?", OPTIONS)
STATE = {"text": "The lid is cracked."}


def asked(name: str, question: Question, key: str = "q", state: Any = None, **others: Question) -> Distribution:
    request = Request(STATE if state is None else state, {key: question, **others})
    read = read_answer(question, reference_model(name).ask(request).answers[key])
    assert read.distribution is not None
    return read.distribution


def test_there_are_four() -> None:
    assert REFERENCE_NAMES == ("uniform", "random", "luce", "luce_biased")


@pytest.mark.parametrize("name", REFERENCE_NAMES)
def test_each_is_a_model_whose_answers_are_well_formed(name: str, request_of_all_types: Request) -> None:
    model = reference_model(name)
    assert isinstance(model, Model)
    assert (model.identity.dialect, model.identity.name, model.identity.stable) == ("reference", name, True)
    reply = model.ask(request_of_all_types)
    assert list(reply.answers) == ["n", "c", "s"]
    for key, question in request_of_all_types.questions.items():
        read = read_answer(question, reply.answers[key])
        assert read.distribution is not None
        assert [note for note, _ in read.notes if note != "no_confidence"] == []
        assert math.isclose(sum(read.distribution.values()), 1.0)


@pytest.mark.parametrize("name", REFERENCE_NAMES)
def test_equal_requests_have_equal_answers(name: str, request_of_all_types: Request) -> None:
    assert reference_model(name).ask(request_of_all_types) == reference_model(name).ask(request_of_all_types)


@pytest.mark.parametrize("name", ["lucy", "", "Uniform", "uniform "])
def test_another_name_is_refused_with_the_names_there_are(name: str) -> None:
    with pytest.raises(InputError, match="uniform, random, luce, luce_biased"):
        reference_model(name)


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(InputError, match="did you mean luce_biased"):
        reference_model("luce-biased")


def test_uniform() -> None:
    answers = (
        reference_model("uniform")
        .ask(Request("x", {"n": Noul("?"), "c": TEAM, "s": Score("?", ("a", "b", "c", "d"))}))
        .answers
    )
    assert answers["n"]["noul"] == 0.5
    assert answers["c"]["probabilities"] == {"billing": 1 / 3, "shipping": 1 / 3, "tech": 1 / 3}
    assert answers["s"]["probabilities"] == {"0": 0.25, "1": 0.25, "2": 0.25, "3": 0.25}
    assert (answers["s"]["score"], answers["c"]["confidence"], answers["s"]["confidence"]) == (1.5, 0.0, 0.0)


def test_random_depends_on_everything_but_the_key_and_the_batch() -> None:
    base = asked("random", TEAM)
    assert asked("random", TEAM, key="other", n=Noul("?")) == base
    reordered = Choice(TEAM.instructions, dict(reversed(OPTIONS.items())))
    renamed = Choice(TEAM.instructions, {f"{key}2": text for key, text in OPTIONS.items()})
    others = [
        asked("random", reordered),
        relabel(asked("random", renamed), {f"{key}2": key for key in OPTIONS}),
        asked("random", Choice("Which team is it?", OPTIONS)),
        asked("random", TEAM, state="x"),
    ]
    assert all(abs(other["tech"] - base["tech"]) > 1e-6 for other in others)


def test_luce_depends_on_nothing_but_state_instructions_and_the_options_own_texts() -> None:
    base = asked("luce", TEAM)
    names = {"billing": "a", "shipping": "00", "tech": "名"}
    renamed = Choice(TEAM.instructions, {names[key]: text for key, text in OPTIONS.items()})
    reordered = Choice(TEAM.instructions, dict(reversed(OPTIONS.items())))
    assert asked("luce", TEAM, key="other", n=Noul("?")) == base
    assert asked("luce", reordered) == pytest.approx(base, abs=1e-15)
    assert relabel(asked("luce", renamed), {new: old for old, new in names.items()}) == pytest.approx(base, abs=1e-15)
    assert asked("luce", TEAM, state="x") != pytest.approx(base, abs=1e-6)
    assert asked("luce", Choice("Which?", OPTIONS)) != pytest.approx(base, abs=1e-6)


@pytest.mark.parametrize("kept", [menu for size in (2, 3) for menu in combinations(OPTIONS, size)])
def test_luce_keeps_the_proportions_of_every_menu(kept: tuple[str, ...]) -> None:
    menu = Choice(TEAM.instructions, {option: OPTIONS[option] for option in kept})
    assert asked("luce", menu) == pytest.approx(condition(asked("luce", TEAM), kept), abs=1e-12)


def test_luce_doubles_the_share_of_an_option_that_is_copied() -> None:
    base = asked("luce", TEAM)
    with_copy = asked("luce", Choice(TEAM.instructions, {**OPTIONS, "copy": OPTIONS["tech"]}))
    p = base["tech"]
    assert with_copy["copy"] == pytest.approx(with_copy["tech"], abs=1e-12)
    assert with_copy["tech"] + with_copy["copy"] == pytest.approx(2 * p / (1 + p), abs=1e-12)
    assert 2 * p / (1 + p) - p > 0.05


def test_luce_answers_a_score_as_a_choice_among_its_levels() -> None:
    levels = ("not", "somewhat", "very")
    as_choice = asked("luce", Choice("How bad?", dict(zip("abc", levels, strict=True))))
    assert list(asked("luce", Score("How bad?", levels)).values()) == pytest.approx(list(as_choice.values()), abs=1e-15)


def test_luce_by_its_definition() -> None:
    """The utility of an option, worked out again: a hash of state, instructions and text, each with its length."""

    def utility(text: str) -> float:
        parts = [json.dumps(STATE), "Which team?"]
        stem = b"".join(len(part.encode()).to_bytes(8, "big") + part.encode() for part in parts)
        digest = hashlib.sha256(stem + text.encode()).digest()
        return 2 * (int.from_bytes(digest[:6], "big") + 0.5) / 2**48 - 1

    weights = {option: math.exp(utility(text)) for option, text in OPTIONS.items()}
    total = sum(weights.values())
    assert asked("luce", TEAM) == pytest.approx({option: w / total for option, w in weights.items()}, abs=1e-12)


def average_shift(name: str, variant: Any) -> float:
    """How far, on average over 40 states, a variant of the request moves the first option's probability."""
    shifts = [abs(variant(name, f"s{i}") - asked(name, TEAM, state=f"s{i}")["billing"]) for i in range(40)]
    return sum(shifts) / len(shifts)


def renamed_key(name: str, state: str) -> float:
    return asked(name, TEAM, key="another_key", state=state)["billing"]


def renamed_option(name: str, state: str) -> float:
    options = {("other" if key == "billing" else key): text for key, text in OPTIONS.items()}
    return asked(name, Choice(TEAM.instructions, options), state=state)["other"]


def moved_to_the_end(name: str, state: str) -> float:
    options = {key: OPTIONS[key] for key in ("shipping", "tech", "billing")}
    return asked(name, Choice(TEAM.instructions, options), state=state)["billing"]


def larger_batch(name: str, state: str) -> float:
    return asked(name, TEAM, state=state, n=Noul("?"), m=Noul("!"))["billing"]


@pytest.mark.parametrize("variant", [renamed_key, renamed_option, moved_to_the_end, larger_batch])
def test_luce_biased_has_each_of_its_defects(variant: Any) -> None:
    assert average_shift("luce_biased", variant) > 0.05
    assert average_shift("luce", variant) == pytest.approx(0.0, abs=1e-12)


def test_luce_biased_favours_the_first_option() -> None:
    first = [asked("luce_biased", TEAM, state=f"s{i}")["billing"] for i in range(200)]
    last = [moved_to_the_end("luce_biased", f"s{i}") for i in range(200)]
    assert sum(first) / 200 > sum(last) / 200 + 0.1


def test_texts_that_are_objects_and_options_without_a_description() -> None:
    questions: dict[str, Any] = {
        "c": {"type": "choice", "instructions": {"ask": "which"}, "criteria": {"a": None, "b": ["x"]}},
        "n": {"type": "noul", "criteria": {"true": "It is"}},
    }
    for name in REFERENCE_NAMES:
        answers = answer(name, ["x"], questions)
        assert list(answers["c"]["probabilities"]) == ["a", "b"]
        assert 0 < answers["n"]["noul"] < 1


def test_a_lone_surrogate_is_answered() -> None:
    for name in REFERENCE_NAMES:
        assert asked(name, Noul("\ud800?"), state="\udfff")["true"] > 0
