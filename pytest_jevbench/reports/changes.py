"""A card beside its baseline as lines of text that fit 80 columns: every score's change, what is new, what is fixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.relations.taxonomy import DIMENSIONS
from pytest_jevbench.reports.numbers import p_text, points, points_interval
from pytest_jevbench.reports.tables import BESIDE_TITLES, WIDTH, title_of
from pytest_jevbench.reports.text import Line, Segment, clip, line, pad, percent, wrapped
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.compare import Compared, Comparison, ScoreChange
from pytest_jevbench.scoring.compared_cards import ComparedCards
from pytest_jevbench.scoring.pairs import Changes
from pytest_jevbench.scoring.weights import OVERALL

__all__ = ["CHANGE_LEVELS", "ChangeLevel", "changes_text", "comparison_lines"]

ChangeLevel: TypeAlias = Literal["dimension", "group", "relation"]
CHANGE_LEVELS: tuple[ChangeLevel, ...] = ("dimension", "group", "relation")
NAME = 32
MOST_NAMED = 8


def changes_text(changes: Changes) -> str:
    """``3 new violations (1 not judged there), 20 known, 2 fixed``."""
    new = len(changes.new)
    unpaired = f" ({len(changes.unpaired):,} not judged there)" if changes.unpaired else ""
    return (
        f"{new:,} new violation{'' if new == 1 else 's'}{unpaired}, {len(changes.known):,} known, "
        f"{len(changes.fixed):,} fixed"
    )


def comparison_lines(
    card: Card, compared: ComparedCards, *, level: ChangeLevel = "dimension", tests: bool = False
) -> list[Line]:
    """The comparison of a card with its baseline; ``tests`` names every new and every fixed one."""
    comparison = compared.comparison
    lines = [line(Segment(clip(f"{card.name} · {card.suite}, against {compared.baseline.name}", WIDTH), "title"))]
    if comparison is not None:
        lines += [line(""), *_table(card, comparison, level), line("")]
        lines += _tests(comparison.changes, tests)
        lines.append(line(""))
    notes = [*compared.cautions, *(_NOTES if comparison is not None else ())]
    return lines + [line(row) for note in notes for row in wrapped(note[:1].upper() + note[1:], WIDTH, "* ", "  ")]


_NOTES = (
    "brackets: 95 % intervals of the change, bootstrap over cases",
    "p of a one-sided permutation test for a drop, the cases as units; of overall and dimensions with Holm's "
    "correction, of the others alone",
)


def _table(card: Card, comparison: Comparison, level: ChangeLevel) -> Iterator[Line]:
    head = (
        f"{pad('score, 100 = every law kept', NAME)}{'before':>6}{'now':>7}{'change':>8}  {'95% interval':<16}{'p':>8}"
    )
    yield line(Segment(head, "faint"))
    for name, shown in _names(card, comparison, level):
        found = comparison.scores.get(name)
        if found is not None:
            yield _row(
                shown, found, strong=name == OVERALL or name in {d.id for d in DIMENSIONS} or name in BESIDE_TITLES
            )


def _names(card: Card, comparison: Comparison, level: ChangeLevel) -> Iterator[tuple[str, str]]:
    """Scores in the taxonomy's order, with the words that stand for them."""
    beside = [group for group in BESIDE_TITLES if group in comparison.scores]
    if not beside or any(dimension.id in comparison.scores for dimension in DIMENSIONS):
        yield OVERALL, OVERALL
    for dimension in DIMENSIONS:
        yield dimension.id, title_of(dimension.id)
        groups = dict.fromkeys(g for g in card.groups.values() if g.partition(".")[0] == dimension.id)
        for group in groups if level != "dimension" else ():
            yield group, f"  {title_of(group)}"
            for relation in (r for r, of in card.groups.items() if of == group) if level == "relation" else ():
                yield relation, f"    {relation}"
    for group in beside:
        yield group, f"{BESIDE_TITLES[group]}, in no score above"
        for relation in (r for r, of in card.groups.items() if of == group):
            yield relation, f"  {relation}"


def _row(shown: str, found: Compared, *, strong: bool) -> Line:
    if not isinstance(found, ScoreChange):
        return line(Segment(pad(f"{pad(shown, NAME)}     -  {found.reason}", WIDTH).rstrip(), "faint"))
    p = found.adjusted_p if found.adjusted_p is not None else found.test.p
    text = f"{pad(shown, NAME)}{percent(found.before):>6}{percent(found.now):>7}{points(found.change):>8}"
    text += f"  {points_interval(found.interval):<16}{p_text(p):>8}"
    return line(Segment(text, "strong" if strong else ""))


def _tests(changes: Changes, named: bool) -> Iterator[Line]:
    yield line(changes_text(changes))
    for word, found in (("new", changes.new), ("fixed", changes.fixed)):
        if named:
            yield from (line(f"  {word:<6} {_test(test)}") for test in found)
        elif found:
            yield from (line(row) for row in wrapped(f"{word}: {_by_relation(found)}", WIDTH, "  ", "    "))


def _test(test: TestId) -> str:
    return clip(f"{test.relation}, case {test.case_id}, question {test.key}", 10 * WIDTH)


def _by_relation(tests: Sequence[TestId]) -> str:
    counts = Counter(test.relation for test in tests).most_common()
    shown: Iterable[str] = (f"{name} {count}" for name, count in counts[:MOST_NAMED])
    more = len(counts) - MOST_NAMED
    return ", ".join(shown) + (f", {more} relations more" if more > 0 else "")
