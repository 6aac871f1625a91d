"""Where models stand on the same tests: rank ranges, as far as the tests can tell the models apart.

Two models are told apart only where the 95 % interval of their difference, paired over cases, leaves out 0. Of ``n``
ranked models the rank range of one is ::

    [1 + models that are surely better,  n - models that are surely worse]

A model whose card is incomplete was not measured on the same tests: it has no rank and counts for nobody's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.scoring.bootstrap import DRAWS, CaseBootstrap, combine
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.compare import score_value
from pytest_jevbench.scoring.gate_card import gated_run
from pytest_jevbench.scoring.gate_run import GatedRun, run_obstacles, same_suite
from pytest_jevbench.scoring.intervals import Interval, NoInterval
from pytest_jevbench.scoring.pairs import PairedRuns, Row, pair_rows
from pytest_jevbench.scoring.weights import OVERALL, Scored, ScoredFrom, Undefined, weigh

__all__ = ["RankedPair", "Ranking", "Standing", "rank_cards"]

NOISE = 1e-11
"""A bound this near to 0 is 0."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One model: its score, its rank range, or None and the reason why it has no rank.

    ``obstacles`` say why its scores do not compare with the others': its run is not whole, or not of one model.
    """

    card: Card
    score: float | None
    ranks: tuple[int, int] | None
    reason: str = ""
    obstacles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RankedPair:
    """Two ranked models, by their place in :attr:`Ranking.standings`: ``difference`` is first - second."""

    first: int
    second: int
    difference: float
    interval: Interval | NoInterval

    @property
    def better(self) -> int | None:
        """The place of the one that is surely better; None where the interval has 0 in it, or there is none."""
        if not isinstance(self.interval, Interval):
            return None
        if self.interval.low > NOISE:
            return self.first
        return self.second if self.interval.high < -NOISE else None


@dataclass(frozen=True)
class Ranking:
    """The models from the best score to the worst, those without a rank last; and all pairs of ranked ones."""

    by: str
    graded: bool
    standings: tuple[Standing, ...]
    pairs: tuple[RankedPair, ...]
    draws: int

    @property
    def ranked(self) -> int:
        """How many models have a rank."""
        return sum(standing.ranks is not None for standing in self.standings)


def rank_cards(cards: Sequence[Card], *, by: str = OVERALL, graded: bool = False, draws: int = DRAWS) -> Ranking:
    """Rank the models of some cards by one score: the overall, a dimension or a group.

    Raises :class:`InputError` where there is no card, two are not of the same tests judged alike, or the score is
    not one of theirs. Equal scores stand in the order given.
    """
    if not cards:
        raise InputError("found no card", place=Place(field="cards"), advice="Give the cards of some models")
    runs = [_run(card) for card in cards]
    for card, run in zip(cards[1:], runs[1:], strict=True):
        _refuse_other_tests(cards[0], runs[0], card, run)
    _check_name(cards, by)
    standings = [_unranked(card, run, by, graded) for card, run in zip(cards, runs, strict=True)]
    order = sorted(range(len(cards)), key=lambda i: _place(standings[i]))
    standings = [standings[i] for i in order]
    count = sum(not standing.reason for standing in standings)
    pairs = tuple(_pairs(cards[0], [runs[i].rows for i in order[:count]], by, graded, draws))
    ranked = [replace(standing, ranks=_ranks(i, count, pairs)) for i, standing in enumerate(standings[:count])]
    return Ranking(by, graded, (*ranked, *standings[count:]), pairs, draws)


def _run(card: Card) -> GatedRun:
    """A card as a gate sees it: judged under its settings of now, with no test but those that scores are made of."""
    run, settings = gated_run(card), card.settings
    counted = {row.name for row in card.scores.counted}
    now = {"tolerance": settings.tolerance, "min_n": settings.min_n, "min_coverage": settings.min_coverage}
    rows = tuple(row for row in run.rows if row.relation in counted)
    return replace(run, settings={**run.settings, **now}, rows=rows)


def _place(standing: Standing) -> tuple[bool, float]:
    return bool(standing.reason), -1.0 if standing.score is None else -standing.score


def _unranked(card: Card, run: GatedRun, by: str, graded: bool) -> Standing:
    mean = card.scores.mean(by)
    value = None if mean is None else mean.graded if graded else mean.score
    obstacles = run_obstacles(run)
    if obstacles:
        return Standing(card, value, None, "; ".join(obstacles), obstacles)
    if value is None:
        return Standing(card, None, None, f"no {by} score: {mean.reason if mean is not None else 'not planned'}")
    return Standing(card, value, None)


def _ranks(place: int, count: int, pairs: Sequence[RankedPair]) -> tuple[int, int]:
    mine = [pair for pair in pairs if place in (pair.first, pair.second)]
    better = sum(pair.better not in (None, place) for pair in mine)
    worse = sum(pair.better == place for pair in mine)
    return 1 + better, count - worse


def _pairs(card: Card, rows: Sequence[Sequence[Row]], by: str, graded: bool, draws: int) -> Iterator[RankedPair]:
    """Every pair of runs that all judged the same tests. ``card`` is any of theirs.

    A run is drawn once, against one that breaks nothing; the difference of two runs is that of their draws,
    for on the same tests a score is linear in what was violated.
    """
    if len(rows) < 2:
        return
    runs = [pair_rows(rows[0], of_run, card.groups, graded=graded) for of_run in rows]
    layout, settings = runs[0].layout, card.settings
    score = weigh(layout, by, ScoredFrom(settings.min_n, settings.min_coverage))
    if isinstance(score, Undefined):  # a card alone would have none either
        raise InputError(f"no {by} score: {score.reason}", place=Place(card.path or None))
    alone = [CaseBootstrap.of(PairedRuns(layout, np.zeros_like(run.now), run.now), draws=draws) for run in runs]
    drawn = [_of_score(one, score) for one in alone]
    values = [score_value(run, score, run.now) for run in runs]
    single = Scored(score.name, (0,), (), ((0,),))
    for first, second in combinations(range(len(rows)), 2):
        one, other = drawn[first], drawn[second]
        difference = CaseBootstrap(one.rates - other.rates, one.left_out - other.left_out, one.whole - other.whole)
        yield RankedPair(first, second, values[first] - values[second], difference.interval(single))


def _of_score(drawn: CaseBootstrap, score: Scored) -> CaseBootstrap:
    """The draws of one score in the place of those of the relations that it is made of."""
    parts = [combine(rates, score)[:, np.newaxis] for rates in (drawn.rates, drawn.left_out, drawn.whole)]
    return CaseBootstrap(*parts)


def _check_name(cards: Sequence[Card], by: str) -> None:
    if cards[0].scores.own and not cards[0].scores.counted:
        raise InputError(
            f"{cards[0].suite or 'the cards'}: no dimension is tested, and a board ranks by the overall or by one",
            advice="`pytest-jevbench card report CARD CARD ...` sets such cards side by side",
        )
    own = {row.group for row in cards[0].scores.own}
    known = [mean.name for mean in (cards[0].scores.overall, *cards[0].scores.dimensions, *cards[0].scores.groups)]
    known = [name for name in known if name not in own]
    if by not in known:
        raise InputError.unexpected(by, f"one of {', '.join(known)}", Place(field="--by"))


def _refuse_other_tests(first: Card, first_run: GatedRun, card: Card, run: GatedRun) -> None:
    """Raise for a card whose scores are not of the tests of the first one, judged alike."""
    difference = _difference(first_run, run)
    if difference is None:
        return
    advice = "A board is of one suite, planned and judged alike: make one board for each"
    if difference[0] in ("tolerance", "min_n"):
        advice = f"Judge all alike with --{difference[0].replace('_', '-')}, or make one board for each"
    name, ours, theirs = difference
    if name == "plan":
        advice = "Leave out selections (--jevbench-dimension, --jevbench-relation, ...), or make one board for each"
    raise InputError(
        f"{name} is {theirs} here and {ours} in {first.path or first.name}",
        place=Place(card.path or card.name),
        advice=advice,
    )


def _difference(first: GatedRun, other: GatedRun) -> tuple[str, str, str] | None:
    """What of two runs is not the same, with the first's and the other's."""
    if not same_suite(first, other):
        if first.suite == other.suite:
            return "suite", f"{shown(first.suite)} of other content", shown(other.suite)
        return "suite", shown(first.suite), shown(other.suite)
    for name in dict.fromkeys((*first.settings, *other.settings)):
        ours, theirs = first.settings.get(name), other.settings.get(name)
        if ours != theirs:
            return name, shown(ours), shown(theirs)
    ours_tests, their_tests = {row.id for row in first.rows}, {row.id for row in other.rows}
    if ours_tests != their_tests:
        only = len(ours_tests ^ their_tests)
        return "plan", f"{len(ours_tests):,} tests", f"{len(their_tests):,} tests ({only:,} not in both)"
    return None
