"""Biases of judges between two answers: for a position, for length, for markup, for their own words.

Every pair was shown in both orders. ``forward`` is P(first wins) with A first, ``swapped`` the same with B first.
A verdict is ``first`` above 0.5, ``second`` below, a tie at 0.5. What is undefined is None with a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_jevbench.distributions import TIE
from pytest_jevbench.judges.arrays import DRAWS, Floats, bootstrap
from pytest_jevbench.judges.correlation import Correlation, rank_correlation
from pytest_jevbench.judges.pairs import JudgedPair, judged_pairs, markup_density
from pytest_jevbench.scoring.intervals import Interval, NoInterval, wilson

if TYPE_CHECKING:
    from pytest_jevbench.judges.arrays import Numbers

__all__ = [
    "BiasFigures",
    "MatchedBias",
    "PositionBias",
    "Rate",
    "SelfPreference",
    "audit_bias",
    "judge_bias",
    "position_bias",
]


@dataclass(frozen=True, slots=True)
class Rate:
    """A figure over ``n`` pairs with its 95 % interval; ``value`` None, and why, where it is undefined."""

    value: float | None
    interval: Interval | NoInterval
    n: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PositionBias:
    """What the order of two answers does to a judge.

    ``pairs`` were shown in both orders, ``unanswered`` of them without an answer to at least one; ``ties`` have a tie
    in at least one order, the others are ``decisive``. A decisive pair flips where the winner changes with the order:
    ``flips_to_first`` picked the first answer both times, ``flips_to_second`` the second. ``flip_rate`` is over the
    decisive pairs; ``first_rate`` over all answers that are no tie; ``signed_bias`` is first rate - second rate, over
    the same; ``inconsistency`` the mean of |forward - (1 - swapped)|; ``shift`` the mean of forward + swapped - 1,
    above 0 towards the first. ``conclusive`` is False where at least half of the pairs are unanswered.
    """

    pairs: int
    unanswered: int
    ties: int
    decisive: int
    consistent: int
    flips: int
    flips_to_first: int
    flips_to_second: int
    flip_rate: Rate
    first_rate: Rate
    signed_bias: Rate
    inconsistency: Rate
    shift: Rate
    conclusive: bool


@dataclass(frozen=True, slots=True)
class MatchedBias:
    """Preference for the longer (or more marked-up) of two answers that are equally good and differ in that alone.

    ``preference`` is its mean probability of winning, averaged over both orders (0.5: no bias); ``win_rate`` the share
    of pairs it wins of those that are no tie.
    """

    preference: Rate
    win_rate: Rate


@dataclass(frozen=True, slots=True)
class SelfPreference:
    """Preference for answers of the judge's own, over pairs with exactly one such answer.

    ``preference`` is the mean probability that the own answer wins, ``win_rate`` the share it wins of those that are no
    tie, ``position`` the rank correlation of P(A wins) with the own answer being A. Quality is not held fixed: an own
    answer may be the better one.
    """

    preference: Rate
    win_rate: Rate
    position: Correlation


@dataclass(frozen=True)
class BiasFigures:
    """All biases of one judge. ``length`` and ``markup`` are rank correlations, over all pairs, of P(A is better) with
    how much longer (in characters) or more marked-up (share of lines) A is. ``accuracy`` is the share of labelled,
    decided pairs on which the order-averaged preference is right."""

    judge: str
    position: PositionBias
    length: Correlation
    markup: Correlation
    matched_length: MatchedBias
    matched_markup: MatchedBias
    self_preference: SelfPreference
    accuracy: Rate


def audit_bias(
    pairs: Iterable[Mapping[str, Any]] | Sequence[JudgedPair], *, draws: int = DRAWS
) -> dict[str, BiasFigures]:
    """The biases of each judge, from pairs or rows with the fields of :class:`JudgedPair`.

    Raises :class:`InputError` with everything that is wrong with the rows.
    """
    found = judged_pairs(pairs)
    judges = dict.fromkeys(pair.judge for pair in found)
    return {judge: judge_bias([p for p in found if p.judge == judge], draws=draws) for judge in judges}


def judge_bias(pairs: Sequence[JudgedPair], *, draws: int = DRAWS) -> BiasFigures:
    """The biases of one judge."""
    answered = [pair for pair in pairs if pair.preference is not None]
    preference = np.array([pair.preference for pair in answered], dtype=np.float64)
    longer = np.array([len(pair.a) - len(pair.b) for pair in answered], dtype=np.float64)
    marked = np.array([markup_density(pair.a) - markup_density(pair.b) for pair in answered], dtype=np.float64)
    names = {"length": "lengths", "markup": "markup densities"}
    return BiasFigures(
        judge=pairs[0].judge if pairs else "",
        position=position_bias([p.forward for p in pairs], [p.swapped for p in pairs], draws=draws),
        length=rank_correlation(longer, preference, "differences of lengths", "preferences", draws=draws),
        markup=rank_correlation(marked, preference, "differences of markup", "preferences", draws=draws),
        matched_length=_matched(answered, preference, longer, "length", names["length"], draws),
        matched_markup=_matched(answered, preference, marked, "markup", names["markup"], draws),
        self_preference=_self_preference(answered, preference, draws),
        accuracy=_accuracy(answered, preference),
    )


def position_bias(
    forward: Sequence[float | None] | Numbers, swapped: Sequence[float | None] | Numbers, *, draws: int = DRAWS
) -> PositionBias:
    """The position figures from P(first wins) in both orders (n,); None or NaN where there was no answer.

    >>> found = position_bias([0.9] * 10, [0.8] * 10)
    >>> found.flip_rate.value, found.first_rate.value, found.consistent
    (1.0, 1.0, 0)
    """
    first, second = np.asarray(forward, dtype=np.float64), np.asarray(swapped, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"arrays of shapes {first.shape} and {second.shape}")
    known = ~(np.isnan(first) | np.isnan(second))
    f, s = first[known], second[known]
    sides = np.column_stack([_verdicts(f), _verdicts(s)])
    decisive = (sides != 0).all(axis=1)
    flipped = decisive & (sides[:, 0] == sides[:, 1])
    to_first = int((flipped & (sides[:, 0] > 0)).sum())
    flips, n_decisive, n = int(flipped.sum()), int(decisive.sum()), len(f)
    firsts, answers = (sides > 0).sum(axis=1).astype(np.float64), (sides != 0).sum(axis=1).astype(np.float64)
    reason = "" if n else "no pair was answered in both orders"
    no_answer = reason or ("" if answers.sum() else "every answer is a tie")
    return PositionBias(
        pairs=len(first),
        unanswered=int((~known).sum()),
        ties=n - n_decisive,
        decisive=n_decisive,
        consistent=n_decisive - flips,
        flips=flips,
        flips_to_first=to_first,
        flips_to_second=flips - to_first,
        flip_rate=_wilson_rate(flips, n_decisive, reason or "every pair has a tie"),
        first_rate=_ratio(firsts, answers, no_answer, draws),
        signed_bias=_ratio(2 * firsts - answers, answers, no_answer, draws),
        inconsistency=_mean(np.abs(f + s - 1.0), reason, draws),
        shift=_mean(f + s - 1.0, reason, draws),
        conclusive=2 * n > len(first),
    )


def _verdicts(p: Floats) -> Any:
    """1 for the first answer, -1 for the second, 0 for a tie."""
    return np.where(np.abs(p - 0.5) <= TIE, 0, np.where(p > 0.5, 1, -1))


def _matched(
    pairs: Sequence[JudgedPair], preference: Floats, difference: Floats, kind: str, what: str, draws: int
) -> MatchedBias:
    chosen = np.array([pair.matched == kind for pair in pairs], dtype=bool)
    toward = np.where(difference[chosen] > 0, preference[chosen], 1.0 - preference[chosen])
    reason = "" if len(toward) else f"no pair is matched for everything but {what}"
    return MatchedBias(_mean(toward, reason, draws), _wins(toward, reason))


def _self_preference(pairs: Sequence[JudgedPair], preference: Floats, draws: int) -> SelfPreference:
    own_a = np.array([p.judge_model is not None and p.a_model == p.judge_model for p in pairs], dtype=bool)
    own_b = np.array([p.judge_model is not None and p.b_model == p.judge_model for p in pairs], dtype=bool)
    known = np.array([None not in (p.judge_model, p.a_model, p.b_model) for p in pairs], dtype=bool)
    chosen = known & (own_a != own_b)
    own = np.where(own_a[chosen], preference[chosen], 1.0 - preference[chosen])
    reason = ""
    if not chosen.any():
        reason = (
            "no pair has exactly one answer of the judge's own" if known.any() else "nobody says who wrote the answers"
        )
    position = rank_correlation(
        own_a[chosen].astype(np.float64), preference[chosen], "places of the own answer", "preferences", draws=draws
    )
    return SelfPreference(_mean(own, reason, draws), _wins(own, reason), position)


def _accuracy(pairs: Sequence[JudgedPair], preference: Floats) -> Rate:
    labelled = [(p.label, value) for p, value in zip(pairs, preference, strict=True) if p.label in ("a", "b")]
    decided = [(label, value) for label, value in labelled if abs(value - 0.5) > TIE]
    right = sum((value > 0.5) == (label == "a") for label, value in decided)
    return _wilson_rate(
        right, len(decided), "no pair has a better answer by its label" if not labelled else "all are ties"
    )


def _wins(toward: Floats, reason: str) -> Rate:
    verdicts = _verdicts(toward)
    return _wilson_rate(int((verdicts > 0).sum()), int((verdicts != 0).sum()), reason or "every pair is a tie")


def _wilson_rate(count: int, n: int, reason: str) -> Rate:
    interval = wilson(count, n)
    if interval is None:
        return Rate(None, NoInterval(reason), 0, reason)
    return Rate(count / n, interval, n)


def _mean(values: Floats, reason: str, draws: int) -> Rate:
    if reason:
        return Rate(None, NoInterval(reason), 0, reason)
    n = len(values)
    return Rate(float(values.mean()), bootstrap(n, lambda drawn: drawn @ values / n, draws=draws, of="pair"), n)


def _ratio(parts: Floats, wholes: Floats, reason: str, draws: int) -> Rate:
    """Sum of parts over sum of wholes, the pairs drawn whole: the two answers to a pair are no two observations."""
    if reason:
        return Rate(None, NoInterval(reason), 0, reason)
    interval = bootstrap(len(parts), lambda drawn: (drawn @ parts) / (drawn @ wholes), draws=draws, of="pair")
    return Rate(float(parts.sum() / wholes.sum()), interval, len(parts))
