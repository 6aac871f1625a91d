"""What can be typed behind ``pytest-jevbench``, read off its parser: commands, their options, what options take."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Option", "Place", "places"]


@dataclass(frozen=True, slots=True)
class Option:
    """An option by its names. ``takes`` is whether a value follows, ``choices`` are all the values there are."""

    names: tuple[str, ...]
    help: str
    takes: bool
    choices: tuple[str, ...] = ()
    more: bool = False
    """Whether it may be given again, or takes several values."""


@dataclass(frozen=True, slots=True)
class Place:
    """What may follow the words of ``path``: commands with their help, options, and words of fixed choice."""

    path: tuple[str, ...]
    commands: tuple[tuple[str, str], ...]
    options: tuple[Option, ...]
    words: tuple[str, ...] = ()


def places(parser: argparse.ArgumentParser) -> list[Place]:
    """Every place of a command line, the parser's own first."""
    return list(_places(parser, ()))


def _places(parser: argparse.ArgumentParser, path: tuple[str, ...]) -> Iterator[Place]:
    commands: dict[str, tuple[str, argparse.ArgumentParser]] = {}
    options: list[Option] = []
    words: list[str] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {choice.dest: choice.help or "" for choice in action._choices_actions}
            commands.update({name: (told[name], inner) for name, inner in action.choices.items() if name in told})
        elif action.help == argparse.SUPPRESS:
            continue
        elif action.option_strings:
            options.append(_option(action))
        else:
            words += [str(choice) for choice in action.choices or ()]
    yield Place(path, tuple((name, text) for name, (text, _) in commands.items()), tuple(options), tuple(words))
    for name, (_, inner) in commands.items():
        yield from _places(inner, (*path, name))


def _option(action: argparse.Action) -> Option:
    return Option(
        tuple(action.option_strings),
        (action.help or "").replace("%%", "%"),
        action.nargs != 0,
        tuple(str(choice) for choice in action.choices or ()),
        isinstance(action, argparse._AppendAction) or action.nargs in ("*", "+"),
    )
