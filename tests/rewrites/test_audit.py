"""``pytest-jevbench audit``: with a console put in, without a terminal, and in a pseudo-terminal."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.errors import InputError
from pytest_jevbench.rewrites.audit_text import candidate_text
from pytest_jevbench.rewrites.auditing import Walked, chosen, find, verdict, walk
from pytest_jevbench.rewrites.bank_file import Candidate, open_bank
from pytest_jevbench.suite_files import read_rewrites
from tests.rewrites.parcels import BROKEN, bank_rows

CHOICE = json.dumps({"instructions": "What?", "criteria": {"a": "Money back", "b": "Another one"}})


def line(kind: str, rewrite: Any, accepted: bool = True, source: str = BROKEN, **more: Any) -> dict[str, Any]:
    made = {"generator": "w", "judge": "j", "audited": None, "reason": "no difference"}
    return {
        "kind": kind,
        "source": source,
        "rewrite": rewrite,
        "accepted": accepted,
        "votes": [accepted],
        **made,
        **more,
    }


LINES = [
    line("paraphrase", "Is a thing in it broken?"),
    line("paraphrase", "Is it all broken?", False),
    line("negation", "Is nothing in the parcel broken?"),
    line("translate:zh", {"instructions": "什么？", "criteria": {"a": "退款", "b": "另一个"}}, source=CHOICE),
    line("paraphrase", "Is something broken there?", audited=True),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    bank = tmp_path / "bank.jsonl"
    bank.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in LINES), "utf-8")
    return bank


def verdicts(path: Path) -> list[bool | None]:
    return [row["audited"] for row in bank_rows(path)]


class Person:
    """Presses keys and types lines, and remembers what the file held at each key."""

    def __init__(self, path: Path, keys: str, lines: list[str] | None = None) -> None:
        self._path = path
        self._keys = iter(keys)
        self._lines = iter(lines or [])
        self.seen = ""
        self.held: list[list[bool | None]] = []

    def show(self, text: str) -> None:
        self.seen += text

    def key(self) -> str:
        self.held.append(verdicts(self._path))
        return next(self._keys, "")

    def line(self, prompt: str) -> str:
        return next(self._lines)


def audit(path: Path, keys: str, lines: list[str] | None = None, **which: Any) -> tuple[Walked, Person]:
    person = Person(path, keys, lines)
    with open_bank(path) as bank:
        rows = chosen(bank, **which)
        return walk(bank, rows, person, lambda row, where: candidate_text(row, where, 100), by="me"), person


def test_each_verdict_is_in_the_file_before_the_next_is_asked_for(path: Path) -> None:
    walked, person = audit(path, "ars", ["it says nothing of doors"])
    assert walked == Walked(1, 1, left=False)
    assert person.held == [
        [None, None, None, None, True],
        [True, None, None, None, True],
        [True, None, False, None, True],
    ]
    assert [row["audit"]["reason"] for row in bank_rows(path) if "audit" in row] == ["", "it says nothing of doors"]
    assert {row["audit"]["by"] for row in bank_rows(path) if "audit" in row} == {"me"}
    _, person = audit(path, "a")  # the next audit begins with what was skipped
    assert "1 of 1   translate:zh" in person.seen
    assert verdicts(path) == [True, None, False, True, True]


def test_what_a_run_then_uses(path: Path) -> None:
    audit(path, "ara", ["no"])
    rows = [(None, row) for row in bank_rows(path)]
    used = read_rewrites(rows, audited_only=True).texts  # type: ignore[arg-type]  # no place is needed here
    assert used["paraphrase", BROKEN] == ("Is a thing in it broken?", "Is something broken there?")
    assert ("negation", BROKEN) not in used
    assert len(used) == 2


@pytest.mark.parametrize(
    ("keys", "lines", "left", "after"),
    [
        ("q", [], True, [None, None, None]),
        ("", [], True, [None, None, None]),  # the input has ended
        ("\x04", [], True, [None, None, None]),
        ("aq", [], True, [True, None, None]),
        ("xA \x1bq", [], True, [True, None, None]),  # other keys mean nothing, and capitals are the same keys
        ("bbaq", [], True, [True, None, None]),  # there is nothing before the first
        ("abrq", ["changed my mind"], True, [False, None, None]),
        ("rbaq", ["no"], True, [True, None, None]),
        ("rrsss", ["", "now"], False, [False, None, None]),  # no reason: back to the choice
        ("rasss", [" "], False, [True, None, None]),
        ("sss", [], False, [None, None, None]),
        ("sabrs", ["both"], False, [None, False, None]),
    ],
)
def test_keys(path: Path, keys: str, lines: list[str], left: bool, after: list[bool | None]) -> None:
    walked, _ = audit(path, keys, lines)
    assert [verdicts(path)[n] for n in (0, 2, 3)] == after
    assert walked.left is left
    assert (walked.accepted, walked.rejected) == (after.count(True), after.count(False))


def test_what_the_judge_refused_can_be_overruled(path: Path) -> None:
    _, person = audit(path, "sa", refused=True)
    assert "refused by j" in person.seen
    row = bank_rows(path)[1]
    assert (row["accepted"], row["audited"], row["audit"]["overruled"], row["votes"]) == (True, True, "j", [False])
    assert row["reason"] == "no difference"


def test_what_no_test_could_use_cannot_be_accepted(tmp_path: Path) -> None:
    wrong = {"instructions": "什么？", "criteria": {"b": "另一个", "a": "退款"}}
    for kind, rewrite, source in [
        ("paraphrase", BROKEN, BROKEN),
        ("paraphrase", "", BROKEN),
        ("translate:zh", wrong, CHOICE),
        ("translate:zh", "text", CHOICE),
        ("translate:zh", wrong, "no JSON"),
    ]:
        row = Candidate(line(kind, rewrite, False, source))
        with pytest.raises(InputError, match=f"{row.id} cannot be used"):
            verdict(row, True)
        assert verdict(row, False, reason="r").audited is False


def test_a_verdict_by_hand() -> None:
    made = verdict(Candidate(LINES[0]), False, reason="wider", by="Ada", now=datetime(2030, 1, 2, tzinfo=timezone.utc))
    assert made.fields["audit"] == {"by": "Ada", "verdict": "reject", "reason": "wider", "date": "2030-01-02"}
    assert (made.accepted, made.audited, made.usable) == (True, False, False)
    assert made.id == Candidate(LINES[0]).id


def test_what_is_shown(path: Path) -> None:
    _, person = audit(path, "sss")
    first, second, third = person.seen.split("> ")[:3]
    assert "1 of 3   paraphrase" in first
    assert f"  {BROKEN}{' ' * (47 - len(BROKEN))}   Is a thing in it broken?\n" in first
    assert "judge: no difference" in first
    assert "to be the exact opposite" in second
    assert "  a\n" in third
    assert "  Money back" in third
    assert "   退款\n" in third


def ids(path: Path) -> list[str]:
    return [Candidate(row).id for row in bank_rows(path)]


def test_without_a_terminal(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(path), "--list"]) == 0
    out = capsys.readouterr().out
    assert [row[:10] for row in out.splitlines() if not row.startswith(" ")][:3] == [ids(path)[n] for n in (0, 2, 3)]
    assert "1 confirmed by an audit, 0 rejected by one, 3 accepted by the judge alone" in out
    one, refused, two, *_ = ids(path)
    assert main(["audit", str(path), "--accept", one, refused[:6], "--reject", two, "--reason", "not exact"]) == 0
    assert verdicts(path) == [True, True, False, None, True]
    assert "3 confirmed by an audit, 1 rejected by one, 1 accepted by the judge alone" in capsys.readouterr().out
    assert main(["audit", str(path), "--list", "--again", "--kinds", "negation,translate"]) == 0
    out = capsys.readouterr().out
    assert "reason   not exact" in out
    assert out.count("    rewrite  ") == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "there is no terminal"),
        (("--accept", "zzzz"), "there is no candidate 'zzzz'"),
        (("--accept", ""), "there is no candidate ''"),
        (("--reject", "{0}"), "--reject and --reason go together"),
        (("--accept", "{0}", "--reason", "x"), "--reject and --reason go together"),
        (("--accept", "{0}", "--reject", "{0}", "--reason", "x"), "is accepted and rejected"),
        (("--accept", "{0}", "zzzz"), "there is no candidate 'zzzz'"),
    ],
)
def test_bad_input_changes_nothing(
    path: Path, options: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = path.read_bytes()
    assert main(["audit", str(path), *(option.format(*ids(path)) for option in options)]) == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert words in told
    assert path.read_bytes() == before


def test_an_id_that_is_not_clear_and_files_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many = tmp_path / "many.jsonl"
    many.write_text("".join(json.dumps(line("paraphrase", f"Is it {n}?")) + "\n" for n in range(20)), "utf-8")
    with open_bank(many) as bank:
        start = next(a.id[0] for a in bank.rows if sum(b.id[0] == a.id[0] for b in bank.rows) > 1)
        with pytest.raises(InputError, match="candidates begin with"):
            find(bank, start)
    assert main(["audit", str(tmp_path / "none.jsonl"), "--list"]) == 2
    assert main(["audit", str(tmp_path / "none.jsonl"), "--accept", "a"]) == 2
    assert capsys.readouterr().err.count("there is no such file") == 2
    many.write_text('{"kind": "paraphrase"}\n', "utf-8")
    assert main(["audit", str(many), "--list"]) == 2
    assert "many.jsonl, line 1, source" in capsys.readouterr().err


def test_the_bank_of_a_suite(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.rename(tmp_path / "rewrites.jsonl")
    (tmp_path / "manifest.json").write_text("{}", "utf-8")
    assert main(["audit", str(tmp_path), "--accept", Candidate(LINES[0]).id]) == 0
    assert "freeze the suite again" in capsys.readouterr().out


# A terminal ----------------------------------------------------------------------------------------------------------


class Typist:
    """The command in a pseudo-terminal, and a person at it."""

    def __init__(self, path: Path, *options: str) -> None:
        import pty

        self._end, inner = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pytest_jevbench", "audit", str(path), *options],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env={**os.environ, "COLUMNS": "100"},
            start_new_session=True,
        )
        os.close(inner)
        self.seen = ""

    def until(self, words: str) -> str:
        """What the command writes up to some words."""
        start, limit = len(self.seen), time.monotonic() + 30
        while words not in self.seen[start:]:
            assert time.monotonic() < limit, self.seen
            if not select.select([self._end], [], [], 1)[0]:
                continue
            try:
                part = os.read(self._end, 4096).decode("utf-8", "replace")
            except OSError:  # the other end was closed
                part = ""
            assert part, self.seen
            self.seen += part
        return self.seen[start:]

    def type(self, text: str) -> None:
        os.write(self._end, text.encode())

    def ended(self) -> int:
        status = self.process.wait(timeout=30)
        os.close(self._end)
        return status


@pytest.fixture
def typist(path: Path) -> Iterator[Typist]:
    if sys.platform == "win32":
        pytest.skip("it types into a pseudo-terminal, and Python has none on Windows; test_keys covers the keys there")
    made = Typist(path, "--by", "Ada")
    yield made
    made.process.kill()


def test_in_a_terminal(typist: Typist, path: Path) -> None:
    typist.until("q quit  > ")
    typist.type("\x1b[A\x1b[15~a")  # an arrow and a function key mean nothing
    assert "2 of 3   negation" in typist.until("q quit  > ")
    assert verdicts(path)[0] is True
    typist.type("r")
    typist.until("reason (none: back to the choice): ")
    typist.type("größer\n")
    typist.until("q quit  > ")
    typist.type("é")
    typist.type("q")
    assert "1 accepted, 1 rejected now" in typist.until("alone")
    assert typist.ended() == 0
    assert verdicts(path) == [True, None, False, None, True]
    assert bank_rows(path)[2]["audit"]["reason"] == "größer"


def test_ctrl_c_in_a_terminal_loses_nothing(typist: Typist, path: Path) -> None:
    typist.until("q quit  > ")
    typist.type("a")
    typist.until("q quit  > ")
    os.killpg(typist.process.pid, 2)
    typist.until("2 accepted by the judge alone")
    assert typist.ended() == 130
    assert verdicts(path) == [True, None, None, None, True]
