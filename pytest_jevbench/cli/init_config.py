"""The lines that go into a project's own pytest configuration, wherever that stands.

They are put in as text, so that comments and order of a file stay, and then read back with the readers that pytest
uses: unless just these keys come out, and all else as before, nothing is written and the person is told the lines.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, NamedTuple

from pytest_jevbench.errors import InputError, Place

__all__ = ["Configured", "configured"]

_OURS = ("url", "launch", "command", "reference", "runtime", "suite", "cases", "tasks", "store")
"""Keys that say what ``pytest --jevbench`` runs: of these none may stay beside the new ones."""
_KEY_LINE = re.compile(rf"^(jevbench_(?:{'|'.join(_OURS)}))[ \t]*[=:].*(?:\n|\Z)", re.MULTILINE)


class Configured(NamedTuple):
    """The file, its text with the new lines in it, and whether it was there before."""

    path: Path
    text: str
    existed: bool


class _Place(NamedTuple):
    """A section that pytest reads. A file that ``counts`` without the section is pytest's own, whatever is in it."""

    file: str
    section: tuple[str, ...]
    newer: bool = False
    counts: bool = False


_PLACES = (
    _Place("pytest.toml", ("pytest",), newer=True, counts=True),
    _Place(".pytest.toml", ("pytest",), newer=True, counts=True),
    _Place("pytest.ini", ("pytest",), counts=True),
    _Place(".pytest.ini", ("pytest",), counts=True),
    _Place("pyproject.toml", ("tool", "pytest"), newer=True),
    _Place("pyproject.toml", ("tool", "pytest", "ini_options")),
    _Place("tox.ini", ("pytest",)),
    _Place("setup.cfg", ("tool:pytest",)),
)
"""In pytest's order; the newer ones are read by pytest 9 and later."""


def configured(folder: Path, values: Mapping[str, str], *, force: bool = False) -> Configured:
    """The project's pytest configuration with these ini keys in it.

    A file that counts for pytest keeps every line of its own and gets ours below its section's head. Where none counts,
    ``pyproject.toml`` gets the section, and without that file a ``pytest.ini`` is made. Raises :class:`InputError`
    where keys of ours stand there already with other values; with ``force`` these are replaced.
    """
    newer = int(metadata.version("pytest").partition(".")[0]) >= 9
    for place in _PLACES:
        path = folder / place.file
        if (place.newer and not newer) or not path.is_file():
            continue
        text = _text(path)
        document = _read(path, text)
        section = _section(document, place.section)
        if section is None and not place.counts:
            continue
        if place.section == ("tool", "pytest") and not set(section or ()) - {"ini_options"}:
            continue
        if section is None:
            return _checked(path, _appended(path, text, place.section, values), place, values)
        return _checked(path, _inserted(path, text, section, place, values, force), place, values)
    place = _PLACES[5] if (folder / "pyproject.toml").is_file() else _PLACES[2]
    path = folder / place.file
    text = _text(path) if path.is_file() else ""
    return _checked(path, _appended(path, text, place.section, values), place, values)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        raise InputError("this is not UTF-8", place=Place(path), advice="Save it as UTF-8") from None


def _read(path: Path, text: str) -> dict[str, Any]:
    """The sections of a file as pytest reads them. Raises :class:`InputError` where pytest could not."""
    if path.suffix == ".toml":
        toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")  # tomli comes with pytest
        try:
            document: dict[str, Any] = toml.loads(text.replace("\r\n", "\n"))
        except ValueError as error:
            raise InputError(f"pytest cannot read this ({error})", place=Place(path)) from None
        return document
    import iniconfig  # comes with pytest

    try:
        read = iniconfig.IniConfig(str(path), data=text)
    except iniconfig.ParseError as error:
        raise InputError(f"pytest cannot read this ({error.msg})", place=Place(path, error.lineno + 1)) from None
    return {section.name: dict(section.items()) for section in read}


def _section(document: Any, names: tuple[str, ...]) -> dict[str, Any] | None:
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else None


def _appended(path: Path, text: str, section: tuple[str, ...], values: Mapping[str, str]) -> str:
    end = _line_end(text)
    before = f"{text.rstrip()}{end}{end}" if text.strip() else ""
    return f"{before}[{'.'.join(section)}]{end}{_lines(path, values, end)}"


def _inserted(
    path: Path, text: str, section: dict[str, Any], place: _Place, values: Mapping[str, str], force: bool
) -> str:
    ours = [f"jevbench_{name}" for name in _OURS]
    found = {name: value for name, value in section.items() if name in ours}
    if found == values:
        return text
    if found and not force:
        raise InputError(
            f"{', '.join(found)} stand{'s' if len(found) == 1 else ''} there already",
            place=Place(path),
            advice="Nothing was written. --force replaces them",
        )
    dotted = r"[ \t]*\.[ \t]*".join(re.escape(name) for name in place.section)
    head = re.search(rf"^\ufeff?[ \t]*\[[ \t]*{dotted}[ \t]*\][^\n]*(?:\n|\Z)", text, re.MULTILINE)
    if head is None:
        raise _by_hand(path, values)
    before, after = text[: head.end()], text[head.end() :]
    next_head = re.search(r"^[ \t]*\[", after, re.MULTILINE)
    at = len(after) if next_head is None else next_head.start()
    end = _line_end(text)
    before = before if before.endswith("\n") else before + end
    return before + _lines(path, values, end) + _KEY_LINE.sub("", after[:at]) + after[at:]


def _checked(path: Path, text: str, place: _Place, values: Mapping[str, str]) -> Configured:
    """The new text, if it reads back as what was there with our keys. Raises :class:`InputError`."""
    existed = path.is_file()
    wanted = _read(path, _text(path)) if existed else {}
    inner = wanted
    for name in place.section:
        inner = inner.setdefault(name, {})
    for name in _OURS:
        inner.pop(f"jevbench_{name}", None)
    inner.update(values)
    try:
        read = _read(path, text)
    except InputError:
        raise _by_hand(path, values) from None
    if read != wanted:
        raise _by_hand(path, values)
    return Configured(path, text, existed)


def _by_hand(path: Path, values: Mapping[str, str]) -> InputError:
    lines = "; ".join(_lines(path, values, "\n").splitlines())
    return InputError(
        "the keys cannot be put in safely here",
        place=Place(path),
        advice=f"Nothing was written. Put them there yourself and run this again: {lines}",
    )


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _lines(path: Path, values: Mapping[str, str], end: str) -> str:
    quoted = path.suffix == ".toml"
    made = ((name, json.dumps(value, ensure_ascii=False) if quoted else value) for name, value in values.items())
    return "".join(f"{name} = {value}{end}" for name, value in made)
