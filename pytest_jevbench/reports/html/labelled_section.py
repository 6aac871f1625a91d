"""Labelled results: accuracy, calibration, latency and cost of each model, reliability diagrams, accuracy by family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from pytest_jevbench.errors import Place
from pytest_jevbench.labelled.document import LabelledDocument
from pytest_jevbench.labelled.figures import Part
from pytest_jevbench.labelled.ranking import Ranked, rank
from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import Report, Section
from pytest_jevbench.reports.reliability import reliability_svg

__all__ = ["sections"]


def sections(report: Report) -> Iterator[Section]:
    """One section where there is a labelled result. Raises :class:`~pytest_jevbench.errors.InputError`."""
    if not report.labelled:
        return
    documents = [LabelledDocument.from_json(dict(one.data), Place(one.path or None)) for one in report.labelled]
    ranked = rank(documents)
    html = render(
        "labelled.html.j2",
        rows=[_row(one) for one in ranked],
        diagrams=[_diagram(one.document) for one in ranked if one.document.figures.calibration.brier.n],
        parts=[part for one in ranked for part in _parts(one.document)],
        several=len(ranked) > 1,
        priced=any(one.document.figures.cost.usd is not None for one in ranked),
    )
    yield Section("labelled", "Labelled tasks", html)


def _row(one: Ranked) -> dict[str, Any]:
    return {"name": one.document.name, "place": one.place, "why": one.why, "figures": one.document.figures}


def _diagram(document: LabelledDocument) -> dict[str, Any]:
    """The diagram makes its own text safe."""
    of = document.figures.calibration
    svg = reliability_svg(of.bins, title=document.name)
    return {"svg": Markup(svg), "name": document.name, "source": of.probs_source}


def _parts(document: LabelledDocument) -> Iterator[dict[str, Any]]:
    figures = document.figures
    found: tuple[tuple[str, Mapping[str, Part]], ...] = (
        ("family", figures.by_family),
        ("split", figures.by_split),
        ("type", figures.by_type),
    )
    for title, parts in found:
        if len(parts) > 1:
            yield {"title": title, "model": document.name, "parts": parts}
