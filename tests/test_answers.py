"""How raw answers are read: what is a probability, what is odd and kept, what is invalid and says so."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.answers import NOTES, ReadAnswer, read_answer, read_answers
from pytest_jevbench.json_text import loads
from pytest_jevbench.questions import Choice, Noul, Question, Score, answer_ids

NOUL = Noul("Is it?")
CHOICE = Choice("Which?", {"a": "An a", "b": "A b"})
THREE = Choice("Which?", {"a": "An a", "b": "A b", "c": "A c"})
SCORE = Score("How much?", ("none", "some", "all"))


def noul(p: Any, **more: Any) -> dict[str, Any]:
    return {"type": "noul", "noul": p, **more}


def choice(probabilities: Any, **more: Any) -> dict[str, Any]:
    return {"type": "choice", "probabilities": probabilities, "confidence": 0.5, **more}


def score(probabilities: Any, **more: Any) -> dict[str, Any]:
    return {"type": "score", "probabilities": probabilities, "confidence": 0.5, **more}


def notes(read: ReadAnswer) -> list[str]:
    assert read.distribution is not None, read.problem
    return [note for note, _ in read.notes]


# Numbers -------------------------------------------------------------------------------------------------------------


def test_plain_answers_are_read_without_a_note() -> None:
    assert read_answer(NOUL, noul(0.25)) == ReadAnswer({"false": 0.75, "true": 0.25})
    assert read_answer(CHOICE, choice({"a": 0.25, "b": 0.75})) == ReadAnswer({"a": 0.25, "b": 0.75})
    assert read_answer(SCORE, score({"0": 0.5, "1": 0.25, "2": 0.25})) == ReadAnswer({"0": 0.5, "1": 0.25, "2": 0.25})


def test_integers_are_numbers() -> None:
    assert read_answer(NOUL, noul(1)).distribution == {"false": 0.0, "true": 1.0}
    assert read_answer(CHOICE, choice({"a": 0, "b": 1})).distribution == {"a": 0.0, "b": 1.0}


def test_thirds_of_two_digits_are_renormalised_within_their_rounding() -> None:
    read = read_answer(THREE, choice({"a": 0.33, "b": 0.33, "c": 0.33}))
    assert read.distribution == pytest.approx(dict.fromkeys("abc", 1 / 3), abs=1e-15)
    assert read.notes == (("rounded_sum", "sum 0.99"),)


def test_one_large_and_many_small_are_renormalised_with_the_sum_noted() -> None:
    """0.79 and 39 times 0.01 print to 1.18, within half a hundredth for each of the 40."""
    options = {f"o{i}": f"Option {i}" for i in range(40)}
    values = {option: 0.79 if option == "o0" else 0.01 for option in options}
    read = read_answer(Choice("Which?", options), choice(values))
    assert read.distribution is not None
    assert read.distribution["o0"] == pytest.approx(0.669492, abs=5e-7)
    assert max(read.distribution, key=lambda option: read.distribution[option]) == "o0"  # type: ignore[index]
    assert read.notes == (("rounded_sum", "sum 1.18"),)


@pytest.mark.parametrize(
    ("values", "note"),
    [
        ({"a": 0.5, "b": 0.5}, None),
        ({"a": 0.5, "b": 0.5000001}, None),  # within a millionth
        ({"a": 0.6, "b": 0.5}, "rounded_sum"),  # one digit: half a tenth for each
        ({"a": 0.7, "b": 0.5}, "unnormalised"),
        ({"a": 0.5, "b": 0.49}, "rounded_sum"),  # two digits: 0.01 allowed
        ({"a": 0.5, "b": 0.48}, "unnormalised"),
        ({"a": 0.3333, "b": 0.6666}, "rounded_sum"),
        ({"a": 0.3333, "b": 0.6664}, "unnormalised"),
        ({"a": 1, "b": 1}, "rounded_sum"),  # no digits at all: half a unit for each
        ({"a": 1e-05, "b": 0.9}, "unnormalised"),  # an exponent prints all digits
    ],
)
def test_a_sum_is_noted_by_the_digits_printed(values: dict[str, float], note: str | None) -> None:
    found = notes(read_answer(CHOICE, choice(values)))
    assert found == ([] if note is None else [note])


@pytest.mark.parametrize(("value", "p"), [(-1e-7, 0.0), (1.0000004, 1.0), (1.000001, 1.0), (-1e-6, 0.0)])
def test_a_noul_a_millionth_outside_is_clipped(value: float, p: float) -> None:
    assert read_answer(NOUL, noul(value)).distribution == {"false": 1.0 - p, "true": p}


def test_a_choice_a_millionth_above_one_is_renormalised_unclipped() -> None:
    read = read_answer(CHOICE, choice({"a": 1.0000004, "b": 0.2}))
    assert read.distribution == pytest.approx({"a": 1.0000004 / 1.2000004, "b": 0.2 / 1.2000004}, abs=1e-15)


def test_a_choice_a_millionth_below_zero_is_clipped() -> None:
    assert read_answer(CHOICE, choice({"a": 1.0, "b": -1e-7})).distribution == {"a": 1.0, "b": 0.0}


BAD_NUMBERS = [True, False, None, "0.9", "95%", 95, 1.1, 1.00001, -0.2, -1.1e-6, [0.5], {"p": 0.5}, math.nan, math.inf]


@pytest.mark.parametrize("value", [*BAD_NUMBERS, -math.inf, 10**400])
def test_what_is_no_probability_is_invalid_and_shown(value: Any) -> None:
    for question, answer in (
        (NOUL, noul(value)),
        (CHOICE, choice({"a": value, "b": 0.5})),
        (SCORE, score({"0": 0.5, "1": value, "2": 0.5})),
    ):
        read = read_answer(question, answer)
        assert read.distribution is None
        assert read.problem
    if isinstance(value, (str, bool)):
        assert str(value).lower() in read_answer(NOUL, noul(value)).problem.lower()


@pytest.mark.parametrize("text", ['{"type": "noul", "noul": NaN}', '{"type": "noul", "noul": 1e400}'])
def test_constants_that_only_python_reads_are_invalid(text: str) -> None:
    read = read_answer(NOUL, loads(text, allow_constants=True))
    assert read.distribution is None
    assert "not a finite number" in read.problem


def test_all_zero_is_invalid() -> None:
    assert read_answer(CHOICE, choice({"a": 0, "b": 0})) == ReadAnswer(None, "all probabilities are 0")
    assert read_answer(CHOICE, choice({"a": 0.0, "b": -1e-7})).distribution is None


# Shapes --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [None, [], "yes", 0.5, True])
def test_an_answer_that_is_no_object_is_invalid(answer: Any) -> None:
    read = read_answer(NOUL, answer)
    assert read.distribution is None
    assert "not an object" in read.problem


@pytest.mark.parametrize("question", [CHOICE, SCORE])
@pytest.mark.parametrize("probabilities", [None, [0.5, 0.5], "a", 1.0])
def test_probabilities_are_an_object(question: Question, probabilities: Any) -> None:
    read = read_answer(question, {"type": question.type, "probabilities": probabilities})
    assert read.distribution is None
    assert "probabilities" in read.problem


def test_a_missing_part_is_named() -> None:
    assert "noul" in read_answer(NOUL, {"type": "noul"}).problem
    assert '"b"' in read_answer(CHOICE, choice({"a": 1.0})).problem
    assert "level" in read_answer(SCORE, score({"0": 0.5, "2": 0.5})).problem


@pytest.mark.parametrize("answers", [{}, {"q": None}, {"Q": noul(0.5)}])
def test_a_question_without_an_answer_under_its_very_key_is_invalid(answers: dict[str, Any]) -> None:
    (read,) = read_answers({"q": NOUL}, answers).values()
    assert read.distribution is None
    assert read.problem


def test_every_question_is_read_in_the_order_asked() -> None:
    read = read_answers({"n": NOUL, "c": CHOICE}, {"c": choice({"a": 1, "b": 0}), "n": noul(0.5), "more": 1})
    assert list(read) == ["n", "c"]
    assert all(answer.distribution for answer in read.values())


def test_answers_keep_the_question_s_order_of_options_not_the_reply_s() -> None:
    read = read_answer(THREE, choice({"c": 0.5, "a": 0.25, "b": 0.25}))
    assert read.distribution is not None
    assert list(read.distribution) == ["a", "b", "c"]


def test_extra_options_are_left_out_and_noted() -> None:
    read = read_answer(CHOICE, choice({"a": 0.25, "x": 0.5, "b": 0.25}))
    assert read.distribution == {"a": 0.5, "b": 0.5}
    assert notes(read) == ["extra_options", "unnormalised"]


def test_a_bad_number_under_an_extra_option_does_not_matter() -> None:
    read = read_answer(CHOICE, choice({"a": 0.25, "x": "much", "b": 0.75}))
    assert read.distribution == {"a": 0.25, "b": 0.75}


def test_a_key_that_stands_twice_makes_the_answer_invalid() -> None:
    text = '{"q": {"type": "choice", "probabilities": {"a": 0.25, "b": 0.5, "a": 0.5}}}'
    answers = loads(text, mark_duplicates=True)
    assert "twice" in read_answers({"q": CHOICE}, answers)["q"].problem
    answers = loads('{"q": {"type": "noul", "noul": 0.2, "noul": 0.9}}', mark_duplicates=True)
    assert "twice" in read_answers({"q": NOUL}, answers)["q"].problem


# Levels --------------------------------------------------------------------------------------------------------------


def test_a_score_keyed_by_every_level_text_is_read() -> None:
    read = read_answer(SCORE, score({"all": 0.25, "none": 0.5, "some": 0.25}))
    assert read == ReadAnswer({"0": 0.5, "1": 0.25, "2": 0.25})


@pytest.mark.parametrize("probabilities", [{"0": 0.5, "some": 0.25, "all": 0.25}, {"none": 0.5, "1": 0.25, "2": 0.25}])
def test_a_mix_of_indices_and_texts_is_invalid(probabilities: dict[str, float]) -> None:
    read = read_answer(SCORE, score(probabilities))
    assert read.distribution is None
    assert "mixed" in read.problem


def test_some_of_the_level_texts_are_not_enough() -> None:
    assert read_answer(SCORE, score({"none": 0.5, "some": 0.5})).distribution is None


def test_the_index_wins_where_the_texts_are_indices_in_another_order() -> None:
    levels = Score("How many?", ("2", "0", "1"))
    assert read_answer(levels, score({"0": 0.5, "1": 0.375, "2": 0.125})).distribution == {
        "0": 0.5,
        "1": 0.375,
        "2": 0.125,
    }


def test_numbers_as_level_texts_that_are_not_all_the_indices_are_texts() -> None:
    levels = Score("How many?", ("1", "2", "3"))
    assert read_answer(levels, score({"1": 0.5, "2": 0.375, "3": 0.125})).distribution == {
        "0": 0.5,
        "1": 0.375,
        "2": 0.125,
    }


def test_equal_level_texts_cannot_be_keyed_by_text() -> None:
    levels = Score("How many?", ("one", "one"))
    assert read_answer(levels, score({"one": 0.5})).distribution is None
    assert read_answer(levels, score({"0": 0.25, "1": 0.75})).distribution == {"0": 0.25, "1": 0.75}


# Other fields --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [None, "Noul", "choice", 3])
def test_a_wrong_or_absent_type_is_kept_and_noted(kind: Any) -> None:
    answer = {"noul": 0.25} if kind is None else {"type": kind, "noul": 0.25}
    read = read_answer(NOUL, answer)
    assert read.distribution == {"false": 0.75, "true": 0.25}
    assert notes(read) == ["answer_type"]


def test_a_missing_confidence_is_noted_where_answers_have_one() -> None:
    assert notes(read_answer(CHOICE, {"type": "choice", "probabilities": {"a": 0.5, "b": 0.5}})) == ["no_confidence"]
    assert notes(read_answer(NOUL, {"type": "noul", "noul": 0.5})) == []


@pytest.mark.parametrize("confidence", [0.73, 7, "high", None])
def test_confidence_never_touches_the_distribution(confidence: Any) -> None:
    read = read_answer(CHOICE, choice({"a": 0.25, "b": 0.75}, confidence=confidence))
    assert read == ReadAnswer({"a": 0.25, "b": 0.75})


def test_a_choice_that_is_not_the_argmax_is_noted_and_a_tie_is_not() -> None:
    assert notes(read_answer(CHOICE, choice({"a": 0.25, "b": 0.75}, choice="a"))) == ["choice_not_argmax"]
    assert notes(read_answer(CHOICE, choice({"a": 0.25, "b": 0.75}, choice="b"))) == []
    for said in ("a", "b"):
        assert notes(read_answer(CHOICE, choice({"a": 0.5, "b": 0.5}, choice=said))) == []


def test_a_score_that_is_not_the_mean_level_is_noted() -> None:
    levels = {"0": 0.25, "1": 0.25, "2": 0.5}  # mean 1.25
    assert notes(read_answer(SCORE, score(levels, score=1.25))) == []
    assert notes(read_answer(SCORE, score(levels, score=2))) == ["score_not_mean"]
    assert notes(read_answer(SCORE, score(levels, score="1.25"))) == ["score_not_mean"]


def test_every_note_is_explained() -> None:
    odd = [
        read_answer(NOUL, {"noul": 0.5}),
        read_answer(CHOICE, {"type": "choice", "probabilities": {"a": 0.6, "b": 0.5, "c": 1}, "choice": "b"}),
        read_answer(CHOICE, choice({"a": 0.25, "b": 0.5})),
        read_answer(SCORE, score({"0": 0.5, "1": 0.25, "2": 0.25}, score=2)),
    ]
    assert {note for read in odd for note, _ in read.notes} == set(NOTES)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12).filter(lambda masses: sum(masses) > 1e-3))
def test_what_is_read_is_a_distribution_over_the_declared_answers(masses: list[float]) -> None:
    question = Choice("Which?", {f"o{i}": f"Option {i}" for i in range(len(masses))})
    read = read_answer(question, choice({f"o{i}": mass for i, mass in enumerate(masses)}))
    assert read.distribution is not None
    assert tuple(read.distribution) == answer_ids(question)
    assert math.fsum(read.distribution.values()) == pytest.approx(1.0, abs=1e-12)
    assert all(0.0 <= mass <= 1.0 for mass in read.distribution.values())
