"""The gate of a run: its conditions, its baseline, what is known from there, and the decision."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.plugin.settings import Settings
from pytest_jevbench.runs.planning import Run, node_id
from pytest_jevbench.scoring.card_reading import Card, read_card
from pytest_jevbench.scoring.gate import GateResult
from pytest_jevbench.scoring.gate_card import card_rows, gate_card
from pytest_jevbench.scoring.gate_config import GateConfig, NoDrop
from pytest_jevbench.scoring.gate_source import DEFAULT_ORIGIN, find_gate
from pytest_jevbench.scoring.pairs import Changes, find_changes
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from pytest_jevbench.scoring.swap_test import cases_to_reach

__all__ = ["Gate", "known_violations", "read_gate_of"]


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
        return None if self.config is None else gate_card(self.config, card, self.baseline)

    def changes(self, card: Card) -> Changes | None:
        """What is new, known and fixed on a finished card; None without a baseline."""
        if self.baseline is None:
            return None
        return find_changes(card_rows(self.baseline, card.settings), card_rows(card))


def read_gate_of(config: pytest.Config, settings: Settings, run: Run, how: ScoreSettings) -> Gate:
    """The gate that options and ``jevbench.yaml`` ask for.

    A baseline without conditions asks that nothing dropped significantly. Raises :class:`InputError` for conditions
    that cannot be read, that need a baseline there is not, and for a baseline of another suite or other settings.
    """
    baseline = None
    if settings.get("baseline") is not None:
        if not settings.path("baseline").exists():
            raise InputError(
                "there is no such file",
                place=Place(settings.path("baseline")),
                advice="Record a baseline first: a run without --jevbench-baseline, then pytest-jevbench card promote "
                "CARD BASELINE",
            )
        baseline = read_card(settings.path("baseline"))
        _check_baseline(baseline, run, how, settings.path("baseline"))
    conditions, origin = find_gate(
        config.rootpath,
        required=settings.get("require", ()),
        file=settings.path("gate") if settings.get("gate") is not None else None,
        has_baseline=baseline is not None,
        prefix="--jevbench-",
        cases=settings.path("cases").absolute() if settings.planned == "cases" else None,
    )
    cases = len({test.id.case_id for test in run.tests})
    decides = settings.get("fail_on", "gate") == "gate"
    if decides and baseline is not None and origin == DEFAULT_ORIGIN and cases < cases_to_reach(NoDrop().level):
        raise InputError(
            f"the tests are on {cases} case{'s' if cases > 1 else ''}, and no drop on so few can be significant",
            place=Place(settings.path("baseline")),
            advice="State what decides, such as --jevbench-require=max_new_violations=0",
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


def _check_baseline(baseline: Card, run: Run, how: ScoreSettings, file: Path) -> None:
    """Refuse, before anything is paid for, a baseline that a run of this suite can never be compared with."""
    identity, place = baseline.data["identity"], Place(file)
    before, now = identity["suite"].get("files") or {}, run.suite.manifest.get("files", {})
    shared = before.keys() & now.keys()
    if before and now and (not shared or any(before[name] != now[name] for name in shared)):
        suite = identity["suite"]
        theirs, ours = f"{suite['name']} {suite.get('version', '')}", f"{run.suite.name} {run.suite.version}"
        differ = f"{theirs}, this run is of {ours}" if theirs != ours else f"{theirs} too, but of other content"
        raise InputError(
            f"the baseline is of another suite ({differ})",
            place=place,
            advice="Record a baseline of this suite first",
        )
    judged = identity["settings"]
    for name in ("tolerance", "min_n", "min_coverage"):
        if judged[name] != getattr(how, name):
            raise InputError(
                f"the baseline was judged with {name} {shown(judged[name])}, this run with {shown(getattr(how, name))}",
                place=place,
                advice="Use the same settings, or record a baseline with these",
            )
    answered = identity["model"].get("answered") or ()
    if len(answered) > 1:
        raise InputError(
            f"the baseline was answered by {len(answered)} model versions ({', '.join(map(shown, answered))})",
            place=place,
            advice="Record a baseline of one version",
        )


def known_violations(gate: Gate, run: Run, how: ScoreSettings) -> frozenset[str]:
    """The node ids of the tests that are violated in the baseline, judged under this run's settings."""
    if gate.baseline is None:
        return frozenset()
    violated = {row.id for row in card_rows(gate.baseline, how) if row.verdict == "violated"}
    return frozenset(node_id(run.suite.name, test.id) for test in run.tests if test.id in violated)
