"""Settings of cases of the user's own, in the section ``cases:`` of a ``jevbench.yaml`` beside them.

::

    cases:
      rewrites: bank.jsonl        # from the directory of this file
      audited_only: yes
      seed: 7
      draws: 2
      repeats: 5
      tolerance: 0.1
      min_n: 3
      take: [REP, LOG.bounds, option_clone]   # dimensions, groups, relations; without it all
      leave: [verbosity]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.relations.known import BUILT_IN, Relations
from pytest_jevbench.relations.taxonomy import DIMENSIONS, GROUPS
from pytest_jevbench.yaml_text import Entry, read_yaml

__all__ = ["PLANNING", "SECTIONS", "SETTINGS_FILE", "CaseSettings", "has_settings", "read_case_settings"]

SETTINGS_FILE = "jevbench.yaml"
PLANNING = ("seed", "draws", "rewrites", "audited_only")
"""Settings that say how tests are made."""
SECTIONS = ("cases", "gate")
"""What the file may hold: settings of cases, and the conditions of a gate."""
_SHARE = re.compile(r"0|0?\.[0-9]+|0\.")


@dataclass(frozen=True)
class CaseSettings:
    """``values`` by name, as the options of the same names take them; ``relations`` are those chosen, empty for all."""

    values: Mapping[str, Any] = field(default_factory=dict)
    relations: tuple[str, ...] = ()
    gate: Path | None = None
    """The file, where it has a section ``gate:`` too."""


def has_settings(folder: Path) -> bool:
    """Whether a settings file lies in a folder.

    Raises :class:`InputError` where something else has its name, or where it has the other usual ending: it would be
    passed over, and a gate in it would stop nothing.
    """
    file = folder / SETTINGS_FILE
    if file.is_dir():
        raise InputError("this is a directory", place=Place(file), advice="Settings are a file of this name")
    other = file.with_suffix(".yml")
    if other.is_file():
        raise InputError("settings are not read from this name", place=Place(other), advice=f"Call it {SETTINGS_FILE}")
    return file.is_file()


def read_case_settings(cases: Path, relations: Relations = BUILT_IN) -> CaseSettings:
    """What the ``jevbench.yaml`` beside a file of cases, or in a folder of cases, says of them.

    Without such a file, or without a section ``cases:`` in it, that is nothing. ``relations`` are those of the run.
    Raises :class:`InputError` naming file, line and key.
    """
    folder = cases if cases.is_dir() else cases.parent
    if not has_settings(folder):
        return CaseSettings()
    file = folder / SETTINGS_FILE
    sections = read_yaml(file).known_fields((), SECTIONS)
    gate = file if "gate" in sections else None
    section = sections.get("cases")
    if section is None:
        return CaseSettings(gate=gate)
    fields = section.known_fields((), (*_READ, "take", "leave"))
    return CaseSettings(
        {name: _READ[name](fields[name]) for name in _READ if name in fields},
        _chosen(fields.get("take"), fields.get("leave"), relations),
        gate,
    )


def _count(entry: Entry) -> int:
    return _at_least(entry, 0)


def _positive(entry: Entry) -> int:
    return _at_least(entry, 1)


def _at_least(entry: Entry, least: int) -> int:
    wanted = f"a whole number of at least {least}"
    value = entry.integer(wanted)
    if value < least:
        raise InputError.unexpected(value, wanted, entry.place)
    return value


def _share(entry: Entry) -> float:
    wanted = "a number from 0 to below 1"
    text = entry.text(wanted)
    if not _SHARE.fullmatch(text):
        raise InputError.unexpected(text, wanted, entry.place)
    return float(text)


def _switch(entry: Entry) -> bool:
    return entry.one_of(("yes", "no", "true", "false")) in ("yes", "true")


def _bank(entry: Entry) -> str:
    """The path of a rewrite bank, absolute."""
    folder = Path(str(entry.place.file)).absolute().parent
    bank = folder / Path(entry.text("the path of a rewrite bank")).expanduser()
    if not bank.is_file():
        raise InputError(f"there is no file {shown(str(bank))}", place=entry.place, advice="Give a path from this file")
    return str(bank)


_READ: Mapping[str, Callable[[Entry], Any]] = {
    "rewrites": _bank,
    "audited_only": _switch,
    "seed": _count,
    "draws": _positive,
    "repeats": _positive,
    "tolerance": _share,
    "min_n": _positive,
}


def _chosen(take: Entry | None, leave: Entry | None, relations: Relations) -> tuple[str, ...]:
    """The relations taken and not left, in taxonomy order; nothing where both say nothing."""
    if take is None and leave is None:
        return ()
    taken = {relation.name for relation in relations.scored()} if take is None else _named(take, relations)
    left = set() if leave is None else _named(leave, relations)
    chosen = tuple(name for name in relations if name in taken - left)
    if not chosen:
        assert leave is not None
        raise InputError("no relation is left", place=leave.place, advice="Leave out fewer")
    return chosen


def _named(entry: Entry, relations: Relations) -> set[str]:
    """The relations of a list of dimensions, groups and relations."""
    found: set[str] = set()
    items = entry.items("a list of dimensions, groups and relations") if isinstance(entry.value, list) else [entry]
    for item in items:
        name = item.text("a dimension, a group or a relation")
        of_name = {one.name for one in relations.values() if name in (one.name, one.group, one.dimension)}
        if not of_name:
            known = [*(d.id for d in DIMENSIONS), *(g.id for g in GROUPS), *relations]
            near = [k for k in known if k.lower() == name.lower()] or get_close_matches(name, known, n=3, cutoff=0.5)
            advice = f"Did you mean {', '.join(near)}?" if near else "`pytest-jevbench relations` lists them"
            raise InputError(f"there is no dimension, group or relation {shown(name)}", place=item.place, advice=advice)
        found |= of_name
    return found
