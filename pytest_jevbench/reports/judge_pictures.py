"""Pictures of an evaluation of judges: the matrix of kappas, and reliability curves with their bands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from pytest_jevbench.json_text import printable
from pytest_jevbench.reports.svg import Svg
from pytest_jevbench.reports.text import clip

__all__ = ["kappa_heatmap", "reliability_curve"]

CELL, LABEL, TOP, TURNED = 62.0, 150.0, 118.0, 80.0
"""``TURNED`` is the room to the right that the last turned name takes."""
SIDE, MARGIN = 220.0, 40.0

_LIGHT = {
    "text": "font:12px system-ui,sans-serif;fill:#1f2328",
    ".t": "font-weight:600;font-size:14px",
    ".f": "fill:#59626d",
    ".b": "fill:#fff",
    ".g": "stroke:#d0d7de;fill:none",
    ".d": "stroke:#8a939d;stroke-dasharray:4 3",
    ".one": "stroke:#0072b2;fill:none;stroke-width:2",
    ".two": "stroke:#d55e00;fill:none;stroke-width:2;stroke-dasharray:7 3",
    ".o": "fill:#0072b2",
    ".w": "fill:#d55e00",
    ".x": "stroke:#0072b2;stroke-width:1",
    ".y": "stroke:#d55e00;stroke-width:1",
    ".c": "stroke:#fff",
}
_DARK = {
    "text": "fill:#e4e9ee",
    ".f": "fill:#a0a9b3",
    ".b": "fill:#16191d",
    ".g": "stroke:#3a424c",
    ".d": "stroke:#7a838d",
    ".one,.x": "stroke:#56b4e9",
    ".two,.y": "stroke:#ff9c5b",
    ".o": "fill:#56b4e9",
    ".w": "fill:#ff9c5b",
    ".c": "stroke:#16191d",
}


def _rules(of: Mapping[str, str]) -> str:
    """CSS for these pictures alone: in a page, the styles of a picture are styles of the page."""
    return "".join(
        f"{','.join(f'.judgepicture {name}' for name in names.split(','))}{{{rules}}}" for names, rules in of.items()
    )


_STYLE = f"{_rules(_LIGHT)}@media screen and (prefers-color-scheme:dark){{{_rules(_DARK)}}}"


def kappa_heatmap(document: Mapping[str, Any]) -> Svg:
    """Cohen's kappa of every two judges: the darker the more agreement; a value that is undefined says so."""
    judges: Sequence[str] = document["judges"]
    known = {}
    for pair in document["agreement"]["cohen"] or ():
        known[pair["a"], pair["b"]] = known[pair["b"], pair["a"]] = pair["value"]
    words = "; ".join(f"{a} and {b}: {_value(v)}" for (a, b), v in known.items() if judges.index(a) < judges.index(b))
    width, height = LABEL + CELL * len(judges) + TURNED, TOP + CELL * len(judges) + 20
    return _svg("Cohen's kappa", words or "no kappa is known", width, height, _cells(judges, known))


def _cells(judges: Sequence[str], known: Mapping[tuple[str, str], float | None]) -> Iterator[str]:
    for i, one in enumerate(judges):
        x, y = LABEL + CELL * i, TOP + CELL * i
        yield f'<text x="{LABEL - 8:g}" y="{y + CELL / 2 + 4:g}" text-anchor="end">{_text(one)}</text>'
        turned = f"rotate(-35 {x + CELL / 2:g} {TOP - 8:g})"
        yield f'<text x="{x + CELL / 2:g}" y="{TOP - 8:g}" transform="{turned}">{_text(one)}</text>'
        for j, other in enumerate(judges):
            left = LABEL + CELL * j
            place = f'class="c" x="{left:g}" y="{y:g}" width="{CELL:g}" height="{CELL:g}"'
            middle = f'x="{left + CELL / 2:g}" y="{y + CELL / 2 + 4:g}" text-anchor="middle"'
            value = 1.0 if one == other else known.get((one, other))
            if value is None:
                yield f'<rect {place} style="fill:none"/><text class="f" {middle}>-</text>'
                continue
            back, ink = _shade(value)
            yield f'<rect {place} fill="{back}"/><text {middle} style="fill:{ink}">{value:.2f}</text>'


def _shade(value: float) -> tuple[str, str]:
    """The colour of a cell, the same in light and dark, and that of the figure in it."""
    strongest = (0xB3, 0x4E, 0x00) if value < 0 else (0x00, 0x5F, 0x96)
    strength = 0.08 + 0.92 * min(1.0, abs(value))
    channels = [round(255 + (end - 255) * strength) for end in strongest]
    red, green, blue = (
        c / 12.92 if (c := channel / 255) <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for channel in channels
    )
    dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179  # where white is seen as well as black
    return f"#{bytes(channels).hex()}", "#ffffff" if dark else "#000000"


def reliability_curve(title: str, curves: Sequence[tuple[str, Sequence[Mapping[str, Any]]]]) -> Svg:
    """Mean P(yes) of each bin against its share of yes, with Wilson's 95 % bands, of one or two curves."""
    size = SIDE + 2 * MARGIN
    words = "; ".join(
        f"{name}: " + ", ".join(f"{b['mean']:.2f} against {b['rate']:.2f} of {b['n']}" for b in bins if b["n"])
        for name, bins in curves
    )
    return _svg(title, words, size, size + 20 * len(curves), _curves(curves))


def _curves(curves: Sequence[tuple[str, Sequence[Mapping[str, Any]]]]) -> Iterator[str]:
    left, bottom = MARGIN, MARGIN + SIDE
    yield f'<rect class="g" x="{left:g}" y="{MARGIN:g}" width="{SIDE:g}" height="{SIDE:g}"/>'
    yield f'<line class="d" x1="{left:g}" y1="{bottom:g}" x2="{left + SIDE:g}" y2="{MARGIN:g}"/>'
    for share in (0.0, 0.5, 1.0):
        x, y = left + SIDE * share, bottom - SIDE * share
        yield f'<text class="f" x="{x:g}" y="{bottom + 15:g}" text-anchor="middle">{100 * share:g}</text>'
        yield f'<text class="f" x="{left - 6:g}" y="{y + 4:g}" text-anchor="end">{100 * share:g}</text>'
    for k, (name, bins) in enumerate(curves):
        line, dot, band = (("one", "o", "x"), ("two", "w", "y"))[k % 2]
        points = []
        for b in (b for b in bins if b["n"]):
            x, y = left + SIDE * b["mean"], bottom - SIDE * b["rate"]
            points.append(f"{x:.1f},{y:.1f}")
            low, high = bottom - SIDE * b["band"]["low"], bottom - SIDE * b["band"]["high"]
            yield f'<line class="{band}" x1="{x:.1f}" y1="{low:.1f}" x2="{x:.1f}" y2="{high:.1f}"/>'
            yield f'<circle class="{dot}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
        yield f'<polyline class="{line}" points="{" ".join(points)}"/>'
        y = bottom + 34 + 20 * k
        yield f'<line class="{line}" x1="{left:g}" y1="{y - 4:g}" x2="{left + 26:g}" y2="{y - 4:g}"/>'
        yield f'<text x="{left + 34:g}" y="{y:g}">{_text(name)}</text>'


def _svg(title: str, words: str, width: float, height: float, body: Iterator[str]) -> Svg:
    shown = _text(title, 60)
    inner = "\n".join(body)
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" class="judgepicture" '
        f'width="{width:g}" height="{height:g}" aria-label="{shown}">\n'
        f"<title>{shown}</title>\n<desc>{_text(words, 4000)}</desc>\n<style>{_STYLE}</style>\n"
        f'<rect class="b" width="{width:g}" height="{height:g}" rx="6"/>\n'
        f'<text class="t" x="14" y="24">{shown}</text>\n{inner}\n</svg>\n'
    )


def _text(text: str, width: int = 20) -> str:
    return escape(clip(printable(text), width))


def _value(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
