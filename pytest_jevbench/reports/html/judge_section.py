"""Judges: calibration, thresholds, biases and agreement, with reliability curves and the matrix of kappas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.judges.document_check import check_judges
from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import Report, Section
from pytest_jevbench.reports.judge_pictures import kappa_heatmap, reliability_curve
from pytest_jevbench.reports.judge_tables import judge_heading, judge_tables

__all__ = ["sections"]

MOST_JUDGES = 30
"""More rows and columns than this no picture shows readably."""


def sections(report: Report) -> Iterator[Section]:
    """A section for each result. Raises :class:`~pytest_jevbench.errors.InputError` for one that is damaged."""
    for result in report.judges:
        check_judges(result.data, Place(result.path or None))
    names = [_name(result.data) for result in report.judges]
    for number, (result, name) in enumerate(zip(report.judges, names, strict=True), 1):
        again = f" ({number})" if names.count(name) > 1 else ""
        title = "Judges" if len(names) == 1 else f"Judges, {name}{again}"
        try:
            html = _html(result.data)
        except (LookupError, TypeError, ValueError) as error:  # its parts do not fit together
            raise InputError(
                f"this is no whole judge result ({type(error).__name__}: {error})",
                place=Place(result.path or None),
                advice="Make it again with `pytest-jevbench judge ... --json`",
            ) from None
        yield Section("judges" if number == 1 else f"judges-{number}", title, html)


def _html(document: Mapping[str, Any]) -> Markup:
    return render(
        "judges.html.j2",
        heading=judge_heading(document),
        tables=[table for table in judge_tables(document) if not table.judge],
        judges=_judges(document),
        kappas=_kappas(document),
        cautions=document["cautions"],
    )


def _name(document: Mapping[str, Any]) -> str:
    """What the judges of a document were tried on, as the contents of the page call it."""
    return str((document["fixture"] or document["pairs"] or {}).get("name") or next(iter(document["judges"]), ""))


def _judges(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What there is of each judge alone: its curves, and its table where calibrators were fitted."""
    tables = {table.judge: table for table in judge_tables(document) if table.judge}
    return [{"name": judge, "curves": curves, "table": tables.get(judge)} for judge, curves in _curves(document)]


def _curves(document: Mapping[str, Any]) -> list[tuple[str, list[Markup]]]:
    """Each judge's curves: before and after each method, or as recorded alone."""
    if document["calibration"] is not None:
        return [
            (
                row["judge"],
                [
                    Markup(
                        reliability_curve(
                            f"{row['judge']}, {method}",
                            [("as recorded", shown["curve_before"]), (method, shown["curve_after"])],
                        )
                    )
                    for method, shown in row["methods"].items()
                ],
            )
            for row in document["calibration"]
        ]
    return [
        (row["judge"], [Markup(reliability_curve(row["judge"], [("as recorded", row["reliability"])]))])
        for row in document["bench"] or ()
    ]


def _kappas(document: Mapping[str, Any]) -> Markup | None:
    agreement = document["agreement"]
    if agreement is None or not agreement["cohen"] or len(document["judges"]) > MOST_JUDGES:
        return None
    return Markup(kappa_heatmap(document))
