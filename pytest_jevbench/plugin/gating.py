"""The gate of a run: its conditions, its baseline, what is known from there, and the decision."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.plugin.settings import Settings
from pytest_jevbench.runs.planning import Run, node_id
from pytest_jevbench.scoring.card_reading import Card, read_card
from pytest_jevbench.scoring.gate import GateResult
from pytest_jevbench.scoring.gate_card import card_rows, gate_card
from pytest_jevbench.scoring.gate_config import GateConfig, NoDrop, gate_from_assignments, gate_section, read_gate
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from pytest_jevbench.yaml_text import read_yaml

__all__ = ["SETTINGS_FILE", "Gate", "known_violations", "read_gate_of"]

SETTINGS_FILE = "jevbench.yaml"


@dataclass(frozen=True, slots=True)
class Gate:
    """What decides a run: conditions (None: there is no gate) and a baseline to compare with."""

    config: GateConfig | None = None
    baseline: Card | None = None
    origin: str = ""
    """Where the conditions come from, for the report header."""

    @property
    def decides(self) -> bool:
        return self.config is not None

    def decide(self, card: Card) -> GateResult | None:
        """The decision on a finished card; None without conditions."""
        if self.config is None:
            return None
        return gate_card(self.config, card, self.baseline)


def read_gate_of(config: pytest.Config, settings: Settings, run: Run) -> Gate:
    """The gate that options and ``jevbench.yaml`` ask for.

    A baseline without conditions asks that nothing dropped significantly. Raises :class:`InputError` for conditions
    that cannot be read, that need a baseline there is not, and for a baseline of another suite.
    """
    conditions, origin = _conditions(config, settings)
    baseline = None
    if settings.get("baseline") is not None:
        baseline = read_card(settings.path("baseline"))
        _check_suite(baseline, run, settings.path("baseline"))
        if conditions is None:
            conditions, origin = GateConfig(no_significant_drop=NoDrop()), "no significant drop against the baseline"
    if conditions is not None and conditions.needs_baseline and baseline is None:
        raise InputError(
            "a condition of the gate compares with a baseline, and there is none",
            place=Place(origin),
            advice="Give --jevbench-baseline=CARD",
        )
    if conditions is not None and conditions.needs_gold and not run.suite.gold:
        raise InputError(
            f"a condition of the gate needs gold answers, and suite {run.suite.name} has none", place=Place(origin)
        )
    if settings.get("stop_when_decided") and (conditions is None or baseline is None):
        raise InputError(
            "--jevbench-stop-when-decided needs a gate and a baseline", advice="Give both, or leave it out"
        )
    return Gate(conditions, baseline, origin)


def _conditions(config: pytest.Config, settings: Settings) -> tuple[GateConfig | None, str]:
    required = settings.get("require")
    file = settings.path("gate") if settings.get("gate") is not None else None
    own = config.rootpath / SETTINGS_FILE
    if required and file:
        raise InputError("conditions are given in a file and by --jevbench-require", advice="Keep them in one place")
    if required:
        return gate_from_assignments(required, Place(field="--jevbench-require")), "--jevbench-require"
    if file is not None:
        return read_gate(file), _shown(file, config.rootpath)
    if own.is_file():
        return _section(own), SETTINGS_FILE
    return None, ""


def _section(file: Path) -> GateConfig | None:
    """The ``gate:`` section of ``jevbench.yaml``; None where it has none."""
    entry = read_yaml(file)
    if not isinstance(entry.value, dict):
        raise InputError.unexpected(entry.plain(), "sections, such as gate:", entry.place)
    unknown = [name for name in entry.value if name != "gate"]
    if unknown:
        raise InputError(f"unknown section {unknown[0]!r}", place=entry.value[unknown[0]].place, advice="Known: gate")
    return gate_section(entry.value["gate"]) if "gate" in entry.value else None


def _shown(file: Path, root: Path) -> str:
    return str(file.relative_to(root)) if file.is_relative_to(root) else str(file)


def _check_suite(baseline: Card, run: Run, file: Path) -> None:
    """Refuse, before anything is paid for, a baseline whose suite has other files than this one."""
    suite = baseline.data["identity"]["suite"]
    before, now = suite.get("files") or {}, run.suite.manifest.get("files", {})
    shared = before.keys() & now.keys()
    if shared and any(before[name] != now[name] for name in shared):
        raise InputError(
            f"the baseline is of another suite ({suite['name']} {suite.get('version', '')}, "
            f"this run is of {run.suite.name} {run.suite.version})",
            place=Place(file),
            advice="Record a baseline of this suite first",
        )


def known_violations(gate: Gate, run: Run, how: ScoreSettings) -> frozenset[str]:
    """The node ids of the tests that are violated in the baseline, judged under this run's settings."""
    if gate.baseline is None:
        return frozenset()
    violated = {row.id for row in card_rows(gate.baseline, how) if row.verdict == "violated"}
    return frozenset(node_id(run.suite.name, test.id) for test in run.tests if test.id in violated)
