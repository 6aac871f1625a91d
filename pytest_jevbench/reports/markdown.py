"""A run as the summary of a CI job, in Markdown: the verdict first, then what it rests on, then what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_jevbench.counting import counted
from pytest_jevbench.relations.taxonomy import JUDGE
from pytest_jevbench.reports.changes import changes_text
from pytest_jevbench.reports.law_texts import law_texts
from pytest_jevbench.reports.markdown_changes import broken_laws, change_table, most_broken
from pytest_jevbench.reports.markdown_text import code, details, escaped, fenced, table
from pytest_jevbench.reports.numbers import bracketed, points, points_interval
from pytest_jevbench.reports.tables import BESIDE_TITLES, note_texts, tests_dimensions, title_of
from pytest_jevbench.reports.text import percent
from pytest_jevbench.reports.violation import Told
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.compare import Comparison, ScoreChange
from pytest_jevbench.scoring.compared_cards import ComparedCards
from pytest_jevbench.scoring.gate import GateResult
from pytest_jevbench.scoring.gate_forecast import Forecast
from pytest_jevbench.scoring.gate_results import ConditionResult
from pytest_jevbench.scoring.scores import MeanScore
from pytest_jevbench.scoring.weights import OVERALL

__all__ = ["JOB_SUMMARY", "Files", "job_summary"]

JOB_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names the file to which a step of GitHub Actions appends its summary."""

MOST_LINES = 60
"""Lines of one violation that are printed: 256 options take as many."""
MOST_ERRORS = 5


class Files(NamedTuple):
    """Where card and baseline lie, as a reader of the summary would type it; "" where there is none."""

    card: str = ""
    baseline: str = ""


def job_summary(
    card: Card,
    *,
    gate: GateResult | None = None,
    compared: ComparedCards | None = None,
    forecast: Sequence[Forecast] = (),
    worst: Sequence[Told] = (),
    files: Files | None = None,
) -> str:
    """The summary of a run.

    ``compared`` is the card beside its baseline, ``forecast`` what the gate can find out on this plan, ``worst`` the
    violations to tell in full (with a baseline: new ones).
    """
    comparison = compared.comparison if compared is not None else None
    blocks = [
        [f"## {_verdict(card, gate)}"],
        _why(gate, comparison, forecast),
        _scores(card, compared),
        _conditions(gate, forecast),
        *_violations(card, comparison, worst, passed=gate is not None and gate.decision == "passed"),
        _counts(card, comparison),
        _next_step(card, gate, worst, files or Files(), comparison),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _verdict(card: Card, gate: GateResult | None) -> str:
    what = f"{escaped(card.name)} on {escaped(card.suite or 'own cases')}"
    if gate is not None:
        mark = {"passed": "✅", "failed": "❌", "incomplete": "⚠️"}[gate.decision]
        return f"{mark} Coherence gate {gate.decision}: {what}"
    counts = card.data["counts"]
    unjudged, violated, judged = counts["unjudged"]["total"], counts["violated"], counts["judged"]
    if unjudged or not judged:
        return f"⚠️ Incomplete, {unjudged:,} of {judged + unjudged:,} tests not judged: {what}"
    if violated:
        return f"{violated:,} of {judged:,} coherence tests violated: {what}"
    return f"✅ All {judged:,} coherence tests held: {what}"


def _why(gate: GateResult | None, comparison: Comparison | None, forecast: Sequence[Forecast]) -> list[str]:
    lines = [*_moved(comparison), ""] if comparison is not None else []
    if gate is None:
        return [*lines, "No gate was asked for: this is a measurement."]
    if gate.decision == "passed":
        count = len(gate.conditions)
        worth = next((one.value for one in forecast if one.name == f"no_significant_drop {OVERALL}"), None)
        limits = f" A drop of the overall under about {100 * worth:.1f} points may pass unnoticed." if worth else ""
        return [*lines, ("The one condition holds." if count == 1 else f"All {count} conditions hold.") + limits]
    return lines + [f"- {escaped(_capital(reason))}" for reason in gate.reasons]


def _moved(comparison: Comparison) -> Iterator[str]:
    """The overall in one sentence."""
    change = comparison.scores.get(OVERALL)
    if isinstance(change, ScoreChange):
        interval = points_interval(change.interval)
        yield (
            f"Overall {percent(change.before)} in the baseline, **{percent(change.now)} now: {points(change.change)} "
            f"points** {interval}".rstrip()
            + f"; {changes_text(comparison.changes)}."
        )
    else:
        yield f"{_capital(changes_text(comparison.changes))}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# Scores --------------------------------------------------------------------------------------------------------------


def _scores(card: Card, compared: ComparedCards | None) -> list[str]:
    lines = ["### Scores", ""]
    if compared is not None and compared.comparison is not None:
        lines += change_table(card, compared.comparison)
    else:
        lines += _plain_table(card)
    lines += [*_own_laws(card), "", *_accuracy(card, compared)]
    if compared is not None:
        started = str(compared.baseline.data["run"]["started"])[:10]
        lines.append(f"- Baseline: {escaped(compared.baseline.name)}" + (f", recorded {started}" if started else ""))
        lines += [f"- {escaped(_capital(text))}" for text in compared.cautions]
    lines += [f"- {escaped(text)}" for text in note_texts(card)]
    return lines


def _plain_table(card: Card) -> list[str]:
    reference = (card.data.get("reference") or {}).get("scores", {})

    def row(mean: MeanScore) -> list[str]:
        uniform = percent((reference.get(mean.name) or {}).get("score"))
        tests = f"{mean.tests:,}" if mean.score is not None else ""
        return [title_of(mean.name), percent(mean.score), bracketed(mean.interval), tests, uniform]

    head = ["score, 100 = every law kept", "score", "95 % interval", "tests", "uniform"]
    scores, judge = card.scores, card.scores.mean(JUDGE.id)
    rows = [row(mean) for mean in (scores.overall, *scores.dimensions)] if tests_dimensions(scores) else []
    if judge is not None and any(row.group == JUDGE.id for row in scores.own):
        _, *cells = row(judge)
        rows.append([BESIDE_TITLES[JUDGE.id], *cells])
    return table(head, rows)


def _own_laws(card: Card) -> list[str]:
    """The laws of the user's own that count in no score."""
    rows = [row for row in card.scores.own if row.status != "not_run"]
    if not rows:
        return []
    told = law_texts(card)
    cells = [
        [code(row.name), escaped(told[row.name].law) if row.name in told else "", f"{row.violated:,} of {row.judged:,}"]
        for row in rows
    ]
    return ["", *table(["law, in no score", "what it says", "violated"], cells, left=2)]


def _accuracy(card: Card, compared: ComparedCards | None) -> list[str]:
    now = card.data.get("accuracy")
    if not now or now["accuracy_answered"] is None:
        return []
    before = (compared.baseline.data.get("accuracy") or {}) if compared is not None else {}
    was = before.get("accuracy_answered")
    text = f"- Accuracy on {now['answered']:,} gold answers: {percent(now['accuracy_answered'])}"
    text += f" (baseline {percent(was)})" if was is not None else ""
    return [f"{text}, guessing {percent(now['chance'])}. Coherence is not quality: read the two together"]


# The gate ------------------------------------------------------------------------------------------------------------

_ORDER: Mapping[str, int] = {"failed": 0, "too_few": 0, "incomplete": 1, "not_evaluated": 1, "passed": 2}


def _conditions(gate: GateResult | None, forecast: Sequence[Forecast]) -> list[str]:
    if gate is None or not gate.conditions:
        return []

    def row(condition: ConditionResult) -> list[str]:
        _, _, rest = condition.text.partition(": ")
        verdict, _, _ = rest.partition("; ")
        shown = verdict if condition.verdict in ("passed", "not_evaluated") else f"**{verdict}**"
        return [code(condition.name), shown, escaped(condition.detail)]

    rows = [row(c) for c in sorted(gate.conditions, key=lambda c: _ORDER[c.verdict])]
    lines = table(["condition", "verdict", "found"], rows, left=3)
    if forecast:
        lines += ["", "What these conditions can find out on this plan:", ""]
        lines += [f"- {escaped(one.text)}" for one in forecast]
    if gate.decision == "passed":
        return details(f"The {len(rows)} conditions of the gate", lines)
    return ["### Conditions of the gate", "", *lines]


# Violations ----------------------------------------------------------------------------------------------------------


def _violations(
    card: Card, comparison: Comparison | None, worst: Sequence[Told], *, passed: bool
) -> Iterator[list[str]]:
    """What is broken and the worst of it; where the gate passed, at a click."""
    laws = broken_laws(card, comparison) if comparison is not None else most_broken(card)
    kind = "new violation" if comparison is not None else "violation"
    for title, lines in (laws, (f"The worst {kind}{'s' if len(worst) > 1 else ''}", _worst(worst))):
        if lines:
            yield details(title, lines) if passed else [f"### {title}", "", *lines]
    if comparison is not None and not laws[1]:
        yield [f"{laws[0]}."]


def _worst(worst: Sequence[Told]) -> list[str]:
    lines: list[str] = []
    for told in worst:
        of = told.test
        lines += [f"{code(of.relation)} on case {code(of.case_id)}, question {code(of.key)}", ""]
        lines += [*fenced(_cut(told.lines)), ""]
    return lines[:-1]


def _cut(lines: Sequence[str]) -> list[str]:
    if len(lines) <= MOST_LINES:
        return list(lines)
    head, tail = MOST_LINES - 20, 19
    return [*lines[:head], f"... {len(lines) - head - tail} lines more ...", *lines[-tail:]]


# Counts and what to do -----------------------------------------------------------------------------------------------


def _counts(card: Card, comparison: Comparison | None) -> list[str]:
    counts = card.data["counts"]
    violated = f"{counts['violated']:,} violated"
    if comparison is not None:
        changes = comparison.changes
        violated += f" ({len(changes.new):,} new, {len(changes.known):,} known from the baseline)"
    parts = [f"{counts['held']:,} held", violated]
    parts += [f"{len(comparison.changes.fixed):,} fixed"] if comparison is not None else []
    parts.append(_unjudged(counts["unjudged"]))
    parts += [
        f"{counts[name]:,} {what}"
        for name, what in (
            ("not_applicable", "not applicable"),
            ("deselected", "deselected"),
            ("elsewhere", "in other shards"),
            ("unlisted", "without a result"),
        )
        if counts[name]
    ]
    run = card.data["run"]
    lines = [
        "### Counts",
        "",
        f"- {counted(counts['planned'], 'test', ',')} planned on {counted(counts['cases'], 'case', ',')}: "
        + ", ".join(parts),
        f"- {counted(run['requests'], 'request', ',')} sent, {counted(run['hits'], 'answer', ',')} reused, "
        f"{run['seconds']:.0f} s",
    ]
    return [*lines, *_errors(card)]


def _unjudged(unjudged: Mapping[str, int]) -> str:
    why = [f"{count:,} {name.replace('_', ' ')}" for name, count in unjudged.items() if count and name != "total"]
    return f"{unjudged['total']:,} not judged" + (f" ({', '.join(why)})" if why else "")


def _errors(card: Card) -> Iterator[str]:
    """The commonest reasons of unjudged tests, in the server's or the reader's words."""
    errors: list[Mapping[str, Any]] = sorted(card.data["errors"], key=lambda error: -error["tests"])
    for error in errors[:MOST_ERRORS]:
        message = error["message"] if len(error["message"]) <= 300 else f"{error['message'][:299]}…"
        yield f"- {error['tests']:,} {error['reason'].replace('_', ' ')}: {code(message)}"
    if len(errors) > MOST_ERRORS:
        yield f"- {len(errors) - MOST_ERRORS:,} further messages are in the card"


def _next_step(
    card: Card, gate: GateResult | None, worst: Sequence[Told], files: Files, comparison: Comparison | None
) -> list[str]:
    steps: list[str] = []
    if gate is not None and gate.decision == "incomplete":
        steps.append("Nothing is decided. Mend what is named above and run again")
    if gate is not None and gate.decision == "passed":
        if files.card and files.baseline:
            promote = code(f"pytest-jevbench card promote {files.card} {files.baseline}")
            steps.append(f"To measure the next change against this run: {promote}")
    elif worst:
        steps.append(f"Ask the worst one again: {code(worst[0].ask_again)}")
    if comparison is not None and files.card and files.baseline:
        steps.append(
            f"Every score beside the baseline: {code(f'pytest-jevbench card compare {files.baseline} {files.card}')}"
        )
    elif files.card:
        steps.append(f"All scores: {code(f'pytest-jevbench card report {files.card} --level relation')}")
    return ["### Next", "", *(f"- {step}" for step in steps)] if steps else []
