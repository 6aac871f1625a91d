"""What raw answers to labelled tasks come to; every expected value was worked out by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.json_text import loads
from pytest_jevbench.labelled.reading import TaskAnswer, read_task_answer
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.labelled.results import TaskResult, judge_task
from pytest_jevbench.questions import Score
from tests.labelled.tasks import HOW, TEAM, YES


def probabilities(**values: Any) -> dict[str, Any]:
    return {"type": "choice", "probabilities": values}


def test_a_noul_is_two_labels() -> None:
    assert read_task_answer(YES, {"type": "noul", "noul": 0.75}) == TaskAnswer(probabilities={"no": 0.25, "yes": 0.75})


def test_labels_stand_in_the_records_order() -> None:
    turned = Task("t", "f", "s", YES.question, ("yes", "no"), "no")
    read = read_task_answer(turned, {"noul": 0.75})
    assert list((read.probabilities or {}).items()) == [("yes", 0.75), ("no", 0.25)]


@pytest.mark.parametrize(
    "values",
    [(0.5, 0.25, 0.25), (0.5, 0.25, 0.251), (0.5, 0.25, 0.249), (0.501, 0.25, 0.25), (0.0, 0.0, 1.0)],
    ids=str,
)
def test_a_sum_within_a_thousandth_is_valid_and_stays_as_it_came(values: tuple[float, ...]) -> None:
    read = read_task_answer(TEAM, probabilities(**dict(zip("abc", values, strict=True))))
    assert read == TaskAnswer(probabilities=dict(zip("abc", values, strict=True)))


@pytest.mark.parametrize(
    ("values", "divided"),
    [
        ((0.5, 0.26, 0.25), (0.5 / 1.01, 0.26 / 1.01, 0.25 / 1.01)),
        ((0.5, 0.24, 0.24), (0.5 / 0.98, 0.24 / 0.98, 0.24 / 0.98)),
        ((0.5, 0.27, 0.25), (0.5 / 1.02, 0.27 / 1.02, 0.25 / 1.02)),
        ((0.5, 0.25, 0.2511), (0.5 / 1.0011, 0.25 / 1.0011, 0.2511 / 1.0011)),
    ],
    ids=str,
)
def test_a_sum_within_two_hundredths_is_divided_out_and_told(
    values: tuple[float, ...], divided: tuple[float, ...]
) -> None:
    read = read_task_answer(TEAM, probabilities(**dict(zip("abc", values, strict=True))))
    assert list((read.probabilities or {}).values()) == pytest.approx(divided, abs=1e-15)
    assert read.returned == dict(zip("abc", values, strict=True))
    assert read.returned_sum == pytest.approx(sum(values), abs=1e-15)
    assert read.flags == ("renormalised",)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (probabilities(a=0.5, b=0.25, c=0.2701), "the probabilities sum to 1.0201"),
        (probabilities(a=0.5, b=0.25, c=0.2299), "the probabilities sum to 0.9799"),
        (probabilities(a=0.0, b=0.0, c=0.0), "the probabilities sum to 0"),
        (probabilities(a=1.0, b=1.0, c=1.0), "the probabilities sum to 3"),
        (probabilities(a=True, b=0.0, c=0.0), '"a" is true, not a number'),
        (probabilities(a="0.5", b=0.25, c=0.25), '"a" is "0.5", not a number'),
        (probabilities(a=None, b=0.5, c=0.5), '"a" is null, not a number'),
        (probabilities(a=50, b=25, c=25), '"a" is 50, outside'),
        (probabilities(a=1.1, b=-0.1, c=0.0), '"a" is 1.1, outside'),
        (probabilities(a=0.5, b=0.5, c=-0.001), '"c" is -0.001, outside'),
        (probabilities(a=10**400, b=0.5, c=0.5), '"a" is too large'),
        (probabilities(a=0.5, b=0.5), 'no probability for "c"'),
        (probabilities(a=0.5, b=0.25, c=0.25, d=0.0), 'a probability for "d"'),
        ({**probabilities(a=0.5, b=0.25, c=0.25), "choice": "d"}, 'the choice "d" is no option'),
        ({**probabilities(a=0.5, b=0.25, c=0.25), "choice": 0}, "the choice 0 is no option"),
        ({**probabilities(a=0.5, b=0.25, c=0.25), "choice": ["a"]}, 'the choice ["a"] is no option'),
        ({"type": "choice", "choice": "a"}, '"probabilities" is null'),
        ({"type": "choice", "probabilities": [0.5, 0.25, 0.25]}, "not an object"),
        ({}, '"probabilities" is null'),
        ([], "not an object"),
        (None, "not an object"),
        ("b", "not an object"),
    ],
    ids=str,
)
def test_what_is_no_distribution_of_the_question_is_invalid(answer: Any, problem: str) -> None:
    read = read_task_answer(TEAM, answer)
    assert (read.reason, read.probabilities, read.given) == ("invalid", None, None)
    assert problem in read.detail


@pytest.mark.parametrize("p", [True, False, None, "0.5", 1.1, -0.1, 50, [0.5]], ids=str)
def test_what_is_no_probability_of_yes(p: Any) -> None:
    assert read_task_answer(YES, {"type": "noul", "noul": p}).reason == "invalid"


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_numbers_that_are_none(text: str) -> None:
    answer = loads(f'{{"noul": {text}}}', mark_duplicates=True, allow_constants=True)
    assert read_task_answer(YES, answer).reason == "invalid"


@pytest.mark.parametrize(
    "text",
    [
        '{"noul": 0.5, "noul": 0.5}',
        '{"probabilities": {"a": 0.5, "b": 0.25, "c": 0.25, "a": 0.5}}',
    ],
)
def test_a_key_that_stands_twice(text: str) -> None:
    task = YES if "noul" in text else TEAM
    assert "twice" in read_task_answer(task, loads(text, mark_duplicates=True)).detail


def test_a_rounding_of_a_millionth_is_none_to_speak_of() -> None:
    assert read_task_answer(YES, {"noul": 1.0000005}).probabilities == {"no": 0.0, "yes": 1.0}
    assert read_task_answer(YES, {"noul": -0.0000005}).probabilities == {"no": 1.0, "yes": 0.0}


def test_a_score_is_keyed_by_index_or_by_every_level_text() -> None:
    by_index = {"probabilities": {"0": 0.2, "1": 0.3, "2": 0.5}}
    by_text = {"probabilities": {"very": 0.5, "not": 0.2, "somewhat": 0.3}}
    wanted = {"0": 0.2, "1": 0.3, "2": 0.5}
    assert read_task_answer(HOW, by_index).probabilities == read_task_answer(HOW, by_text).probabilities == wanted
    assert read_task_answer(HOW, {"probabilities": {"not": 0.2, "1": 0.3, "2": 0.5}}).reason == "invalid"
    equal = Task("t", "f", "s", Score("How?", ("x", "x")), ("0", "1"), "0")
    assert read_task_answer(equal, {"probabilities": {"x": 1.0}}).reason == "invalid"


@pytest.mark.parametrize("answer", [{"type": "refusal", "refusal": "I will not"}, {"refusal": True}], ids=str)
def test_a_question_that_the_model_refuses(answer: Any) -> None:
    assert read_task_answer(YES, answer).reason == "refused"


def test_a_state_that_was_cut_is_told() -> None:
    assert read_task_answer(YES, {"noul": 0.5, "truncated": True}).flags == ("truncated",)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ({"label": "b"}, TaskAnswer(given="b")),
        ({"abstained": True}, TaskAnswer(reason="abstained", detail="the model made no call")),
    ],
)
def test_a_label_alone(answer: Any, wanted: TaskAnswer) -> None:
    assert read_task_answer(TEAM, answer, "label_only") == wanted


@pytest.mark.parametrize("label", ["d", None, True, 0, ["a"], ""], ids=str)
def test_a_label_outside_the_set_is_invalid(label: Any) -> None:
    assert read_task_answer(TEAM, {"label": label}, "label_only").reason == "invalid"


def test_a_label_alone_is_taken_only_of_a_model_that_gives_no_more() -> None:
    assert read_task_answer(TEAM, {"label": "b"}).reason == "invalid"


def test_a_noul_label_is_the_records() -> None:
    assert read_task_answer(YES, {"label": "true"}, "label_only").given == "yes"


def judged(task: Task, answer: Any, source: Any = "native") -> TaskResult:
    read = read_task_answer(task, answer, source)
    return judge_task(
        task, TaskResult(task.id, "wrong", read.reason, given=read.given, probabilities=read.probabilities)
    )


@pytest.mark.parametrize(
    ("task", "answer", "verdict"),
    [
        (YES, {"noul": 0.51}, ("correct", "")),
        (YES, {"noul": 0.49}, ("wrong", "")),
        (YES, {"noul": 0.5}, ("wrong", "tied")),
        (YES, {"noul": True}, ("wrong", "invalid")),
        (TEAM, probabilities(a=0.3, b=0.4, c=0.3), ("correct", "")),
        (TEAM, {**probabilities(a=0.3, b=0.4, c=0.3), "choice": "a"}, ("correct", "")),
        (HOW, {"probabilities": {"0": 0.4, "1": 0.2, "2": 0.4}}, ("wrong", "tied")),
        (HOW, {"probabilities": {"0": 0.1, "1": 0.4, "2": 0.5}}, ("correct", "")),
    ],
    ids=str,
)
def test_the_verdict_is_that_of_the_most_probable_label(task: Task, answer: Any, verdict: tuple[str, str]) -> None:
    result = judged(task, answer)
    assert (result.verdict, result.reason) == verdict


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.dictionaries(st.text(), x)))
def test_nothing_that_a_model_says_raises(answer: Any) -> None:
    for task in (YES, TEAM, HOW):
        for source in ("native", "label_only"):
            read = read_task_answer(task, answer, source)  # type: ignore[arg-type]
            assert read.reason or read.given or json.dumps(read.probabilities)
