"""Coherence and accuracy together: do questions whose answers break laws also get wrong answers more often?

Each labelled question of a card has two figures: its incoherence, the share of the outcomes about it that break their
law, and its error, 1 - how right the answer to the base request was. They are compared question by question, by the
question's key over all cases that ask it, and by family (the cases' domain), as Spearman's rank correlation. Intervals
are bootstraps over cases, whose questions share a state. Drawing again adds noise to the means of small groups and so
pulls their correlation towards 0: its interval is the value give or take 1.96 standard deviations of the draws, both
on Fisher's scale (atanh), and not the draws' quantiles. Where a draw is 1 or -1, as with very few groups, it is these.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from pytest_jevbench.json_text import JSON
from pytest_jevbench.metrics import spearman
from pytest_jevbench.relations.taxonomy import DIMENSIONS, GROUPS
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.intervals import FLAT, Z_95, Interval, case_multiplicities, percentile_interval
from pytest_jevbench.scoring.relation_scores import is_violated

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

__all__ = ["CardPoint", "CoherenceAccuracy", "Correlation", "GroupRow", "Split", "card_points", "compare_accuracy"]


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rank correlation of incoherence and error over ``n`` items; None with a ``reason``.

    Above 0 what is less coherent errs more. ``interval`` is over ``cases``; None with ``interval_reason``.
    """

    value: float | None
    n: int
    reason: str
    interval: Interval | None
    interval_reason: str
    cases: int


@dataclass(frozen=True, slots=True)
class Split:
    """Questions of which no law was broken, and those of which one was: how many, and the share of wrong answers.

    ``difference`` is how much more often the incoherent ones are wrong, with its interval over cases.
    """

    coherent: int
    coherent_error: float | None
    incoherent: int
    incoherent_error: float | None
    difference: float | None
    interval: Interval | None
    reason: str


@dataclass(frozen=True, slots=True)
class GroupRow:
    """The questions of one key or one family: means over the questions."""

    name: str
    questions: int
    incoherence: float
    error: float


@dataclass(frozen=True)
class CoherenceAccuracy:
    """What one card says. ``left_out`` labelled questions had no answer or no judged outcome about them."""

    questions: int
    cases: int
    left_out: int
    by_question: Correlation
    split: Split
    by_key: Correlation
    by_family: Correlation
    by_dimension: Mapping[str, Correlation]
    keys: Sequence[GroupRow]
    families: Sequence[GroupRow]

    def to_json(self) -> dict[str, JSON]:
        """All fields as JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CardPoint:
    """One card in the plane: coherence (the overall score) and accuracy_strict; None where it has none.

    ``uniform`` is the model that reads nothing: (coherence, accuracy) on the same tests.
    """

    name: str
    suite: str
    coherence: float | None
    coherence_interval: Interval | None
    accuracy: float | None
    accuracy_interval: Interval | None
    uniform: tuple[float | None, float | None]
    digest: str = ""


@dataclass(frozen=True, slots=True)
class _Point:
    case: str
    key: str
    family: str
    error: float
    measured: int
    violated: int
    by_dimension: Mapping[str, tuple[int, int]]


def card_points(cards: Sequence[Card]) -> list[CardPoint]:
    """Where each card lies, in the order given."""
    points = []
    for card in cards:
        section, reference = card.data.get("accuracy") or {}, card.data.get("reference") or {}
        overall = card.scores.overall
        interval = section.get("case_interval")
        points.append(
            CardPoint(
                name=card.name,
                suite=card.suite,
                coherence=overall.score,
                coherence_interval=overall.interval,
                accuracy=section.get("accuracy_strict"),
                accuracy_interval=None if interval is None else Interval(interval["low"], interval["high"]),
                uniform=(
                    (reference.get("scores") or {}).get("overall", {}).get("score"),
                    reference.get("accuracy"),
                ),
                digest=str(card.data["identity"]["suite"].get("digest", "")),
            )
        )
    return points


def compare_accuracy(card: Card, draws: int | None = None) -> CoherenceAccuracy | None:
    """The comparison within one card; None where the card does not say which of its answers are right.

    ``draws`` of the bootstrap are the card's own where they are not given.
    """
    credits_ = (card.data.get("accuracy") or {}).get("credits")
    if not credits_:
        return None
    points, left_out = _points(card, credits_)
    bootstrap = _Bootstrap(points, card.settings.bootstrap if draws is None else draws)
    errors = [point.error for point in points]
    dimensions = {}
    for dimension in DIMENSIONS:
        inside = [i for i, point in enumerate(points) if dimension.id in point.by_dimension]
        rates = [_rate(points[i].by_dimension[dimension.id]) for i in inside]
        dimensions[dimension.id] = bootstrap.by_question(inside, rates, [errors[i] for i in inside])
    return CoherenceAccuracy(
        questions=len(points),
        cases=len(bootstrap.cases),
        left_out=left_out,
        by_question=bootstrap.by_question(range(len(points)), [p.violated / p.measured for p in points], errors),
        split=bootstrap.split(),
        by_key=bootstrap.by_group(lambda point: (point.family, point.key), "question"),
        by_family=bootstrap.by_group(lambda point: point.family, "family"),
        by_dimension=dimensions,
        keys=_rows(points, lambda point: point.key),
        families=_rows(points, lambda point: point.family),
    )


def _rate(counts: tuple[int, int]) -> float:
    return counts[1] / counts[0]


def _points(card: Card, credits_: Mapping[str, Mapping[str, float | None]]) -> tuple[list[_Point], int]:
    """The questions that have a label, an answer and an outcome about them; and how many have not all three."""
    dimension_of = {group.id: group.dimension for group in GROUPS}
    counts: dict[tuple[str, str], dict[str, list[int]]] = {}
    for result in card.results:
        dimension = dimension_of.get(card.groups.get(result.id.relation, ""))
        if not result.judged or dimension is None:  # diagnostics and laws that are no part of the score
            continue
        for outcome in result.outcomes:
            broken = is_violated(outcome, card.settings)
            for key in outcome.targets or (result.id.key,):
                tally = counts.setdefault((result.id.case_id, key), {}).setdefault(dimension, [0, 0])
                tally[0] += 1
                tally[1] += broken
    points, left_out = [], 0
    for case, of_case in credits_.items():
        for key, credit in of_case.items():
            found = counts.get((case, key))
            if credit is None or not found:
                left_out += 1
                continue
            by_dimension = {name: (tally[0], tally[1]) for name, tally in found.items()}
            measured, violated = (sum(tally[i] for tally in by_dimension.values()) for i in (0, 1))
            points.append(_Point(case, key, card.cases.get(case, ""), 1.0 - credit, measured, violated, by_dimension))
    return points, left_out


def _rows(points: Sequence[_Point], name: Callable[[_Point], str]) -> list[GroupRow]:
    """One row a group, the least coherent first; equal ones in order of appearance."""
    groups: dict[str, list[_Point]] = {}
    for point in points:
        groups.setdefault(name(point), []).append(point)
    rows = [
        GroupRow(
            group,
            len(members),
            sum(p.violated / p.measured for p in members) / len(members),
            sum(p.error for p in members) / len(members),
        )
        for group, members in groups.items()
    ]
    return sorted(rows, key=lambda row: -row.incoherence)


class _Bootstrap:
    """The points of a card, drawn again by whole cases."""

    def __init__(self, points: Sequence[_Point], draws: int) -> None:
        import numpy as np

        self.points = points
        self.cases = {case: i for i, case in enumerate(dict.fromkeys(point.case for point in points))}
        self._case = np.array([self.cases[point.case] for point in points], dtype=np.int64)
        self._draws = draws
        self._rate = np.array([point.violated / point.measured for point in points])
        self._error = np.array([point.error for point in points])

    def by_question(self, places: Sequence[int], rates: Sequence[float], errors: Sequence[float]) -> Correlation:
        """The correlation over single questions, those at ``places`` of the points."""
        import numpy as np

        value = spearman(rates, errors)
        if value is None:
            return _undefined(rates, errors, len({int(self._case[i]) for i in places}), "question")
        cases = self._case[np.array(places, dtype=np.int64)]
        x, y = _levels(rates), _levels(errors)
        drawn = [_weighted_spearman(x, y, w[cases]) for w in self._weights()]
        return _with_interval(value, len(rates), len(np.unique(cases)), drawn)

    def by_group(self, name: Callable[[_Point], Hashable], what: str) -> Correlation:
        """The correlation over the means of groups of questions; a group absent from a draw is left out of it."""
        import numpy as np

        numbers: dict[Hashable, int] = {}
        group = np.array([numbers.setdefault(name(point), len(numbers)) for point in self.points], dtype=np.int64)
        every = np.ones(len(self.points))
        rates, errors, _ = self._means(group, len(numbers), every)
        value = spearman(list(rates), list(errors))
        if value is None:
            return _undefined(list(rates), list(errors), len(self.cases), what)
        drawn = []
        for weights in self._weights():
            x, y, present = self._means(group, len(numbers), weights[self._case])
            drawn.append(spearman(list(x[present]), list(y[present])))
        return _with_interval(value, len(numbers), len(self.cases), drawn)

    def split(self) -> Split:
        """Questions without any broken law against those with one."""
        import numpy as np

        broken = self._rate > 0
        every = np.ones(len(self.points))
        counts = int((~broken).sum()), int(broken.sum())
        errors = self._error_of(~broken, every), self._error_of(broken, every)
        if errors[0] is None or errors[1] is None:
            reason = "no question is coherent" if counts[1] else "no question is incoherent"
            return Split(
                counts[0], errors[0], counts[1], errors[1], None, None, reason if any(counts) else "no question"
            )
        drawn = []
        for weights in self._weights():
            of_point = weights[self._case]
            one, other = self._error_of(~broken, of_point), self._error_of(broken, of_point)
            drawn.append(None if one is None or other is None else other - one)
        interval, reason = _interval(drawn, len(self.cases))
        return Split(counts[0], errors[0], counts[1], errors[1], errors[1] - errors[0], interval, reason)

    def _error_of(self, chosen: npt.NDArray[np.bool_], weights: Floats) -> float | None:
        total = float(weights[chosen].sum())
        return float((weights * self._error)[chosen].sum()) / total if total else None

    def _means(
        self, group: npt.NDArray[np.int64], size: int, weights: Floats
    ) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
        """Mean incoherence and error of each group, rounded so that equal means tie; and which groups are there."""
        import numpy as np

        total = np.bincount(group, weights=weights, minlength=size)
        present = total > 0
        divisor = np.where(present, total, 1.0)
        x = np.bincount(group, weights=weights * self._rate, minlength=size) / divisor
        y = np.bincount(group, weights=weights * self._error, minlength=size) / divisor
        return np.round(x, 12), np.round(y, 12), present

    def _weights(self) -> list[Floats]:
        """How often each case stands in each draw; nothing for fewer than two cases."""
        if len(self.cases) < 2 or not self._draws:
            return []
        return [row for rows in case_multiplicities(len(self.cases), self._draws) for row in rows]


def _levels(values: Sequence[float]) -> npt.NDArray[np.int64]:
    """Each value's place among the distinct ones."""
    import numpy as np

    return np.asarray(np.unique(np.array(values), return_inverse=True)[1], dtype=np.int64).reshape(-1)


def _weighted_spearman(x: npt.NDArray[np.int64], y: npt.NDArray[np.int64], weights: Floats) -> float | None:
    """Spearman's correlation where item i stands ``weights[i]`` times; None where a side does not vary."""
    import numpy as np

    total = float(weights.sum())
    if not total:
        return None
    ranks = []
    for places in (x, y):
        mass = np.bincount(places, weights=weights)
        mean_rank = np.cumsum(mass) - mass + (mass + 1) / 2
        ranks.append(mean_rank[places])
    a, b = (rank - float((weights * rank).sum()) / total for rank in ranks)
    spread = float((weights * a * a).sum()) * float((weights * b * b).sum())
    return float((weights * a * b).sum()) / spread**0.5 if spread > 0 else None


def _undefined(x: Sequence[float], y: Sequence[float], cases: int, what: str) -> Correlation:
    if len(x) < 2:
        reason = f"there is {'one' if x else 'no'} {what}"
    elif len(set(x)) < 2:
        reason = f"every {what} is equally coherent"
    else:
        reason = f"every {what} is equally often wrong"
    return Correlation(None, len(x), reason, None, reason, cases)


def _with_interval(value: float, n: int, cases: int, drawn: Sequence[float | None]) -> Correlation:
    interval, reason = _interval(drawn, cases)
    if n == 2:  # two draws of two items say nothing of others
        return Correlation(value, n, "", None, "a rank correlation of two is 1 or -1, whatever they are", cases)
    if interval is not None:
        interval = _fisher(value, [one for one in drawn if one is not None]) or interval
    return Correlation(value, n, "", interval, reason, cases)


def _fisher(value: float, drawn: Sequence[float]) -> Interval | None:
    """tanh(atanh(value) -+ z s), s the standard deviation of the draws' atanh; None where one of them is infinite."""
    import numpy as np

    if max(abs(value), *(abs(one) for one in drawn)) >= 1.0 - FLAT:
        return None
    half = Z_95 * float(np.std(np.arctanh(drawn), ddof=1))
    low, high = (float(np.tanh(np.arctanh(value) + side * half)) for side in (-1, 1))
    return Interval(low, high, degenerate=high - low <= FLAT)


def _interval(drawn: Sequence[float | None], cases: int) -> tuple[Interval | None, str]:
    import numpy as np

    usable = [value for value in drawn if value is not None]
    if cases < 2:
        return None, "there is one case, and the interval is over cases"
    if not drawn:
        return None, "no bootstrap draws were asked for"
    if 2 * len(usable) < len(drawn):
        return None, "in most draws of the cases nothing varies"
    return percentile_interval(np.array(usable)), ""
