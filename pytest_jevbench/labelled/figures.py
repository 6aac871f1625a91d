"""The figures of a labelled run, computed from its rows and from nothing else.

======================  ==============================================================================================
accuracy_strict         right / tasks that were asked and have a label: without a valid answer a task is wrong
accuracy_answered       right / tasks with a valid answer
macro_accuracy          mean of the families' accuracy_strict, each counting the same
majority_class          accuracy of always giving the most frequent label of the type
brier                   mean of sum over all labels k of (p_k - [k = expected])²
ece_top_label           10 bins, half open, the last closed: mean largest probability against the share right
ece_top_label_equal_mass the same in bins of equal numbers of answers
ece_positive            Nouls alone: mean P(yes) against the share of yes
mean_level_error        Scores: mean |mean level - expected level|
argmax_level_error      Scores: mean |most probable level - expected level|
agreement               pairs of one group whose answers both give a label, that give the same one
both_correct            pairs of one group that were asked and are both right
======================  ==============================================================================================

An answer whose top is shared by several labels gives none and is wrong, as its verdict says. What was not asked is in
no figure. Every figure has its ``n``; over none it is null. Figures on probabilities leave out answers without any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

from pytest_jevbench.counting import counted
from pytest_jevbench.json_text import JSON
from pytest_jevbench.labelled.results import REASONS
from pytest_jevbench.labelled.rows import LabelledRow
from pytest_jevbench.metrics import (
    Bin,
    Figure,
    brier,
    brier_positive,
    calibration_bins,
    case_interval,
    ece_equal_mass,
    ece_positive,
    ece_top_label,
    majority_class,
    mean_level_error,
)
from pytest_jevbench.scoring.intervals import Interval, wilson

__all__ = ["Accuracy", "Calibration", "Cost", "Counts", "Figures", "Latency", "Pairs", "measure_rows"]


@dataclass(frozen=True, slots=True)
class Counts:
    """Planned = asked + unattempted + over_budget; asked = valid + invalid (or abstained) + refused + unreachable."""

    planned: int
    asked: int
    labelled: int
    valid: int
    correct: int
    wrong: int
    unjudged: int
    reasons: Mapping[str, int]
    renormalised: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Accuracy over the tasks asked that have a label. ``interval`` is of accuracy_strict, 95 %, None with a reason.

    ``method`` is ``wilson`` where no two tasks share a state, else ``bootstrap`` over the states.
    """

    n: int
    answered: int
    right: int
    accuracy_strict: float | None
    interval: Interval | None
    method: str | None
    interval_reason: str
    accuracy_answered: float | None
    majority_class: float | None
    cases: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """Figures on probabilities, with where these come from: native, verbalised, mixed, or None without any."""

    probs_source: str | None
    brier: Figure
    brier_positive: Figure
    ece_top_label: Figure
    ece_top_label_equal_mass: Figure
    ece_positive: Figure
    bins: Sequence[Bin]


@dataclass(frozen=True, slots=True)
class Levels:
    """Scores alone: two predictions are two figures. The argmax one leaves out answers whose top is shared."""

    mean_level_error: Figure
    argmax_level_error: Figure


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of tasks of one group, which ask the same in other words."""

    pairs: int
    agreement: float | None
    agreement_n: int
    both_correct: float | None
    both_correct_n: int


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds from request to answer; quantiles by linear interpolation."""

    n: int
    p50_s: float | None
    p95_s: float | None


@dataclass(frozen=True, slots=True)
class Cost:
    """What was paid; ``usd`` is None unless the price of every request is known. Reservations are no price."""

    usd: float | None
    n: int
    unknown: int
    bases: Sequence[str]
    usd_per_1000: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Part:
    """The figures of one family, split or type."""

    accuracy: Accuracy
    calibration: Calibration

    def to_json(self) -> dict[str, JSON]:
        figures = asdict(self.calibration)
        figures.pop("bins")
        return {**asdict(self.accuracy), **figures}


@dataclass(frozen=True)
class Figures:
    """All figures of a run."""

    counts: Counts
    accuracy: Accuracy
    macro_accuracy: float | None
    families: int
    calibration: Calibration
    levels: Levels
    pairs: Pairs
    latency: Latency
    latency_failures: Latency
    cost: Cost
    by_family: Mapping[str, Part]
    by_split: Mapping[str, Part]
    by_type: Mapping[str, Part]

    def to_json(self) -> dict[str, JSON]:
        """The section ``figures`` of a document."""
        parts = {"by_family": self.by_family, "by_split": self.by_split, "by_type": self.by_type}
        return {
            "counts": asdict(self.counts),
            "accuracy": asdict(self.accuracy),
            "macro_accuracy": {"value": self.macro_accuracy, "n": self.families},
            "calibration": asdict(self.calibration),
            "levels": asdict(self.levels),
            "pairs": asdict(self.pairs),
            "latency": asdict(self.latency),
            "latency_failures": asdict(self.latency_failures),
            "cost": asdict(self.cost),
            **{name: {key: part.to_json() for key, part in of.items()} for name, of in parts.items()},
        }


def measure_rows(rows: Sequence[LabelledRow]) -> Figures:
    """All figures of the rows of one run."""
    counting = [row for row in rows if row.counts]
    by_family = _parts(counting, lambda row: row.family)
    strict = [part.accuracy.accuracy_strict for part in by_family.values()]
    known = [value for value in strict if value is not None]
    scores = [row for row in counting if row.type == "score"]
    return Figures(
        counts=_counts(rows),
        accuracy=_accuracy(counting),
        macro_accuracy=sum(known) / len(known) if known else None,
        families=len(known),
        calibration=_calibration(counting),
        levels=Levels(mean_level_error([row.question for row in scores]), _argmax_level_error(scores)),
        pairs=_pairs([row for row in rows if row.asked]),
        latency=_latency([row for row in rows if row.asked and row.result.answered]),
        latency_failures=_latency([row for row in rows if row.asked and not row.result.answered]),
        cost=_cost([row for row in rows if row.asked]),
        by_family=by_family,
        by_split=_parts(counting, lambda row: row.split),
        by_type=_parts(counting, lambda row: row.type),
    )


def _counts(rows: Sequence[LabelledRow]) -> Counts:
    verdicts = [row.result.verdict for row in rows]
    asked = [row for row in rows if row.asked]
    return Counts(
        planned=len(rows),
        asked=len(asked),
        labelled=sum(row.counts for row in rows),
        valid=sum(row.result.answered for row in asked),
        correct=verdicts.count("correct"),
        wrong=verdicts.count("wrong"),
        unjudged=verdicts.count("unjudged"),
        reasons={reason: sum(row.result.reason == reason for row in rows) for reason in REASONS if reason},
        renormalised=sum("renormalised" in row.result.flags for row in rows),
        complete=len(asked) == len(rows),
    )


def _accuracy(rows: Sequence[LabelledRow]) -> Accuracy:
    """``rows`` were all asked and have a label."""
    given = [row.right for row in rows if row.right is not None]
    right, n = sum(given), len(rows)
    cases = len({row.case for row in rows})
    interval, method, reason = None, None, "there is no labelled answer"
    if n and cases == n:
        interval, method, reason = wilson(right, n), "wilson", ""
    elif n:
        interval, method = case_interval((row.case, float(bool(row.right))) for row in rows), "bootstrap"
        reason = "all tasks are about one state, and the interval is over states" if interval is None else ""
    return Accuracy(
        n=n,
        answered=len(given),
        right=right,
        accuracy_strict=right / n if n else None,
        interval=interval,
        method=method if interval is not None else None,
        interval_reason=reason,
        accuracy_answered=right / len(given) if given else None,
        majority_class=majority_class([row.question for row in rows]),
        cases=cases,
    )


def _calibration(rows: Sequence[LabelledRow]) -> Calibration:
    questions = [row.question for row in rows]
    sources = {row.result.probs_source or "native" for row in rows if row.result.probabilities is not None}
    nouls = [q for q in questions if q.type == "noul"]
    yes = [q.distribution["yes"] if q.distribution is not None else None for q in nouls]
    is_yes = [q.label == "yes" for q in nouls]
    top = [max(q.distribution.values()) if q.distribution is not None else None for q in questions]
    right = [float(bool(row.right)) for row in rows]
    drawn = [(p, hit) for p, hit in zip(top, right, strict=True) if p is not None]
    return Calibration(
        probs_source=None if not sources else sources.pop() if len(sources) == 1 else "mixed",
        brier=brier(questions),
        brier_positive=brier_positive(is_yes, yes),
        ece_top_label=ece_top_label(top, right),
        ece_top_label_equal_mass=ece_equal_mass(top, right),
        ece_positive=ece_positive(is_yes, yes),
        bins=calibration_bins([p for p, _ in drawn], [hit for _, hit in drawn]),
    )


def _argmax_level_error(rows: Sequence[LabelledRow]) -> Figure:
    errors = [
        abs(int(row.result.given) - int(row.expected))
        for row in rows
        if row.result.given is not None and row.expected is not None
    ]
    value = sum(errors) / len(errors) if errors else None
    return Figure(value, len(errors), len(rows) - len(errors), "mean |most probable level - label|, in levels")


def _pairs(rows: Sequence[LabelledRow]) -> Pairs:
    groups: dict[str, list[LabelledRow]] = {}
    for row in rows:
        if row.group is not None:
            groups.setdefault(row.group, []).append(row)
    pairs = [pair for members in groups.values() for pair in combinations(members, 2)]
    valid = [(a, b) for a, b in pairs if a.result.given is not None and b.result.given is not None]
    labelled = [(a, b) for a, b in pairs if a.counts and b.counts]
    agree = sum(a.result.given == b.result.given for a, b in valid)
    both = sum(bool(a.right and b.right) for a, b in labelled)
    return Pairs(
        pairs=len(pairs),
        agreement=agree / len(valid) if valid else None,
        agreement_n=len(valid),
        both_correct=both / len(labelled) if labelled else None,
        both_correct_n=len(labelled),
    )


def _latency(rows: Sequence[LabelledRow]) -> Latency:
    seconds = [row.result.latency_s for row in rows if row.result.latency_s is not None]
    if not seconds:
        return Latency(0, None, None)
    import numpy as np

    p50, p95 = (float(q) for q in np.quantile(seconds, (0.5, 0.95), method="linear"))
    return Latency(len(seconds), p50, p95)


def _cost(rows: Sequence[LabelledRow]) -> Cost:
    prices = [row.result.cost_usd for row in rows]
    known = [price for price in prices if price is not None]
    unknown = len(prices) - len(known)
    bases = sorted({row.result.cost_basis for row in rows if row.result.cost_basis})
    if not rows:
        return Cost(None, 0, 0, [], None, "nothing was asked")
    if unknown:
        said = f"the price of {counted(unknown, 'request')} of {len(prices)} is not known"
        return Cost(None, len(known), unknown, bases, None, said)
    total = float(sum(known))
    return Cost(total, len(known), 0, bases, 1000 * total / len(known), "")


def _parts(rows: Sequence[LabelledRow], name: Callable[[LabelledRow], str]) -> dict[str, Part]:
    inside: dict[str, list[LabelledRow]] = {}
    for row in rows:
        inside.setdefault(name(row), []).append(row)
    return {key: Part(_accuracy(members), _calibration(members)) for key, members in inside.items()}
