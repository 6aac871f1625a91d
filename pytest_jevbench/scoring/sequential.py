"""Stop asking once the gate can only fail, and be wrong about it no more often than stated.

Cases are looked at whole, one after another, in an order that the suite fixes: one case of each domain, then the
next of each (:func:`order_cases`). After each case a wealth is updated that under the null grows on average not at all;
by Ville's inequality it ever reaches 1/a with probability at most a, however often one looks. That is the whole error
control, and it needs no number of cases fixed beforehand.

**Regression.** Null: within each case the two runs are exchangeable, so given |x| the sign of what a case takes from
a score is a fair coin. For any fixed rate r

    W_r = prod over cases of  exp(r x) / cosh(r x)  =  prod of (1 + tanh(r x))

is then a martingale that starts at 1, and so is the mean of several rates (a mixture, which spares guessing the size of
the drop). This is the e-value counterpart of Fisher's permutation test on the same sum.

**Non-inferiority.** Null: the score dropped by no more than the margin m. For cases drawn from the domains
independently, x at most b, and a bet r at most 1 / (b + m),

    V_r = prod over cases of  (1 + r (x - m))

has expectation at most 1 at the end of each whole round of the domains: with one bet throughout a round the product of
the (1 + r (mean_d - m)) is at most exp(r sum(mean_d - m)) <= 1. It is therefore looked at there alone. Bets are
proportional to the domains' sizes, so that the sum is the drop of the score itself.

**Spending.** A regression condition at level a spends a/5 here, half of it on the overall score and the rest evenly
on the dimensions (a union bound), and 4a/5 on the fixed test (with Holm's correction) when everything was asked: it
fails wrongly with probability at most a. A non-inferiority condition is failed early wrongly at most at a/5; what
it takes to pass is not changed by looking.

References: V. Vovk and R. Wang, Nonparametric e-tests of symmetry, New England J. Statist. Data Sci. (2024),
arXiv:2208.08925 (Fisher-type e-test); I. Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by
betting, J. R. Statist. Soc. B 86 (2024), arXiv:2010.09686; J. Ville, Etude critique de la notion de collectif (1939).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pytest_jevbench.runs.results import TestId
from pytest_jevbench.scoring.pairs import Layout, PairedRuns, Row
from pytest_jevbench.scoring.weights import DIMENSION_IDS, OVERALL, SCORED_FROM, Scored, ScoredFrom, mean_drops, weigh

__all__ = [
    "EARLY_SHARE",
    "RATES",
    "Bet",
    "Decided",
    "EarlyRule",
    "Watch",
    "drop_wealth",
    "drops_of_case",
    "early_rule",
    "order_cases",
    "watch_all",
]

EARLY_SHARE = 0.2
"""The part of a condition's level that looking early spends."""

RATES: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0)
"""The mixture's rates. Best for a drop is the mean over the variance of what a case takes: mostly between 2 and 20."""

BETS: tuple[float, ...] = (0.1, 0.3, 0.9)
"""The mixture's bets, as shares of the largest one allowed."""

Floats = npt.NDArray[np.float64]


def order_cases(cases: Sequence[str], domains: Mapping[str, str]) -> tuple[str, ...]:
    """The cases with the domains in turn; within a domain, and among domains, in the order given.

    A case in no domain counts as of the domain ``""``.

    >>> order_cases(["a1", "a2", "b1", "a3"], {"a1": "a", "a2": "a", "a3": "a", "b1": "b"})
    ('a1', 'b1', 'a2', 'a3')
    """
    by_domain: dict[str, list[str]] = {}
    for case in cases:
        by_domain.setdefault(domains.get(case, ""), []).append(case)
    longest = max(map(len, by_domain.values()), default=0)
    return tuple(queue[turn] for turn in range(longest) for queue in by_domain.values() if turn < len(queue))


def drop_wealth(drops: Floats, rates: Sequence[float] = RATES) -> Floats:
    """log of the regression wealth after each case.

    ``drops`` (cases,) is what each case takes from the score, scaled so that its mean is the drop. Returns (cases,).
    """
    steps = _log_symmetry(drops[:, np.newaxis], np.asarray(rates))
    return _log_mean(np.cumsum(steps, axis=0))


def _log_symmetry(drops: Floats, rates: Floats) -> Floats:
    """log(1 + tanh(r x)), without overflow."""
    return np.asarray(math.log(2.0) - np.logaddexp(0.0, -2.0 * rates * drops), dtype=np.float64)


def _log_mean(logs: Floats) -> Floats:
    return np.asarray(np.logaddexp.reduce(logs, axis=-1) - math.log(logs.shape[-1]), dtype=np.float64)


@dataclass(frozen=True)
class Bet:
    """One score that is watched, for a regression where ``margin`` is None.

    ``share`` is the level it may spend, ``cases`` how many cases have a test of the score, ``largest`` the most that
    one case can take from it, times ``cases``.
    """

    score: Scored
    margin: float | None
    share: float
    cases: int
    largest: float

    @property
    def threshold(self) -> float:
        """The log wealth at which it is decided."""
        return -math.log(self.share)

    @property
    def grid(self) -> Floats:
        """The rates or bets of the mixture."""
        if self.margin is None:
            return np.asarray(RATES)
        return np.asarray(BETS) / (self.largest + self.margin)

    def step(self, drop: float, size: float) -> Floats:
        """What one case adds to the log wealth of each rate; ``size`` is its domain's size against the largest."""
        if self.margin is None:
            return _log_symmetry(np.float64(drop), self.grid)
        return np.asarray(np.log1p(self.grid * size * (drop - self.margin)), dtype=np.float64)


@dataclass(frozen=True)
class EarlyRule:
    """What is fixed before the first request: the order, what is watched, where each round of the domains ends.

    ``round_ends`` holds the numbers of cases after which every domain was asked equally often; ``sizes`` (cases, in the
    order of ``order``) each case's domain size, as a share of the largest.
    """

    layout: Layout
    order: tuple[str, ...]
    bets: tuple[Bet, ...]
    round_ends: frozenset[int]
    sizes: tuple[float, ...]


@dataclass(frozen=True)
class Decided:
    """The gate can only fail: which score, against which margin (None: a regression), after how many cases."""

    score: str
    margin: float | None
    wealth: float
    needed: float
    cases: int
    planned: int
    tests: int

    @property
    def text(self) -> str:
        what = "dropped" if self.margin is None else f"dropped by more than the margin {self.margin:g}"
        return (
            f"decided early: {self.score} {what}; after {self.cases} of {self.planned} cases ({self.tests:,} tests) "
            f"the evidence is {self.wealth:,.0f} to 1, {self.needed:,.0f} to 1 was asked for"
        )


def early_rule(
    layout: Layout,
    domains: Mapping[str, str],
    *,
    level: float | None = None,
    scores: Sequence[str] = (OVERALL, *DIMENSION_IDS),
    margins: Mapping[str, float] | None = None,
    margin_level: float = 0.05,
    scored_from: ScoredFrom = SCORED_FROM,
) -> EarlyRule:
    """The rule for a plan.

    ``layout`` holds all planned tests. ``level`` is that of the regression condition (None: there is none) over
    ``scores``; ``margins`` are those of the non-inferiority conditions, by score. Scores that the plan cannot give
    are not watched.
    """
    order = order_cases(layout.cases, domains)
    bets = [
        *(_bet(layout, score, None, share) for score, share in _shares(layout, scores, level, scored_from)),
        *_margin_bets(layout, margins or {}, margin_level, scored_from),
    ]
    of_domain: dict[str, int] = {}
    for case in order:
        of_domain[domains.get(case, "")] = of_domain.get(domains.get(case, ""), 0) + 1
    largest = max(of_domain.values(), default=1)
    whole_rounds = min(of_domain.values(), default=0)
    return EarlyRule(
        layout,
        order,
        tuple(bets),
        frozenset(len(of_domain) * (turn + 1) for turn in range(whole_rounds)),
        tuple(of_domain[domains.get(case, "")] / largest for case in order),
    )


def _shares(
    layout: Layout, names: Sequence[str], level: float | None, scored_from: ScoredFrom
) -> list[tuple[Scored, float]]:
    if level is None:
        return []
    watched = [s for name in names if isinstance(s := weigh(layout, name, scored_from), Scored)]
    spend = level * EARLY_SHARE
    others = sum(score.name != OVERALL for score in watched)
    if others == len(watched):
        return [(score, spend / others) for score in watched]
    if others == 0:
        return [(score, spend) for score in watched]
    return [(score, spend / 2 if score.name == OVERALL else spend / 2 / others) for score in watched]


def _margin_bets(layout: Layout, margins: Mapping[str, float], level: float, scored_from: ScoredFrom) -> list[Bet]:
    watched = [s for name in margins if isinstance(s := weigh(layout, name, scored_from), Scored)]
    return [_bet(layout, s, margins[s.name], level * EARLY_SHARE / len(watched)) for s in watched]


def _bet(layout: Layout, score: Scored, margin: float | None, share: float) -> Bet:
    cases = layout.cases_with(score.columns)
    weights = np.array([float(w) for w in score.weights])
    most = float((layout.tests[:, score.columns] @ weights).max()) * cases
    return Bet(score, margin, share, cases, most)


@dataclass(frozen=True)
class Watch:
    """How far the evidence has come: the log wealth of every bet's mixture, and the decision once there is one."""

    rule: EarlyRule
    logs: tuple[Floats, ...]
    seen: int = 0
    tests: int = 0
    decided: Decided | None = None

    @classmethod
    def start(cls, rule: EarlyRule) -> Watch:
        return cls(rule, tuple(np.zeros(len(bet.grid)) for bet in rule.bets))

    @property
    def next_case(self) -> str | None:
        """The case that :meth:`after` takes next."""
        return self.rule.order[self.seen] if self.seen < len(self.rule.order) else None

    def after(self, drops: Sequence[float], tests: int) -> Watch:
        """The watch once the next case of the order is whole.

        ``drops`` is what it takes from each bet's score, in units of the score, over the tests judged in both runs;
        ``tests`` how many tests that were. A decision is final: further cases change nothing.
        """
        if self.decided is not None:
            return self
        size = self.rule.sizes[self.seen]
        seen = self.seen + 1
        logs = tuple(
            log + bet.step(drop * bet.cases, size)
            for bet, log, drop in zip(self.rule.bets, self.logs, drops, strict=True)
        )
        now = replace(self, logs=logs, seen=seen, tests=self.tests + tests)
        return replace(now, decided=now._decision())

    def _decision(self) -> Decided | None:
        for bet, log in zip(self.rule.bets, self.logs, strict=True):
            if bet.margin is not None and self.seen not in self.rule.round_ends:
                continue
            wealth = float(_log_mean(log))
            if wealth >= bet.threshold:
                return Decided(
                    bet.score.name, bet.margin, math.exp(min(wealth, 700.0)), 1 / bet.share,
                    self.seen, len(self.rule.order), self.tests,
                )  # fmt: skip
        return None


def drops_of_case(
    rule: EarlyRule, baseline: Mapping[TestId, Row], rows: Iterable[Row]
) -> tuple[tuple[float, ...], int]:
    """What one case takes from each bet's score, and over how many tests judged in both runs: for :meth:`Watch.after`.

    ``rows`` are all tests of the case in this run.
    """
    column = {relation: i for i, relation in enumerate(rule.layout.relations)}
    new = [0] * len(column)
    tests = 0
    for row in rows:
        before = baseline.get(row.id)
        if row.relation in column and row.judged and before is not None and before.judged:
            tests += 1
            new[column[row.relation]] += (row.verdict == "violated") - (before.verdict == "violated")
    drops = (
        sum(float(w) * new[i] for i, w in zip(bet.score.columns, bet.score.weights, strict=True)) for bet in rule.bets
    )
    return tuple(drops), tests


def watch_all(rule: EarlyRule, pairs: PairedRuns) -> Watch:
    """Look at the cases of a run in the rule's order, until decided or all are seen.

    ``pairs`` must be on the rule's cases and relations; a case of which no test was judged in both runs adds nothing.
    """
    place = {case: i for i, case in enumerate(pairs.layout.cases)}
    drops = np.array([mean_drops(pairs, bet.score) for bet in rule.bets]).reshape(len(rule.bets), len(place))
    tests = pairs.layout.tests.sum(axis=1)
    watch = Watch.start(rule)
    for case in rule.order:
        if watch.decided is not None:
            break
        i = place[case]
        watch = watch.after(drops[:, i].tolist(), int(tests[i]))
    return watch
