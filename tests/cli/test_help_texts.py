"""All help texts are of one style: fragments that start lower case, without a final stop, the default at the end."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

import pytest

from pytest_jevbench.cli import COMMANDS, SHORT_FOR, build_parser, main
from pytest_jevbench.plugin.options import OPTIONS

NAMES = ("YAML", "OpenAI", "`", "JSON")
"""How a text may start that does not start lower case."""


def commands(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command and group with its parser, by what is typed."""
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, below in action.choices.items():
                yield from commands(below, f"{name} {word}".strip())


PARSERS = dict(commands(build_parser()))
TEXTS = {
    **{f"{option.flag}": option.help for option in OPTIONS},
    **{f"{name} (what it is)": parser.description or "" for name, parser in PARSERS.items()},
    **{
        f"{name} {'/'.join(action.option_strings) or action.dest}": action.help
        for name, parser in PARSERS.items()
        for action in parser._actions
        if action.help not in (None, argparse.SUPPRESS)
    },
}


@pytest.mark.parametrize("of", TEXTS)
def test_every_text_is_a_fragment_with_its_default_at_the_end(of: str) -> None:
    text = TEXTS[of] or ""
    assert text
    assert text[0].islower() or text.startswith(NAMES)
    assert not text.endswith(".") or text.endswith("...")
    if "default" in text:
        assert re.search(r"\(default(?: of [A-Z]+)?: .+\)$", text)
    assert not re.search(r"\((?:\d|off|none|all)[^)]*\)$", text), "a default without the word"


@pytest.mark.parametrize("name", PARSERS)
def test_every_placeholder_is_in_capitals(name: str) -> None:
    for action in PARSERS[name]._actions:
        if action.help == argparse.SUPPRESS or action.nargs == 0 or action.choices:
            continue
        shown = action.metavar or (action.dest.upper() if action.option_strings else action.dest)
        assert shown == str(shown).upper(), f"{name} {action.dest}"


@pytest.mark.parametrize("dotted", SHORT_FOR)
def test_a_short_form_says_what_it_is_short_for(dotted: str) -> None:
    assert dotted in COMMANDS
    assert (PARSERS[dotted].description or "").startswith(f"short for {SHORT_FOR[dotted]}: ")
    assert PARSERS[SHORT_FOR[dotted]].get_default("run") is PARSERS[dotted].get_default("run")


@pytest.mark.parametrize(
    ("command", "statuses"),
    [
        ("check", "0 1 2"),
        ("gate", "0 1 16 2"),
        ("card gate", "0 1 16 2"),
        ("rewrite", "0 1 2 130"),
        ("audit", "0 2 130"),
        ("datagen write", "0 1 2 130"),
        ("datagen verify", "0 1 2 130"),
        ("datagen review", "0 1 2 130"),
        ("datagen freeze", "0 1 2 130"),
        ("store export", "0 1 2"),
        ("store import", "0 1 2"),
    ],
)
def test_exit_statuses_stand_below_the_options(command: str, statuses: str) -> None:
    told = (PARSERS[command].epilog or "").partition("Exit status: ")[2]
    assert [part.split()[0] for part in told.split(", ") if part[0].isdigit()] == statuses.split()


def test_earlier_spellings_still_work_and_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    parser = build_parser()
    given = parser.parse_args(["datagen", "verify", "mine", "--chat-url", "http://a", "--concurrency", "3"])
    same = parser.parse_args(["datagen", "verify", "mine", "--url", "http://a", "--jobs", "3"])
    assert vars(given) == vars(same)
    with pytest.raises(SystemExit):
        main(["datagen", "verify", "--help"])
    shown = capsys.readouterr().out
    assert "--url URL" in shown
    assert "--chat-url" not in shown
    assert "--concurrency" not in shown


@pytest.mark.parametrize(("words", "told"), [([], "card "), (["card"], "promote"), (["tasks"], "hash")])
def test_no_command_shows_all_of_them(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert not shown.out
    assert f"    {told}" in shown.err
