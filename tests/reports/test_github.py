"""Annotations as GitHub's runner reads them, and output that it must not read as such."""

from __future__ import annotations

import re

import pytest

from pytest_jevbench.reports.github import MOST, Annotation, annotations_of, inert
from tests.reports.cards import card, results
from tests.reports.compared import BASELINE, WORSE, gated, run_of
from tests.scoring.by_hand import unjudged

COMMAND = re.compile(r"^\s*::(?P<name>[a-z-]+)(?: (?P<properties>[^:]*))?::(?P<data>.*)$")
"""How the runner takes a line apart: leading blanks do not count, properties end at the next ``::``."""


def read(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as the runner reads it."""
    found = COMMAND.match(line)
    assert found is not None
    pairs = [part.split("=", 1) for part in (found["properties"] or "").split(",") if part]
    return found["name"], {name: unescaped(value, ":,") for name, value in pairs}, unescaped(found["data"], "")


def unescaped(text: str, more: str) -> str:
    for character in "\r\n" + more:
        text = text.replace(f"%{ord(character):02X}", character)
    return text.replace("%25", "%")


@pytest.mark.parametrize(
    "text", ["100 % of, a: b", "two\nlines\r\nand ::error::c", "%0A is text", "::stop-commands::x", "title=a,b=c"]
)
def test_what_is_written_is_what_the_runner_reads(text: str) -> None:
    line = Annotation("warning", text, text).line
    assert "\n" not in line
    name, properties, data = read(line)
    expected = text.replace("\r", "\\x0d")  # carriage returns are made visible, as everywhere
    assert (name, properties, data) == ("warning", {"title": expected}, expected)


def test_a_failed_gate_and_its_conditions_come_first_and_ten_is_the_most() -> None:
    now = run_of(WORSE)
    gate = gated(now, "max_new_violations=3", "min.overall=0.9", "min.MEA=0.1", baseline=run_of(BASELINE))
    made = annotations_of(now, gate, [(f"r{i}", f"law {i}") for i in range(20)], failed=True)
    assert len(made) == MOST == 10
    assert [one.title for one in made[:4]] == ["Coherence gate failed", "min overall", "max_new_violations", "r0"]
    assert {one.level for one in made[:3]} == {"error"}
    assert {one.level for one in made[3:]} == {"warning"}
    assert made[1].text.startswith("failed; 0.840")


def test_without_a_gate_violations_are_errors_where_they_fail_the_run() -> None:
    new = [("option_clone violated", "text")]
    assert [one.level for one in annotations_of(card(), None, new, failed=True)] == ["error"]
    assert [one.level for one in annotations_of(card(), None, new, failed=False)] == ["warning"]


def test_nothing_is_said_of_a_run_that_passed() -> None:
    now = run_of(BASELINE)
    assert annotations_of(now, gated(now, "min.overall=0.5"), [], failed=False) == []


def test_an_incomplete_run_without_a_gate_is_an_error() -> None:
    now = card([*results(), unjudged("key_rename", "c77", "refused", "no")])
    (made,) = annotations_of(now, None, [], failed=True)
    assert (made.level, made.title) == ("error", "Coherence run incomplete")


@pytest.mark.parametrize("line", ["::error::x", "   ::set-output name=a::b", "told ##[error]x", "\t::debug::"])
def test_output_that_looks_like_a_command_is_made_inert(line: str) -> None:
    assert COMMAND.match(line) or "##[" in line
    made = inert(line)
    assert not COMMAND.match(made)
    assert "##[" not in made


def test_other_output_stays_as_it_is() -> None:
    for line in ("suite::case::option_clone-q", "a: b", "# [x]"):
        assert inert(line) == line


def test_a_long_text_is_cut() -> None:
    assert len(Annotation("error", "t", "x" * 5000).line) < 1100
