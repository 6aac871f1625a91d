"""From the command a person types to the words of a process."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.models.redaction import Redactor, redact_command

__all__ = ["CommandLine", "command_line", "shown_command"]

_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
_SHELL = re.compile(r"(?:^|\s)(?:\||&&|\|\||;|&|>|>>|<|2>&1)(?:\s|$)")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A program with its arguments and the variables set for it.

    ``text`` is the command without secrets, to show and to record; ``secrets`` are what was left out of it.
    """

    words: tuple[str, ...] = field(repr=False)
    variables: Mapping[str, str] = field(repr=False)
    text: str
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def with_port(self, port: int) -> tuple[str, ...]:
        """The words with ``{port}`` replaced; other braces stay as they are."""
        return tuple(word.replace("{port}", str(port)) for word in self.words)

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        return {**environ, **self.variables}


def command_line(
    command: str | Sequence[str], place: Place, *, posix: bool = os.name == "posix", installed: bool = True
) -> CommandLine:
    """Split a command as a shell does, without a shell: quotes group, ``NAME=value`` in front sets a variable.

    The program is looked for on PATH and beside the running Python. Raises :class:`InputError` where there is none,
    unless it need not be ``installed`` here.
    """
    words = _split(command, place, posix) if isinstance(command, str) else [str(word) for word in command]
    text, secrets = redact_command(words)
    variables: dict[str, str] = {}
    while words and _ASSIGNMENT.match(words[0]):
        name, _, variables[name] = words.pop(0).partition("=")
    if not words:
        raise InputError("the command names no program", place=place, advice="Give the program and its arguments")
    if isinstance(command, str) and _SHELL.search(_QUOTED.sub("''", command)):
        raise InputError(
            f"the command {shown(text)} needs a shell, and none is used",
            place=place,
            advice="Put it into a script, or write: sh -c '...'",
        )
    path = _find(words[0])
    if path is None and not installed:
        path = words[0]
    if path is None:
        raise InputError(
            f"there is no program {shown(words[0])}",
            place=place,
            advice="Check its spelling, or give its whole path",
        )
    return CommandLine((path, *words[1:]), variables, text, secrets)


def shown_command(command: str | Sequence[str], secrets: Sequence[str] = ()) -> str:
    """A command as it may be shown and recorded; ``secrets`` are hidden besides those it gives away by itself.

    The program need not exist here. Raises :class:`InputError` for quotes that are not closed.
    """
    words = _split(command, Place(field="command"), os.name == "posix") if isinstance(command, str) else command
    text, found = redact_command(words)
    return Redactor((*found, *secrets))(text)


def _split(command: str, place: Place, posix: bool) -> list[str]:
    try:
        words = shlex.split(command, posix=posix)
    except ValueError as error:
        raise InputError(f"the command cannot be read: {error}", place=place, advice="Close the quotes") from None
    if posix:
        return words
    return [word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word for word in words]


def _find(program: str) -> str | None:
    path = shutil.which(str(Path(program).expanduser()) if program.startswith("~") else program)
    if path is None and Path(program).name == program:
        path = shutil.which(program, path=str(Path(sys.executable).parent))
    return path
