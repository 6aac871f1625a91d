"""The document of an evaluation of judges as tables, which text, Markdown and HTML show alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pytest_jevbench.reports.numbers import bracketed, points
from pytest_jevbench.reports.text import Style, percent
from pytest_jevbench.scoring.intervals import Interval

__all__ = ["Cell", "JudgeTable", "judge_heading", "judge_tables"]

STYLE_OF: Mapping[str, Style] = {"better": "good", "worse": "bad", "same": "faint"}
FIGURE_NAMES = {
    "ece_positive": "ECE, P(yes)",
    "mce_positive": "MCE, P(yes)",
    "brier": "Brier score",
    "log_loss": "log loss",
}
"""The figures of a calibration that tables show; the document has those of the top label too."""


class Cell(NamedTuple):
    """What stands in a cell, and what it is."""

    text: str
    style: Style = ""


@dataclass(frozen=True)
class JudgeTable:
    """A table: the first ``left`` columns are names. ``notes`` stand below it. ``judge`` is whose it is, if one's."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    left: int = 1
    judge: str = ""


def judge_heading(document: Mapping[str, Any]) -> str:
    """One line that says what was evaluated."""
    judges = len(document["judges"])
    parts = [f"{judges} judge{'' if judges == 1 else 's'}"]
    fixture, pairs = document["fixture"], document["pairs"]
    if fixture is not None:
        name = f"{fixture['name'] or 'fixture'}: {fixture['items']} items"
        parts.append(f"{name}, {fixture['fit']} to fit, {fixture['holdout']} held out")
    if pairs is not None:
        parts.append(f"{pairs['name'] or 'pairs'}: {pairs['pairs']} pairs")
    return " · ".join(parts)


def judge_tables(document: Mapping[str, Any]) -> Iterator[JudgeTable]:
    """All tables that a document has something for."""
    if document["bench"] is not None:
        yield _bench(document["bench"])
    for row in document["calibration"] or ():
        yield _calibration(row)
    if document["calibration"] is not None:
        yield _thresholds(document["calibration"])
    if document["bias"] is not None:
        yield _position(document["bias"])
        yield _style(document["bias"])
        yield _own(document["bias"])
    if document["agreement"] is not None:
        yield from _agreement(document["agreement"], document["judges"])
    if document["costs"] is not None:
        yield _costs(document["costs"])


def _bench(rows: Sequence[Mapping[str, Any]]) -> JudgeTable:
    found = []
    for row in rows:
        held = row["holdout"]
        found.append(
            (
                Cell(row["judge"]),
                Cell(str(held["n"])),
                Cell(percent(held["accuracy"])),
                Cell(bracketed(_interval(held["accuracy_interval"]))),
                *(Cell(f"{held[name]:.4f}") for name in ("brier", "log_loss", "ece_positive", "ece_top_label")),
            )
        )
    return JudgeTable(
        "As recorded, on held-out items",
        ("judge", "items", "accuracy %", "95%", "Brier", "log loss", "ECE yes", "ECE top"),
        tuple(found),
        ("ECE yes: P(yes) against the share of yes; ECE top: the likelier answer against the share right",),
    )


def _calibration(row: Mapping[str, Any]) -> JudgeTable:
    found: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for method, shown in row["methods"].items():
        for i, (figure, title) in enumerate(FIGURE_NAMES.items()):
            change = shown["changes"][figure]
            sure = "" if change["certain"] or change["verdict"] == "same" else ", unsure"
            style = "faint" if sure else STYLE_OF[change["verdict"]]
            found.append(
                (
                    Cell(method if i == 0 else ""),
                    Cell(title),
                    Cell(f"{change['before']:.4f}"),
                    Cell(f"{change['after']:.4f}"),
                    Cell(f"{change['change']:+.4f}"),
                    Cell(_number_interval(change["interval"], 4)),
                    Cell(change["verdict"] + sure, style),
                )
            )
        notes += [f"{method}: {note}" for note in shown["fitted"]["notes"]]
    head = ("method", "figure", "before", "after", "change", "95%", "")
    return JudgeTable(
        f"{row['judge']}: fitted on fit, shown on held-out items", head, tuple(found), tuple(notes), 2, row["judge"]
    )


def _thresholds(rows: Sequence[Mapping[str, Any]]) -> JudgeTable:
    found: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    names = {"optimal": "least cost", "false_accepts": "false accepts", "accepted_errors": "accepted errors"}
    for row in rows:
        for i, (kind, name) in enumerate(names.items()):
            rule = row["thresholds"][kind]
            held = rule["holdout"]
            first = (Cell(row["judge"] if i == 0 else ""), Cell(name))
            if held is None:
                found.append((*first, Cell("none", "caution"), *(Cell("-"),) * 4))
                notes.append(f"{row['judge']}, {name}: {rule['reason']}")
                continue
            found.append(
                (
                    *first,
                    Cell(_threshold(rule["threshold"])),
                    Cell(percent(held["accepted_share"])),
                    Cell(percent(held["false_accept_share"])),
                    Cell(percent(held["error_among_accepted"])),
                    Cell(bracketed(_interval(held["error_interval"]))),
                )
            )
    some = rows[0]["thresholds"] if rows else None
    if some is not None:
        optimal = some["optimal"]
        notes = [
            f"least cost: on the fit items, a false yes costing {optimal['false_positive_cost']:g} and a false no "
            f"{optimal['false_negative_cost']:g}; nothing is promised for other items",
            *(f"{names[k]}: {some[k]['promise']} ({some[k]['source']})" for k in ("false_accepts", "accepted_errors")),
            *notes,
        ]
    head = ("judge", "rule", "yes from", "accepted %", "false, of all %", "wrong, of accepted %", "95%")
    return JudgeTable("Thresholds from the fit items, shown on held-out items", head, tuple(found), tuple(notes), 2)


def _threshold(value: float) -> str:
    return "never" if value > 1.0 else f"{value:.3f}"


def _position(rows: Sequence[Mapping[str, Any]]) -> JudgeTable:
    found = []
    notes = []
    for row in rows:
        place = row["position"]
        found.append(
            (
                Cell(row["judge"]),
                Cell(str(place["pairs"])),
                Cell(str(place["ties"])),
                Cell(f"{place['flips']}/{place['decisive']}"),
                Cell(percent(place["flip_rate"]["value"])),
                Cell(bracketed(_interval(place["flip_rate"]["interval"]))),
                Cell(percent(place["first_rate"]["value"])),
                Cell(bracketed(_interval(place["first_rate"]["interval"]))),
                Cell(_points(place["signed_bias"]["value"])),
                Cell(_decimals(place["inconsistency"]["value"])),
            )
        )
        if place["unanswered"]:
            state = "" if place["conclusive"] else ": inconclusive"
            notes.append(f"{row['judge']}: {place['unanswered']} of {place['pairs']} pairs without an answer{state}")
        notes += _reasons(row["judge"], {"flip rate": place["flip_rate"], "first rate": place["first_rate"]})
    return JudgeTable(
        "Position: both orders of each pair",
        ("judge", "pairs", "ties", "flips", "flip %", "95%", "first %", "95%", "bias", "inconsistency"),
        tuple(found),
        (
            "flips: decided pairs whose winner changes with the order; ties stand apart; bias: first % - second %, "
            "in points",
            *notes,
        ),
    )


def _style(rows: Sequence[Mapping[str, Any]]) -> JudgeTable:
    found: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for row in rows:
        for i, (kind, name) in enumerate((("length", "longer"), ("markup", "more markup"))):
            correlation, matched = row[kind], row[f"matched_{kind}"]["preference"]
            found.append(
                (
                    Cell(row["judge"] if i == 0 else ""),
                    Cell(name),
                    Cell(_decimals(correlation["value"], sign=True)),
                    Cell(_number_interval(correlation["interval"], 2)),
                    Cell(str(correlation["n"])),
                    Cell(percent(matched["value"])),
                    Cell(bracketed(_interval(matched["interval"]))),
                    Cell(str(matched["n"])),
                )
            )
            notes += _reasons(row["judge"], {f"{kind}, correlation": correlation, f"{kind}, matched": matched})
    return JudgeTable(
        "Length and markup",
        ("judge", "prefers", "rank corr.", "95%", "pairs", "matched %", "95%", "pairs"),
        tuple(found),
        (
            "rank corr.: of P(A is better) with how much longer, or more marked-up, A is; quality may explain it",
            "matched %: P(the longer, or more marked-up, wins) where both are equally good; 50 is no bias",
            *notes,
        ),
        2,
    )


def _own(rows: Sequence[Mapping[str, Any]]) -> JudgeTable:
    found = []
    notes: list[str] = []
    for row in rows:
        own, right = row["self_preference"], row["accuracy"]
        found.append(
            (
                Cell(row["judge"]),
                Cell(percent(own["preference"]["value"])),
                Cell(bracketed(_interval(own["preference"]["interval"]))),
                Cell(str(own["preference"]["n"])),
                Cell(_decimals(own["position"]["value"], sign=True)),
                Cell(_number_interval(own["position"]["interval"], 2)),
                Cell(percent(right["value"])),
                Cell(bracketed(_interval(right["interval"]))),
            )
        )
        shown = {"own answers": own["preference"], "own place": own["position"], "accuracy": right}
        notes += _reasons(row["judge"], shown)
    return JudgeTable(
        "Own answers, and accuracy",
        ("judge", "own wins %", "95%", "pairs", "with its place", "95%", "accuracy %", "95%"),
        tuple(found),
        ("own wins %: P(the own answer wins) where exactly one is the judge's own; it may be the better one", *notes),
    )


def _agreement(agreement: Mapping[str, Any], judges: Sequence[str]) -> Iterator[JudgeTable]:
    found: list[tuple[Cell, ...]] = []
    for pair in agreement["cohen"] or ():
        found.append((Cell("Cohen's kappa"), Cell(f"{pair['a']}, {pair['b']}"), *_coefficient(pair)))
    if agreement["fleiss"] is not None:
        found.append((Cell("Fleiss' kappa"), Cell(f"all {len(judges)}"), *_coefficient(agreement["fleiss"])))
    for level, alpha in agreement["krippendorff"].items():
        what = {"nominal": "all", "ordinal": "order"}.get(level, "probabilities")
        if agreement["of"] == "ratings":
            what = "all"
        found.append((Cell(f"Krippendorff's alpha, {level}"), Cell(what), *_coefficient(alpha)))
    notes = [agreement["cohen_reason"]] if agreement["cohen_reason"] else []
    notes += [f"{row[0].text}, {row[1].text}: undefined" for row in found if row[2].text == "-"]
    panel = agreement["panel"]
    if panel is not None:
        right = percent(panel["accuracy"])
        notes.append(
            f"majority of all judges: right on {right} % {bracketed(_interval(panel['accuracy_interval']))} of "
            f"{panel['items'] - panel['inconclusive']} items, {panel['inconclusive']} inconclusive"
        )
    notes.append("Agreement is no accuracy: judges can agree on what is wrong")
    head = ("coefficient", "of", "value", "95%", "items", "agree %")
    yield JudgeTable(f"Agreement of {agreement['of']}, beyond chance", head, tuple(found), tuple(notes), 2)


def _coefficient(found: Mapping[str, Any]) -> tuple[Cell, ...]:
    return (
        Cell(_decimals(found["value"])),
        Cell(_number_interval(found["interval"], 3, sign="")),
        Cell(str(found["n"])),
        Cell(percent(found.get("observed"))),
    )


def _costs(costs: Mapping[str, Any]) -> JudgeTable:
    head = ("judge", "rank", "cost", "accuracy %")
    if costs["ranks"] is None:
        return JudgeTable("Cost against accuracy", head, (), (f"no ranking: {costs['reason']}",))
    rows = tuple(
        (
            Cell(row["judge"]),
            Cell(str(row["rank"]), "good" if row["rank"] == 1 else ""),
            Cell(f"{row['cost']:g}"),
            Cell(percent(row["accuracy"])),
        )
        for row in costs["ranks"]
    )
    note = "rank 1: no judge is as cheap and as accurate and better in one of the two; accuracy on all items"
    return JudgeTable("Cost against accuracy", head, rows, (note,))


def _reasons(judge: str, shown: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [f"{judge}, {name}: {one['reason']}" for name, one in shown.items() if one["value"] is None]


def _interval(value: Mapping[str, Any] | None) -> Interval | None:
    return None if value is None else Interval(value["low"], value["high"], value["degenerate"])


def _number_interval(value: Mapping[str, Any] | None, digits: int, *, sign: str = "+") -> str:
    form = f"{sign}.{digits}f"
    return "" if value is None else f"[{value['low']:{form}}, {value['high']:{form}}]"


def _decimals(value: float | None, *, sign: bool = False) -> str:
    return "-" if value is None else f"{value:+.3f}" if sign else f"{value:.3f}"


def _points(value: float | None) -> str:
    return "-" if value is None else points(value)
