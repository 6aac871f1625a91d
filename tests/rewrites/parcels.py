"""Cases to rewrite, and a chat server whose two models do it as they are told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pytest_jevbench.cli import main
from tests.servers.chat import completion
from tests.servers.scripted import ScriptedServer, Step, Talk, reply

__all__ = [
    "BROKEN",
    "CASE",
    "Talker",
    "asked_by",
    "bank_rows",
    "chats",
    "good_judge",
    "good_writer",
    "make",
    "write_cases",
]

STATE = "The cup has a crack. I would like my money back."
BROKEN = "Is something in the parcel broken?"
WISH = "What does the writer want?"
SOON = "How soon must somebody answer?"
CASE: dict[str, Any] = {
    "id": "crack",
    "state": STATE,
    "questions": {
        "broken": {"type": "noul", "instructions": BROKEN},
        "wish": {
            "type": "choice",
            "instructions": WISH,
            "criteria": {"money": "The money back", "parcel": "Another parcel"},
        },
        "soon": {"type": "score", "instructions": SOON, "criteria": ["it can wait", "this week", "today"]},
    },
}

WORDINGS: dict[str, list[str]] = {
    "other wordings of this question": [
        "Reworded once, what was asked?",
        "And reworded once more, what was it?",
    ],
    "exact opposite": ["Is everything in the parcel whole?", "Is nothing in the parcel broken?"],
    "one answer of a question": ["Said in other words", "Said in yet other words"],
}
CHINESE: dict[str, Any] = {
    BROKEN: {"instructions": "包裹里有东西坏了吗？", "criteria": None},
    WISH: {"instructions": "写信人想要什么？", "criteria": {"money": "退款", "parcel": "另一个包裹"}},
    SOON: {"instructions": "必须多快答复？", "criteria": ["可以等", "本周", "今天"]},
}
HOLDS = '{"reason": "No document tells them apart.", "holds": true}'

Talker = Callable[[str], Any]
"""From the message of a request to the content of the answer; a :class:`Step` is taken as it is."""


def good_writer(message: str) -> str:
    """Usable candidates for whatever is asked of the parcels."""
    for start, words in WORDINGS.items():
        if start in message:
            return json.dumps({"rewrites": words[: 1 if "Write 1 " in message else 2]})
    question = next(question for question in CHINESE if question in message)
    return json.dumps({"rewrites": [CHINESE[question]]}, ensure_ascii=False)


def good_judge(message: str) -> str:
    return HOLDS


def chats(writer: Talker = good_writer, judge: Talker = good_judge) -> Step:
    """The models ``j`` and ``judge-model`` judge, every other one writes."""

    def step(talk: Talk) -> bool:
        body = talk.asked.json
        said = (judge if body["model"] in ("j", "judge-model") else writer)(body["messages"][-1]["content"])
        return bool(said(talk)) if callable(said) else reply(completion(said))(talk)

    return step


def write_cases(folder: Path, cases: Iterable[Any] = (CASE,)) -> Path:
    path = folder / "parcels.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return path


def make(server: ScriptedServer | str, cases: Path, bank: Path, *options: str, judge: str = "j") -> int:
    """Run the command against a server, one text at a time."""
    url = server if isinstance(server, str) else server.url
    judging = ["--judge-model", judge] if judge else []
    return main(
        [
            *("rewrite", str(cases), "--out", str(bank), "--url", url, "--model", "w"),
            *(*judging, "--jobs", "1", *options),
        ]
    )


def bank_rows(bank: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in bank.read_text("utf-8").splitlines()]


def asked_by(server: ScriptedServer) -> Counter[tuple[str, str]]:
    """How often each message was sent to each model."""
    return Counter((asked.json["model"], asked.json["messages"][-1]["content"]) for asked in server.asked)
