"""Coherence against accuracy as SVG: one mark a model, the model that reads nothing as a cross. Pure text.

The picture stands alone, in the styles of the radar: title, description in words, light or dark as the reader's system.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from pytest_jevbench.json_text import printable
from pytest_jevbench.reports.radar import picture
from pytest_jevbench.reports.svg import Svg
from pytest_jevbench.reports.text import clip, percent
from pytest_jevbench.scoring.coherence_accuracy import CardPoint

__all__ = ["scatter_svg"]

WIDTH = 640.0
_LEFT, _RIGHT, _TOP, _HEIGHT, _ROW = 76.0, 604.0, 52.0, 330.0, 21.0
_COLOURS = 6
_RULES = (
    ".jevbench-radar .jr-cross{stroke-width:2!important;stroke-dasharray:none!important}"
    ".jevbench-radar .jr-bar{stroke-width:1.3;opacity:.65;stroke-dasharray:none!important}"
)


def scatter_svg(points: Sequence[CardPoint], *, title: str = "Coherence against accuracy", alone: bool = True) -> Svg:
    """The plot. A card without coherence or accuracy is named below it and not drawn.

    Each axis begins at a ten below the lowest value and ends at 100. Where it is not ``alone``, what stands around it
    says the title and which mark is which model.
    """
    drawn = [p for p in points if p.coherence is not None and p.accuracy is not None]
    uniform = list(dict.fromkeys(p.uniform for p in points if None not in p.uniform))
    lows = _lows(drawn, uniform)
    body = "\n".join(_plot(points, drawn, uniform, lows))
    if not alone:
        top = 14.0
        body = f'<g transform="translate(0 {top - _TOP:g})">\n{body}\n</g>'
        return Svg(picture(body, title, _words(points, uniform), WIDTH, top + _HEIGHT + 52, _RULES))
    rows = len(points) + bool(uniform)
    body += "\n" + "\n".join(_around(points, uniform, title))
    height = _TOP + _HEIGHT + 58 + _ROW * rows + 8
    return Svg(picture(body, title, _words(points, uniform), WIDTH, height, _RULES))


def _lows(drawn: Sequence[CardPoint], uniform: Sequence[tuple[float | None, float | None]]) -> tuple[float, float]:
    """Where the axes begin, in shares."""
    found = []
    for axis in (0, 1):
        values = [p.coherence if axis == 0 else p.accuracy for p in drawn] + [one[axis] for one in uniform]
        intervals = [p.coherence_interval if axis == 0 else p.accuracy_interval for p in drawn]
        values += [i.low for i in intervals if i is not None]
        lowest = min((v for v in values if v is not None), default=0.0)
        tens = math.floor(10 * lowest)
        found.append(min(8, tens if tens > 3 else tens - tens % 2) / 10)
    return found[0], found[1]


def _place(coherence: float, accuracy: float, lows: tuple[float, float]) -> tuple[float, float]:
    x = _LEFT + (_RIGHT - _LEFT) * (coherence - lows[0]) / (1 - lows[0])
    y = _TOP + _HEIGHT * (1 - (accuracy - lows[1]) / (1 - lows[1]))
    return round(x, 2), round(y, 2)


def _plot(
    points: Sequence[CardPoint],
    drawn: Sequence[CardPoint],
    uniform: Sequence[tuple[float | None, float | None]],
    lows: tuple[float, float],
) -> Iterator[str]:
    yield from _grid(lows)
    for coherence, accuracy in uniform:
        if coherence is not None and accuracy is not None:
            x, y = _place(coherence, accuracy, lows)
            yield f'<g class="jr-ref"><title>uniform: {_said(coherence, accuracy)}</title>{_cross(x, y)}</g>'
    for number, point in enumerate(points):
        if point in drawn:
            yield from _mark(point, number % _COLOURS, lows)


def _around(
    points: Sequence[CardPoint], uniform: Sequence[tuple[float | None, float | None]], title: str
) -> Iterator[str]:
    yield f'<text class="jr-title" x="{WIDTH / 2:g}" y="28" text-anchor="middle">{_text(clip(title, 76))}</text>'
    top = _TOP + _HEIGHT + 62
    for number, point in enumerate(points):
        y = top + _ROW * number
        yield f'<g class="jr-{number % _COLOURS}"><circle class="jr-dot" cx="41" cy="{y:g}" r="4.5"/></g>'
        yield _legend(point.name, _said(point.coherence, point.accuracy), y)
    if uniform:
        y = top + _ROW * len(points)
        yield f'<g class="jr-ref">{_cross(41, y)}</g>'
        places = "; ".join(_said(*one) for one in uniform)
        yield _legend("uniform, a model that reads nothing", places, y)


def _grid(lows: tuple[float, float]) -> Iterator[str]:
    steps = [[ten / 10 for ten in range(round(10 * low), 11, 1 if low > 0.35 else 2)] for low in lows]
    for value in steps[0]:
        x, _ = _place(value, lows[1], lows)
        yield f'<line class="jr-grid" x1="{x:g}" y1="{_TOP:g}" x2="{x:g}" y2="{_TOP + _HEIGHT:g}"/>'
        at = f'x="{x:g}" y="{_TOP + _HEIGHT + 18:g}" text-anchor="middle"'
        yield f'<text class="jr-faint" {at}>{100 * value:.3g}</text>'
    for value in steps[1]:
        _, y = _place(lows[0], value, lows)
        yield f'<line class="jr-grid" x1="{_LEFT:g}" y1="{y:g}" x2="{_RIGHT:g}" y2="{y:g}"/>'
        yield f'<text class="jr-faint" x="{_LEFT - 8:g}" y="{y + 4:g}" text-anchor="end">{100 * value:.3g}</text>'
    middle = (_LEFT + _RIGHT) / 2
    yield (
        f'<text class="jr-label" x="{middle:g}" y="{_TOP + _HEIGHT + 38:g}" text-anchor="middle">'
        "coherence: overall score, %</text>"
    )
    y = _TOP + _HEIGHT / 2
    yield (
        f'<text class="jr-label" x="24" y="{y:g}" text-anchor="middle" transform="rotate(-90 24 {y:g})">'
        "accuracy: right of all labelled, %</text>"
    )


def _mark(point: CardPoint, colour: int, lows: tuple[float, float]) -> Iterator[str]:
    assert point.coherence is not None
    assert point.accuracy is not None
    x, y = _place(point.coherence, point.accuracy, lows)
    yield f'<g class="jr-{colour}"><title>{_text(point.name)}: {_said(point.coherence, point.accuracy)}</title>'
    if point.coherence_interval is not None:
        ends = [
            _place(v, point.accuracy, lows)[0] for v in (point.coherence_interval.low, point.coherence_interval.high)
        ]
        yield f'<path class="jr-line jr-bar" d="M{ends[0]:g} {y:g}H{ends[1]:g}"/>'
    if point.accuracy_interval is not None:
        ends = [
            _place(point.coherence, v, lows)[1] for v in (point.accuracy_interval.low, point.accuracy_interval.high)
        ]
        yield f'<path class="jr-line jr-bar" d="M{x:g} {ends[0]:g}V{ends[1]:g}"/>'
    yield f'<circle class="jr-dot" cx="{x:g}" cy="{y:g}" r="4.5"/></g>'


def _cross(x: float, y: float) -> str:
    return f'<path class="jr-line jr-cross" d="M{x - 6:g} {y - 6:g}l12 12m0 -12l-12 12"/>'


def _legend(name: str, said: str, y: float) -> str:
    shown = f"{clip(printable(name), max(12, 80 - len(said)))}: {said}"
    return f'<text class="jr-name" x="60" y="{y + 4:g}"><title>{_text(f"{name}: {said}")}</title>{_text(shown)}</text>'


def _said(coherence: float | None, accuracy: float | None) -> str:
    of = ["no coherence score" if coherence is None else f"coherence {percent(coherence)}"]
    of.append("no accuracy" if accuracy is None else f"accuracy {percent(accuracy)}")
    return ", ".join(of)


def _words(points: Sequence[CardPoint], uniform: Sequence[tuple[float | None, float | None]]) -> str:
    said = [f"{p.name}: {_said(p.coherence, p.accuracy)}" for p in points]
    said += [f"uniform, a model that reads nothing: {_said(*one)}" for one in uniform]
    return "Coherence to the right, accuracy upwards, both in percent. " + ". ".join(said) + "."


def _text(text: str) -> str:
    return escape(printable(text))
