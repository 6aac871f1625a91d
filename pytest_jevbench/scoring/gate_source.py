"""Where the conditions of a gate come from: options, a file, a section of ``jevbench.yaml``, or a baseline alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pytest_jevbench.case_settings import SECTIONS, SETTINGS_FILE, has_settings
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.scoring.gate_config import GateConfig, NoDrop, gate_from_assignments, gate_section, read_gate
from pytest_jevbench.yaml_text import read_yaml

__all__ = ["DEFAULT_ORIGIN", "SETTINGS_FILE", "GateSource", "find_gate"]


class GateSource(NamedTuple):
    """Conditions (None: there are none), and where they come from, in words."""

    config: GateConfig | None
    origin: str


DEFAULT_ORIGIN = "no significant drop against the baseline"
"""Where the conditions come from when a baseline is given and no condition is."""


def find_gate(
    root: Path,
    *,
    required: Sequence[str] = (),
    file: Path | None = None,
    has_baseline: bool = False,
    prefix: str = "--",
    cases: Path | None = None,
) -> GateSource:
    """The conditions that somebody asked for: short options, else a file, else ``jevbench.yaml`` in ``root``, or
    beside the ``cases`` of a run.

    A baseline without conditions asks that nothing dropped significantly. ``prefix`` is how the options are spelled
    here. Raises :class:`InputError` for conditions that cannot be read, and for those that need a baseline there is
    not.
    """
    source = _conditions(root, required, file, prefix, cases)
    if source.config is None and has_baseline:
        return GateSource(GateConfig(no_significant_drop=NoDrop()), DEFAULT_ORIGIN)
    if source.config is not None and source.config.needs_baseline and not has_baseline:
        raise InputError(
            "a condition of the gate compares with a baseline, and there is none",
            place=Place(source.origin),
            advice=f"Give {prefix}baseline=CARD",
        )
    return source


def _conditions(root: Path, required: Sequence[str], file: Path | None, prefix: str, cases: Path | None) -> GateSource:
    if required and file is not None:
        raise InputError(f"conditions are given in a file and by {prefix}require", advice="Keep them in one place")
    if required:
        option = f"{prefix}require"
        return GateSource(gate_from_assignments(required, Place(field=option)), option)
    if file is not None:
        return GateSource(read_gate(file), _shown(file, root))
    own, found = root / SETTINGS_FILE, None
    if has_settings(root):
        found = _section(own)
    folder = root if cases is None else cases if cases.is_dir() else cases.parent
    beside = folder / SETTINGS_FILE
    if folder.resolve() == root.resolve() or not has_settings(folder) or (section := _section(beside)) is None:
        return GateSource(found, SETTINGS_FILE)
    if found is not None:
        raise InputError(
            f"there is a gate here and another one in {_shown(own, root)}",
            place=Place(_shown(beside, root)),
            advice=f"Keep one of them, or name the file with {prefix}gate=FILE",
        )
    return GateSource(section, _shown(beside, root))


def _section(file: Path) -> GateConfig | None:
    """The ``gate:`` section of ``jevbench.yaml``; None where it has none."""
    entry = read_yaml(file)
    if not isinstance(entry.value, dict):
        raise InputError.unexpected(entry.plain(), "sections, such as gate:", entry.place)
    unknown = [name for name in entry.value if name not in SECTIONS]
    if unknown:
        place, known = entry.value[unknown[0]].place, ", ".join(SECTIONS)
        raise InputError(f"unknown section {unknown[0]!r}", place=place, advice=f"Known: {known}")
    return gate_section(entry.value["gate"]) if "gate" in entry.value else None


def _shown(file: Path, root: Path) -> str:
    return str(file.relative_to(root)) if file.is_relative_to(root) else str(file)
