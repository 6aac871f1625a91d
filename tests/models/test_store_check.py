"""Whether stored answers are still the model's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.models.store import AnswerStore
from pytest_jevbench.models.store_check import check_first_reply, drift
from pytest_jevbench.questions import Choice, Noul
from tests.models.stored import of_model, request

QUESTIONS = {"urgent": Noul("Is it urgent?"), "team": Choice("Which team?", {"a": "first", "b": "second"})}


def replied(p: object, a: float = 0.5) -> Reply:
    return Reply(
        {"urgent": {"type": "noul", "noul": p}, "team": {"type": "choice", "probabilities": {"a": a, "b": 1 - a}}}
    )


def test_the_distance_is_that_of_the_question_furthest_away() -> None:
    found = drift(QUESTIONS, replied(0.50, 0.7), [replied(0.51, 0.4)], 0.05)
    assert found.key == "team"
    assert found.distance == pytest.approx(0.3)
    assert (found.noise, found.limit) == (0.0, 0.05)
    assert found.exceeded
    assert all(choice in str(found) for choice in ("--jevbench-refresh", "revision", "--jevbench-store"))


def test_noise_of_the_stored_repeats_widens_the_limit_twofold() -> None:
    stored = [replied(0.50), replied(0.54), replied(0.47)]
    found = drift(QUESTIONS, replied(0.62), stored, 0.05)
    assert found.noise == pytest.approx(0.07)
    assert found.limit == pytest.approx(0.14)
    assert found.distance == pytest.approx(0.12)
    assert not found.exceeded
    assert drift(QUESTIONS, replied(0.65), stored, 0.05).exceeded


def test_a_distance_of_exactly_the_tolerance_is_none() -> None:
    assert not drift(QUESTIONS, replied(0.55), [replied(0.5)], 0.05).exceeded


def test_an_answer_that_became_invalid_is_another_models() -> None:
    assert drift(QUESTIONS, replied("0.5"), [replied(0.5)], 0.05).distance == 1.0
    assert drift(QUESTIONS, replied("0.5"), [replied(None)], 0.05).distance == 0.0


def test_the_first_reply_is_kept_where_there_is_none_and_compared_where_there_is(tmp_path: Path) -> None:
    with AnswerStore.open(tmp_path / "answers.sqlite") as store:
        answers = of_model(store)
        assert check_first_reply(answers, request(0), replied(0.5), 0.05) is None
        near = check_first_reply(answers, request(0), replied(0.52), 0.05)
        assert near is not None
        assert not near.exceeded
        far = check_first_reply(answers, request(0), replied(0.9), 0.05)
        assert far is not None
        assert far.exceeded
        assert answers.get(request(0)) == replied(0.5)
