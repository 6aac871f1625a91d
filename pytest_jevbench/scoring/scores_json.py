"""Scores as JSON values, for the card."""

from __future__ import annotations

from dataclasses import asdict

from pytest_jevbench.json_text import JSON
from pytest_jevbench.runs.results import REASONS
from pytest_jevbench.scoring.intervals import SEED, Interval
from pytest_jevbench.scoring.relation_scores import RelationScore, ScoreSettings
from pytest_jevbench.scoring.scores import DomainScore, MeanScore, Scores

__all__ = ["reference_json", "relation_json", "scores_json", "settings_json"]


def settings_json(settings: ScoreSettings) -> dict[str, JSON]:
    """The settings, with the seed of the bootstrap draws."""
    return {**asdict(settings), "bootstrap_seed": SEED}


def scores_json(scores: Scores) -> dict[str, JSON]:
    """Overall, dimensions, groups and domains; relations have a section of their own."""
    return {
        "overall": _mean(scores.overall),
        "dimensions": [_mean(mean) for mean in scores.dimensions],
        "groups": [_mean(mean) for mean in scores.groups],
        "domains": [_domain(domain) for domain in scores.domains],
        "cases": scores.cases,
        "unknown_relations": dict(scores.unknown),
    }


def reference_json(name: str, scores: Scores, accuracy: float | None = None) -> dict[str, JSON]:
    """What another model scores on the same tests: binary and graded score by name of the score."""
    rows: list[MeanScore | RelationScore] = [scores.overall, *scores.dimensions, *scores.groups, *scores.relations]
    return {
        "name": name,
        "accuracy": accuracy,
        "scores": {row.name: {"score": row.score, "graded": row.graded} for row in rows if row.score is not None},
    }


def relation_json(row: RelationScore) -> dict[str, JSON]:
    """One relation's row."""
    return {
        "name": row.name,
        "group": row.group,
        "dimension": row.dimension,
        "check": row.check,
        "status": row.status,
        "reason": row.reason or None,
        "planned": row.planned,
        "judged": row.judged,
        "held": row.held,
        "violated": row.violated,
        "unjudged": {reason: row.unjudged[reason] for reason in REASONS},
        "not_applicable": row.not_applicable,
        "not_run": row.not_run,
        "score": row.score,
        "graded": row.graded,
        "violation_rate": row.violation_rate,
        "violation_rate_interval": _interval(row.interval),
        "outcomes": row.outcomes,
        "flips": row.flips,
        "decisions": row.decisions,
        "flip_rate": row.flip_rate,
        "deviations": None if row.deviations is None else asdict(row.deviations),
        "variants": [{**asdict(variant), "rate": variant.rate} for variant in row.variants],
    }


def _interval(interval: Interval | None) -> JSON:
    return None if interval is None else asdict(interval)


def _mean(mean: MeanScore) -> dict[str, JSON]:
    return {
        "name": mean.name,
        "score": mean.score,
        "graded": mean.graded,
        "reason": mean.reason or None,
        "relations": mean.relations,
        "tests": mean.tests,
        "interval": _interval(mean.interval),
        "graded_interval": _interval(mean.graded_interval),
        "interval_reason": mean.interval_reason or None,
    }


def _domain(domain: DomainScore) -> dict[str, JSON]:
    return {
        "name": domain.name,
        "cases": domain.cases,
        "tests": domain.tests,
        "violated": domain.violated,
        "overall": _mean(domain.overall),
        "dimensions": [_mean(mean) for mean in domain.dimensions],
        **({} if domain.judge is None else {"judge": _mean(domain.judge)}),
    }
