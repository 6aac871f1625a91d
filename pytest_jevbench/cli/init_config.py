"""The lines that go into a project's own pytest configuration, wherever that stands."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pytest_jevbench.errors import InputError, Place

__all__ = ["Configured", "configured"]

_FILES = (
    ("pytest.ini", "pytest"),
    (".pytest.ini", "pytest"),
    ("pyproject.toml", "tool.pytest.ini_options"),
    ("tox.ini", "pytest"),
    ("setup.cfg", "tool:pytest"),
)
"""Files in which pytest looks for its settings, in its order, and the section that makes each one count."""
_NEWER = (("pytest.toml", "pytest"), (".pytest.toml", "pytest"), ("pyproject.toml", "tool.pytest"))
"""The places that pytest 9 knows too; it takes them first."""


class Configured(NamedTuple):
    """The file, its text with the new lines in it, and whether it was there before."""

    path: Path
    text: str
    existed: bool


def configured(folder: Path, values: Mapping[str, str], *, force: bool = False) -> Configured:
    """The project's pytest configuration with these ini keys in it.

    A file that counts for pytest keeps every line of its own and gets ours below its section's head. Where none counts,
    ``pyproject.toml`` gets the section, and without that file a ``pytest.ini`` is made. Raises :class:`InputError`
    where keys of ours stand there already; with ``force`` these are replaced.
    """
    for name, section in (*_NEWER[:2], *_FILES[:2], _NEWER[2], *_FILES[2:]):
        path = folder / name
        text = _text(path)
        head = None if text is None else re.search(rf"^\[{re.escape(section)}\][^\n]*(?:\n|\Z)", text, re.MULTILINE)
        if text is None or (head is None and not name.endswith("pytest.ini")):
            continue
        lines = _lines(values, quoted=path.suffix == ".toml")
        if head is None:
            return Configured(path, f"{text.rstrip()}\n\n[{section}]\n{lines}".lstrip(), True)
        return Configured(path, _inserted(text, head.end(), lines, values, path, force), True)
    pyproject = folder / "pyproject.toml"
    text = _text(pyproject)
    if text is not None:
        section = f"[tool.pytest.ini_options]\n{_lines(values, quoted=True)}"
        return Configured(pyproject, f"{text.rstrip()}\n\n{section}".lstrip(), True)
    return Configured(folder / "pytest.ini", f"[pytest]\n{_lines(values, quoted=False)}", False)


def _text(path: Path) -> str | None:
    if not path.is_file():
        return None
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise InputError("this is not UTF-8", place=Place(path), advice="Save it as UTF-8") from None


def _inserted(text: str, at: int, lines: str, values: Mapping[str, str], path: Path, force: bool) -> str:
    before, after = text[:at], text[at:]
    ours = re.compile(r"^(jevbench_(?:url|launch|command|reference|suite|cases|store))[ \t]*=.*\n?", re.MULTILINE)
    end = re.search(r"^\[", after, re.MULTILINE)
    section, rest = (after, "") if end is None else (after[: end.start()], after[end.start() :])
    found = [match[1] for match in ours.finditer(section)]
    if found and not force:
        raise InputError(
            f"{', '.join(found)} stand{'s' if len(found) == 1 else ''} there already",
            place=Place(path),
            advice="--force replaces them",
        )
    return f"{before if before.endswith(chr(10)) else before + chr(10)}{lines}{ours.sub('', section)}{rest}"


def _lines(values: Mapping[str, str], *, quoted: bool) -> str:
    made = ((name, json.dumps(value, ensure_ascii=False) if quoted else value) for name, value in values.items())
    return "".join(f"{name} = {value}\n" for name, value in made)
