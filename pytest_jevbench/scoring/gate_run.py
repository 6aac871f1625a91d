"""A run as the gate sees it, and the reasons for which no run can pass whatever its scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_jevbench.json_text import JSON, shown
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.pairs import Row
from pytest_jevbench.scoring.scores import Scores

__all__ = ["NOT_RUN", "GatedRun", "Metric", "baseline_gaps", "baseline_obstacles", "run_obstacles", "same_suite"]

NOT_RUN = "not run"
"""The reason of a planned test that this run was not asked to run."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure against gold labels: ``value`` over ``n`` answers, or None and the reason."""

    value: float | None
    n: int
    interval: Interval | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class GatedRun:
    """What a card says that a gate needs.

    ``suite`` is its name and version, ``files`` (hashes by name) and ``digest`` what tells its content from another's;
    ``settings`` everything that changes what is measured (tolerance, minimum tests, repeats...). ``models`` lists
    every version of the model that answered. ``rows`` holds every planned test in the card's order, those not run
    included as unjudged with the reason :data:`NOT_RUN`; ``domains`` the domain of each case. ``deselected`` counts
    tests taken out of the plan by ``-k``, ``-m`` or node ids, ``elsewhere`` those of other shards, ``unlisted`` planned
    tests known by number alone; ``interrupted`` says what ended the run early. With ``stop_when_decided`` it was run
    under the sequential rule, and ``decided_early`` says that this rule stopped it.
    """

    suite: str
    settings: Mapping[str, JSON]
    models: tuple[str, ...]
    rows: tuple[Row, ...]
    scores: Scores
    files: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""
    domains: Mapping[str, str] = field(default_factory=dict)
    accuracy: Metric = Metric(None, 0, reason="no labelled answers")
    ece: Metric = Metric(None, 0, reason="no labelled answers")
    deselected: int = 0
    elsewhere: int = 0
    unlisted: int = 0
    interrupted: str = ""
    stop_when_decided: bool = False
    decided_early: bool = False

    @property
    def judged(self) -> int:
        return sum(row.judged for row in self.rows)

    @property
    def unjudged(self) -> Counter[str]:
        """Tests that were run, or should have been, and have no verdict: by reason."""
        reasons = (row.reason or "lost" for row in self.rows if row.verdict == "unjudged")
        return Counter(reason for reason in reasons if reason != NOT_RUN)

    @property
    def coverage(self) -> float | None:
        """Judged tests as a share of the planned that apply; None where there is none."""
        applicable = sum(row.verdict != "not_applicable" for row in self.rows) + self.unlisted
        return self.judged / applicable if applicable else None


def run_obstacles(run: GatedRun) -> tuple[str, ...]:
    """Why this run cannot pass any gate: it is not whole, or not of one model."""
    found = []
    if run.judged == 0:
        found.append("no test was judged")
    missing = run.unjudged
    if missing and run.judged:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in missing.items())
        found.append(f"incomplete: {missing.total():,} of {len(run.rows):,} planned tests not judged ({reasons})")
    if run.deselected:
        found.append(f"a subset: {run.deselected:,} planned tests were deselected")
    if run.elsewhere:
        found.append(f"a part of a run: {run.elsewhere:,} planned tests are in other shards; merge the cards first")
    if run.unlisted:
        found.append(f"incomplete: {run.unlisted:,} planned tests have no result in the report")
    if run.interrupted:
        found.append(f"cut short: {run.interrupted}")
    return (*found, *_mixed_models(run, "this run"))


def _mixed_models(run: GatedRun, which: str) -> tuple[str, ...]:
    if len(run.models) < 2:
        return ()
    return (f"{which} was answered by {len(run.models)} model versions: {', '.join(map(shown, run.models))}",)


def baseline_obstacles(run: GatedRun, baseline: GatedRun) -> tuple[str, ...]:
    """Why nothing can be said about this run against this baseline: not the same tests, asked the same way."""
    found = []
    if not same_suite(run, baseline):
        same_name = " of other content" if run.suite == baseline.suite else ""
        found.append(f"the baseline is of another suite: {shown(baseline.suite)}{same_name}, not {shown(run.suite)}")
    for name in dict.fromkeys((*run.settings, *baseline.settings)):
        ours, theirs = run.settings.get(name), baseline.settings.get(name)
        if ours != theirs:
            found.append(f"the baseline has other settings: {name} {shown(theirs)}, not {shown(ours)}")
    return (*found, *_mixed_models(baseline, "the baseline"))


def same_suite(run: GatedRun, baseline: GatedRun) -> bool:
    """By the hashes of the files that both name, else by the digests, else by name and version."""
    common = run.files.keys() & baseline.files.keys()
    if common:
        return all(run.files[name] == baseline.files[name] for name in common)
    if run.digest or baseline.digest:
        return run.digest == baseline.digest
    return run.suite == baseline.suite


def baseline_gaps(run: GatedRun, baseline: GatedRun) -> tuple[str, ...]:
    """Why a comparison with this baseline is not of all planned tests."""
    there = {row.id: row.verdict for row in baseline.rows}
    found = []
    absent = sum(row.id not in there for row in run.rows)
    if absent:
        found.append(f"the baseline lacks {absent:,} of the {len(run.rows):,} planned tests")
    unpaired = sum(there.get(row.id) == "unjudged" for row in run.rows)
    if unpaired:
        found.append(f"the baseline is incomplete: {unpaired:,} of its tests not judged")
    return tuple(found)
