"""The result of an evaluation of judges as one JSON document, ``jevbench-judges``.

Its schema is judges.schema.json, beside this file. Parts that were not asked for are null. Where a value is null
because it is undefined, a field of its name with ``_reason`` (or the ``reason`` beside it) says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from pytest_jevbench import __version__
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.judges.agreement import Level, cohen_matrix, fleiss_kappa, krippendorff_alpha
from pytest_jevbench.judges.arrays import DRAWS
from pytest_jevbench.judges.bias import audit_bias
from pytest_jevbench.judges.calibrators import CALIBRATORS, Calibrator
from pytest_jevbench.judges.figures import calibration_figures, reliability
from pytest_jevbench.judges.fixture import SPLITS, JudgeFixture
from pytest_jevbench.judges.pairs import PairFile
from pytest_jevbench.judges.panel import panel_verdict, pareto_ranks
from pytest_jevbench.judges.thresholds import (
    Testing,
    accepted_figures,
    optimal_threshold,
    precision_threshold,
    risk_controlling_threshold,
)
from pytest_jevbench.metrics import BINS
from pytest_jevbench.scoring.intervals import Interval, NoInterval, wilson

if TYPE_CHECKING:
    from pytest_jevbench.judges.calibration import Calibration
    from pytest_jevbench.judges.thresholds import GuaranteedThreshold

__all__ = [
    "FORMAT",
    "SCHEMA_VERSION",
    "JudgeSettings",
    "Ratings",
    "agreement_document",
    "bench_document",
    "bias_document",
    "calibration_document",
    "plain",
]

FORMAT = "jevbench-judges"
SCHEMA_VERSION = "1.0"
FEW_ITEMS = 50


@dataclass(frozen=True)
class JudgeSettings:
    """What a person can choose: ``methods`` are names of calibrators; alpha and delta are of the guaranteed
    thresholds.
    """

    bins: int = BINS
    draws: int = DRAWS
    methods: tuple[str, ...] = tuple(CALIBRATORS)
    platt_targets: str = "smoothed"
    histogram_alpha: float = 1.0
    false_positive_cost: float = 1.0
    false_negative_cost: float = 1.0
    alpha: float = 0.1
    delta: float = 0.1
    testing: Testing = "fixed-sequence"

    def calibrators(self) -> tuple[Calibrator, ...]:
        """The calibrators that were chosen, with their settings. Raises :class:`InputError` for an unknown one."""
        from pytest_jevbench.judges.calibrators import HistogramCalibrator, PlattCalibrator

        known: dict[str, Calibrator] = {
            **CALIBRATORS,
            "platt": PlattCalibrator(targets=self.platt_targets),  # type: ignore[arg-type]
            "histogram": HistogramCalibrator(bins=self.bins, alpha=self.histogram_alpha),
        }
        for name in self.methods:
            if name not in known:
                raise InputError.unexpected(name, f"one of {', '.join(known)}", Place(field="methods"))
        return tuple(known[name] for name in self.methods)


@dataclass(frozen=True)
class Ratings:
    """Ratings of the same items by several raters, None where one is missing."""

    raters: Mapping[str, Sequence[float | None]]
    level: Level = "nominal"
    name: str = ""


def bench_document(fixture: JudgeFixture, settings: JudgeSettings | None = None) -> dict[str, Any]:
    """How right and how well calibrated each judge is as recorded, how far judges agree, which are worth their cost."""
    settings = settings or JudgeSettings()
    rows = [_bench_row(fixture, judge, settings) for judge in fixture.judges]
    accuracies = {row["judge"]: row["all"]["accuracy"] for row in rows}
    return _document(
        settings,
        fixture=fixture,
        bench=rows,
        agreement=_fixture_agreement(fixture, settings),
        costs=_costs(fixture, accuracies),
    )


def calibration_document(
    fixture: JudgeFixture, settings: JudgeSettings | None = None, pairs: PairFile | None = None
) -> dict[str, Any]:
    """Everything of :func:`bench_document`, with calibrators and thresholds fitted on ``fit`` and shown on ``holdout``.

    Biases stand in it where there are pairs.
    """
    settings = settings or JudgeSettings()
    calibrators = settings.calibrators()
    document = bench_document(fixture, settings)
    return {
        **document,
        "pairs": None if pairs is None else _about_pairs(pairs),
        "calibration": [_calibration_row(fixture, judge, calibrators, settings) for judge in fixture.judges],
        "bias": None if pairs is None else _bias(pairs, settings),
        "cautions": [*document["cautions"], *_calibration_cautions(fixture, pairs)],
    }


def bias_document(pairs: PairFile, settings: JudgeSettings | None = None) -> dict[str, Any]:
    """The biases of the judges of some pairs."""
    settings = settings or JudgeSettings()
    return _document(settings, pairs=pairs, bias=_bias(pairs, settings))


def agreement_document(source: JudgeFixture | Ratings, settings: JudgeSettings | None = None) -> dict[str, Any]:
    """How far judges, or the raters of a file of ratings, agree."""
    settings = settings or JudgeSettings()
    if isinstance(source, JudgeFixture):
        return _document(settings, fixture=source, agreement=_fixture_agreement(source, settings))
    return _document(settings, judges=list(source.raters), agreement=_rating_agreement(source, settings))


def plain(value: Any) -> Any:
    """Dataclasses as JSON values: an interval that is not there is null, with its reason in a field beside it."""
    if isinstance(value, Interval):
        return asdict(value)
    if is_dataclass(value) and not isinstance(value, type):
        found: dict[str, Any] = {}
        for field in fields(value):
            item = getattr(value, field.name)
            if isinstance(item, NoInterval):
                found[field.name], found[f"{field.name}_reason"] = None, item.reason
            elif not callable(item):
                found[field.name] = plain(item)
        return found
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def _document(
    settings: JudgeSettings,
    *,
    fixture: JudgeFixture | None = None,
    pairs: PairFile | None = None,
    judges: list[str] | None = None,
    **parts: Any,
) -> dict[str, Any]:
    named = judges or list((fixture or pairs).judges if fixture or pairs else ())  # type: ignore[union-attr]
    rest = {name: parts.get(name) for name in ("bench", "calibration", "bias", "agreement", "costs", "live")}
    return {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "judges": named,
        "fixture": None if fixture is None else _about_fixture(fixture),
        "pairs": None if pairs is None else _about_pairs(pairs),
        "settings": plain(settings),
        **rest,
        "cautions": _cautions(fixture, pairs),
    }


def _about_fixture(fixture: JudgeFixture) -> dict[str, Any]:
    return {
        "name": fixture.name,
        "digest": fixture.digest,
        "rubric": fixture.rubric,
        "items": len(fixture.items),
        **{split: len(fixture.part(split)) for split in SPLITS},
        "demo": fixture.demo,
        "private": fixture.private,
    }


def _about_pairs(pairs: PairFile) -> dict[str, Any]:
    return {
        "name": pairs.name,
        "digest": pairs.digest,
        "pairs": len(pairs.pairs),
        "demo": pairs.demo,
        "private": pairs.private,
    }


def _bench_row(fixture: JudgeFixture, judge: str, settings: JudgeSettings) -> dict[str, Any]:
    p, y = fixture.scores(judge), fixture.labels()
    return {
        "judge": judge,
        "all": plain(calibration_figures(p, y, settings.bins)),
        **{
            split: plain(calibration_figures(fixture.scores(judge, split), fixture.labels(split), settings.bins))
            for split in SPLITS
        },
        "reliability": plain(reliability(p, y, settings.bins)),
    }


def _calibration_row(
    fixture: JudgeFixture, judge: str, calibrators: Sequence[Calibrator], settings: JudgeSettings
) -> dict[str, Any]:
    fit = fixture.scores(judge, "fit"), fixture.labels("fit")
    held = fixture.scores(judge, "holdout"), fixture.labels("holdout")
    methods = {}
    for calibrator in calibrators:
        shown = calibrator.fit(*fit).evaluate(*held, settings.bins, draws=settings.draws)
        methods[calibrator.name] = _calibration_json(shown)
    best = optimal_threshold(
        *fit, false_positive_cost=settings.false_positive_cost, false_negative_cost=settings.false_negative_cost
    )

    def guaranteed(found: GuaranteedThreshold) -> dict[str, Any]:
        on_holdout = None if found.threshold is None else plain(accepted_figures(*held, found.threshold))
        return {**plain(found), "holdout": on_holdout}

    return {
        "judge": judge,
        "methods": methods,
        "thresholds": {
            "optimal": {**plain(best), "holdout": plain(accepted_figures(*held, best.threshold))},
            "false_accepts": guaranteed(risk_controlling_threshold(*fit, alpha=settings.alpha)),
            "accepted_errors": guaranteed(
                precision_threshold(*fit, alpha=settings.alpha, delta=settings.delta, testing=settings.testing)
            ),
        },
    }


def _calibration_json(shown: Calibration) -> dict[str, Any]:
    """``fitted`` without its function, the figures, and the changes by figure."""
    return plain(shown)  # type: ignore[no-any-return]


def _bias(pairs: PairFile, settings: JudgeSettings) -> list[dict[str, Any]]:
    return [plain(found) for found in audit_bias(pairs.pairs, draws=settings.draws).values()]


def _fixture_agreement(fixture: JudgeFixture, settings: JudgeSettings) -> dict[str, Any] | None:
    if len(fixture.judges) < 2:
        return None
    scores = {judge: fixture.scores(judge) for judge in fixture.judges}
    verdicts = {judge: ["yes" if p > 0.5 else "no" if p < 0.5 else "tie" for p in of] for judge, of in scores.items()}
    rows = [of.tolist() for of in scores.values()]
    codes = [[{"no": 0.0, "tie": 1.0, "yes": 2.0}[verdict] for verdict in row] for row in verdicts.values()]
    panel = [panel_verdict([scores[judge][i] for judge in scores]) for i in range(len(fixture.items))]
    conclusive = [(v.verdict, item.truth) for v, item in zip(panel, fixture.items, strict=True) if not v.reason]
    decided = [(verdict == "yes") == truth for verdict, truth in conclusive]
    return {
        "of": "verdicts",
        "cohen": _pairwise(cohen_matrix(verdicts, draws=settings.draws)),
        "cohen_reason": "",
        "fleiss": plain(fleiss_kappa(list(verdicts.values()), draws=settings.draws)),
        "krippendorff": {
            "nominal": plain(krippendorff_alpha(codes, "nominal", draws=settings.draws)),
            "interval": plain(krippendorff_alpha(rows, "interval", draws=settings.draws)),
        },
        "panel": {
            "items": len(panel),
            "inconclusive": len(panel) - len(decided),
            "accuracy": sum(decided) / len(decided) if decided else None,
            "accuracy_interval": plain(wilson(sum(decided), len(decided))),
            "reason": "" if decided else "every item is inconclusive",
        },
    }


def _rating_agreement(ratings: Ratings, settings: JudgeSettings) -> dict[str, Any]:
    rows = list(ratings.raters.values())
    complete = not any(rating is None for row in rows for rating in row)
    alphas = {ratings.level: plain(krippendorff_alpha(rows, ratings.level, draws=settings.draws))}
    why = "" if complete else "ratings are missing, which kappas do not take; alpha does"
    return {
        "of": "ratings",
        "cohen": _pairwise(cohen_matrix(ratings.raters, draws=settings.draws)) if complete else None,
        "cohen_reason": why,
        "fleiss": plain(fleiss_kappa(rows, draws=settings.draws)) if complete else None,
        "krippendorff": alphas,
        "panel": None,
    }


def _pairwise(matrix: Mapping[tuple[str, str], Any]) -> list[dict[str, Any]]:
    return [{"a": a, "b": b, **plain(found)} for (a, b), found in matrix.items()]


def _costs(fixture: JudgeFixture, accuracies: Mapping[str, float]) -> dict[str, Any]:
    missing = [judge for judge in fixture.judges if judge not in fixture.costs]
    if missing:
        some = f"no cost is given for {', '.join(missing)}" if fixture.costs else "no costs are given"
        return {"ranks": None, "reason": some}
    return {"ranks": plain(pareto_ranks(fixture.costs, accuracies)), "reason": ""}


def _cautions(fixture: JudgeFixture | None, pairs: PairFile | None) -> list[str]:
    found = []
    if (fixture is not None and fixture.demo) or (pairs is not None and pairs.demo):
        found.append("These are made-up data that travel with the package: no judge of this name exists")
    if fixture is not None:
        both = _in_both_splits(fixture)
        if both:
            found.append(f"{both} texts stand in both splits with the same question: the held-out figures are too kind")
    return found


def _in_both_splits(fixture: JudgeFixture) -> int:
    places: dict[tuple[str, str], Counter[str]] = {}
    for item in fixture.items:
        places.setdefault((item.question_id, item.text), Counter())[item.split] += 1
    return sum(len(splits) > 1 for splits in places.values())


def _calibration_cautions(fixture: JudgeFixture, pairs: PairFile | None) -> list[str]:
    found = [
        "Picking a method by these figures and then quoting them is too kind: keep a third part of the data for that"
    ]
    held = len(fixture.part("holdout"))
    if held < FEW_ITEMS:
        found.append(f"{held} held-out items are few: calibration errors of so few are mostly noise")
    if pairs is not None and pairs.demo and not fixture.demo:
        found.append("The pairs are made-up data that travel with the package")
    return found
