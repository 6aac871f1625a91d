"""The published package as a black box: the same questions to the same server, and every number compared."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.scores import ScoreSettings
from tests.servers.published import program

__all__ = ["Differences", "compare", "published_report"]

WITHIN = 1e-12


def published_report(url: str, suite: str, out: Path, model: str = "m") -> dict[str, Any]:
    """What ``jevbench eval`` reports of the model at a URL."""
    command = [program("jevbench"), "eval", "--url", f"{url}/v1/systemone", "--model", model]
    command += ["--suite", suite, "--no-cache", "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True, cwd=out.parent)
    report: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return report


@dataclass
class Differences:
    """What does not agree; ``rescued`` are the tests that our slack holds, where theirs falls by float noise."""

    outcomes: int = 0
    deviations: list[str] = field(default_factory=list)
    flips: list[str] = field(default_factory=list)
    verdicts: list[str] = field(default_factory=list)
    scores: list[str] = field(default_factory=list)
    rescued: list[str] = field(default_factory=list)

    @property
    def none(self) -> bool:
        return not (self.deviations or self.flips or self.verdicts or self.scores)


def compare(card: dict[str, Any], report: dict[str, Any]) -> Differences:
    """Every outcome, every relation, group and dimension and the overall, within 1e-12."""
    found = Differences()
    theirs = {_their_identity(outcome): outcome for outcome in report["result"]["outcomes"]}
    ours = {
        (test["relation"], test["case"], test["key"], tuple(outcome["targets"]), outcome["variant"]): outcome
        for test in card["tests"]
        for outcome in test.get("outcomes", ())
    }
    found.outcomes = len(theirs)
    if ours.keys() != theirs.keys():
        found.deviations.append(f"outcomes of one side alone: {list(ours.keys() ^ theirs.keys())[:5]}")
    for identity in ours.keys() & theirs.keys():
        our, their = ours[identity], theirs[identity]
        name = "::".join(map(str, identity[:3]))
        if abs(our["deviation"] - their["deviation"]) > WITHIN:
            found.deviations.append(f"{name}: {our['deviation']!r}, theirs {their['deviation']!r}")
        if our["flip"] != their["flip"]:
            found.flips.append(f"{name}: {our['flip']}, theirs {their['flip']}")
        if our["violated"] != their["violated"]:
            close = abs(their["deviation"] - their["tolerance"]) <= 2e-9
            (found.rescued if close and not our["violated"] else found.verdicts).append(name)
    _compare_scores(card, report["scores"], found)
    return found


def _their_identity(outcome: dict[str, Any]) -> tuple[str, str, str, tuple[str, ...], int]:
    relation, case, key, *_ = outcome["trial_id"].split(":")
    return relation, case, key, tuple(outcome["targets"]), outcome["variant"]


def _compare_scores(card: dict[str, Any], theirs: dict[str, Any], found: Differences) -> None:
    read = Card.from_json(card)
    strict = read.scored(ScoreSettings(tolerance=0.05, min_n=read.settings.min_n, bootstrap=0, slack=0.0))
    pairs = [("overall", strict.overall.score, theirs["overall"])]
    pairs += [("overall, graded", strict.overall.graded, theirs["graded"]["overall"])]
    for name, field_name in (("dimensions", "pillars"), ("groups", "groups"), ("relations", "relations")):
        for row in getattr(strict, name):
            pairs.append((row.name, row.score, theirs[field_name].get(row.name)))
            pairs.append((f"{row.name}, graded", row.graded, theirs["graded"][field_name].get(row.name)))
    for name, our, their in pairs:
        if (our is None) != (their is None) or (our is not None and abs(our - their) > WITHIN):
            found.scores.append(f"{name}: {our!r}, theirs {their!r}")
