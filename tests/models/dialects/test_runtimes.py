"""Models that run in this process: an OpenJev-like runtime, and one that calls functions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_jevbench.answers import read_answers
from pytest_jevbench.errors import InputError, ModelDown, ModelError, Refused
from pytest_jevbench.models.dialects import dialect_of
from pytest_jevbench.models.exchange import Exchange
from pytest_jevbench.models.opening import ModelSpec, expected_identity, open_replicas
from pytest_jevbench.models.runtime_model import RuntimeModel, find_runtime
from pytest_jevbench.questions import Choice, Noul, Request, Score
from pytest_jevbench.warning import JevbenchWarning
from tests.models.dialects.conftest import ASKED

TEAM = Choice("Which team?", {"a": "first", "b": "second"})
YES = Noul("Is it broken?")
HOW = Score("How bad?", ("not", "somewhat", "very"))


class Form:
    """A runtime whose options are bare names; answers are given one after another."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.given: list[dict[str, Any]] = []

    def decide(self, **given: Any) -> Any:
        self.given.append(given)
        return self.answers.pop(0) if self.answers else {"probabilities": [0.25] * 4}


class Typed:
    """A runtime with the method of the model that ``wev.load()`` gives."""

    def predict(self, state: Any, questions: Mapping[str, Any], model: str | None = None) -> dict[str, Any]:
        self.given = (state, questions)
        answers = {key: {"type": "choice", "choice": "a", "probabilities": {"a": 0.75, "b": 0.25}} for key in questions}
        return {"model": "m", "answers": answers, "usage": {"input_tokens": 7, "output_tokens": 3}, "truncated": True}


def openjev(runtime: Any, **more: Any) -> RuntimeModel:
    return RuntimeModel(runtime, dialect_of("local_openjev"), **more)


def test_a_form_gets_bare_options_and_the_rubric() -> None:
    form = Form({"noul": 0.25}, {"probabilities": {"lid": 0.5, "cup": 0.25, "10": 0.25}}, {"probabilities": [0, 0, 1]})
    reply = openjev(form).ask(ASKED)
    assert form.given[1:] == [
        {
            "state": {"text": "Der Deckel hat einen Sprung."},
            "instructions": "Which part?\n\nThe options:\nlid: The cover\ncup: The vessel\n10: None of them",
            "type": "choice",
            "options": ["lid", "cup", "10"],
        },
        {
            "state": {"text": "Der Deckel hat einen Sprung."},
            "instructions": "How bad?\n\nThe levels, lowest first:\n0: not\n1: somewhat\n2: very",
            "type": "score",
            "options": ["0", "1", "2"],
        },
    ]
    read = {key: one.distribution for key, one in read_answers(ASKED.questions, reply.answers).items()}
    assert read == {
        "00": {"false": 0.75, "true": 0.25},
        "welcher Teil": {"lid": 0.5, "cup": 0.25, "10": 0.25},
        "s": {"0": 0, "1": 0, "2": 1},
    }


def test_a_function_is_a_form() -> None:
    def decide(state: Any, instructions: str, type: str, options: list[str]) -> Any:  # noqa: A002
        return {"noul": np.float32(0.5)}

    assert openjev(decide).ask(Request("s", {"q": YES})).answers == {"q": {"type": "noul", "noul": 0.5}}


def test_a_typed_runtime_gets_the_question_as_it_is() -> None:
    runtime = Typed()
    with pytest.warns(JevbenchWarning, match="cut a state"):
        reply = openjev(runtime, name="OpenJev").ask(Request("s", {"team": TEAM}))
    assert runtime.given == ("s", {"q": TEAM.to_json()})
    assert reply.answers["team"]["probabilities"] == {"a": 0.75, "b": 0.25}
    assert reply.answers["team"]["truncated"] is True


@pytest.mark.parametrize(
    "answer", [None, 7, "a", {}, {"probabilities": [0.5]}, {"probabilities": {"a": True, "b": 0}}], ids=str
)
def test_answers_that_state_no_distribution(answer: Any) -> None:
    answers = openjev(Form(answer)).ask(Request("s", {"q": TEAM})).answers
    assert read_answers({"q": TEAM}, answers)["q"].distribution is None


def test_a_runtime_that_raises_gives_no_answer_and_is_down_at_last() -> None:
    def decide(**_: Any) -> Any:
        raise RuntimeError("out of memory, sk-abc1234567")

    model = openjev(decide, name="m", down_after=2)
    with pytest.raises(ModelError, match=r"m raised RuntimeError: out of memory, \*\*\*"):
        model.ask(Request("s", {"q": YES}))
    with pytest.raises(ModelDown):
        model.ask(Request("s", {"q": YES}))


def test_the_state_is_the_runtimes_own_to_change() -> None:
    def decide(state: Any, **_: Any) -> Any:
        state.clear()
        return {"noul": 0.5}

    request = Request({"a": 1}, {"q": YES})
    openjev(decide).ask(request)
    assert request.state == {"a": 1}


class Caller:
    """Has the interface of the class ``Needle``: made with tools, it completes a text with calls."""

    made: list[dict[str, Any]]
    closed: int

    def __init__(self, response: Any) -> None:
        self.response = response
        self.made = []
        self.texts: list[str] = []
        self.closed = 0

    def __call__(self, tools: Any = None, system: Any = None, auto_date: bool = True) -> Any:
        self.made.append({"tools": tools, "auto_date": auto_date})
        return self

    def complete(self, text: str = "", max_new_tokens: int = 512) -> Any:
        self.texts.append(text)
        return self.response

    def close(self) -> None:
        self.closed += 1


def called(*calls: Any, **more: Any) -> Caller:
    return Caller({"function_calls": list(calls), "confidence": 0.93, **more})


def answer(value: Any) -> dict[str, Any]:
    return {"name": "answer", "arguments": {"answer": value}}


def asked(runtime: Any, question: Any, mode: str | None = None) -> Any:
    dialect = dialect_of("needle", {"choice_mode": mode} if mode else None)
    return RuntimeModel(runtime, dialect).ask(Request({"n": 1}, {"q": question})).answers["q"]


@pytest.mark.parametrize(
    ("question", "argument", "value", "label"),
    [
        (YES, {"type": "boolean"}, True, "true"),
        (TEAM, {"type": "string", "enum": ["a", "b"]}, "b", "b"),
        (HOW, {"type": "integer", "enum": [0, 1, 2]}, 2, "2"),
    ],
    ids=["noul", "choice", "score"],
)
def test_one_tool_whose_argument_is_the_answer(question: Any, argument: Any, value: Any, label: str) -> None:
    caller = called(answer(value))
    assert asked(caller, question) == {"type": question.type, "label": label}
    made = caller.made[0]
    assert made["auto_date"] is False  # the date would make another model of it every day
    assert len(made["tools"]) == 1
    assert made["tools"][0]["parameters"] == {
        "type": "object",
        "properties": {"answer": argument},
        "required": ["answer"],
    }
    assert made["tools"][0]["description"].startswith(question.instructions)
    assert (caller.texts, caller.closed) == (['{"n":1}'], 1)


def test_each_option_a_tool_of_its_own() -> None:
    caller = called({"name": "b", "arguments": {}})
    assert asked(caller, TEAM, "tools") == {"type": "choice", "label": "b"}
    tools = [(tool["name"], tool["description"]) for tool in caller.made[0]["tools"]]
    assert tools == [("a", "Which team? a: first"), ("b", "Which team? b: second")]
    assert asked(called(answer(False)), YES, "tools") == {"type": "noul", "label": "false"}  # as by default
    with pytest.raises(Refused, match='"welcher Teil" is no name'):
        asked(caller, Choice("Which?", {"welcher Teil": "x", "b": "y"}), "tools")


@pytest.mark.parametrize(
    ("response", "wanted"),
    [
        ({"function_calls": []}, {"abstained": True}),
        ({"function_calls": [], "suppressed_calls": [answer("a")]}, {"abstained": True}),
        ({"function_calls": [answer("a"), answer("b")]}, {"problem": "2 calls where one answers the question"}),
        ({"function_calls": [answer("c")]}, {"label": "c"}),
        ({"function_calls": [answer(None)]}, {"label": None}),
        ({"function_calls": [answer(True)]}, {"label": True}),
        ({"calls": []}, {"problem": 'the model\'s response has no list "function_calls"'}),
        (None, {"problem": 'the model\'s response has no list "function_calls"'}),
    ],
    ids=str,
)
def test_what_is_no_answer_by_a_call(response: Any, wanted: Any) -> None:
    assert asked(Caller(response), TEAM) == {"type": "choice", **wanted}


@pytest.mark.parametrize("call", [{"name": "other", "arguments": {"answer": "a"}}, {"name": "answer"}, "answer", None])
def test_a_call_that_does_not_give_the_answer(call: Any) -> None:
    assert "does not give the answer" in asked(called(call), TEAM)["problem"]


def test_no_distribution_is_made_of_a_confidence() -> None:
    assert read_answers({"q": TEAM}, {"q": asked(called(answer("a")), TEAM)})["q"].distribution is None


def test_options_of_a_runtime_are_checked() -> None:
    with pytest.raises(InputError, match="one of argument, tools"):
        dialect_of("needle", {"choice_mode": "both"})
    with pytest.raises(InputError, match="choice_mode"):
        dialect_of("needle", {"temperature": 0})
    with pytest.raises(InputError, match="no further fields"):
        dialect_of("local_openjev", {"a": 1})


def test_calls_are_told_word_for_word() -> None:
    told: list[Exchange] = []
    caller = called(answer("a"))
    model = RuntimeModel(caller, dialect_of("needle"))
    model.record = told.append
    model.ask(Request("s", {"q": TEAM}))
    assert told[0].sent == {"tools": caller.made[0]["tools"], "text": "s"}
    assert told[0].received == {"function_calls": [answer("a")], "confidence": 0.93}


def test_a_runtime_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_runtime_1.py").write_text(
        "def decide(state, instructions, type, options):\n    return {'noul': 0.5}\n\nclass inner:\n    number = 7\n"
    )
    spec = ModelSpec(runtime="my_runtime_1:decide", dialect="local_openjev", model="m", revision="2")
    with open_replicas(spec) as replicas:
        assert replicas[0].ask(Request("s", {"q": YES})).answers == {"q": {"type": "noul", "noul": 0.5}}
    identity = expected_identity(spec)
    assert (identity.dialect, identity.name, identity.revision) == ("local_openjev", "m", "2")
    assert (identity.stable, dict(identity.details)) == (True, {"runtime": "my_runtime_1:decide"})
    for entry, problem in (
        ("my_runtime_1", "MODULE:NAME"),
        ("my_runtime_1:nothing", "cannot be imported"),
        ("my_runtime_2:x", "cannot be imported"),
        ("my_runtime_1:inner.number", "neither a function nor an object"),
    ):
        with pytest.raises(InputError, match=problem):
            find_runtime(entry)


@pytest.mark.parametrize(
    "spec",
    [
        ModelSpec(runtime="a:b"),
        ModelSpec(runtime="a:b", dialect="openai"),
        ModelSpec(urls=("http://h",), dialect="needle"),
        ModelSpec(reference="uniform", dialect="local_openjev"),
        ModelSpec(urls=("http://h",), runtime="a:b", dialect="needle"),
    ],
    ids=repr,
)
def test_runtimes_and_servers_have_dialects_of_their_own(spec: ModelSpec) -> None:
    with pytest.raises(InputError):
        spec.check()
