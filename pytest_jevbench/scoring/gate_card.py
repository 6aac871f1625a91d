"""Gating and comparing cards: what a gate needs, taken from a card (ours or a published report)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_jevbench.scoring.bootstrap import DRAWS
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.compare import Comparison, compare
from pytest_jevbench.scoring.gate import GateResult, evaluate_gate
from pytest_jevbench.scoring.gate_config import GateConfig
from pytest_jevbench.scoring.gate_forecast import Forecast, forecast_gate
from pytest_jevbench.scoring.gate_run import NOT_RUN, GatedRun, Metric
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.pairs import Row, planned_layout, rows_of
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from pytest_jevbench.scoring.weights import ScoredFrom

__all__ = ["card_rows", "compare_cards", "forecast_card", "gate_card", "gated_run"]


def gate_card(config: GateConfig, card: Card, baseline: Card | None = None, *, draws: int = DRAWS) -> GateResult:
    """Decide a gate on a saved card. Both cards' outcomes are judged under the first one's settings."""
    run = gated_run(card)
    before = None if baseline is None else gated_run(baseline, card.settings)
    return evaluate_gate(config, run, before, groups=card.groups, draws=draws)


def forecast_card(config: GateConfig, card: Card) -> tuple[Forecast, ...]:
    """What a gate's conditions can find out on the tests that a card planned, whatever their outcomes."""
    run = gated_run(card)
    layout = planned_layout((row.id for row in run.rows), card.groups)
    scored_from = ScoredFrom(card.settings.min_n, card.settings.min_coverage)
    return forecast_gate(config, layout, scored_from=scored_from, stop_when_decided=run.stop_when_decided)


def compare_cards(baseline: Card, card: Card, *, graded: bool = False, draws: int = DRAWS) -> Comparison:
    """Compare two cards on the tests that both judged, under the settings of the second.

    Whether they are of the same suite is not asked here: see
    :func:`~pytest_jevbench.scoring.gate_run.baseline_obstacles`.
    """
    scored_from = ScoredFrom(card.settings.min_n, card.settings.min_coverage)
    before = card_rows(baseline, card.settings)
    return compare(before, card_rows(card), card.groups, graded=graded, scored_from=scored_from, draws=draws)


def card_rows(card: Card, settings: ScoreSettings | None = None) -> tuple[Row, ...]:
    """Every planned test that the card names, by case in the card's order; those not run as unjudged."""
    not_run = (Row(*test, "unjudged", None, NOT_RUN) for test in card.not_run)
    return _by_case((*rows_of(card.results, settings or card.settings), *not_run), card.cases)


def _by_case(rows: Iterable[Row], cases: Iterable[str]) -> tuple[Row, ...]:
    place = {case: i for i, case in enumerate(cases)}
    return tuple(sorted(rows, key=lambda row: place.get(row.case_id, len(place))))


def gated_run(card: Card, settings: ScoreSettings | None = None) -> GatedRun:
    """A card as the gate sees it; ``settings`` replace its own in judging."""
    identity, counts = card.data["identity"], card.data["counts"]
    suite, plan, how = identity["suite"], identity["plan"], identity["settings"]
    details = card.data["run"].get("details") or {}
    decided_early = bool(details.get("decided_early"))
    stopped = next((flag["text"] for flag in card.data["flags"] if flag["name"] == "stopped"), "")
    return GatedRun(
        suite=f"{suite['name']} {suite.get('version', '')}".strip(),
        files=suite.get("files") or {},
        digest=suite.get("digest") or "",
        settings={
            "tolerance": how["tolerance"],
            "min_n": how["min_n"],
            "min_coverage": how["min_coverage"],
            "repeats": how.get("repeats", 1),
            "seed": plan.get("seed", 0),
            "draws": plan.get("draws", 1),
        },
        models=tuple(identity["model"].get("answered") or ()),
        rows=card_rows(card, settings),
        scores=card.scores if settings in (None, card.settings) else card.scored(settings),
        domains=card.cases,
        accuracy=_accuracy(card.data.get("accuracy")),
        ece=_ece(card.data.get("accuracy")),
        deselected=counts["deselected"],
        elsewhere=counts["elsewhere"],
        unlisted=counts["unlisted"],
        interrupted="" if decided_early else stopped,
        stop_when_decided=bool(details.get("stop_when_decided")),
        decided_early=decided_early,
    )


def _accuracy(section: dict[str, Any] | None) -> Metric:
    """Right answers among all labelled questions: one without an answer is wrong."""
    if section is None or section.get("accuracy_strict") is None:
        return Metric(None, 0, reason="no labelled answers")
    return Metric(section["accuracy_strict"], section["questions"], _interval(section.get("case_interval")))


def _ece(section: dict[str, Any] | None) -> Metric:
    """The calibration error of the largest probability (``ece_top_label``)."""
    figure = (section or {}).get("ece_top_label")
    if figure is None or figure["value"] is None:
        return Metric(None, 0, reason="no labelled answers with probabilities")
    return Metric(figure["value"], figure["n"])


def _interval(value: dict[str, Any] | None) -> Interval | None:
    return None if value is None else Interval(value["low"], value["high"], bool(value.get("degenerate")))
