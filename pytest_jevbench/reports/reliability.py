"""A reliability diagram as SVG: in each bin of stated probability, how often the answer was right. Pure text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from pytest_jevbench.json_text import printable
from pytest_jevbench.metrics import Bin
from pytest_jevbench.reports.radar import picture
from pytest_jevbench.reports.svg import Svg
from pytest_jevbench.reports.text import clip, percent

__all__ = ["reliability_svg"]

WIDTH, HEIGHT = 420.0, 400.0
_LEFT, _TOP, _SIDE, _COUNTS = 58.0, 46.0, 270.0, 32.0
_RULES = ".jevbench-radar .jr-even{stroke-dasharray:4 4}.jevbench-radar .jr-mean{stroke-width:2}"


def reliability_svg(bins: Sequence[Bin], *, title: str) -> Svg:
    """Bars of the share right by bin, a mark at the bin's mean probability, the number of answers below each.

    Where the bars end at the dashed line, probabilities mean what they say.
    """
    body = "\n".join(_body(bins, title))
    return Svg(picture(body, title, _words(bins), WIDTH, HEIGHT, _RULES))


def _x(p: float) -> float:
    return round(_LEFT + _SIDE * p * 1.2, 2)


def _y(p: float) -> float:
    return round(_TOP + _SIDE * (1 - p), 2)


def _body(bins: Sequence[Bin], title: str) -> Iterator[str]:
    shown = escape(printable(clip(title, 52)))
    yield f'<text class="jr-title" x="{WIDTH / 2:g}" y="26" text-anchor="middle">{shown}</text>'
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        yield f'<line class="jr-grid" x1="{_x(0):g}" y1="{_y(tick):g}" x2="{_x(1):g}" y2="{_y(tick):g}"/>'
        yield f'<text class="jr-faint" x="{_LEFT - 8:g}" y="{_y(tick) + 4:g}" text-anchor="end">{100 * tick:g}</text>'
        yield f'<text class="jr-faint" x="{_x(tick):g}" y="{_y(0) + 34:g}" text-anchor="middle">{100 * tick:g}</text>'
    yield '<g class="jr-0">'
    for of in bins:
        if of.rate is not None and of.mean is not None:
            yield from _bar(of)
    yield "</g>"
    yield f'<g class="jr-ref"><path class="jr-line jr-even" d="M{_x(0):g} {_y(0):g}L{_x(1):g} {_y(1):g}"/></g>'
    for of in bins:
        if of.n:
            at = f'x="{(_x(of.low) + _x(of.high)) / 2:g}" y="{_y(0) + 15:g}" text-anchor="middle"'
            yield f'<text class="jr-faint jr-small" {at}>{of.n:,}</text>'
    middle = (_x(0) + _x(1)) / 2
    yield (
        f'<text class="jr-label" x="{middle:g}" y="{_y(0) + 58:g}" text-anchor="middle">'
        "stated probability of the answer given, %</text>"
    )
    y = (_y(0) + _y(1)) / 2
    at = f'x="18" y="{y:g}" text-anchor="middle" transform="rotate(-90 18 {y:g})"'
    yield f'<text class="jr-label" {at}>right, %</text>'


def _bar(of: Bin) -> Iterator[str]:
    assert of.rate is not None
    assert of.mean is not None
    left, right = _x(of.low) + 1.5, _x(of.high) - 1.5
    said = (
        f"{percent(of.low)} to {percent(of.high)}: {of.n:,} answers, mean {percent(of.mean)}, right {percent(of.rate)}"
    )
    height = _y(0) - _y(of.rate)
    yield (
        f'<rect class="jr-dot" opacity=".75" x="{left:g}" y="{_y(of.rate):g}" width="{right - left:.2f}" '
        f'height="{height:.2f}"><title>{said}</title></rect>'
    )
    yield f'<path class="jr-line jr-mean" d="M{left:g} {_y(of.mean):g}H{right:g}"/>'


def _words(bins: Sequence[Bin]) -> str:
    said = [
        f"{percent(of.low)} to {percent(of.high)} %: right {percent(of.rate)} of {of.n:,}, mean {percent(of.mean)}"
        for of in bins
        if of.n
    ]
    return "By stated probability, how often the answer was right. " + ("; ".join(said) or "No answer") + "."
