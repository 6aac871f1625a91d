"""Labelled results as lines of text that fit 80 columns: one in full, or several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_jevbench.counting import counted
from pytest_jevbench.labelled.document import LabelledDocument
from pytest_jevbench.labelled.figures import Accuracy, Figures, Part
from pytest_jevbench.labelled.ranking import rank
from pytest_jevbench.metrics import Figure
from pytest_jevbench.reports.text import Line, Segment, interval_text, line, pad, percent, wrapped

__all__ = ["labelled_summary", "labelled_table"]

WIDTH = 80
NAME = 40


def labelled_summary(document: LabelledDocument, *, parts: Sequence[str] = ("family", "split")) -> list[Line]:
    """The figures of one result; ``parts`` are what accuracy is told by: family, split, type."""
    figures = document.figures
    title = f"{document.name} · {document.dataset} · data set {document.sha256[:12]}"
    lines = [line(Segment(row, "title")) for row in wrapped(title, WIDTH)]
    lines += [line(row) for row in wrapped(_counts(figures), WIDTH, "", "  ")]
    lines += [line(""), line(Segment(f"{pad('', NAME)}{'%':>6}  {'95 % interval':<14}{'n':>8}", "faint"))]
    lines += _accuracy(figures)
    lines += [line(text) for text in _probabilities(figures)]
    lines += [line(text) for text in _rest(figures)]
    found: Mapping[str, Mapping[str, Part]] = {
        "family": figures.by_family,
        "split": figures.by_split,
        "type": figures.by_type,
    }
    for name in parts:
        if len(found[name]) > 1:
            lines += [line(""), *_parts(f"accuracy by {name}", found[name])]
    notes = list(_notes(document))
    if notes:
        lines.append(line(""))
    for note in notes:
        lines += [line(row) for row in wrapped(note, WIDTH, "* ", "  ")]
    return lines


def _counts(figures: Figures) -> str:
    counts = figures.counts
    said = f"{counts.asked:,} of {counts.planned:,} tasks asked: {counts.correct:,} correct, "
    said += f"{counts.wrong:,} wrong, {counts.unjudged:,} unjudged"
    reasons = ", ".join(f"{number:,} {reason.replace('_', ' ')}" for reason, number in counts.reasons.items() if number)
    return f"{said} ({reasons})" if reasons else said


def _row(name: str, value: float | None, rest: str, n: int, style: str = "") -> Line:
    text = f"{pad(name, NAME)}{percent(value):>6}  {rest:<14}{n:>8,}"
    return line(Segment(text, "strong")) if style == "strong" else line(text)


def _accuracy(figures: Figures) -> Iterator[Line]:
    of = figures.accuracy
    yield _row("accuracy, no answer counting as wrong", of.accuracy_strict, interval_text(of.interval), of.n, "strong")
    if of.answered < of.n:
        yield _row("  of the valid answers alone", of.accuracy_answered, "", of.answered)
    yield _row("  mean of the families' accuracies", figures.macro_accuracy, "", figures.families)
    yield _row("  always the most frequent label", of.majority_class, "", of.n)


def _probabilities(figures: Figures) -> Iterator[str]:
    of = figures.calibration
    if of.probs_source is None:
        yield f"{pad('Brier, ECE: no probabilities', NAME)}{'-':>6}{0:>24}"
        return
    source = "" if of.probs_source == "native" else f" ({of.probs_source})"
    named = (
        (f"Brier, over all labels{source}", of.brier),
        (f"ECE, top label, 10 bins{source}", of.ece_top_label),
        ("  in bins of equal numbers", of.ece_top_label_equal_mass),
        ("ECE, P(yes) of Nouls", of.ece_positive),
        ("Scores: mean level, error in levels", figures.levels.mean_level_error),
    )
    for name, figure in named:
        if figure.n:
            yield _figure(name, figure)


def _figure(name: str, figure: Figure) -> str:
    value = "-" if figure.value is None else f"{figure.value:.3f}"
    return f"{pad(name, NAME)}{value:>6}  {'':<14}{figure.n:>8,}"


def _rest(figures: Figures) -> Iterator[str]:
    if figures.levels.argmax_level_error.n:
        yield _figure("Scores: label given, error in levels", figures.levels.argmax_level_error)
    pairs = figures.pairs
    if pairs.pairs:
        yield f"{pad('paraphrase pairs that agree', NAME)}{percent(pairs.agreement):>6}{pairs.agreement_n:>24,}"
        yield f"{pad('paraphrase pairs both right', NAME)}{percent(pairs.both_correct):>6}{pairs.both_correct_n:>24,}"
    latency = figures.latency
    if latency.p50_s is not None and latency.p95_s is not None:
        seconds = f"{_seconds(latency.p50_s)}, 95 % within {_seconds(latency.p95_s)}"
        yield f"{pad('latency, median', 24)}{seconds:>38}{latency.n:>8,}"
    cost = figures.cost
    if cost.usd is not None:
        said = f"${cost.usd:.6g}, ${cost.usd_per_1000:.6g} per 1,000 tasks"
        yield f"{pad('cost', 24)}{said:>38}{cost.n:>8,}"


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.1f} ms"


def _parts(title: str, parts: Mapping[str, Part]) -> Iterator[Line]:
    yield line(Segment(f"{pad(title, NAME)}{'%':>6}  {'95 % interval':<14}{'n':>8}{'Brier':>8}", "faint"))
    for name, part in parts.items():
        of, brier = part.accuracy, part.calibration.brier.value
        said = "-" if brier is None else f"{brier:.3f}"
        text = f"{pad(name, NAME)}{percent(of.accuracy_strict):>6}  {interval_text(of.interval)}{of.n:>8,}{said:>8}"
        yield line(text)


def _notes(document: LabelledDocument) -> Iterator[str]:
    figures = document.figures
    if not figures.counts.complete:
        yield "Incomplete: not every task was asked. What was not asked is in no figure, and the result has no rank."
    if document.stopped:
        yield f"Stopped: {document.stopped}"
    if any(row.result.probs_source == "label_only" for row in document.rows):
        yield "Label only: the model gives labels and no probabilities; no Brier score and no ECE is made of them."
    if figures.calibration.probs_source == "verbalised":
        yield "Verbalised: a chat model wrote its probabilities down as numbers."
    if figures.counts.renormalised:
        yield f"{counted(figures.counts.renormalised, 'answer')} summed to 1 within 0.02 only and had it divided out."
    yield from _interval_notes(figures.accuracy)
    if figures.cost.usd is None and figures.cost.bases:
        yield f"Cost unknown: {figures.cost.reason} ({', '.join(figures.cost.bases)})."
    hidden = [name for name, split in document.splits.items() if split.private]
    if hidden:
        yield f"Private: {', '.join(hidden)}. No text of it is in this result."


def _interval_notes(of: Accuracy) -> Iterator[str]:
    if of.n and of.interval is None:
        yield f"No interval: {of.interval_reason}."
    elif of.method == "bootstrap":
        yield f"Intervals are over the {counted(of.cases, 'state')}, which several tasks share."


# Several -------------------------------------------------------------------------------------------------------------


def labelled_table(documents: Sequence[LabelledDocument]) -> list[Line]:
    """Several results, the most accurate first; those that do not compare stand last and have no rank."""
    head = f"{'':>3} {pad('model', 26)}{'acc. %':>7} {'95 % interval':<14}{'macro':>6}{'Brier':>7}{'ECE':>7}{'n':>7}"
    lines = [line(Segment(head, "faint"))]
    ranked = rank(documents)
    for row in ranked:
        figures = row.document.figures
        of, p = figures.accuracy, figures.calibration
        text = f"{row.place or '-':>3} {pad(row.document.name, 26)}{percent(of.accuracy_strict):>7} "
        text += f"{interval_text(of.interval)}{percent(figures.macro_accuracy):>6}"
        text += f"{_decimal(p.brier):>7}{_decimal(p.ece_top_label):>7}{of.n:>7,}"
        lines.append(line(Segment(text, "" if row.place else "faint")))
    for row in ranked:
        if row.why:
            said = f"{row.document.name} has no rank: {row.why}"
            lines += [line(text) for text in wrapped(said, WIDTH, "* ", "  ")]
    return lines


def _decimal(figure: Figure) -> str:
    return "-" if figure.value is None else f"{figure.value:.3f}"
