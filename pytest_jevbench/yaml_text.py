"""A reader of YAML in which every scalar is the text that stands there.

YAML's own rules turn ``no`` into false, ``010`` into 8, ``1e3`` into 1000.0 and ``2024-01-02`` into a date, and keep
the last of two equal keys. A person who writes an option called ``no`` means the two letters, so here nothing is
resolved: a scalar is text, and whoever wants a number reads it by rules that the error message states.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import read_bytes
from pytest_jevbench.json_text import shown

if TYPE_CHECKING:
    import yaml

__all__ = ["Entry", "parse_yaml", "read_yaml", "yaml_items"]

Value: TypeAlias = "str | list[Entry] | dict[str, Entry]"

_INTEGER = "(0|-?[1-9][0-9]{0,99})"  # no use has more digits, and Python converts no thousands of them
INTEGER = re.compile(_INTEGER)
RANGE = re.compile(rf"{_INTEGER}\s*\.\.\s*{_INTEGER}")
PLAIN_TAGS = {"str": str, "seq": list, "map": dict}


@dataclass(frozen=True, slots=True)
class Entry:
    """A value of the file and the place where it stands."""

    value: Value
    place: Place

    def text(self, wanted: str = "text") -> str:
        """The text of a scalar, not blank."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise InputError.unexpected(self.plain(), wanted, self.place)
        return self.value.strip()

    def integer(self, wanted: str = "a whole number, such as 10") -> int:
        """A whole number in plain decimal digits: ``010`` and ``1e3`` are refused."""
        if not isinstance(self.value, str) or not INTEGER.fullmatch(self.value.strip()):
            raise InputError.unexpected(self.plain(), wanted, self.place)
        return int(self.value)

    def range(self) -> tuple[int, int]:
        """``low..high``, or one whole number."""
        wanted = "a range such as 3..20, the lower number first"
        found = RANGE.fullmatch(self.value.strip()) if isinstance(self.value, str) else None
        low, high = (int(found[1]), int(found[2])) if found else (self.integer(wanted),) * 2
        if low > high:
            raise InputError.unexpected(self.plain(), wanted, self.place)
        return low, high

    def one_of(self, allowed: Collection[str]) -> str:
        """One of the words allowed."""
        word = self.value.strip() if isinstance(self.value, str) else self.value
        if word not in allowed:
            raise InputError.unexpected(self.plain(), "one of " + ", ".join(allowed), self.place)
        assert isinstance(word, str)
        return word

    def items(self, wanted: str = "a list") -> list[Entry]:
        """The entries of a list."""
        if not isinstance(self.value, list) or not self.value:
            raise InputError.unexpected(self.plain(), wanted, self.place)
        return self.value

    def texts(self, wanted: str = "a list of texts") -> tuple[str, ...]:
        """The texts of a list, or the one text that stands alone."""
        if isinstance(self.value, str):
            return (self.text(wanted),)
        return tuple(item.text(wanted) for item in self.items(wanted))

    def fields(self, wanted: str = "named fields") -> dict[str, Entry]:
        """The entries of a mapping whose names the author chooses."""
        if not isinstance(self.value, dict) or not self.value:
            raise InputError.unexpected(self.plain(), wanted, self.place)
        return self.value

    def known_fields(self, required: Collection[str], optional: Collection[str] = ()) -> dict[str, Entry]:
        """The entries of a mapping whose names are ours: a missing or an unknown one is an error."""
        names = [*required, *optional]
        found = self.fields("the fields " + ", ".join(names))
        for name, entry in found.items():
            if name not in names:
                raise InputError(
                    f"unknown field {shown(name)}", place=entry.place, advice=f"Known here: {', '.join(names)}"
                )
        for name in required:
            if name not in found:
                raise InputError(f"{name} is missing", place=self.place, advice=f"Add a line `{name}: ...`")
        return found

    def plain(self) -> object:
        """The value without its places, for messages."""
        if isinstance(self.value, list):
            return [item.plain() for item in self.value]
        if isinstance(self.value, dict):
            return {name: item.plain() for name, item in self.value.items()}
        return self.value


def read_yaml(path: Path) -> Entry:
    """The content of a YAML file in UTF-8. Raises :class:`InputError` naming the line."""
    content = read_bytes(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"cannot be read ({error})", place=Place(path), advice="Save it as UTF-8") from None
    return parse_yaml(text, path)


def parse_yaml(text: str, file: Path | str) -> Entry:
    """The content of a YAML text. Raises :class:`InputError` naming the line."""
    from pytest_jevbench.yaml_nodes import YAMLError, compose  # only now: most runs read no YAML

    deep = InputError("not YAML: nested too deeply", place=Place(file), advice="Make it flatter")
    try:
        node = compose(text)
    except RecursionError:
        raise deep from None
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise InputError(
            f"not YAML: {problem}",
            place=Place(file, mark.line + 1 if mark else None),
            advice="A text that holds `: ` or ` #`, or begins with one of - [ { * & ! | > ' \" % @, stands in quotes; "
            "questions in a list stand one to a line; inside { } quotes are needed around ? and , too",
        ) from None
    if node is None:
        raise InputError("the file is empty", place=Place(file))
    try:
        return _entry(node, Place(file), text.splitlines())
    except RecursionError:
        raise deep from None


def yaml_items(data: bytes, file: Path | str, under: str) -> list[Entry]:
    """The items of a YAML file that holds one of them, a list of them, or a mapping with the list under a name. Raises
    :class:`InputError`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} is not UTF-8"
        raise InputError(problem, place=Place(file), advice="Save the file as UTF-8") from None
    entry = parse_yaml(text, file)
    if isinstance(entry.value, dict) and under in entry.value:
        entry = entry.value[under]
    return entry.items() if isinstance(entry.value, list) else [entry]


def _entry(node: yaml.Node, parent: Place, lines: list[str]) -> Entry:
    import yaml

    place = Place(parent.file, node.start_mark.line + 1, parent.field)
    kind = PLAIN_TAGS.get(node.tag.rpartition(":")[2])
    if kind is None:
        raise InputError(f"the tag {shown(node.tag)} is not read here", place=place, advice="Write plain text")
    if isinstance(node, yaml.ScalarNode):
        _refuse_lost_text(node, place, lines)
        return Entry(str(node.value), place)
    if isinstance(node, yaml.SequenceNode):
        return Entry([_entry(item, place.at(str(i)), lines) for i, item in enumerate(node.value)], place)
    return Entry(dict(_pairs(node, place, lines)), place)


def _pairs(node: yaml.Node, place: Place, lines: list[str]) -> Iterator[tuple[str, Entry]]:
    import yaml

    seen: set[str] = set()
    for key_node, value_node in node.value:
        here = Place(place.file, key_node.start_mark.line + 1, place.field)
        if not isinstance(key_node, yaml.ScalarNode):
            raise InputError("a name must be plain text", place=here)
        name = str(key_node.value)
        if name in seen:
            raise InputError(f"{shown(name)} stands twice", place=here, advice="Keep one of the two")
        seen.add(name)
        yield name, _entry(value_node, here.at(name), lines)


def _refuse_lost_text(node: yaml.ScalarNode, place: Place, lines: list[str]) -> None:
    """`ask: Is order #12 late?` would silently lose its end: YAML reads a comment there."""
    if node.style is not None or node.end_mark.line >= len(lines):
        return
    rest = lines[node.end_mark.line][node.end_mark.column :]
    if re.match(r"\s+#[^\s#]", rest):
        raise InputError(
            f"the text after ` #` would be lost as a comment ({shown(rest.strip())})",
            place=place,
            advice="Put the whole text in quotes, or a space after the # of a comment",
        )
