"""The tables of a job summary that say what changed against the baseline, or what is broken most without one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pytest_jevbench.counting import counted
from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.relations.taxonomy import JUDGE
from pytest_jevbench.reports.law_texts import LawText, law_texts
from pytest_jevbench.reports.markdown_text import code, escaped, table
from pytest_jevbench.reports.numbers import bracketed, p_text, points, points_interval
from pytest_jevbench.reports.tables import BESIDE_TITLES, tests_dimensions, title_of
from pytest_jevbench.reports.text import percent
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.compare import FAMILY, Comparison, ScoreChange

__all__ = ["broken_laws", "change_table", "most_broken"]

MOST_RELATIONS = 10
MOST_WITHOUT_BASELINE = 5


def change_table(card: Card, comparison: Comparison) -> list[str]:
    """Overall and dimensions: now, in the baseline, the change with its interval and p-value."""
    rows = []
    uniform = (card.data.get("reference") or {}).get("scores", {})
    names = FAMILY if tests_dimensions(card.scores) else ()
    for name in (*names, JUDGE.id):
        change = comparison.scores.get(name)
        mean = card.scores.mean(name)
        interval = bracketed(mean.interval) if mean is not None else ""
        if isinstance(change, ScoreChange):
            moved = f"{points(change.change)} {points_interval(change.interval)}".strip()
            now = f"{percent(change.now)} {interval}".strip()
            p, tests = p_text(change.test.p if change.adjusted_p is None else change.adjusted_p), f"{change.tests:,}"
            beside = percent((uniform.get(name) or {}).get("score"))
            rows.append([BESIDE_TITLES.get(name, title_of(name)), now, percent(change.before), moved, p, tests, beside])
        elif change is not None:
            rows.append([title_of(name), "-", "-", escaped(change.reason), "-", "", ""])
    lines = table(["score, 100 = every law kept", "now", "baseline", "change", "p", "tests", "uniform"], rows)
    note = (
        "Brackets: 95 % intervals, bootstrap over cases. p: one-sided permutation test for a drop, the cases as units, "
        "with Holm's correction over these scores. Only tests that both runs judged are compared."
    )
    return [*lines, "", note]


def broken_laws(card: Card, comparison: Comparison) -> tuple[str, list[str]]:
    """A title, and the relations that are violated more often than in the baseline, the worst first."""
    new, fixed = _by_relation(comparison.changes.new), _by_relation(comparison.changes.fixed)
    judged = {row.name: (row.violated, row.judged) for row in (*card.scores.relations, *card.scores.diagnostics)}
    broken = [name for name in judged if new[name] > fixed[name]]
    broken.sort(key=lambda name: (fixed[name] - new[name]) / judged[name][1])
    if not broken:
        return "No law is broken more often than in the baseline", []
    title = "One law is" if len(broken) == 1 else f"{len(broken)} laws are"
    title += " broken more often than in the baseline"
    rows, laws = [], law_texts(card)
    for name in broken[:MOST_RELATIONS]:
        change = comparison.scores.get(name)
        exact = change.mcnemar.p if isinstance(change, ScoreChange) and change.mcnemar is not None else None
        violated, tests = judged[name]
        rows.append(
            [
                code(name),
                _law(laws, name),
                f"{new[name]:,}",
                f"{fixed[name]:,}",
                f"{violated:,} of {tests:,}",
                p_text(exact),
            ]
        )
    more = len(broken) - len(rows)
    note = f"{counted(more, 'more law')} not shown. " if more > 0 else ""
    note += (
        "p: exact McNemar test of one relation, where each case has one test of it; not corrected for the "
        f"{len(card.scores.relations)} relations looked at, so that a few small ones are expected by chance alone."
    )
    return title, [*table(["relation", "law", "new", "fixed", "violated now", "p"], rows, left=2), "", note]


def most_broken(card: Card) -> tuple[str, list[str]]:
    """Without a baseline: a title, and the relations violated most often."""
    rows = [row for row in card.scores.relations if row.violated]
    rows.sort(key=lambda row: -row.violated / row.judged)
    shown = rows[:MOST_WITHOUT_BASELINE]
    order = f"; the {len(shown)} broken most often" if len(shown) < len(rows) else ", the most often broken first"
    title = f"Laws broken: {len(rows)}" + (order if len(rows) > 1 else "")
    laws = law_texts(card)
    cells = [[code(row.name), _law(laws, row.name), f"{row.violated:,} of {row.judged:,}"] for row in shown]
    return title, table(["relation", "law", "violated"], cells, left=2) if rows else []


def _by_relation(tests: tuple[TestId, ...]) -> Counter[str]:
    return Counter(test.relation for test in tests)


def _law(laws: Mapping[str, LawText], name: str) -> str:
    return escaped(laws[name].law) if name in laws else ""
