"""Scores: pure functions from a run's outcomes to relations, groups, dimensions, domains and the overall.

::

    relation   1 - violated tests / judged tests        graded: mean of the tests' graded scores
    group      mean of its scored relations
    dimension  mean of its scored relations (groups have no weight)
    overall    mean of the five dimensions, where all five are scored

A relation of fewer than ``min_n`` tests is listed and leaves the means. A relation judged on under ``min_coverage`` of
its planned tests is incomplete: it, its group, its dimension and the overall are not reported. Whatever is not reported
is None, with the reason beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_jevbench.relations.taxonomy import BESIDE, DIAGNOSTICS, DIMENSIONS, GROUPS, JUDGE
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.intervals import CaseCounts, Interval, NoInterval, bootstrap_means
from pytest_jevbench.scoring.relation_scores import Judged, RelationScore, ScoreSettings, judge_again, score_relation

__all__ = ["OVERALL", "DomainScore", "MeanScore", "RelationScore", "ScoreSettings", "Scores", "score"]

OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class MeanScore:
    """The mean of relation scores: a group, a dimension or the overall.

    ``relations`` counts those that enter it, ``tests`` their judged tests. ``score`` and ``graded`` are in [0, 1], or
    both None and ``reason`` says why. ``interval`` (of the score) and ``graded_interval`` are over cases; where one is
    None and the score is not, ``interval_reason`` says why.
    """

    name: str
    score: float | None
    graded: float | None
    reason: str
    relations: int
    tests: int
    interval: Interval | None = None
    graded_interval: Interval | None = None
    interval_reason: str = ""

    @property
    def dimension(self) -> str:
        return self.name.partition(".")[0]


@dataclass(frozen=True, slots=True)
class DomainScore:
    """The scores on the cases of one domain. ``judge`` is the mean of the laws of judges, None where none is planned;
    ``tests`` and ``violated`` do not count theirs."""

    name: str
    cases: int
    tests: int
    violated: int
    overall: MeanScore
    dimensions: tuple[MeanScore, ...]
    judge: MeanScore | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """All scores of a run under one set of settings.

    ``relations`` and ``diagnostics`` are in taxonomy order and hold those that were planned; laws of the user's own
    stand last. Those that count in no dimension are the :attr:`own` ones: no dimension, no overall and no domain's row
    has them. ``cases`` counts the cases with a test in a relation that counts. ``unknown`` counts results of relations
    that the taxonomy given does not hold.
    """

    settings: ScoreSettings
    overall: MeanScore
    dimensions: tuple[MeanScore, ...]
    groups: tuple[MeanScore, ...]
    relations: tuple[RelationScore, ...]
    diagnostics: tuple[RelationScore, ...]
    domains: tuple[DomainScore, ...]
    cases: int
    unknown: Mapping[str, int]

    @property
    def counted(self) -> tuple[RelationScore, ...]:
        """The relations that dimensions and overall are made of."""
        return tuple(row for row in self.relations if row.dimension not in BESIDE)

    @property
    def own(self) -> tuple[RelationScore, ...]:
        """The laws that are shown beside the dimensions: the user's own that count in none, and those of judges."""
        return tuple(row for row in self.relations if row.dimension in BESIDE)

    def relation(self, name: str) -> RelationScore | None:
        """The row of a relation, or None where it was not planned."""
        return next((row for row in (*self.relations, *self.diagnostics) if row.name == name), None)

    def mean(self, name: str) -> MeanScore | None:
        """The row of ``overall``, a dimension or a group; ``JUDGE`` is its one group."""
        name = JUDGE.id if name == JUDGE.dimension else name
        return next((row for row in (self.overall, *self.dimensions, *self.groups) if row.name == name), None)


def score(
    results: Sequence[TestResult],
    planned: Mapping[str, int],
    groups: Mapping[str, str],
    settings: ScoreSettings | None = None,
    *,
    domains: Mapping[str, str] | None = None,
    planned_in_domains: Mapping[str, Mapping[str, int]] | None = None,
) -> Scores:
    """The scores of a run.

    ``results`` holds one result a test, those not judged included. ``planned`` counts each relation's planned tests (a
    relation with results and no count has as many as results). ``groups`` gives every known relation's group, in
    taxonomy order. ``domains`` gives each case's domain ("" for none) and ``planned_in_domains`` the planned tests by
    domain and relation; without it, the results are what was planned.

    Bootstrap rows stand in the order in which cases first appear in ``results``: give them in a fixed order for equal
    intervals.
    """
    settings = settings or ScoreSettings()
    judged = [judge_again(result, settings) for result in results]
    by_relation = _by_relation(judged)
    rows = _rows(by_relation, planned, groups, settings)
    scored = tuple(row for row in rows if row.dimension != DIAGNOSTICS.dimension)
    whole = _Means.of(tuple(row for row in scored if row.dimension not in BESIDE), judged, settings)
    beside = _Means.of(tuple(row for row in scored if row.dimension in BESIDE), judged, settings)
    return Scores(
        settings=settings,
        overall=whole.overall(),
        dimensions=tuple(whole.mean(d.id) for d in DIMENSIONS),
        groups=tuple((beside if _is_beside(g) else whole).mean(g) for g in _group_ids(groups)),
        relations=scored,
        diagnostics=tuple(row for row in rows if row.dimension == DIAGNOSTICS.dimension),
        domains=_score_domains(judged, groups, settings, domains or {}, planned_in_domains or {}),
        cases=whole.cases,
        unknown={name: len(of) for name, of in by_relation.items() if name not in groups},
    )


def _is_beside(group: str) -> bool:
    return group.partition(".")[0] in BESIDE


def _by_relation(judged: Sequence[Judged]) -> dict[str, list[Judged]]:
    by_relation: dict[str, list[Judged]] = {}
    for test in judged:
        by_relation.setdefault(test.result.id.relation, []).append(test)
    return by_relation


def _rows(
    by_relation: Mapping[str, Sequence[Judged]],
    planned: Mapping[str, int],
    groups: Mapping[str, str],
    settings: ScoreSettings,
) -> tuple[RelationScore, ...]:
    return tuple(
        score_relation(name, group, planned.get(name, 0), by_relation.get(name, ()), settings)
        for name, group in groups.items()
        if name in by_relation or planned.get(name, 0)
    )


def _group_ids(groups: Mapping[str, str]) -> list[str]:
    """The taxonomy's groups, then those of relations that a user added."""
    known = [group.id for group in GROUPS]
    added = dict.fromkeys(group for group in groups.values() if not group.startswith(f"{DIAGNOSTICS.dimension}."))
    return [*known, *(group for group in added if group not in known)]


@dataclass(frozen=True)
class _Means:
    """The means over a set of relation rows, with what their intervals are drawn from."""

    rows: tuple[RelationScore, ...]
    columns: Mapping[str, int]
    intervals: Mapping[str, tuple[Interval | NoInterval, Interval | NoInterval]]
    cases: int

    @classmethod
    def of(cls, rows: tuple[RelationScore, ...], judged: Sequence[Judged], settings: ScoreSettings) -> _Means:
        columns = {row.name: i for i, row in enumerate(r for r in rows if r.status == "scored")}
        counts = _count_by_case(columns, judged)
        without = cls(rows, columns, {}, len(counts.tests))
        means = {
            name: [[columns[row.name] for row in part] for part in parts]
            for name, parts in without.parts()
            if not isinstance(parts, str)
        }
        return cls(rows, columns, bootstrap_means(counts, means, settings.bootstrap), len(counts.tests))

    def parts(self) -> list[tuple[str, list[list[RelationScore]] | str]]:
        """Each mean's relations by part, or why it is not reported."""
        names = [d.id for d in DIMENSIONS] + list(dict.fromkeys(row.group for row in self.rows))
        return [(name, self._parts(name)) for name in (OVERALL, *names)]

    def _parts(self, name: str) -> list[list[RelationScore]] | str:
        if name != OVERALL:
            inside = [row for row in self.rows if name in (row.group, row.dimension)]
            members = _members(name, inside)
            return members if isinstance(members, str) else [members]
        of_dimensions = [(d.id, self._parts(d.id)) for d in DIMENSIONS]
        missing = [(dimension, parts) for dimension, parts in of_dimensions if isinstance(parts, str)]
        if missing:
            names = ", ".join(dimension for dimension, _ in missing)
            return f"{names} {'has' if len(missing) == 1 else 'have'} no score: {missing[0][1]}"
        return [parts[0] for _, parts in of_dimensions if not isinstance(parts, str)]

    def mean(self, name: str) -> MeanScore:
        """A group, a dimension or the overall."""
        parts = self._parts(name)
        if isinstance(parts, str):
            return MeanScore(name, None, None, parts, 0, 0)
        binary, graded = self.intervals[name]
        members = [row for part in parts for row in part]
        return MeanScore(
            name=name,
            score=_mean([_mean([row.score for row in part]) for part in parts]),
            graded=_mean([_mean([row.graded for row in part]) for part in parts]),
            reason="",
            relations=len(members),
            tests=sum(row.judged for row in members),
            interval=binary if isinstance(binary, Interval) else None,
            graded_interval=graded if isinstance(graded, Interval) else None,
            interval_reason=binary.reason if isinstance(binary, NoInterval) else "",
        )

    def overall(self) -> MeanScore:
        return self.mean(OVERALL)


def _members(name: str, inside: Sequence[RelationScore]) -> list[RelationScore] | str:
    """The relations whose mean a group or dimension is, or why it has none."""
    incomplete = [row for row in inside if row.status in ("incomplete", "not_run")]
    if incomplete:
        return _why_incomplete(name, inside, incomplete)
    members = [row for row in inside if row.status == "scored"]
    if members:
        return members
    low = [row for row in inside if row.status == "below_min_n"]
    if low:
        most = max(low, key=lambda row: row.judged)
        return f"no relation of {name} has enough tests ({most.reason})"
    return f"no test of {name} is planned"


def _why_incomplete(name: str, inside: Sequence[RelationScore], incomplete: Sequence[RelationScore]) -> str:
    if all(row.status == "not_run" for row in inside):
        return f"no test of {name} was run"
    row = incomplete[0]
    more = f", and {len(incomplete) - 1} more" if len(incomplete) > 1 else ""
    return f"{row.name} is incomplete{more} ({row.reason})"


def _mean(values: Sequence[float | None]) -> float:
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers)


def _count_by_case(columns: Mapping[str, int], judged: Sequence[Judged]) -> CaseCounts:
    cases: dict[str, int] = {}
    rows = []
    for test in judged:
        column = columns.get(test.result.id.relation)
        if column is not None and test.counts:
            case = cases.setdefault(test.result.id.case_id, len(cases))
            rows.append((case, column, test.verdict == "violated", test.graded))
    return CaseCounts.collect(rows, len(columns))


def _score_domains(
    judged: Sequence[Judged],
    groups: Mapping[str, str],
    settings: ScoreSettings,
    domains: Mapping[str, str],
    planned: Mapping[str, Mapping[str, int]],
) -> tuple[DomainScore, ...]:
    """One row a named domain, in the order in which ``domains`` first names it."""
    by_domain: dict[str, list[Judged]] = {domain: [] for domain in domains.values() if domain}
    scored = {name: group for name, group in groups.items() if not group.startswith(f"{DIAGNOSTICS.dimension}.")}
    for test in judged:
        domain = domains.get(test.result.id.case_id, "")
        if domain:
            by_domain[domain].append(test)
    return tuple(
        _score_domain(domain, of_domain, scored, settings, planned.get(domain, {}))
        for domain, of_domain in by_domain.items()
    )


def _score_domain(
    domain: str,
    judged: Sequence[Judged],
    groups: Mapping[str, str],
    settings: ScoreSettings,
    planned: Mapping[str, int],
) -> DomainScore:
    every = _rows(_by_relation(judged), planned, groups, settings)
    rows = tuple(row for row in every if row.dimension not in BESIDE)
    of_judge = tuple(row for row in every if row.dimension == JUDGE.dimension)
    means = _Means.of(rows, judged, settings)
    return DomainScore(
        name=domain,
        cases=len({test.result.id.case_id for test in judged}),
        tests=sum(row.judged for row in rows),
        violated=sum(row.violated for row in rows),
        overall=means.overall(),
        dimensions=tuple(means.mean(d.id) for d in DIMENSIONS),
        judge=_Means.of(of_judge, judged, settings).mean(JUDGE.id) if of_judge else None,
    )
