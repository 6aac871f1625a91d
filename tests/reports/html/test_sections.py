"""Sections of labelled results, of judges, and of cards of suites that test no dimension: figures known beforehand."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench import evaluate, from_callable
from pytest_jevbench.cli import main
from pytest_jevbench.json_text import dumps
from pytest_jevbench.judges.demo import demo_fixture, demo_pairs
from pytest_jevbench.judges.document import JudgeSettings, calibration_document
from pytest_jevbench.labelled.document import build_document
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.labelled.results import TaskResult, judge_task
from pytest_jevbench.labelled.task_sets import TaskSet
from pytest_jevbench.questions import Noul
from pytest_jevbench.reports.html.documents import Result
from pytest_jevbench.reports.html.page import report_page
from pytest_jevbench.reports.html.section import report_of
from pytest_jevbench.reports.judge_pictures import kappa_heatmap
from pytest_jevbench.scoring.card_reading import Card
from tests.judges.honest_judge import honest
from tests.reports.cards import card
from tests.reports.html.hostile import TAGS
from tests.reports.html.parsing import Parsed


def page(*documents: Card | Result) -> Parsed:
    found = Parsed(report_page(report_of(documents)))
    assert (found.open, found.misplaced) == ([], [])
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    return found


def words(found: Parsed) -> str:
    return " ".join(" ".join(found.texts).split())


# Labelled results ----------------------------------------------------------------------------------------------------


def labelled(name: str = "m", family: str = "far") -> Result:
    """Ten yes/no tasks in two families, yes to all with 0.75: right of the first seven, so 4 of 5 and 3 of 5."""
    tasks = tuple(
        Task(f"t{i}", ("near", family)[i % 2], f"State {i}.", Noul("Is it?"), ("no", "yes"), "yes" if i < 7 else "no")
        for i in range(10)
    )
    results = [
        judge_task(
            task,
            TaskResult(
                task.id, "wrong", probabilities={"no": 0.25, "yes": 0.75}, probs_source="native", model_asked=name
            ),
        )
        for task in tasks
    ]
    made = build_document(TaskSet("ten", Path("ten.jsonl"), tasks), results, model={"name": name}, run={}, stopped="")
    return Result.from_json(json.loads(dumps(made.to_json())))


def test_figures_of_ten_labelled_tasks() -> None:
    text = words(page(labelled()))
    assert "70.0 [39.7, 89.2] 10" in text  # Wilson's interval of 7 of 10
    assert "0.425" in text  # Brier over both labels: (7 * 2 * 0.25² + 3 * 2 * 0.75²) / 10
    assert "0.050" in text  # ECE: stated 0.75, right 0.70
    assert re.search(r"near 80\.0 .*far 60\.0", text)
    assert "native probabilities of m" in text
    assert "What the requests cost is not known." in text


def test_the_reliability_diagram_says_its_bins() -> None:
    svg = next(piece for piece in page(labelled()).texts if "By stated probability" in piece)
    assert "70.0 to 80.0 %: right 70.0 of 10, mean 75.0" in svg


def test_two_labelled_results_are_ranked() -> None:
    found = page(labelled("first"), labelled("second"))
    assert "Accuracy by family of first" in words(found)
    assert len([1 for tag, attributes in found.elements if tag == "figure"]) == 2


def test_hostile_names_of_labelled_results_are_text() -> None:
    found = page(labelled(TAGS, TAGS))
    assert TAGS in found.text
    assert found.all("img") == []


# Judges --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judged() -> dict[str, Any]:
    made = calibration_document(demo_fixture(), JudgeSettings(draws=50, methods=("platt",)), demo_pairs())
    document: dict[str, Any] = json.loads(dumps(made))
    return document


def test_judges_stand_with_their_tables_and_pictures(judged: dict[str, Any]) -> None:
    found = page(Result.from_json(judged))
    text = words(found)
    for row in judged["bench"]:
        held = row["holdout"]
        assert f"{row['judge']} {held['n']} {100 * held['accuracy']:.1f} [" in text
        assert f"{row['judge']}: fitted on fit, shown on held-out items" in text
    for pair in judged["agreement"]["cohen"]:
        assert f"{pair['a']}, {pair['b']} {pair['value']:.3f} [" in text
    assert all(f"{caution}." in text for caution in judged["cautions"])
    pictures = [a for a in found.all("svg") if a["class"] == "judgepicture"]
    assert len(pictures) == 1 + len(judged["judges"])  # the kappas, and a curve a judge
    assert "judge by judge" in text.lower()


def test_a_change_that_is_unsure_has_no_colour(judged: dict[str, Any]) -> None:
    html = report_page(report_of([Result.from_json(judged)]))
    cells = re.findall(r'<td class="n (\w*)">((?:better|worse)[^<]*)</td>', html)
    assert cells
    for style, verdict in cells:
        assert style == ("soft" if "unsure" in verdict else {"better": "good", "worse": "bad"}[verdict])


def test_two_judge_results_of_one_name_are_told_apart(judged: dict[str, Any]) -> None:
    found = page(Result.from_json(judged), Result.from_json(judged))
    assert [a["id"] for a in found.all("section")] == ["judges", "judges-2"]
    assert "Judges, demo (1)" in words(found)


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("bench",), "x", "bench"),
        (("bench", 0, "holdout", "accuracy"), "x", "bench[0].holdout.accuracy"),
        (("agreement", "cohen", 0, "interval"), {}, "this is no whole judge result"),
        (("judges",), [], "this is no whole judge result"),
    ],
)
def test_a_damaged_judge_result_is_one_clear_error(
    judged: dict[str, Any], tmp_path: Path, place: tuple[Any, ...], value: object, told: str, capsys: Any
) -> None:
    damaged = copy.deepcopy(judged)
    at: Any = damaged
    for part in place[:-1]:
        at = at[part]
    at[place[-1]] = value
    path, out = tmp_path / "judges.json", tmp_path / "r.html"
    path.write_text(json.dumps(damaged))
    assert main(["report", str(path), "--html", str(out)]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert str(path) in error
    assert not out.exists()


def test_hostile_names_of_judges_are_text(judged: dict[str, Any]) -> None:
    text = json.dumps(judged).replace(judged["judges"][0], TAGS.replace('"', "'"))
    found = page(Result.from_json(json.loads(text)))
    assert TAGS in found.text
    assert found.all("img") == []


def test_figures_on_the_kappas_can_be_read(judged: dict[str, Any]) -> None:
    """4.5 to 1 or more between each figure and its cell, whatever the kappa."""

    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for step in range(-20, 21):
        document = {"judges": ["a", "b"], "agreement": {"cohen": [{"a": "a", "b": "b", "value": step / 20}]}}
        cells = re.findall(r'fill="(#\w{6})"/><text [^>]*style="fill:(#\w{6})"', str(kappa_heatmap(document)))
        assert len(cells) == 4
        for back, ink in cells:
            bright, dark = sorted((light(back), light(ink)), reverse=True)
            assert (bright + 0.05) / (dark + 0.05) >= 4.5, (step, back, ink)


# Cards of judges -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judge_card() -> Card:
    made = evaluate(from_callable(honest, "judge"), "jevbench-judges", bootstrap=0, progress=False)
    return Card.from_json(json.loads(dumps(made.to_dict())))


def test_a_card_without_dimensions_shows_the_laws_of_judges(judge_card: Card) -> None:
    found = page(judge_card)
    text = words(found)
    assert "100.0 of 100, laws of judge bias kept" in text
    assert "Not reported" not in text
    assert "Representation consistency" not in text
    assert [a["id"] for a in found.all("section")][:3] == ["summary", "judging", "relations"]
    for law in ("judge_swapped_order", "judge_markup"):
        assert re.search(rf"{law}\s+100\.0", found.text)


def test_what_an_honest_judge_is_swayed_by_is_nothing(judge_card: Card) -> None:
    text = words(page(judge_card))
    assert "markup 0.0 [0.0, 0.0] 60" in text
    assert "the winner changes with the order 0.0" in text
    assert "the answer shown first wins 50.0" in text


def test_a_card_with_dimensions_has_no_such_section() -> None:
    assert "judging" not in [a["id"] for a in page(card()).all("section")]
