"""docs/rewrites.md: its commands run, and print what the page shows.

``python -m tests.docs.test_rewrites_page`` writes the outputs anew.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import tempfile
from pathlib import Path
from typing import Any

from pytest_jevbench.cli import main
from pytest_jevbench.rewrites.audit_text import candidate_text
from pytest_jevbench.rewrites.auditing import chosen, told, walk
from pytest_jevbench.rewrites.bank_file import open_bank, read_bank
from pytest_jevbench.suite_loading import suite_of_cases
from tests.rewrites.parcels import chats
from tests.servers.chat import completion
from tests.servers.scripted import ScriptedServer, Step, reply

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "rewrites.md"
BLOCK = re.compile(r"^```console\n\$ (.*)\n((?:.*\n)*?)```$", re.MULTILINE)
ADDRESS = "http://127.0.0.1:8001/v1"
WIDTH = 100

TEXTS: dict[str, list[str]] = {
    "Is something in the parcel broken?": [
        "Is anything in the parcel damaged?",
        "Did something in it break on the way?",
    ],
    "What does the writer want?": ["What is it that the writer wants?", "What would the writer like to have?"],
    "How soon must somebody answer?": [
        "How quickly does somebody have to answer?",
        "In what time must there be an answer?",
    ],
    "The money back": ["A refund of the money", "To get the money back"],
    "Another parcel": ["A further parcel", "One more parcel"],
    "Nothing at all": ["Not anything", "No thing whatsoever"],
}
OPPOSITES = ["Is nothing in the parcel broken?", "Is everything in the parcel new?"]
SPANISH: dict[str, Any] = {
    "Is something in the parcel broken?": {"instructions": "¿Hay algo roto en el paquete?", "criteria": None},
    "What does the writer want?": {
        "instructions": "¿Qué quiere quien escribe?",
        "criteria": {"money": "Que le devuelvan el dinero", "parcel": "Otro paquete", "nothing": "Nada en absoluto"},
    },
    "How soon must somebody answer?": {
        "instructions": "¿Con qué rapidez hay que responder?",
        "criteria": ["puede esperar", "esta semana", "hoy"],
    },
}
WRONG = {
    "Did something in it break on the way?": "A cup that had its crack before it was sent: broken, and not on the way.",
    "Is everything in the parcel new?": "A used cup without a crack: nothing is broken, and not everything is new.",
}


def writer(message: str) -> Step:
    text = next(text for text in [*TEXTS, *SPANISH] if re.search(rf'(: |"){re.escape(text)}', message))
    texts = [SPANISH[text]] if "Spanish" in message else OPPOSITES if "opposite" in message else TEXTS[text]
    return with_usage(json.dumps({"rewrites": texts}), message)


def with_usage(content: str, message: str) -> Step:
    """An answer that tells how many tokens it took."""
    usage = {"prompt_tokens": len(message) // 4, "completion_tokens": len(content) // 4}
    return reply({**completion(content), "usage": usage})


def judge(message: str) -> Step:
    wrong = next((reason for text, reason in WRONG.items() if text in message), "")
    holds = not wrong or "both are answered yes" in message
    return with_usage(json.dumps({"holds": holds, "reason": "" if holds else wrong}), message)


class Keys:
    """Presses some keys at the console, types one reason and remembers what it was shown."""

    def __init__(self, keys: str, reason: str) -> None:
        self._keys = iter(keys)
        self._reason = reason
        self.seen = ""

    def show(self, text: str) -> None:
        self.seen += text

    def key(self) -> str:
        return next(self._keys)

    def line(self, prompt: str) -> str:
        self.seen += f"{prompt}{self._reason}\n"
        return self._reason


def audited(command: list[str]) -> str:
    """The walk of the page, at a console that is put in."""
    keys = Keys("raq", "wider: a scratch is a damage")
    with open_bank(Path(command[1])) as bank:
        walked = walk(bank, chosen(bank), keys, lambda row, where: candidate_text(row, where, WIDTH), by="Ada")
        assert walked.left
        return keys.seen + told(bank, walked)


def output(command: list[str], server: ScriptedServer) -> str:
    """What a command prints, both streams in one."""
    if command[:1] == ["audit"] and "--by" in command:
        return audited(command)
    ids = [row.id for row in read_bank(Path(command[1]))[0] if row.accepted] if command[0] == "audit" else []
    for option, id_ in (("--accept", ids[2:3]), ("--reject", ids[3:4])):
        if option in command:
            command[command.index(option) + 1 : command.index(option) + 2] = id_
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        assert main([word.replace(ADDRESS, server.url) for word in command]) == 0
    return printed.getvalue()


def typed_in(page: str, folder: Path) -> str:
    """The page with the real output of every command, run in their order in a folder."""
    yaml = re.search(r"^```yaml\n(.*?)^```$", (DOCS / "own-cases.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert yaml is not None
    (folder / "parcels.yaml").write_text(yaml[1], "utf-8")

    def run(block: re.Match[str]) -> str:
        words = shlex.split(block[1])
        if words[0] != "pytest-jevbench":
            return block[0]
        real = output(words[1:], server)
        shown = block[1]
        if "--accept" in words:  # the ids are those of the bank
            ids = [row.id for row in read_bank(folder / "rewrites.jsonl")[0] if row.accepted]
            shown = re.sub(r"--accept \w+ --reject \w+", f"--accept {ids[2]} --reject {ids[3]}", shown)
        return f"```console\n$ {shown}\n{real}```"

    before = Path.cwd()
    os.chdir(folder)
    try:
        with ScriptedServer([chats(writer, judge)]) as server:
            return BLOCK.sub(run, page)
    finally:
        os.chdir(before)


def test_the_page_shows_what_its_commands_print(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    assert len(BLOCK.findall(page)) == 6
    assert page == typed_in(page, tmp_path), "run python -m tests.docs.test_rewrites_page"
    used = suite_of_cases(tmp_path / "parcels.yaml", rewrites=tmp_path / "rewrites.jsonl").plan.relations
    named = re.findall(r"\(`(\w+)`\)", page.partition("## A bank")[0])
    assert len(named) == 4
    assert set(named) <= set(used)


def test_every_option_of_the_page_is_there() -> None:
    page = PAGE.read_text("utf-8")
    helps = ""
    for command in ("rewrite", "audit"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            main([command, "--help"])
        helps += printed.getvalue()
    options = set(re.findall(r"(?<!\w)--(?!jevbench)[a-z][a-z-]+", page)) - {"--audited-only"}
    assert options == {option for option in options if option in helps}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(typed_in(PAGE.read_text("utf-8"), Path(folder)), "utf-8")
