"""The store of a run that keeps nothing: each request asked once, also by many threads."""

from __future__ import annotations

import math
import threading
from collections import Counter

import pytest

from pytest_jevbench.errors import Refused, Unreachable
from pytest_jevbench.json_text import loads
from pytest_jevbench.models.private_store import PrivateAnswers, PrivateStore
from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.questions import Noul, Request


def request(text: str) -> Request:
    return Request("state", {"q": Noul(text)})


def test_a_request_is_asked_once_and_then_known() -> None:
    answers, asked = PrivateAnswers(), []

    def ask(one: Request) -> Reply:
        asked.append(one.digest)
        return Reply({"q": {"noul": 0.25}}, model="m")

    first, again = answers.answer(request("a?"), ask), answers.answer(request("a?"), ask)
    assert (first.hit, again.hit, len(asked)) == (False, True, 1)
    assert again.reply == first.reply
    assert answers.answered_names() == {"m": 1}
    assert [r.questions["q"].instructions for r in answers.missing([request("a?"), request("b?"), request("b?")])] == [
        "b?"
    ]


def test_many_threads_ask_each_request_once() -> None:
    answers, asked, lock = PrivateAnswers(), Counter[str](), threading.Lock()
    together = threading.Barrier(8)

    def ask(one: Request) -> Reply:
        with lock:
            asked[one.digest] += 1
        return Reply({"q": {"noul": 0.5}})

    def work() -> None:
        together.wait()
        for n in range(50):
            answers.answer(request(f"{n}?"), ask)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(asked.values()) == {1}
    assert len(asked) == 50


def test_a_refusal_is_known_and_an_unreachable_model_is_not() -> None:
    answers, asked = PrivateAnswers(), []

    def refuse(one: Request) -> Reply:
        asked.append("refused")
        raise Refused("too long", status=413)

    def unreachable(one: Request) -> Reply:
        asked.append("unreachable")
        raise Unreachable("nobody there")

    for _ in range(2):
        with pytest.raises(Refused, match="too long"):
            answers.answer(request("a?"), refuse)
        with pytest.raises(Unreachable):
            answers.answer(request("b?"), unreachable)
    assert Counter(asked) == {"refused": 1, "unreachable": 2}


def test_values_that_strict_json_has_not_come_back_unchanged() -> None:
    raw = loads(
        '{"q": {"noul": NaN, "text": "\\ud800"}, "r": {"a": 1, "a": 2}}', mark_duplicates=True, allow_constants=True
    )
    answers = PrivateAnswers()
    answers.put(request("a?"), Reply(raw))
    [reply] = answers.repeats(request("a?"))
    assert math.isnan(reply.answers["q"]["noul"])
    assert reply.answers["q"]["text"] == "\ud800"
    assert reply.answers["r"].repeated == ("a",)


def test_it_cannot_be_handed_to_a_worker() -> None:
    with pytest.raises(ValueError, match="cannot be shared"):
        PrivateStore().handover()
