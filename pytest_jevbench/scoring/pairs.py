"""Two runs of the same frozen tests, side by side.

Tests of one case share their source answers, so the case is the unit of everything that is said about chance here:
a run is kept as one row a case and one column a relation, and no function looks at a single test as if it stood
alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pytest_jevbench.errors import JevbenchError
from pytest_jevbench.relations.taxonomy import DIAGNOSTICS
from pytest_jevbench.runs.results import TestId, TestResult, Verdict
from pytest_jevbench.scoring.relation_scores import ScoreSettings, judge_again

__all__ = ["Changes", "Counts", "Layout", "PairedRuns", "Row", "find_changes", "pair_rows", "planned_layout", "rows_of"]

Counts: TypeAlias = npt.NDArray[np.int64]
"""Tests, or violated tests, of each case (row) and relation (column)."""


class Row(NamedTuple):
    """One test of a run: what it is and how it came out.

    ``graded`` is its graded score, ``reason`` why it was not judged.
    """

    relation: str
    case_id: str
    key: str
    verdict: Verdict
    graded: float | None = None
    reason: str = ""

    @property
    def id(self) -> TestId:
        return TestId(self.relation, self.case_id, self.key)

    @property
    def judged(self) -> bool:
        return self.verdict in ("held", "violated")


@dataclass(frozen=True)
class Layout:
    """Which relation is tested how often on which case.

    ``groups`` holds the group of each relation, ``tests`` (cases x relations) the number of tests, ``planned`` how many
    tests of each relation the plan has (more than ``tests`` sums to where some were not judged in both runs). Cases
    are in the suite's order, relations in that of the taxonomy; scored relations only.
    """

    cases: tuple[str, ...]
    relations: tuple[str, ...]
    groups: tuple[str, ...]
    tests: Counts
    planned: Counts

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimension of each relation."""
        return tuple(group.partition(".")[0] for group in self.groups)

    @property
    def tests_per_relation(self) -> Counts:
        return np.asarray(self.tests.sum(axis=0), dtype=np.int64)

    def cases_with(self, columns: Sequence[int]) -> int:
        """How many cases have a test of one of these relations."""
        return int((self.tests[:, list(columns)].sum(axis=1) > 0).sum())


@dataclass(frozen=True)
class PairedRuns:
    """Two runs on one layout: ``baseline`` and ``now`` (cases x relations) count the violated tests.

    For graded scores they hold the sum of 1 - graded instead, as floats. Only tests judged in both runs are in.
    """

    layout: Layout
    baseline: npt.NDArray[np.float64] | Counts
    now: npt.NDArray[np.float64] | Counts

    @property
    def is_counted(self) -> bool:
        """Whether the entries are whole numbers of violated tests."""
        return bool(np.issubdtype(self.baseline.dtype, np.integer))


@dataclass(frozen=True)
class Changes:
    """What the second run violates, against the first, each in the second run's order.

    ``known`` is violated in both; ``new`` is violated now and was not; of these, ``unpaired`` were not judged (or not
    there) in the baseline; ``fixed`` was violated and is held now.
    """

    known: tuple[TestId, ...]
    new: tuple[TestId, ...]
    fixed: tuple[TestId, ...]
    unpaired: tuple[TestId, ...]


def find_changes(baseline: Iterable[Row], now: Iterable[Row]) -> Changes:
    """Known, new and fixed violations; diagnostics included."""
    before = {row.id: row.verdict for row in baseline}
    known: list[TestId] = []
    new: list[TestId] = []
    fixed: list[TestId] = []
    unpaired: list[TestId] = []
    for row in now:
        was = before.get(row.id)
        if row.verdict == "violated":
            (known if was == "violated" else new).append(row.id)
            if was not in ("held", "violated"):
                unpaired.append(row.id)
        elif row.verdict == "held" and was == "violated":
            fixed.append(row.id)
    return Changes(tuple(known), tuple(new), tuple(fixed), tuple(unpaired))


def pair_rows(
    baseline: Sequence[Row], now: Sequence[Row], groups: Mapping[str, str], *, graded: bool = False
) -> PairedRuns:
    """Two runs on the tests that both judged.

    ``groups`` names the group of every relation, in the order of the taxonomy. What counts as planned are the tests
    of ``now``. Raises :class:`JevbenchError` where a test stands twice or a relation is in no group.
    """
    before = _by_id(baseline)
    after = _by_id(now)
    columns = _columns(now, groups)
    cases = {case: i for i, case in enumerate(dict.fromkeys(row.case_id for row in now if row.relation in columns))}
    shape = (len(cases), len(columns))
    tests = np.zeros(shape, dtype=np.int64)
    planned = np.zeros(len(columns), dtype=np.int64)
    losses = np.zeros(shape, dtype=np.float64)
    before_losses = np.zeros(shape, dtype=np.float64)
    for test, row in after.items():
        column = columns.get(row.relation)
        if column is None:
            continue
        planned[column] += 1
        pair = before.get(test)
        if pair is None or not (row.judged and pair.judged):
            continue
        place = (cases[row.case_id], column)
        tests[place] += 1
        before_losses[place] += _loss(pair, graded)
        losses[place] += _loss(row, graded)
    layout = Layout(tuple(cases), tuple(columns), tuple(groups[r] for r in columns), tests, planned)
    if graded:
        return PairedRuns(layout, before_losses, losses)
    return PairedRuns(layout, before_losses.astype(np.int64), losses.astype(np.int64))


def planned_layout(tests: Iterable[TestId], groups: Mapping[str, str]) -> Layout:
    """The layout of a plan, as it will be when every test was judged."""
    held = [Row(*test, "held") for test in tests]
    return pair_rows(held, held, groups).layout


def rows_of(results: Iterable[TestResult], settings: ScoreSettings | None = None) -> tuple[Row, ...]:
    """The rows of a run's results, in their order, judged anew under the settings."""
    judged = settings or ScoreSettings()
    rows = []
    for result in results:
        again = judge_again(result, judged)
        reason = (result.reason or "lost") if again.verdict == "unjudged" else ""
        rows.append(Row(*result.id, again.verdict, again.graded if result.judged else None, reason))
    return tuple(rows)


def _by_id(rows: Sequence[Row]) -> dict[TestId, Row]:
    found = {row.id: row for row in rows}
    if len(found) != len(rows):
        seen: set[TestId] = set()
        twice = next(row.id for row in rows if row.id in seen or seen.add(row.id))  # type: ignore[func-returns-value]
        raise JevbenchError(f"test {':'.join(twice)} stands twice in one run")
    return found


def _columns(rows: Sequence[Row], groups: Mapping[str, str]) -> dict[str, int]:
    there = {row.relation for row in rows}
    for relation in sorted(there - groups.keys()):
        raise JevbenchError(f"relation {relation!r} belongs to no group of the taxonomy")
    scored = (r for r, group in groups.items() if r in there and group != DIAGNOSTICS.id)
    return {relation: i for i, relation in enumerate(scored)}


def _loss(row: Row, graded: bool) -> float:
    if not graded:
        return 1 if row.verdict == "violated" else 0
    if row.graded is None:
        raise JevbenchError(f"test {':'.join(row.id)} was judged and has no graded score")
    return 1.0 - row.graded
