"""Where in a JSON file a field stands: its line, for whoever has to mend it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import BOM, parse_json, read_bytes
from pytest_jevbench.judges.problems import ManyProblems

__all__ = ["line_numbers", "read_checked"]

T = TypeVar("T")

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def read_checked(path: Path | str, read: Callable[[Any, Place], T]) -> T:
    """What ``read`` makes of a JSON file. Its problems are raised with the lines that they are on."""
    data = read_bytes(path)
    value = parse_json(data, Place(path))
    try:
        return read(value, Place(path))
    except InputError as error:
        lines = line_numbers(data.removeprefix(BOM).decode())
        if isinstance(error, ManyProblems):
            located = [_with_line(one, lines) for one in error.problems]
            raise ManyProblems(sorted(located, key=lambda one: one.place.line or 0), Place(path)) from None
        raise _with_line(error, lines) from None


def line_numbers(text: str) -> dict[str, int]:
    """The line of each value of a JSON text by its path, such as ``items[3].judgments.judge-a``; lines count from 1."""
    from json import loads

    lines = {"": 1}
    open_paths: list[tuple[str, int]] = []  # path of each open container, and its next index; -1 for an object
    key = ""
    line, upto = 1, 0
    expects_key = False
    for token in _TOKEN.finditer(text):
        line, upto = line + text.count("\n", upto, token.start()), token.start()
        mark = token[0]
        if mark in "]}":
            open_paths.pop()
            expects_key = False
        elif mark == ",":
            expects_key = open_paths[-1][1] < 0
        elif mark == ":":
            expects_key = False
        elif expects_key:
            key = loads(mark)
        else:
            path = ""
            if open_paths:
                above, index = open_paths[-1]
                path = f"{above}[{index}]" if index >= 0 else f"{above}.{key}" if above else key
                if index >= 0:
                    open_paths[-1] = above, index + 1
            lines.setdefault(path, line)
            if mark in "[{":
                open_paths.append((path, 0 if mark == "[" else -1))
                expects_key = mark == "{"
    return lines


def _with_line(error: InputError, lines: dict[str, int]) -> InputError:
    """The error with the line of its field; where the field is not there, of the value that lacks it."""
    field = error.place.field
    path = field or ""
    while path and path not in lines:
        cut = max(path.rfind("."), path.rfind("["))
        path = path[:cut] if cut > 0 else ""
    line = lines[path] if path else None
    return InputError(error.problem, place=Place(error.place.file, line, field), advice=error.advice)
