"""The figures of a labelled run as a terminal prints them."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_jevbench.counting import counted
from pytest_jevbench.json_text import printable
from pytest_jevbench.labelled.document import LabelledDocument
from pytest_jevbench.labelled.figures import Accuracy, Cost, Figures, Latency
from pytest_jevbench.metrics import Figure
from pytest_jevbench.models.dialects.base import LABEL_ONLY
from pytest_jevbench.reports.text import clip

__all__ = ["labelled_summary"]

_WIDTH = 10
MOST_COLUMNS = 80


def labelled_summary(document: LabelledDocument) -> list[str]:
    """What a run came to, in lines of ASCII; what there is nothing to say of is left out."""
    figures = document.figures
    lines = [f"{document.name} on {document.dataset}", _line("tasks", _counts(figures))]
    lines += [_line("", clip(told, MOST_COLUMNS - _WIDTH - 1)) for told in _why_unjudged(document)]
    if not figures.counts.complete:
        lines.append(_line("", "incomplete: it shares no rank with runs that asked every task"))
    lines.append(_line("accuracy", _accuracy(figures.accuracy)))
    if figures.accuracy.accuracy_answered is not None and figures.accuracy.answered < figures.accuracy.n:
        answered = f"{_percent(figures.accuracy.accuracy_answered)} of the answered (n = {figures.accuracy.answered})"
        lines.append(_line("", answered))
    if figures.macro_accuracy is not None and figures.families > 1:
        lines.append(_line("", f"{_percent(figures.macro_accuracy)} as the mean over {figures.families} families"))
    lines += _probabilities(document)
    lines.append(_line("latency", _latency(figures.latency)))
    lines.append(_line("cost", _cost(figures.cost)))
    if document.stopped:
        lines.append(_line("stopped", document.stopped))
    return [*lines, *_mode(document)]


def _why_unjudged(document: LabelledDocument) -> Iterator[str]:
    """The first words met for each reason; those about private tasks are not in a document."""
    told: dict[str, str] = {}
    for row in document.rows:
        result = row.result
        if result.verdict == "unjudged" and result.reason and result.detail:
            told.setdefault(result.reason, printable(result.detail))
    for reason, words in told.items():
        yield f"{reason.replace('_', ' ')}: {words}"


def _line(name: str, text: str) -> str:
    return f"{name:<{_WIDTH}} {text}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _counts(figures: Figures) -> str:
    counts = figures.counts
    text = f"{counts.planned} planned: {counts.correct} correct, {counts.wrong} wrong, {counts.unjudged} unjudged"
    reasons = ", ".join(f"{number} {reason}" for reason, number in counts.reasons.items() if reason and number)
    return f"{text} ({reasons})" if reasons else text


def _accuracy(of: Accuracy) -> str:
    if of.accuracy_strict is None:
        return "none: no task with a label was asked (n = 0)"
    text = _percent(of.accuracy_strict)
    if of.interval is not None:
        how = "Wilson" if of.method == "wilson" else f"bootstrap over {counted(of.cases, 'state')}"
        text += f" [{100 * of.interval.low:.1f}, {100 * of.interval.high:.1f}] ({how}, n = {of.n})"
    else:
        text += f" (n = {of.n}; no interval: {of.interval_reason})"
    return text if of.majority_class is None else f"{text}; majority class {_percent(of.majority_class)}"


def _probabilities(document: LabelledDocument) -> list[str]:
    figures = document.figures.calibration
    if any(row.result.probs_source == LABEL_ONLY for row in document.rows):
        return [_line("brier, ece", "none: the model names a label and states no probabilities")]
    source = figures.probs_source or "no"
    ece = f"{_figure(figures.ece_top_label)}, of equal mass {_figure(figures.ece_top_label_equal_mass)}"
    return [
        _line("brier", f"{_figure(figures.brier)}, {source} probabilities"),
        _line("ece", f"top label {ece}; positive {_figure(figures.ece_positive)}; {source}".removesuffix("; no")),
    ]


def _figure(of: Figure) -> str:
    return f"none (n = {of.n})" if of.value is None else f"{of.value:.3f} (n = {of.n})"


def _latency(of: Latency) -> str:
    if of.p50_s is None or of.p95_s is None:
        return "none (n = 0)"
    return f"p50 {_seconds(of.p50_s)}, p95 {_seconds(of.p95_s)} (n = {of.n})"


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.1f} ms"


def _cost(of: Cost) -> str:
    bases = ", ".join(of.bases)
    if of.usd is None:
        told = of.reason or bases
        return f"unknown: {told}" + (f" ({bases})" if of.reason and bases else "")
    each = "" if of.usd_per_1000 is None else f", ${of.usd_per_1000:.4f} for 1000 tasks"
    return f"${of.usd:.6f}{each} ({bases})"


def _mode(document: LabelledDocument) -> list[str]:
    details = document.model.get("details")
    if isinstance(details, dict) and details.get("choice_mode") == "tools":
        return ["choice_mode tools: report it beside the run in the default mode, never instead of it."]
    return []
