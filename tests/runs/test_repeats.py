"""Means and noise of repeats, by hand."""

from __future__ import annotations

import pytest

from pytest_jevbench.questions import Noul, Request
from pytest_jevbench.runs.answered import Answers, Unanswered
from pytest_jevbench.runs.repeats import mean_of, noise_of


def answers(p: float | None, q: float = 0.5) -> Answers:
    """A Noul ``p`` with this probability, unreadable where it is None, and a Noul ``q``."""
    read = {"q": {"false": 1 - q, "true": q}}
    if p is None:
        return Answers(read, {"p": "a sum of 2"}, {"sent": p})
    return Answers({"p": {"false": 1 - p, "true": p}, **read}, {}, {"sent": p})


def test_one_answer_is_its_own_mean() -> None:
    one = answers(0.3)
    assert mean_of([one]) is one


def test_the_mean_answer_by_answer() -> None:
    mean = mean_of([answers(0.25), answers(0.5), answers(1.0, q=0.8)])
    assert isinstance(mean, Answers)
    assert mean.distributions["p"] == pytest.approx({"false": 1.25 / 3, "true": 1.75 / 3})
    assert mean.distributions["q"]["true"] == pytest.approx(0.6)
    assert mean.raw == {"sent": 0.25}


def test_without_noise_nothing_changes_by_a_rounding() -> None:
    mean = mean_of([answers(0.1)] * 3)  # 0.1 + 0.1 + 0.1 is not 0.3
    assert isinstance(mean, Answers)
    assert mean.distributions == answers(0.1).distributions


def test_an_answer_that_could_not_be_read_once_is_not_read() -> None:
    mean = mean_of([answers(0.25), answers(None), answers(0.75)])
    assert isinstance(mean, Answers)
    assert list(mean.distributions) == ["q"]
    assert mean.problems == {"p": "repeat 2 of 3: a sum of 2"}


def test_a_repeat_that_failed_leaves_no_answer() -> None:
    mean = mean_of([answers(0.25), Unanswered("refused", "too long")])
    assert mean == Unanswered("refused", "repeat 2 of 2: too long")


def test_noise_is_the_largest_distance_from_the_mean() -> None:
    # mean 0.5; 0.7 is 0.2 off, the others 0.1
    noise = noise_of([answers(0.4, q=0.5), answers(0.4, q=0.5), answers(0.7, q=0.5)])
    assert noise == {"p": pytest.approx(0.2), "q": 0.0}
    assert noise_of([answers(0.4), answers(None)]) == {"q": 0.0}


def test_repeats_are_told_apart_by_their_key_alone() -> None:
    first, second, third = Request("s", {"q": Noul("Is it?")}).repeats(3)
    assert first.digest == second.digest == third.digest == first.key
    assert len({first.key, second.key, third.key}) == 3
    assert first.body() == third.body()
