"""Small radars side by side, one a model, so that forms can be compared where outlines would lie over each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from pytest_jevbench.json_text import printable
from pytest_jevbench.reports.radar import WIDTH, Axis, Series, check_series, picture, radar_plot, scores_in_words
from pytest_jevbench.reports.text import clip

__all__ = ["Panel", "radar_grid_svg"]

_ACROSS = 3
_SCALE = 0.48
_PANEL, _HEIGHT = 306.0, 256.0
_MARGIN, _HEAD, _GROUP, _NOTE = 20.0, 50.0, 34.0, 20.0
_LEFT = (_PANEL - WIDTH * _SCALE) / 2

_RULES = (
    ".jevbench-radar .jr-panel .jr-small{display:none}"
    ".jevbench-radar .jr-panel .jr-label{font-size:22px}"
    ".jevbench-radar .jr-panel .jr-line{stroke-width:3.6}"
    ".jevbench-radar .jr-panel .jr-grid{stroke-width:1.8}"
    ".jevbench-radar .jr-panel .jr-ref .jr-line{stroke-width:2.2;stroke-dasharray:6 6}"
    ".jevbench-radar .jr-panel .jr-area{fill-opacity:.12}"
    ".jevbench-radar .jr-panel .jr-dot{stroke:none}"
    ".jevbench-radar .jr-model{font-weight:600}"
    ".jevbench-radar .jr-group{font-size:14px;font-weight:600}"
)


@dataclass(frozen=True, slots=True)
class Panel:
    """One small radar: the model, a line of figures below its name, and what is drawn behind it."""

    series: Series
    figures: str = ""
    reference: Series | None = None


def radar_grid_svg(
    axes: Sequence[Axis], groups: Mapping[str, Sequence[Panel]], *, title: str, notes: Sequence[str] = ()
) -> str:
    """The panels of each group in rows below the group's name; a group whose name is empty has no heading.

    Each group has a colour and a dash of its own. Raises ``ValueError`` as :func:`~.radar.radar_svg` does.
    """
    panels = [panel for group in groups.values() for panel in group]
    check_series(axes, [one for panel in panels for one in (panel.series, panel.reference) if one is not None])
    across = min(_ACROSS, max((len(group) for group in groups.values()), default=1)) or 1
    width = max(2 * _MARGIN + across * _PANEL, 2 * _PANEL)
    body: list[str] = [f'<text class="jr-title" x="{_MARGIN:g}" y="30">{_text(clip(title, int(width / 8.4)))}</text>']
    top = _HEAD
    for number, (name, group) in enumerate(groups.items()):
        if name:
            body.append(f'<text class="jr-group" x="{_MARGIN:g}" y="{top + 20:g}">{_text(clip(name, 80))}</text>')
            top += _GROUP
        for row, panel in enumerate(group):
            x, y = _MARGIN + row % across * _PANEL, top + row // across * _HEIGHT
            body += _panel(axes, panel, f"jr-{number % 6}", x, y)
        top += -(-len(group) // across) * _HEIGHT
    for note in notes:
        body.append(f'<text class="jr-faint" x="{_MARGIN:g}" y="{top + 6:g}">{_text(clip(note, 100))}</text>')
        top += _NOTE
    words = ". ".join(["Scores from 0 to 100, 100 is best", *_in_words(axes, groups), *notes]) + "."
    return picture("\n".join(body), title, words, width, top + 8, _RULES)


def _panel(axes: Sequence[Axis], panel: Panel, style: str, x: float, y: float) -> Iterator[str]:
    middle = x + _PANEL / 2
    name = f"<title>{_text(panel.series.name)}</title>{_text(clip(panel.series.name, 36))}"
    yield f'<text class="jr-model" x="{middle:g}" y="{y + 14:g}" text-anchor="middle">{name}</text>'
    yield f'<text class="jr-faint" x="{middle:g}" y="{y + 31:g}" text-anchor="middle">{_text(panel.figures)}</text>'
    yield f'<g class="jr-panel" transform="translate({x + _LEFT:g} {y + 16:g}) scale({_SCALE:g})">'
    behind = [panel.reference] if panel.reference is not None else []
    yield from radar_plot(axes, [*behind, panel.series], [*("jr-ref" for _ in behind), style])
    yield "</g>"


def _in_words(axes: Sequence[Axis], groups: Mapping[str, Sequence[Panel]]) -> Iterator[str]:
    for name, group in groups.items():
        if name:
            yield printable(name)
        for panel in group:
            yield scores_in_words(axes, panel.series)


def _text(text: str) -> str:
    return escape(printable(text))
