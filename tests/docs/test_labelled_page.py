"""docs/labelled.md names every field that a labelled run writes, and every field of a record."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path

import pytest

from pytest_jevbench.labelled.answer_keys import ANSWER_KEYS
from pytest_jevbench.labelled.document import build_document
from pytest_jevbench.labelled.records import FIELDS
from pytest_jevbench.labelled.results import PROBS_SOURCES, REASONS, VERDICTS
from pytest_jevbench.labelled.rows import row_to_json
from pytest_jevbench.labelled.runner import DERIVED, FLAT_RATE, LOCAL, NO_ACCOUNT
from pytest_jevbench.labelled.task_sets import TaskSet
from pytest_jevbench.models.callable import named
from tests.docs.pages import ROOT
from tests.labelled.runs import run_in
from tests.labelled.tasks import many

PAGE = (ROOT / "docs" / "labelled.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`([a-z_]+)`", PAGE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run of two tasks leaves."""
    place = tmp_path_factory.mktemp("run")
    tasks = many(2)
    with closing(run_in(place, named(lambda state, questions: {"q": {"noul": 0.75}}, "m"), tasks)) as run:
        for task in tasks:
            run.result(task)
        document = build_document(TaskSet("two", Path("two.jsonl"), tasks), run.results())
    (place / "rows.json").write_text(json.dumps([row_to_json(row) for row in document.rows]))
    (place / "document.json").write_text(json.dumps(document.to_json()))
    return place


def test_fields_of_records() -> None:
    assert set(FIELDS) <= NAMED
    assert {"expected", "label", "ground_truth", "answer_key"} <= NAMED & set(ANSWER_KEYS)


def test_fields_of_the_log(folder: Path) -> None:
    header, first, _ = map(json.loads, (folder / "results.jsonl").read_text().splitlines())
    assert set(header) | set(first) | set(first["usage"]) <= NAMED


def test_fields_of_rows_and_of_the_document(folder: Path) -> None:
    for row in json.loads((folder / "rows.json").read_text()):
        assert set(row) <= NAMED
    assert set(json.loads((folder / "document.json").read_text())) - {"format", "schema_version", "versions"} <= NAMED


def test_fields_of_raw_files(folder: Path) -> None:
    raw = json.loads((folder / "raw" / "t0.json").read_text())
    assert set(raw) | set(raw["outcome"]) | set(raw["exchanges"][0]) <= NAMED


def test_words_that_stand_in_results() -> None:
    words = {*VERDICTS, *REASONS, *PROBS_SOURCES, DERIVED, LOCAL, NO_ACCOUNT, FLAT_RATE} - {""}
    assert words <= NAMED


def test_names_of_figures(folder: Path) -> None:
    figures = json.loads((folder / "document.json").read_text())["figures"]
    told = {"accuracy_strict", "accuracy_answered", "majority_class", "macro_accuracy"}
    told |= {name for name in figures["calibration"] if name.startswith(("brier", "ece"))}
    told |= {"agreement", "both_correct", *figures["levels"]}
    assert told <= NAMED
