"""Accuracy and calibration on labelled answers, read from distributions that are already there.

Definitions, with y the label and p the probabilities:

=====================  ==================================================================================
accuracy_answered      right answers / answered questions that have a label
accuracy_strict        right answers / all questions that have a label: one without an answer is wrong
brier                  mean of sum over all answers k of (p_k - [k = y])²
brier_positive         mean of (P(yes) - y)², Nouls alone
ece_top_label          sum over bins of n_b/n |mean largest probability - share right|
ece_positive           sum over bins of n_b/n |mean P(yes) - share yes|, Nouls alone
majority_class         accuracy of always giving, of the answers a question allows, the most frequent label
chance                 accuracy of guessing: mean of 1 / number of answers
=====================  ==================================================================================

An answer is right where the largest probability is the label's; where m answers share the top, the label among them
counts 1/m. The bins are ten of equal width, half open, the last one closed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_jevbench.distributions import TIE, Distribution
from pytest_jevbench.errors import Place
from pytest_jevbench.gold_answers import gold_answer
from pytest_jevbench.json_text import JSON
from pytest_jevbench.questions import Case, answer_ids
from pytest_jevbench.scoring.intervals import Interval, case_multiplicities, percentile_interval, wilson

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "BINS",
    "Bin",
    "Figure",
    "GoldFigures",
    "LabelledQuestion",
    "brier",
    "brier_positive",
    "calibration_bins",
    "case_interval",
    "ece",
    "ece_equal_mass",
    "ece_positive",
    "ece_top_label",
    "gold_answer",
    "label_questions",
    "majority_class",
    "mean_level_error",
    "measure_gold",
    "spearman",
]

BINS = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure over ``n`` items, None over none; ``excluded`` items had no probability."""

    value: float | None
    n: int
    excluded: int
    definition: str


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of a reliability diagram: mean probability against the share that came true; None where it is empty."""

    low: float
    high: float
    n: int
    mean: float | None
    rate: float | None


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question with its label and the model's distribution, None where it was not answered."""

    case_id: str
    key: str
    type: str
    domain: str
    answers: tuple[str, ...]
    label: str
    distribution: Distribution | None

    @property
    def credit(self) -> float | None:
        """1 right, 0 wrong, 1/m where the label shares the top with m - 1 others; None where not answered."""
        if self.distribution is None:
            return None
        top = max(self.distribution.values())
        tied = [answer for answer, p in self.distribution.items() if top - p <= TIE]
        return 1.0 / len(tied) if self.label in tied else 0.0


# Figures over plain numbers ------------------------------------------------------------------------------------------


def brier_positive(y: Sequence[bool | int], p: Sequence[float | None]) -> Figure:
    """Mean of (p - y)² for events y in {0, 1} with probabilities p in [0, 1]; None among them is excluded.

    Reference: G. W. Brier, Verification of forecasts expressed in terms of probability, Monthly Weather Rev. 78 (1950).

    >>> round(brier_positive([1], [0.4]).value, 12)
    0.36
    """
    pairs = [(float(event), q) for event, q in zip(y, p, strict=True) if q is not None]
    value = sum((q - event) ** 2 for event, q in pairs) / len(pairs) if pairs else None
    return Figure(value, len(pairs), len(y) - len(pairs), "mean (p - y)^2")


def brier(questions: Sequence[LabelledQuestion]) -> Figure:
    """Mean over questions of the squared error summed over all answers, in [0, 2]."""
    losses = [
        sum((p - (answer == q.label)) ** 2 for answer, p in q.distribution.items())
        for q in questions
        if q.distribution is not None
    ]
    value = sum(losses) / len(losses) if losses else None
    return Figure(value, len(losses), len(questions) - len(losses), "mean of the sum over all answers of (p - y)^2")


def calibration_bins(
    p: Sequence[float], hit: Sequence[float], bins: int = BINS, *, equal_mass: bool = False
) -> list[Bin]:
    """The bins of a reliability diagram over probabilities ``p`` (n,) in [0, 1] and what came true, ``hit`` (n,).

    Bins of equal width are half open, the last one closed. With ``equal_mass`` the bins hold the sorted probabilities
    in shares as even as they go.
    """
    import numpy as np

    probabilities, hits = np.asarray(p, dtype=float), np.asarray(hit, dtype=float)
    if equal_mass:
        order = np.argsort(probabilities, kind="stable")
        return [_bin(probabilities[part], hits[part], None) for part in np.array_split(order, bins) if len(part)]
    edges = [k / bins for k in range(bins + 1)]
    places = np.minimum(np.searchsorted(edges, probabilities, side="right") - 1, bins - 1)
    return [
        _bin(probabilities[places == b], hits[places == b], (low, high))
        for b, (low, high) in enumerate(pairwise(edges))
    ]


def _bin(p: npt.NDArray[np.float64], hit: npt.NDArray[np.float64], edges: tuple[float, float] | None) -> Bin:
    low, high = edges or (float(p.min()), float(p.max()))
    if len(p) == 0:
        return Bin(low, high, 0, None, None)
    return Bin(low, high, len(p), float(p.mean()), float(hit.mean()))


def ece(bins: Sequence[Bin]) -> float | None:
    """Expected calibration error: the bins' gaps, weighted by their shares; None where all are empty."""
    n = sum(b.n for b in bins)
    gaps = (b.n * abs(b.mean - b.rate) for b in bins if b.mean is not None and b.rate is not None)
    return sum(gaps) / n if n else None


def ece_positive(y: Sequence[bool | int], p: Sequence[float | None], bins: int = BINS) -> Figure:
    """Calibration error of P(yes) against the share of yes; a None in ``p`` is excluded.

    >>> round(ece_positive([0, 0], [0.1, 0.9]).value, 12)
    0.5
    """
    pairs = [(q, float(event)) for event, q in zip(y, p, strict=True) if q is not None]
    value = ece(calibration_bins([q for q, _ in pairs], [event for _, event in pairs], bins)) if pairs else None
    return Figure(value, len(pairs), len(y) - len(pairs), f"P(yes) against the share of yes, {bins} bins")


def ece_top_label(confidence: Sequence[float | None], right: Sequence[float], bins: int = BINS) -> Figure:
    """Calibration error of the largest probability against the share of right answers; a None is excluded.

    >>> round(ece_top_label([0.9, 0.9], [1, 0]).value, 12)
    0.4
    """
    pairs = [(q, float(hit)) for q, hit in zip(confidence, right, strict=True) if q is not None]
    value = ece(calibration_bins([q for q, _ in pairs], [hit for _, hit in pairs], bins)) if pairs else None
    definition = f"largest probability against the share right, {bins} bins"
    return Figure(value, len(pairs), len(confidence) - len(pairs), definition)


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Spearman's rank correlation, ties at their mean rank; None for fewer than two items or a constant vector.

    >>> round(spearman([1, 2, 2, 3], [1, 2, 3, 3]), 6)
    0.833333
    """
    import numpy as np

    if len(x) != len(y):
        raise ValueError(f"vectors of {len(x)} and {len(y)} items")
    if len(set(x)) < 2 or len(set(y)) < 2:
        return None
    return float(np.corrcoef(_ranks(x), _ranks(y))[0, 1])


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    first = {value: i for i, value in reversed(list(enumerate(ordered)))}
    counts = Counter(values)
    return [first[value] + (counts[value] + 1) / 2 for value in values]


# Figures over a suite's labels ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """Accuracy over a set of labelled questions; None where there is none. Intervals are Wilson's, 95 %."""

    questions: int
    answered: int
    right: float
    accuracy_answered: float | None
    accuracy_answered_interval: Interval | None
    accuracy_strict: float | None
    accuracy_strict_interval: Interval | None


@dataclass(frozen=True, slots=True)
class GoldFigures:
    """Accuracy and calibration on a suite's gold answers.

    ``unlabelled`` questions have no gold answer and are in no figure. ``case_interval`` is the bootstrap interval of
    ``accuracy_strict`` over cases, whose questions share a state; None for fewer than two cases. ``credits`` say, by
    case and question, how right the answer was: 1, 0, 1/m where m answers share the top, None where there is none.
    """

    total: AccuracyRow
    case_interval: Interval | None
    unlabelled: int
    majority_class: float | None
    chance: float | None
    by_type: Mapping[str, AccuracyRow]
    by_domain: Mapping[str, AccuracyRow]
    brier: Figure
    brier_positive: Figure
    ece_top_label: Figure
    ece_top_label_equal_mass: Figure
    ece_positive: Figure
    mean_level_error: Figure
    credits: Mapping[str, Mapping[str, float | None]]

    def to_json(self) -> dict[str, JSON]:
        """The section of the card."""
        rest = asdict(self)
        return {**rest.pop("total"), **rest}


def label_questions(
    cases: Mapping[str, Case],
    gold: Mapping[str, Mapping[str, JSON]],
    sources: Mapping[str, Mapping[str, Distribution]],
) -> tuple[list[LabelledQuestion], int]:
    """The questions of the cases that have a label, with their source distributions; and how many have none.

    ``gold`` gives the answers by case and question, null for a question that the state does not settle.
    """
    labelled = []
    unlabelled = 0
    for case_id, case in cases.items():
        answers = gold.get(case_id, {})
        for key, question in case.questions.items():
            if answers.get(key) is None:
                unlabelled += 1
                continue
            label = gold_answer(question, answers[key], Place("gold.jsonl", field=f"{case_id}.answers.{key}"))
            distribution = sources.get(case_id, {}).get(key)
            labelled.append(
                LabelledQuestion(case_id, key, question.type, case.domain, answer_ids(question), label, distribution)
            )
    return labelled, unlabelled


def measure_gold(
    cases: Mapping[str, Case],
    gold: Mapping[str, Mapping[str, JSON]],
    sources: Mapping[str, Mapping[str, Distribution]],
) -> GoldFigures | None:
    """All figures on the gold answers of the cases of a run; None where no question has one.

    ``sources`` are the base distributions; a question without one counts as not answered.
    """
    questions, unlabelled = label_questions(cases, gold, sources)
    if not questions:
        return None
    nouls = [q for q in questions if q.type == "noul"]
    yes = [q.distribution["true"] if q.distribution is not None else None for q in nouls]
    is_yes = [q.label == "true" for q in nouls]
    top = [max(q.distribution.values()) if q.distribution is not None else None for q in questions]
    right = [q.credit or 0.0 for q in questions]
    return GoldFigures(
        total=_accuracy(questions),
        case_interval=case_interval((q.case_id, q.credit or 0.0) for q in questions),
        unlabelled=unlabelled,
        majority_class=majority_class(questions),
        chance=sum(1.0 / len(q.answers) for q in questions) / len(questions),
        by_type=_by(questions, lambda q: q.type),
        by_domain=_by([q for q in questions if q.domain], lambda q: q.domain),
        brier=brier(questions),
        brier_positive=brier_positive(is_yes, yes),
        ece_top_label=ece_top_label(top, right),
        ece_top_label_equal_mass=ece_equal_mass(top, right),
        ece_positive=ece_positive(is_yes, yes),
        mean_level_error=mean_level_error([q for q in questions if q.type == "score"]),
        credits=_credits(questions),
    )


def _accuracy(questions: Sequence[LabelledQuestion]) -> AccuracyRow:
    given = [q.credit for q in questions if q.credit is not None]
    right, answered, n = sum(given), len(given), len(questions)
    return AccuracyRow(
        questions=n,
        answered=answered,
        right=right,
        accuracy_answered=right / answered if answered else None,
        accuracy_answered_interval=wilson(right, answered),
        accuracy_strict=right / n if n else None,
        accuracy_strict_interval=wilson(right, n),
    )


def _credits(questions: Sequence[LabelledQuestion]) -> dict[str, dict[str, float | None]]:
    found: dict[str, dict[str, float | None]] = {}
    for question in questions:
        found.setdefault(question.case_id, {})[question.key] = question.credit
    return found


def _by(questions: Sequence[LabelledQuestion], name: Callable[[LabelledQuestion], str]) -> dict[str, AccuracyRow]:
    parts: dict[str, list[LabelledQuestion]] = {}
    for question in questions:
        parts.setdefault(name(question), []).append(question)
    return {part: _accuracy(inside) for part, inside in parts.items()}


def case_interval(values: Iterable[tuple[str, float]], draws: int = 1000) -> Interval | None:
    """95 % percentile bootstrap interval of a mean over questions, drawn over cases; None for fewer than two cases.

    ``values`` are (case, value of one question): questions of one case share its state and are drawn together.
    """
    import numpy as np

    counts: dict[str, list[float]] = {}
    for case, value in values:
        count = counts.setdefault(case, [0.0, 0.0])
        count[0] += value
        count[1] += 1
    if len(counts) < 2:
        return None
    table = np.array(list(counts.values()))
    sums = np.concatenate([drawn @ table for drawn in case_multiplicities(len(table), draws)])
    return percentile_interval(sums[:, 0] / sums[:, 1])


def majority_class(questions: Sequence[LabelledQuestion]) -> float | None:
    """The accuracy of always giving the most frequent label; None without questions.

    Labels are ranked by frequency within a type, ties by first appearance; a question gets the first it allows.
    """
    if not questions:
        return None
    frequency: dict[str, Counter[str]] = {}
    for question in questions:
        frequency.setdefault(question.type, Counter())[question.label] += 1
    right = 0
    for question in questions:
        ranked = (label for label, _ in frequency[question.type].most_common())
        right += next(label for label in ranked if label in question.answers) == question.label
    return right / len(questions)


def ece_equal_mass(confidence: Sequence[float | None], right: Sequence[float]) -> Figure:
    """As :func:`ece_top_label`, in bins that hold equal numbers of answers."""
    pairs = [(q, hit) for q, hit in zip(confidence, right, strict=True) if q is not None]
    value = ece(calibration_bins([q for q, _ in pairs], [hit for _, hit in pairs], equal_mass=True)) if pairs else None
    definition = f"largest probability against the share right, {BINS} bins of equal mass"
    return Figure(value, len(pairs), len(confidence) - len(pairs), definition)


def mean_level_error(scores: Sequence[LabelledQuestion]) -> Figure:
    """Mean distance of the mean level from the label's level, over Scores whose answers are level indices."""
    errors = [
        abs(sum(int(level) * p for level, p in q.distribution.items()) - int(q.label))
        for q in scores
        if q.distribution is not None
    ]
    value = sum(errors) / len(errors) if errors else None
    return Figure(value, len(errors), len(scores) - len(errors), "mean |mean level - label|, in levels")
