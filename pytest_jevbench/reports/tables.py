"""The summary of a card as lines of text that fit 80 columns: counts, scores with intervals, accuracy, notes.

Scores are in percent, 100 meaning that no test violates its law. Beside them stands what a model scores that reads
nothing and gives all answers equal probability: coherence is not quality.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from pytest_jevbench.counting import counted
from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.relations.taxonomy import DIMENSIONS, GROUPS, JUDGE, OWN
from pytest_jevbench.reports.github import inert
from pytest_jevbench.reports.live_judge_lines import gain_lines, position_lines
from pytest_jevbench.reports.text import Line, Segment, clip, columns, interval_text, line, pad, percent, wrapped
from pytest_jevbench.scoring.card import worst_tests
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.relation_scores import RelationScore, judge_again
from pytest_jevbench.scoring.repeat_noise import noise_by_relation
from pytest_jevbench.scoring.scores import MeanScore, Scores

__all__ = [
    "BESIDE_TITLES",
    "LEVELS",
    "METRICS",
    "WIDTH",
    "Level",
    "Metric",
    "note_texts",
    "summary",
    "tests_dimensions",
    "title_of",
]

WIDTH = 80
Level: TypeAlias = Literal["dimension", "group", "relation", "domain"]
Metric: TypeAlias = Literal["binary", "graded"]
LEVELS: tuple[Level, ...] = ("dimension", "group", "relation", "domain")
METRICS: tuple[Metric, ...] = ("binary", "graded")

NAME = 39
BESIDE_TITLES = {OWN.id: "own laws", JUDGE.id: "judge bias"}
TITLES = {**{d.id: d.title for d in DIMENSIONS}, **{g.id: g.title for g in GROUPS}}


UNIFORM_NOTE = "Uniform: a model that reads nothing and gives all answers equal probability, on the same tests"


def summary(card: Card, *, level: Level = "dimension", metric: Metric = "binary", worst: int = 0) -> list[Line]:
    """The whole summary of one card: ``worst`` is how many of the worst violations are listed, one line each."""
    scores = card.scores
    lines = [line(Segment(_heading(card), "title"))]
    lines += _counts(card)
    lines += _why_not_judged(card)
    lines.append(line(""))
    lines += _domain_table(scores, metric) if level == "domain" else _score_table(card, level, metric)
    accuracy = _accuracy(card)
    if accuracy:
        lines += [line(""), *accuracy]
    if worst:
        lines += _worst(card, worst)
    notes = note_texts(card, level)
    if notes:
        lines.append(line(""))
        for text in notes:
            lines += [line(row) for row in wrapped(text, WIDTH, "* ", "  ")]
    return lines


def title_of(name: str) -> str:
    """A dimension or group as tables name it."""
    return f"{name}  {TITLES[name]}" if name in TITLES and "." not in name else TITLES.get(name, name)


def _heading(card: Card) -> str:
    suite = card.suite or "own cases"
    revision = card.data["identity"]["model"].get("revision") or ""
    model = f"{card.name} ({revision})" if revision else card.name
    return clip(f"{model} · {suite}", WIDTH)


# Counts --------------------------------------------------------------------------------------------------------------


def _counts(card: Card) -> list[Line]:
    """Planned tests by what became of them; what is none is left out."""
    rows = (*card.scores.relations, *card.scores.diagnostics)
    planned = sum(row.planned for row in rows)
    held, violated = sum(row.held for row in rows), sum(row.violated for row in rows)
    reasons: dict[str, int] = {}
    for row in rows:
        for reason, count in row.unjudged.items():
            reasons[reason] = reasons.get(reason, 0) + count
    parts = [Segment(f"{held} held", "good"), Segment(f"{violated} violated", "caution" if violated else "")]
    unjudged = sum(reasons.values())
    if unjudged:
        why = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in reasons.items() if count)
        parts.append(Segment(f"{unjudged} not judged ({why})", "bad"))
    counts = card.data["counts"]
    others = (
        (sum(row.not_applicable for row in rows), "not applicable"),
        (counts.get("deselected", 0), "deselected"),
        (counts.get("elsewhere", 0), "in other shards"),
        (counts.get("unlisted", 0), "without a result"),
    )
    parts += [Segment(f"{count} {what}") for count, what in others if count]
    return list(_joined(f"{counted(planned, 'test')} planned: ", parts))


def _why_not_judged(card: Card, most: int = 3) -> Iterator[Line]:
    """The reasons most tests share, each with its count and the words of the server."""
    errors = sorted(card.data["errors"], key=lambda error: -int(error["tests"]))
    for error in errors[:most]:
        told = f"{error['tests']} {error['reason'].replace('_', ' ')}: {error['message']}"
        first, *rest = (inert(text) for text in wrapped(told, WIDTH - 2))
        yield line(Segment(f"  {first}", "bad"))
        for text in rest[:3]:
            yield line(Segment(f"    {text}", "bad"))
    if len(errors) > most:
        yield line(Segment(f"  and {len(errors) - most} more reasons, under errors in the card", "faint"))


def _joined(first: str, parts: Sequence[Segment]) -> Iterator[Line]:
    """Segments with commas between them, broken where a line is full."""
    row: list[Segment] = [Segment(first)]
    used = columns(first)
    for i, part in enumerate(parts):
        text = part.text + (", " if i < len(parts) - 1 else "")
        if used + columns(text.rstrip()) > WIDTH:
            yield tuple(row)
            row, used = [Segment("  ")], 2
        row.append(Segment(text, part.style))
        used += columns(text)
    yield tuple(row)


# Scores --------------------------------------------------------------------------------------------------------------


def _score_table(card: Card, level: Level, metric: Metric) -> list[Line]:
    scores = card.scores
    reference = _reference(card, metric)
    head = f"{'graded score' if metric == 'graded' else 'score'}, 100 = every law kept"
    columns_head = f"{'score':>6}  {'95% interval':<14}{'tests':>7}"
    noise = noise_by_relation(card) if level == "relation" else {}
    right = "noise" if noise else "uniform" if reference else ""
    if level == "relation":
        columns_head += f"{'mean dev':>9}"
    lines = [line(Segment(pad(head, _name_width(level)) + columns_head + f"{right:>8}", "faint"))]
    if tests_dimensions(scores):
        lines += _dimension_lines(card, level, metric, reference, noise)
    lines += _beside_lines(scores, metric, reference, level)
    if card.data.get("judge_pairs"):
        lines += position_lines(card.data["judge_pairs"])
    if card.data.get("judge_gains"):
        lines += gain_lines(card.data["judge_gains"])
    if level == "relation":
        lines += _diagnostics(scores)
    return lines


def _dimension_lines(
    card: Card, level: Level, metric: Metric, reference: Mapping[str, float], noise: Mapping[str, float]
) -> list[Line]:
    scores = card.scores
    lines = [_mean_line(scores.overall, "overall", metric, reference, level, style="strong")]
    other: Metric = "binary" if metric == "graded" else "graded"
    shown = {row.group for row in scores.relations if row.status != "not_run"}
    lines.append(_mean_line(scores.overall, f"overall, {other}", other, _reference(card, other), level))
    for dimension in scores.dimensions:
        lines.append(_mean_line(dimension, title_of(dimension.name), metric, reference, level, style="strong"))
        if level in ("group", "relation"):
            for group in (g for g in scores.groups if g.dimension == dimension.name and g.name in shown):
                lines.append(_mean_line(group, f"  {title_of(group.name)}", metric, reference, level))
                if level == "relation":
                    rows = (row for row in scores.relations if row.group == group.name and row.status != "not_run")
                    lines += [_relation_line(row, metric, reference, noise) for row in rows]
    return lines


def _beside_lines(scores: Scores, metric: Metric, reference: Mapping[str, float], level: Level) -> list[Line]:
    """The laws that count in no dimension, by group: their mean and each of them, at every level."""
    lines: list[Line] = []
    for group in dict.fromkeys(row.group for row in scores.own if row.status != "not_run"):
        mean = scores.mean(group)
        assert mean is not None
        head = f"{BESIDE_TITLES.get(group, group)}, in no score above"
        lines += [line(""), _mean_line(mean, head, metric, reference, level, style="strong")]
        rows = (row for row in scores.own if row.group == group and row.status != "not_run")
        lines += [_own_line(row, metric, reference, level) for row in rows]
    return lines


def _own_line(row: RelationScore, metric: Metric, reference: Mapping[str, float], level: Level) -> Line:
    if level == "relation":
        return _relation_line(row, metric, reference)
    value = row.graded if metric == "graded" else row.score
    interval = None if metric == "graded" or value is None else _complement(row.interval)
    text = f"{percent(value):>6}  {interval_text(interval):<14}{row.judged:>7}"
    name = pad(f"  {row.name}", _name_width(level))
    return line(Segment(name + text, "faint" if value is None else ""), _beside(reference, row.name))


def _name_width(level: Level) -> int:
    return NAME - 5 if level == "relation" else NAME


def _mean_line(
    mean: MeanScore, name: str, metric: Metric, reference: Mapping[str, float], level: Level, style: Any = ""
) -> Line:
    value = mean.graded if metric == "graded" else mean.score
    interval = mean.graded_interval if metric == "graded" else mean.interval
    tests = str(mean.tests) if value is not None else ""
    text = f"{percent(value):>6}  {interval_text(interval):<14}{tests:>7}"
    gap = " " * 9 if level == "relation" else ""
    return line(Segment(pad(name, _name_width(level)) + text, style), gap, _beside(reference, mean.name))


def _relation_line(
    row: RelationScore,
    metric: Metric,
    reference: Mapping[str, float],
    noise: Mapping[str, float] = MappingProxyType({}),
) -> Line:
    """``noise`` takes the place of the uniform model's score where base requests were repeated."""
    value = row.graded if metric == "graded" else row.score
    interval = None if metric == "graded" or value is None else _complement(row.interval)
    deviation = f"{row.deviations.mean:.3f}" if row.deviations is not None else "-"
    text = f"{percent(value):>6}  {interval_text(interval):<14}{row.judged:>7}{deviation:>9}"
    name = pad(f"    {row.name}", _name_width("relation"))
    if noise:
        told = f"{noise[row.name]:.4f}" if row.name in noise else "-"
        return line(Segment(name + text, "faint" if value is None else ""), f"{told:>8}")
    return line(Segment(name + text, "faint" if value is None else ""), _beside(reference, row.name))


def _complement(interval: Interval | None) -> Interval | None:
    """The interval of the score from that of the violation rate."""
    return None if interval is None else Interval(1.0 - interval.high, 1.0 - interval.low)


def _diagnostics(scores: Scores) -> list[Line]:
    if not scores.diagnostics:
        return []
    lines = [line("diagnostics, in no score: share of tests held")]
    for row in scores.diagnostics:
        held = None if row.violation_rate is None else 1.0 - row.violation_rate
        deviation = f"{row.deviations.mean:.3f}" if row.deviations is not None else "-"
        text = f"{percent(held):>6}  {interval_text(_complement(row.interval)):<14}{row.judged:>7}{deviation:>9}"
        lines.append(line(pad(f"    {row.name}", _name_width("relation")) + text))
    return lines


def _reference(card: Card, metric: Metric) -> dict[str, float]:
    """The uniform model's scores by name, where the card's outcomes are judged as its reference was."""
    reference = card.data.get("reference")
    if not reference or not _as_judged(card):
        return {}
    key = "graded" if metric == "graded" else "score"
    return {name: row[key] for name, row in reference["scores"].items() if row[key] is not None}


def _as_judged(card: Card) -> bool:
    stored = card.data["identity"]["settings"]
    return (card.settings.tolerance, card.settings.min_n) == (stored["tolerance"], stored["min_n"])


def _beside(reference: Mapping[str, float], name: str) -> Segment:
    return Segment(f"{percent(reference.get(name)):>8}" if reference else "", "faint")


def _domain_table(scores: Scores, metric: Metric) -> list[Line]:
    if not tests_dimensions(scores):
        return _judge_domains(scores, metric)
    head = f"{pad('score by domain', 24)}{'cases':>6}{'tests':>7}{'overall':>8}"
    lines = [line(Segment(head + "".join(f"{d.id:>7}" for d in DIMENSIONS), "faint"))]

    def value(mean: MeanScore) -> str:
        return percent(mean.graded if metric == "graded" else mean.score)

    for domain in scores.domains:
        text = f"{pad(domain.name, 24)}{domain.cases:>6}{domain.tests:>7}"
        text += f"{value(domain.overall):>8}" + "".join(f"{value(mean):>7}" for mean in domain.dimensions)
        lines.append(line(text))
    tests = sum(row.judged for row in scores.counted)
    whole = f"{pad('all', 24)}{scores.cases:>6}{tests:>7}{value(scores.overall):>8}"
    lines.append(line(Segment(whole + "".join(f"{value(mean):>7}" for mean in scores.dimensions), "strong")))
    return lines


def _judge_domains(scores: Scores, metric: Metric) -> list[Line]:
    """The laws of judges by domain, which is the rubric: what a card has that tests nothing else."""
    lines = [line(Segment(f"{pad('score by domain', NAME)}{'score':>6}  {'95% interval':<14}{'tests':>7}", "faint"))]
    rows = [(domain.name, domain.judge) for domain in scores.domains] + [("judge bias, all", scores.mean(JUDGE.id))]
    return lines + [_mean_line(mean, name, metric, {}, "domain") for name, mean in rows if mean is not None]


# Accuracy ------------------------------------------------------------------------------------------------------------


def _accuracy(card: Card) -> list[Line]:
    section = card.data.get("accuracy")
    if not section:
        return []
    reference = card.data.get("reference") or {}
    answered, questions = section["answered"], section["questions"]
    row = _accuracy_row("accuracy on gold answers", "accuracy_answered", answered, section)
    lines = [line(row, Segment(f"{percent(reference['accuracy']):>8}" if reference.get("accuracy") else "", "faint"))]
    if answered < questions:
        lines.append(line(_accuracy_row("  with the unanswered as wrong", "accuracy_strict", questions, section)))
    lines.append(
        line(f"  most frequent answer {percent(section['majority_class'])}, guessing {percent(section['chance'])}")
    )
    brier, ece = section["brier"]["value"], section["ece_top_label"]["value"]
    if brier is not None and ece is not None:
        lines.append(line(f"  Brier score {brier:.3f} (sum over answers), ECE {ece:.3f} (top label, 10 bins)"))
    return lines


def _accuracy_row(name: str, field: str, n: int, section: Mapping[str, Any]) -> Segment:
    interval = section[f"{field}_interval"]
    shown = None if interval is None else Interval(interval["low"], interval["high"])
    return Segment(f"{pad(name, NAME)}{percent(section[field]):>6}  {interval_text(shown)}{n:>7}", "strong")


# Worst cases ---------------------------------------------------------------------------------------------------------


def _worst(card: Card, count: int) -> list[Line]:
    """The worst violation of each relation, the furthest past its tolerance first; then the second worst, and so on."""
    found: list[tuple[int, float, int, TestId, float | None]] = []
    for of_relation in worst_tests(card.results, card.settings).values():
        for rank, result in enumerate(of_relation):
            deviations = [outcome.deviation for outcome in result.outcomes if outcome.deviation is not None]
            worst = max(deviations, default=None)
            found.append((rank, judge_again(result, card.settings).graded, len(found), result.id, worst))
    found.sort(key=lambda row: row[:3])
    if not found:
        return []
    lines = [line(""), line(Segment("worst violations: relation, case and question, deviation", "faint"))]
    for _, _, _, test, worst in found[:count]:
        deviation = "-" if worst is None else f"{worst:.3f}"
        where = f"{test.case_id} · {test.key}"
        lines.append(line(f"  {pad(test.relation, 26)}{pad(where, 43)}{deviation:>8}"))
    return lines


# Notes ---------------------------------------------------------------------------------------------------------------


def note_texts(card: Card, level: Level = "dimension") -> list[str]:
    """What a reader must know beside the numbers: what is not reported and why, and the card's flags."""
    scores = card.scores
    notes = [flag["text"] for flag in card.data["flags"]]
    if scores.overall.score is None and tests_dimensions(scores):
        notes.append(f"the overall is not reported: {scores.overall.reason}")
    if level in ("group", "relation"):
        planned = {row.group for row in scores.relations}
        ran = {row.group for row in scores.relations if row.status != "not_run"}
        if left := [name for name in dict.fromkeys(row.group for row in scores.relations) if name not in ran]:
            notes.append(f"no test was run of {', '.join(left)}")
        missing = (g for g in scores.groups if g.score is None and g.reason not in scores.overall.reason)
        notes += [f"{group.name}: {group.reason}" for group in missing if group.name in planned & ran]
    low = [row for row in scores.relations if row.status == "below_min_n"]
    if low:
        most = max(row.judged for row in low)
        tests = "test" if most == 1 else "tests"
        notes.append(
            f"{len(low)} {'relation has' if len(low) == 1 else 'relations have'} at most {most} {tests} and "
            f"{'is' if len(low) == 1 else 'are'} listed, not scored (min-n {scores.settings.min_n})"
        )
    if level == "domain" and tests_dimensions(scores):
        notes += _domain_notes(scores)
    if scores.overall.score is not None and scores.overall.interval is None:
        notes.append(f"no interval: {scores.overall.interval_reason}")
    if any(mean.interval is not None and mean.interval.degenerate for mean in (scores.overall, *scores.dimensions)):
        notes.append("an interval of one point says that no case differed from the others; it is no certainty")
    if _reference(card, "binary"):
        notes.append(UNIFORM_NOTE)
    noise = card.data.get("repeat_noise")
    if noise:
        notes += _noise_notes(noise, card.settings.tolerance)
    return [note[0].upper() + note[1:] for note in notes if note]


def tests_dimensions(scores: Scores) -> bool:
    """Whether a relation of a dimension was tested, or nothing at all was."""
    return any(row.status != "not_run" for row in scores.counted) or not scores.own


def _noise_notes(noise: Mapping[str, Any], tolerance: float | None) -> list[str]:
    own = noise["own_tolerance"]
    notes = [
        f"repeat noise, each base request asked {noise['repeats']} times: mean {noise['mean']:.4f}, largest "
        f"{noise['largest']:.4f} (total variation of a repeat from the mean)"
    ]
    if tolerance is not None and own > tolerance:
        notes.append(
            f"the run's own tolerance, twice the mean noise, is {own:.4f}. Scores are judged by {tolerance:g} all the "
            f"same; `card report --tolerance {own:.4f}` shows them by the other"
        )
    return notes


def _domain_notes(scores: Scores) -> list[str]:
    if not scores.domains:
        return ["the cases name no domain"]
    missing = [domain for domain in scores.domains if domain.overall.score is None]
    if not missing:
        return []
    who = "no domain" if len(missing) == len(scores.domains) else ", ".join(d.name for d in missing)
    verb = "has" if len(missing) == len(scores.domains) else "have no"
    return [f"{who} {verb} a full score: {missing[0].overall.reason}"]
