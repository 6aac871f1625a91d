"""A radar chart as SVG: one axis a score, one outline a model. Pure text, the same bytes for the same figures.

The picture stands alone: it has a title and a description that say what it shows in words, its own background, light
or dark as the reader's system is, and tells models apart by colour, dash and mark.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape

from pytest_jevbench.json_text import printable
from pytest_jevbench.reports.text import clip, percent

__all__ = ["Axis", "Series", "check_series", "picture", "radar_plot", "radar_svg", "scores_in_words"]

WIDTH = 640
_MIDDLE, _RADIUS = 320.0, 165.0
_TOP, _ROW = 58.0, 21.0
_RINGS = (0.25, 0.5, 0.75, 1.0)
_LONGEST_NAME, _LONGEST_LABEL = 72, 26

_LIGHT = ("#0072b2", "#d55e00", "#007a5a", "#a4508b", "#8a6d00", "#3b3b98")
_DARK = ("#56b4e9", "#ff9c5b", "#3fd0a4", "#e59acb", "#f0d04a", "#a9a9ff")
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "5 2", "1 3")


@dataclass(frozen=True, slots=True)
class Axis:
    """One score: ``name`` is short, ``title`` says it in words."""

    name: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """One model: a score from 0 to 1 an axis, None where it has none. A ``reference`` is drawn faint, behind all."""

    name: str
    values: Sequence[float | None]
    reference: bool = False


def radar_svg(axes: Sequence[Axis], series: Sequence[Series], *, title: str, notes: Sequence[str] = ()) -> str:
    """The chart. ``notes`` are lines of text below it.

    A score that is not there breaks the outline; it is never drawn as 0. Raises ``ValueError`` where there is no axis,
    or a series has not one value an axis from 0 to 1.
    """
    check_series(axes, series)
    body = "\n".join(_body(axes, series, title, notes))
    height = _legend_top() + _ROW * (len(series) + len(notes)) + 14
    return picture(body, title, _description(axes, series, notes), WIDTH, height)


def check_series(axes: Sequence[Axis], series: Sequence[Series]) -> None:
    """Raise ``ValueError`` where there is no axis, or a series has not one value an axis from 0 to 1."""
    if not axes:
        raise ValueError("a radar needs an axis")
    for one in series:
        if len(one.values) != len(axes):
            raise ValueError(f"{one.name!r} has {len(one.values)} values for {len(axes)} axes")
        if any(value is not None and not 0.0 <= value <= 1.0 for value in one.values):
            raise ValueError(f"{one.name!r} has a value outside 0 to 1")


def picture(body: str, title: str, words: str, width: float, height: float, rules: str = "") -> str:
    """A whole SVG around a body drawn in the styles of the radar: ``words`` say what it shows, ``rules`` add CSS."""
    mark = sha256(f"{title}\n{words}\n{body}".encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="jevbench-radar" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" aria-labelledby="radar-{mark}-title radar-{mark}-desc">\n'
        f'<title id="radar-{mark}-title">{_text(title)}</title>\n<desc id="radar-{mark}-desc">{_text(words)}</desc>\n'
        f"<style>{_style()}{rules}</style>\n"
        f'<rect class="jr-back" width="{width:g}" height="{height:g}" rx="6"/>\n{body}\n</svg>\n'
    )


def _body(axes: Sequence[Axis], series: Sequence[Series], title: str, notes: Sequence[str]) -> Iterator[str]:
    yield f'<text class="jr-title" x="{WIDTH / 2:g}" y="26" text-anchor="middle">{_text(clip(title, 76))}</text>'
    styles = _styles(series)
    yield from radar_plot(axes, series, styles)
    top = _legend_top()
    for row, (one, style) in enumerate(zip(series, styles, strict=True)):
        yield from _legend(axes, one, style, top + _ROW * row)
    for row, note in enumerate(notes, len(series)):
        yield f'<text class="jr-faint" x="24" y="{top + _ROW * row + 4:g}">{_text(clip(note, 92))}</text>'


def _styles(series: Sequence[Series]) -> list[str]:
    """The class of each series: a colour and a dash by its place among the models."""
    number = itertools.count()
    return ["jr-ref" if one.reference else f"jr-{next(number) % len(_LIGHT)}" for one in series]


def radar_plot(axes: Sequence[Axis], series: Sequence[Series], styles: Sequence[str]) -> Iterator[str]:
    """Rings, axes and outlines alone, each outline in its style; references are drawn first, behind the others."""
    yield from _grid(len(axes))
    for index, axis in enumerate(axes):
        yield _label(axis, index, len(axes))
    for one, style in sorted(zip(series, styles, strict=True), key=lambda pair: not pair[0].reference):
        yield from _outline(axes, one, style)


def _legend_top() -> float:
    return _TOP + 2 * _RADIUS + 62.0


def _point(value: float, index: int, count: int) -> tuple[float, float]:
    """Where a value lies: the first axis points upwards, the others follow clockwise."""
    angle = 2 * math.pi * index / count - math.pi / 2
    x = _MIDDLE + _RADIUS * value * math.cos(angle)
    y = _TOP + 24 + _RADIUS * (1 + value * math.sin(angle))
    return round(x, 2) + 0.0, round(y, 2) + 0.0


def _grid(count: int) -> Iterator[str]:
    for ring in _RINGS:
        if count >= 3:
            points = " ".join(f"{x:g},{y:g}" for x, y in (_point(ring, i, count) for i in range(count)))
            yield f'<polygon class="jr-grid" points="{points}"/>'
        else:
            _, y = _point(0.0, 0, 1)
            yield f'<circle class="jr-grid" cx="{_MIDDLE:g}" cy="{y:g}" r="{_RADIUS * ring:g}"/>'
    middle = _point(0.0, 0, count)
    for index in range(count):
        x, y = _point(1.0, index, count)
        yield f'<line class="jr-grid" x1="{middle[0]:g}" y1="{middle[1]:g}" x2="{x:g}" y2="{y:g}"/>'
    for ring in _RINGS:
        x, y = _point(ring, 0, count)
        yield f'<text class="jr-faint jr-small" x="{x + 4:g}" y="{y + 11:g}">{100 * ring:g}</text>'


def _label(axis: Axis, index: int, count: int) -> str:
    x, y = _point(1.0, index, count)
    _, middle = _point(0.0, index, count)
    right, down = x - _MIDDLE, y - middle
    anchor = "middle" if abs(right) < 0.2 * _RADIUS else "start" if right > 0 else "end"
    x += 0 if anchor == "middle" else math.copysign(9, right)
    y += -12 if down < -0.9 * _RADIUS else 20 if down > 0.75 * _RADIUS else 4
    title = f"<title>{_text(axis.title)}</title>" if axis.title else ""
    return (
        f'<text class="jr-label" x="{x:g}" y="{y:g}" text-anchor="{anchor}">'
        f"{title}{_text(clip(axis.name, _LONGEST_LABEL))}</text>"
    )


def _outline(axes: Sequence[Axis], one: Series, style: str) -> Iterator[str]:
    """The lines between neighbouring scores that are there, closed and filled where all are."""
    count = len(axes)
    points = [None if value is None else _point(value, index, count) for index, value in enumerate(one.values)]
    yield f'<g class="{style}"><title>{_text(scores_in_words(axes, one))}</title>'
    for run in _runs(points):
        path = " ".join(f"{x:g},{y:g}" for x, y in run)
        whole = len(run) == count and count >= 3
        yield f'<{"polygon" if whole else "polyline"} class="jr-line{" jr-area" if whole else ""}" points="{path}"/>'
    for point in points:
        if point is not None and not one.reference:
            yield f'<circle class="jr-dot" cx="{point[0]:g}" cy="{point[1]:g}" r="3.2"/>'
    yield "</g>"


def _runs(points: Sequence[tuple[float, float] | None]) -> list[list[tuple[float, float]]]:
    """The points that follow each other around the chart, broken where one is missing.

    >>> _runs([(0, 0), None, (2, 2), (3, 3)])
    [[(2, 2), (3, 3), (0, 0)]]
    """
    gaps = [index for index, point in enumerate(points) if point is None]
    start = gaps[0] + 1 if gaps else 0
    runs: list[list[tuple[float, float]]] = [[]]
    for point in [*points[start:], *points[:start]]:
        if point is None:
            runs.append([])
        else:
            runs[-1].append(point)
    return [run for run in runs if len(run) > 1]


def _legend(axes: Sequence[Axis], one: Series, style: str, y: float) -> Iterator[str]:
    missing = [axis.name for axis, value in zip(axes, one.values, strict=True) if value is None]
    more = f"  (no score: {', '.join(missing)})" if missing else ""
    dot = "" if one.reference else f'<circle class="jr-dot" cx="41" cy="{y:g}" r="3.2"/>'
    yield f'<g class="{style}"><line class="jr-line" x1="24" y1="{y:g}" x2="58" y2="{y:g}"/>{dot}</g>'
    shown = _text(clip(printable(one.name) + more, _LONGEST_NAME))
    yield f'<text class="jr-name" x="68" y="{y + 4:g}"><title>{_text(one.name + more)}</title>{shown}</text>'


def _description(axes: Sequence[Axis], series: Sequence[Series], notes: Sequence[str]) -> str:
    what = "; ".join(f"{axis.name}: {axis.title}" if axis.title else axis.name for axis in axes)
    models = ". ".join(scores_in_words(axes, one) for one in series)
    return ". ".join(["Scores from 0 to 100, 100 is best", what, models, *notes]) + "."


def scores_in_words(axes: Sequence[Axis], one: Series) -> str:
    """A series as a sentence: its name and each axis with its score in percent."""
    values = ", ".join(
        f"{axis.name} {'no score' if value is None else percent(value)}"
        for axis, value in zip(axes, one.values, strict=True)
    )
    return f"{printable(one.name)}: {values}"


def _style() -> str:
    rules = [
        ".jevbench-radar{font:13px system-ui,sans-serif;max-width:100%;height:auto}",
        ".jevbench-radar .jr-title{font-weight:600;font-size:15px}",
        ".jevbench-radar .jr-small{font-size:10px}",
        ".jevbench-radar .jr-grid{fill:none;stroke-width:1}",
        ".jevbench-radar .jr-line{fill:none;stroke-width:2;stroke-linejoin:round}",
        ".jevbench-radar .jr-ref .jr-line{stroke-width:1.2;stroke-dasharray:3 3}",
    ]
    for number, dash in enumerate(_DASHES):
        if dash:
            rules.append(f".jevbench-radar .jr-{number} .jr-line{{stroke-dasharray:{dash}}}")
    rules += _colours(_LIGHT, back="#ffffff", ink="#1f2328", faint="#656d76", grid="#d0d7de")
    dark = "".join(_colours(_DARK, back="#16191d", ink="#e6edf3", faint="#9aa4af", grid="#3a424c"))
    return "".join(rules) + f"@media screen and (prefers-color-scheme:dark){{{dark}}}"


def _colours(lines: Sequence[str], *, back: str, ink: str, faint: str, grid: str) -> list[str]:
    rules = [
        f".jevbench-radar .jr-back{{fill:{back}}}",
        f".jevbench-radar text{{fill:{ink}}}",
        f".jevbench-radar .jr-faint{{fill:{faint}}}",
        f".jevbench-radar .jr-grid{{stroke:{grid}}}",
        f".jevbench-radar .jr-ref .jr-line{{stroke:{faint}}}",
    ]
    for number, colour in enumerate(lines):
        rules.append(f".jevbench-radar .jr-{number} .jr-line{{stroke:{colour}}}")
        rules.append(f".jevbench-radar .jr-{number} .jr-area{{fill:{colour};fill-opacity:.07}}")
        rules.append(f".jevbench-radar .jr-{number} .jr-dot{{fill:{colour}}}")
    return rules


def _text(text: str) -> str:
    """A text inside an element: escaped, and of characters that XML can hold."""
    return escape(printable(text))
