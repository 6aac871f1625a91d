"""The published report layout: read theirs into a card, write ours as theirs.

``{"jevbench_report": 1, "name", "settings", "scores", "result"}``, plain or gzip. Their tool scores a report again
when it reads it, from ``result`` alone, without slack: tests that are held here by float noise read as violated there.
"""

from __future__ import annotations

import gzip
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pytest_jevbench import __version__
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import write_whole
from pytest_jevbench.json_text import JSON, dumps
from pytest_jevbench.runs.results import Outcome, Reason, TestId, TestResult
from pytest_jevbench.scoring.card import (
    AskingFacts,
    ModelFacts,
    PlanFacts,
    RunFacts,
    SuiteFacts,
    build_card,
    known_checks,
)
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.fields import Fields
from pytest_jevbench.scoring.relation_scores import ScoreSettings, judge_again
from pytest_jevbench.scoring.scores import MeanScore, Scores

__all__ = ["REPORT_VERSION", "Export", "card_from_published", "published_report", "rescued_by_slack", "write_published"]

REPORT_VERSION = 1
NOISE_FLOOR, NOISE_MULTIPLIER = 0.05, 2.0
"""What the layout records of a run's own tolerance, max(floor, multiplier x noise); it enters no score."""

NOT_FINITE = 1.0
"""What stands in their strict JSON for a deviation that is not finite: violated, with graded score 0."""


class Export(NamedTuple):
    """What was written: how many tests, and how many of them our slack holds and their tool reads as violated."""

    tests: int
    rescued: int


# Theirs into ours ----------------------------------------------------------------------------------------------------


def card_from_published(value: object, place: Place) -> dict[str, JSON]:
    """A card of a published report's outcomes, scored here. Raises :class:`InputError` naming what is wrong.

    The report lists the tests that were judged, and of the others those whose own request failed; what else its counts
    hold is planned and not run.
    """
    report = Fields(value, place)
    if report.values.get("jevbench_report") != REPORT_VERSION:
        raise InputError.unexpected(
            report.values.get("jevbench_report"), f"report version {REPORT_VERSION}", place.at("jevbench_report")
        )
    result = report.object("result")
    results = [*_judged(result), *_failed(result)]
    listed = Counter(r.id.relation for r in results)
    unlisted = {name: n - listed[name] for name, n in result.counts("planned_tests").items() if n > listed[name]}
    facts = _facts(report, result, [r.id for r in results], unlisted)
    return build_card(facts, results, settings=_settings(report.object_or_empty("settings")))


def _settings(settings: Fields) -> ScoreSettings:
    default = ScoreSettings()
    return ScoreSettings(
        tolerance=settings.number("tolerance", 0.05),
        min_n=settings.whole("min_n", default.min_n),
        bootstrap=settings.whole("bootstrap", default.bootstrap),
        min_coverage=settings.number("min_coverage", default.min_coverage),
    )


def _facts(report: Fields, result: Fields, planned: list[TestId], unlisted: Mapping[str, int]) -> RunFacts:
    suite = result.object_or_empty("suite")
    environment = result.object_or_empty("environment")
    backend = result.text("backend", "")
    domains = result.object_or_empty("case_domains")
    bases = result.object_or_empty("bases")
    return RunFacts(
        model=ModelFacts(name=report.text("name", backend) or backend, asked=backend),
        suite=SuiteFacts(
            name=suite.text("name", ""),
            version=str(suite.values.get("version", "")),
            files=suite.strings("files"),
        ),
        plan=PlanFacts(
            file=str(suite.values.get("plan", "")), seed=result.whole("seed", 0), draws=result.whole("trials", 1)
        ),
        planned=planned,
        unlisted=unlisted,
        cases={case: str(domains.values.get(case) or "") for case in result.texts("cases")},
        selection={k: v for k, v in result.object_or_empty("selection").values.items() if isinstance(v, list)},
        repeats=result.whole("repeats", 1),
        sources={case: bases.object(case).object("base").values for case in bases.values},
        noise={case: bases.object(case).object_or_empty("noise").values for case in bases.values},
        asking=AskingFacts(
            requests=result.whole("requests", 0),
            hits=result.whole("cache_hits", 0),
            seconds=result.number("wall_seconds", 0.0),
            model_seconds=result.number("backend_seconds", 0.0),
        ),
        versions={
            "jevbench": result.text("jevbench_version", ""),
            **{name: str(version) for name, version in environment.values.items()},
        },
    )


_DRAW_AND_VARIANT = re.compile(r"(?P<key>.*):(?P<draw>\d+)(?::v\d+)?\Z", re.DOTALL)


def _judged(result: Fields) -> Iterator[TestResult]:
    tests: dict[TestId, list[Outcome]] = {}
    checks: dict[TestId, str] = {}
    for outcome in result.objects("outcomes"):
        test, draw = _test_of(outcome)
        checks.setdefault(test, outcome.text("check"))
        tests.setdefault(test, []).append(_outcome(outcome, draw))
    for test, outcomes in tests.items():
        violated = any(outcome.violated for outcome in outcomes)
        yield TestResult(test, checks[test], "violated" if violated else "held", tuple(outcomes))


def _test_of(outcome: Fields) -> tuple[TestId, int]:
    """The test of an outcome, by its trial id ``relation:case:key:draw[:vN]``; case ids and keys may hold colons."""
    relation, case = outcome.text("relation"), outcome.text("case_id")
    trial = outcome.text("trial_id")
    found = _DRAW_AND_VARIANT.match(trial.removeprefix(f"{relation}:{case}:"))
    if found is None or not trial.startswith(f"{relation}:{case}:"):
        raise InputError.unexpected(trial, f'"{relation}:{case}:KEY:DRAW"', outcome.place.at("trial_id"))
    return TestId(relation, case, found["key"]), int(found["draw"])


def _outcome(outcome: Fields, draw: int) -> Outcome:
    detail = outcome.object_or_empty("detail").values
    return Outcome(
        targets=tuple(outcome.texts("targets", [])),
        deviation=None if detail.get("not_finite") is True else outcome.number("deviation"),
        tolerance=outcome.number("tolerance"),
        tolerance_kind=outcome.one_of("tolerance_kind", ("noise", "own"), "noise"),  # type: ignore[arg-type]
        flip=outcome.optional_flag("flip"),
        variant=outcome.whole("variant", 0),
        draw=draw,
        params=detail,
    )


def _failed(result: Fields) -> Iterator[TestResult]:
    """The tests whose own request failed. A failed base request names no test: its tests are among those not run."""
    checks = known_checks()
    for error in result.objects("errors"):
        if "relation" in error.values:
            message = error.text("error")
            test = TestId(error.text("relation"), error.text("case"), error.text("target"))
            check = checks.get(test.relation, "")
            yield TestResult(test, check, "unjudged", reason=_reason(message), message=message)


def _reason(message: str) -> Reason:
    if message.startswith("AnswerFormatError"):
        return "invalid"
    return "refused" if "refused" in message or "HTTP 4" in message else "unreachable"


# Ours into theirs ----------------------------------------------------------------------------------------------------


def write_published(path: Path | str, card: Card) -> Export:
    """Write a card in the published layout, gzip where the name ends in ``.gz``. Raises ``OSError``."""
    data = (dumps(published_report(card)) + "\n").encode()
    if str(path).endswith(".gz"):
        data = _gzip(data)
    Path(path).resolve().parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)
    return Export(len(card.results), rescued_by_slack(card))


def _gzip(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()


def rescued_by_slack(card: Card) -> int:
    """How many tests are held by the slack alone: those the published tool reads as violated."""
    without = replace(card.settings, slack=0.0)
    return sum(judge_again(r, card.settings).verdict != judge_again(r, without).verdict for r in card.results)


def published_report(card: Card) -> dict[str, JSON]:
    """The published layout of a card."""
    settings = replace(card.settings, slack=0.0)
    return {
        "jevbench_report": REPORT_VERSION,
        "name": card.name,
        "settings": {
            "tolerance": NOISE_FLOOR if settings.tolerance is None else settings.tolerance,
            "min_n": settings.min_n,
            "bootstrap": settings.bootstrap,
            "min_coverage": settings.min_coverage,
        },
        "scores": _scores(card, card.scored(settings)),
        "result": _result(card),
    }


def _result(card: Card) -> dict[str, JSON]:
    data = card.data
    identity, run = data["identity"], data.get("run", {})
    versions = identity["versions"]
    selection = {k: identity["selection"].get(k) for k in ("domains", "dimensions", "groups", "relations")}
    return {
        "jevbench_version": f"pytest-jevbench {versions.get('pytest-jevbench', __version__)}",
        "backend": identity["model"]["asked"] or card.name,
        "environment": {name: versions[name] for name in ("python", "httpx") if name in versions},
        "seed": identity["plan"]["seed"],
        "repeats": identity["settings"]["repeats"],
        "trials": identity["plan"]["draws"],
        "noise_multiplier": NOISE_MULTIPLIER,
        "noise_floor": NOISE_FLOOR,
        "relations": list(card.planned),
        "cases": list(card.cases),
        "requests": run.get("requests", 0),
        "cache_hits": run.get("hits", 0),
        "backend_seconds": run.get("model_seconds", 0.0),
        "wall_seconds": run.get("seconds", 0.0),
        "planned_tests": dict(card.planned),
        "concurrency": run.get("workers", 1),
        "truncated_by_budget": data["counts"]["unjudged"]["over_budget"] > 0,
        "backend_down": None,
        "bases": {
            case: {"base": base, "noise": data["noise"].get(case) or dict.fromkeys(base, 0.0)}
            for case, base in data["sources"].items()
        },
        "outcomes": [row for result in card.results if result.judged for row in _outcomes(result)],
        "errors": [
            {"case": r.id.case_id, "relation": r.id.relation, "target": r.id.key, "error": f"{r.reason}: {r.message}"}
            for r in card.results
            if r.verdict == "unjudged"
        ],
        "suite": {
            "name": identity["suite"]["name"],
            "version": identity["suite"]["version"],
            "files": identity["suite"]["files"],
            "plan": identity["plan"]["file"],
        },
        "case_domains": {case: domain for case, domain in card.cases.items() if domain},
        "selection": {**selection, "diagnostics": bool(data["diagnostics"])},
    }


def _outcomes(result: TestResult) -> Iterator[dict[str, JSON]]:
    relation, case, key = result.id
    for o in result.outcomes:
        yield {
            "relation": relation,
            "check": result.check,
            "case_id": case,
            "targets": list(o.targets),
            "deviation": NOT_FINITE if o.deviation is None else o.deviation,
            "tolerance": o.tolerance,
            "flip": o.flip,
            "detail": {"not_finite": True} if o.deviation is None else {},
            "tolerance_kind": o.tolerance_kind,
            "violated": o.deviation is None or o.deviation > o.tolerance,
            "trial_id": f"{relation}:{case}:{key}:{o.draw}" + (f":v{o.variant}" if o.variant else ""),
            "variant": o.variant,
        }


def _scores(card: Card, scores: Scores) -> dict[str, JSON]:
    """Their table of scores; their tool computes it again on reading."""
    scored = sorted((row for row in scores.relations if row.status == "scored"), key=lambda row: row.name)
    tolerance: Any = scores.settings.tolerance
    return {
        "backend": card.name,
        "tolerance": f"fixed {NOISE_FLOOR if tolerance is None else tolerance}",
        "min_n": scores.settings.min_n,
        "overall": scores.overall.score,
        "pillars": {mean.name: mean.score for mean in scores.dimensions},
        "groups": {mean.name: mean.score for mean in scores.groups},
        "relations": {row.name: row.score for row in scored},
        "graded": {
            "relations": {row.name: row.graded for row in scored},
            "groups": {mean.name: mean.graded for mean in scores.groups},
            "pillars": {mean.name: mean.graded for mean in scores.dimensions},
            "overall": scores.overall.graded,
        },
        "ci": _intervals(scores.overall),
        "n_cases": scores.cases,
        "bootstrap": scores.settings.bootstrap,
        "checks": {
            f"{row.name}/{row.check}": {"n": row.judged, "planned": row.planned, "coverage": row.coverage}
            for row in scores.relations
        },
        "incomplete": [row.name for row in scores.relations if row.status in ("incomplete", "not_run")],
        "min_coverage": scores.settings.min_coverage,
        "n_checks": len(scored),
        "n_outcomes": sum(row.outcomes for row in scores.relations),
    }


def _intervals(overall: MeanScore) -> dict[str, JSON]:
    named = (("overall", overall.interval), ("graded_overall", overall.graded_interval))
    return {name: [interval.low, interval.high] for name, interval in named if interval is not None}
