"""Judging the judges: recorded judgments and preferences, calibration, biases, agreement, as functions on plain arrays.

What stands here is for scripts and notebooks::

    from pytest_jevbench.judges import PlattCalibrator, calibration_figures, audit_bias, krippendorff_alpha

    fitted = PlattCalibrator().fit(fit_scores, fit_labels)       # P(yes) and right answers
    shown = fitted.evaluate(holdout_scores, holdout_labels)      # .before, .after, .changes with intervals
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_jevbench.judges.agreement import (
        Coefficient,
        cohen_kappa,
        cohen_matrix,
        fleiss_from_counts,
        fleiss_kappa,
        krippendorff_alpha,
    )
    from pytest_jevbench.judges.bias import BiasFigures, PositionBias, audit_bias, position_bias
    from pytest_jevbench.judges.calibration import Calibration, Change, evaluate
    from pytest_jevbench.judges.calibrators import (
        CALIBRATORS,
        BetaCalibrator,
        Calibrator,
        FittedCalibrator,
        HistogramCalibrator,
        IsotonicCalibrator,
        PlattCalibrator,
        TemperatureCalibrator,
    )
    from pytest_jevbench.judges.correlation import Correlation, rank_correlation
    from pytest_jevbench.judges.figures import CalibrationFigures, ReliabilityBin, calibration_figures, reliability
    from pytest_jevbench.judges.fixture import JudgeFixture, JudgeItem, fixture_from_json, read_fixture
    from pytest_jevbench.judges.pairs import JudgedPair, markup_density, pairs_from_json, read_pairs
    from pytest_jevbench.judges.panel import ParetoRank, Verdict, panel_verdict, pareto_ranks
    from pytest_jevbench.judges.thresholds import (
        AcceptedFigures,
        GuaranteedThreshold,
        OptimalThreshold,
        accepted_figures,
        optimal_threshold,
        precision_threshold,
        risk_controlling_threshold,
    )

__all__ = [
    "CALIBRATORS",
    "AcceptedFigures",
    "BetaCalibrator",
    "BiasFigures",
    "Calibration",
    "CalibrationFigures",
    "Calibrator",
    "Change",
    "Coefficient",
    "Correlation",
    "FittedCalibrator",
    "GuaranteedThreshold",
    "HistogramCalibrator",
    "IsotonicCalibrator",
    "JudgeFixture",
    "JudgeItem",
    "JudgedPair",
    "OptimalThreshold",
    "ParetoRank",
    "PlattCalibrator",
    "PositionBias",
    "ReliabilityBin",
    "TemperatureCalibrator",
    "Verdict",
    "accepted_figures",
    "audit_bias",
    "calibration_figures",
    "cohen_kappa",
    "cohen_matrix",
    "evaluate",
    "fixture_from_json",
    "fleiss_from_counts",
    "fleiss_kappa",
    "krippendorff_alpha",
    "markup_density",
    "optimal_threshold",
    "pairs_from_json",
    "panel_verdict",
    "pareto_ranks",
    "position_bias",
    "precision_threshold",
    "rank_correlation",
    "read_fixture",
    "read_pairs",
    "reliability",
    "risk_controlling_threshold",
]

_MODULES = (
    "agreement",
    "bias",
    "calibration",
    "calibrators",
    "figures",
    "fixture",
    "pairs",
    "panel",
    "correlation",
    "thresholds",
)


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is: the rubrics beside it take no numpy."""
    if name in __all__:
        for module in _MODULES:
            found = import_module(f"pytest_jevbench.judges.{module}")
            if name in found.__all__:
                return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
