"""The figures of whole runs against scikit-learn, and against a script that knows nothing of this package."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import accuracy_score, brier_score_loss, mean_squared_error

from pytest_jevbench.labelled.document import LabelledDocument, build_document
from pytest_jevbench.labelled.suite_tasks import tasks_of_suite
from pytest_jevbench.models.dialects import dialect_of
from pytest_jevbench.models.http_model import HttpModel
from pytest_jevbench.suite_loading import load_suite
from tests.labelled.runs import run_in
from tests.servers.published import RunningServer

ROOT = Path(__file__).parents[2]
GOLD = {"jevbench-examples": "jevbench-examples", "jevbench-mini": "jevbench-240"}
"""Where the gold answers of a suite stand."""


class Whole(NamedTuple):
    """A run of a whole suite: its document, and what the script says of its raw files."""

    document: LabelledDocument
    by_script: Any


def run_of(suite: str, server: RunningServer, folder: Path) -> Whole:
    tasks, dialect = tasks_of_suite(load_suite(suite)), dialect_of("systemone")
    model = HttpModel(server.url, dialect=dialect, retries=0, environ={})
    with closing(run_in(folder, model, tasks.tasks, dialect=dialect)) as run:
        for task in tasks.tasks:
            run.result(task)
        document = build_document(tasks, run.results())
    script = Path(__file__).with_name("independent_script.py")
    command = [sys.executable, str(script), str(ROOT / "suites" / GOLD[suite] / "gold.jsonl"), str(folder / "raw")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Whole(document, json.loads(said))


def curve_error(hit: Sequence[bool], p: Sequence[float]) -> float:
    """Calibration error from scikit-learn's curve, which gives the bins that are not empty without their sizes.

    Its bins are open on the left: probabilities on an edge are moved up by less than what the error is compared to.
    """
    moved = [q + 1e-12 if 0 < q < 1 else q for q in p]
    shares, means = calibration_curve(hit, moved, n_bins=10)
    sizes = np.histogram(moved, np.linspace(0, 1, 11))[0]
    return float(np.average(np.abs(shares - means), weights=sizes[sizes > 0]))


def check(whole: Whole) -> None:
    """Every figure of a run without a failure, three times over."""
    figures = whole.document.figures
    rows = [row for row in whole.document.rows if row.expected is not None]
    distributions = [row.result.probabilities or {} for row in rows]
    assert all(distributions)
    truth = [row.expected for row in rows]
    given = [row.result.given or "none" for row in rows]
    accuracy = figures.accuracy.accuracy_strict
    assert accuracy == pytest.approx(accuracy_score(truth, given), abs=1e-12)
    assert accuracy == pytest.approx(whole.by_script["accuracy"], abs=1e-12)
    assert len(rows) == whole.by_script["n"] == figures.accuracy.n

    most = max(len(row.labels) for row in rows)
    probabilities = np.zeros((len(rows), most))
    is_label = np.zeros((len(rows), most))
    for i, (row, p) in enumerate(zip(rows, distributions, strict=True)):
        probabilities[i, : len(p)] = list(p.values())
        is_label[i, row.labels.index(row.expected or "")] = 1
    brier = most * mean_squared_error(is_label, probabilities)  # its mean is over labels too, those never used among it
    assert figures.calibration.brier.value == pytest.approx(brier, abs=1e-12)
    assert figures.calibration.brier.value == pytest.approx(whole.by_script["brier"], abs=1e-12)

    top = [max(p.values()) for p in distributions]
    right = [a == b for a, b in zip(truth, given, strict=True)]
    assert figures.calibration.ece_top_label.value == pytest.approx(curve_error(right, top), abs=1e-9)
    assert figures.calibration.ece_top_label.value == pytest.approx(whole.by_script["ece_top_label"], abs=1e-12)

    nouls = [(p["yes"], row.expected == "yes") for row, p in zip(rows, distributions, strict=True) if "yes" in p]
    error = curve_error([hit for _, hit in nouls], [p for p, _ in nouls])
    assert figures.calibration.ece_positive.value == pytest.approx(error, abs=1e-9)
    assert figures.calibration.ece_positive.value == pytest.approx(whole.by_script["ece_positive"], abs=1e-12)
    assert figures.calibration.ece_positive.n == whole.by_script["nouls"]
    squares = brier_score_loss([hit for _, hit in nouls], [p for p, _ in nouls])
    assert figures.calibration.brier_positive.value == pytest.approx(squares, abs=1e-12)


def test_the_figures_of_a_small_suite(sparrow: RunningServer, tmp_path: Path) -> None:
    check(run_of("jevbench-examples", sparrow, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "correct", "brier", "top_label", "positive"),
    [
        ((), 1050, 0.632779, 0.108342, 0.042267),
        (("--model", "nano-robot"), 1010, 0.728139, 0.228025, 0.238870),
    ],
    ids=["general", "robot"],
)
def test_the_figures_of_jevbench_mini(
    start_server: Callable[..., RunningServer],
    tmp_path: Path,
    command: tuple[str, ...],
    correct: int,
    brier: float,
    top_label: float,
    positive: float,
) -> None:
    """All 2,390 gold answers, which are those of jevbench-240: the two suites have the same cases."""
    whole = run_of("jevbench-mini", start_server("sparrow-decider", *command, "serve", "--port", "{port}"), tmp_path)
    check(whole)
    figures = whole.document.figures
    assert (figures.accuracy.n, figures.accuracy.right) == (2390, correct)
    assert figures.calibration.brier.value == pytest.approx(brier, abs=1e-6)
    assert figures.calibration.ece_top_label.value == pytest.approx(top_label, abs=1e-6)
    assert figures.calibration.ece_positive.value == pytest.approx(positive, abs=1e-6)
