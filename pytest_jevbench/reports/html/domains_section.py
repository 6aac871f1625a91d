"""Accuracy and coherence by domain and by type of question, with the figures of calibration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_jevbench.relations.taxonomy import DIMENSIONS
from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import CardShown, Report, Section
from pytest_jevbench.scoring.intervals import Interval

__all__ = ["sections"]

_FIGURES = {
    "brier": "Brier score",
    "brier_positive": "Brier score of P(yes)",
    "ece_top_label": "ECE, top label",
    "ece_top_label_equal_mass": "ECE, top label, bins of equal mass",
    "ece_positive": "ECE of P(yes)",
    "mean_level_error": "mean level error of Scores",
}
_TYPES = {"noul": "yes/no (Noul)", "choice": "Choice", "score": "Score"}


def sections(report: Report) -> Iterator[Section]:
    cards = [shown for one in report.cards if (shown := _shown(one))]
    if cards:
        dimensions = [dimension.id for dimension in DIMENSIONS]
        yield Section("accuracy", "Accuracy and domains", render("domains.html.j2", cards=cards, dimensions=dimensions))


def _shown(one: CardShown) -> dict[str, Any] | None:
    section = one.card.data.get("accuracy") or {}
    of_domain = section.get("by_domain") or {}
    scored = {row.name: row for row in one.card.scores.domains}
    names = [name for name in dict.fromkeys([*scored, *of_domain]) if name]
    if not section and not names:
        return None
    rows = [{"name": name, "scores": scored.get(name), "accuracy": _accuracy(of_domain.get(name))} for name in names]
    types = [
        {"name": _TYPES.get(n, n), "accuracy": _accuracy(row)} for n, row in (section.get("by_type") or {}).items()
    ]
    return {
        "name": one.name,
        "domains": rows,
        "types": types,
        "tested": any(row.tests for row in scored.values()),  # by laws that count in a dimension
        "scored": any(row.overall.score is not None for row in scored.values()),
        "reason": next((row.overall.reason for row in scored.values() if row.overall.score is None), ""),
        "figures": [(title, section[name]) for name, title in _FIGURES.items() if section.get(name)],
    }


def _accuracy(row: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if row is None:
        return None
    found = row["accuracy_answered_interval"]
    interval = None if found is None else Interval(found["low"], found["high"])
    return {"value": row["accuracy_answered"], "interval": interval, "answered": row["answered"]}
