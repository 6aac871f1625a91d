"""DIAG: do an answer's other fields fit its probabilities? Never scored, run only when named."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.questions import Choice, Question, Score
from pytest_jevbench.relations.base import Edit, Measurement, Reading, Relation, SourceCase, Transformation
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.relations.registry import register
from pytest_jevbench.relations.transformations.ids import fresh
from pytest_jevbench.relations.transformations.instructions import in_batch
from pytest_jevbench.relations.transformations.keys import sent_as

ACCEPT = 0.8
"""The confidence from which software commonly acts without a person."""


def _max_probability(p: Distribution) -> float:
    return max(p.values())


def _margin(p: Distribution) -> float:
    first, second = sorted(p.values(), reverse=True)[:2]
    return first - second


def _certainty(p: Distribution) -> float:
    entropy = -math.fsum(mass * math.log(mass) for mass in p.values() if mass > 0)
    return 1.0 - entropy / math.log(len(p))


DEFINITIONS: Mapping[str, Callable[[Distribution], float]] = {
    "max probability": _max_probability,
    "top-two margin": _margin,
    "1 - normalised entropy": _certainty,
}


def _confidence(answer: Any) -> float | None:
    value = answer.get("confidence") if isinstance(answer, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


class _BaseAnswers(Transformation):
    """No request at all: the base answers are read."""

    family = "confidence_consistency"
    keeps_batch = False

    def targets(self, source: SourceCase) -> Iterator[str]:
        yield next(iter(source.questions))

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return True

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        return Edit(tuple(source.questions), {}, {})


@register
class ConfidenceConsistency(Relation):
    name = "confidence_consistency"
    group = "DIAG.fields"
    edits = ()
    form = "field"
    formula = "confidence = f(P), one f for the case"
    law = "Every `confidence` of a case is one and the same function of the probabilities."
    source = "Consistency of response fields"
    check = "fits_definition"
    variants = "fixed"
    tolerance = 0.02
    transformation = _BaseAnswers()

    def measure(self, reading: Reading) -> Sequence[Measurement]:
        """The definition with the smallest largest error, one outcome a question that has a confidence; none: none."""
        said = {key: _confidence(reading.raw_source.get(key)) for key in reading.targets}
        known = {key: value for key, value in said.items() if value is not None and key in reading.source}
        if not known:
            return []
        fitted = {name: {key: f(reading.source[key]) for key in known} for name, f in DEFINITIONS.items()}
        best = min(fitted, key=lambda name: max(abs(fitted[name][key] - known[key]) for key in known))
        return [
            Measurement(
                targets=(key,),
                deviation=abs(fitted[best][key] - value),
                flip=None,
                expected={f"confidence, as {best}": fitted[best][key]},
                observed={f"confidence, as {best}": value},
            )
            for key, value in known.items()
        ]


def _reversed(question: Question) -> Question | None:
    """The question with its options or levels in the opposite order; None for a Noul, which has neither."""
    if isinstance(question, Choice):
        return replace(question, options=dict(reversed(list(question.options.items()))))
    if isinstance(question, Score):
        return replace(question, levels=question.levels[::-1])
    return None


class _RoutingEdits(Transformation):
    """The question under a neutral key, with its options or levels reversed, and alone: up to three requests."""

    family = "routing_stability"
    randomised = True
    keeps_batch = False

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return True

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        neutral = fresh(f"q_{draw.hex(6)}", source.questions)
        question = source.questions[key]
        batches: dict[str, dict[str, Question]] = {"neutral_key": sent_as(source, {key: neutral})}
        read = {"neutral_key": neutral}
        turned = _reversed(question)
        if turned is not None:
            batches["reversed_options"] = in_batch(source, key, turned)
            read["reversed_options"] = key
        if len(source.questions) > 1:
            batches["solo"] = {key: question}
            read["solo"] = key
        return Edit((key,), batches, {"read": {**read}})


@register
class RoutingStability(Relation):
    name = "routing_stability"
    group = "DIAG.fields"
    edits = ()
    form = "field"
    formula = "confidence ≥ 0.8 in all or in none"
    law = (
        "Whether an answer is certain enough to act on (0.8) survives a neutral key, reversed options and asking alone."
    )
    source = "Invariance, at the threshold software commonly routes by"
    check = "route_flip"
    variants = "fixed"
    tolerance = 0.0
    transformation = _RoutingEdits()

    def measure(self, reading: Reading) -> Measurement:
        """The share of requests that route otherwise than the base request."""
        base = _routed(reading.before, reading.raw_source.get(reading.key))
        read: Mapping[str, str] = reading.params["read"]
        routes = {
            label: _routed(reading.follow_ups[label][key], reading.raw_follow_ups.get(label, {}).get(key))
            for label, key in read.items()
        }
        flips = [label for label, route in routes.items() if route != base]
        return Measurement(
            targets=reading.targets,
            deviation=len(flips) / len(routes),
            flip=bool(flips),
            expected={label: float(base) for label in routes},
            observed={label: float(route) for label, route in routes.items()},
        )


def _routed(p: Distribution, answer: Any) -> bool:
    """Accepted without a person: by the stated confidence, or the largest probability where none is stated."""
    stated = _confidence(answer)
    return (max(p.values()) if stated is None else stated) >= ACCEPT
