"""Rubrics: the ten are as the schema says, are listed and shown, and each is a suite; bad ones are told in full."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_jevbench import evaluate, from_callable
from pytest_jevbench.cli import main
from pytest_jevbench.errors import InputError
from pytest_jevbench.judges.rubrics import RUBRIC_IDS, RUBRIC_SCHEMA, read_rubric, rubrics
from pytest_jevbench.suite_loading import load_suite
from pytest_jevbench.yaml_text import read_yaml
from tests.judges.honest_judge import SOURCES, honest

FOLDER = RUBRIC_SCHEMA.parent
SCHEMA = jsonschema.Draft202012Validator(json.loads(RUBRIC_SCHEMA.read_text(encoding="utf-8")))
IDS = [
    "code_review_correctness",
    "rag_citation_grounding",
    "patch_minimalism",
    "security_diff_review",
    "tool_call_precision",
    "sql_equivalence",
    "summarization_faithfulness",
    "api_contract_safety",
    "test_quality",
    "agent_trajectory_efficiency",
]

GOOD: dict[str, Any] = {
    "id": "tone",
    "title": "Tone",
    "purpose": "Judges the tone of a reply.",
    "scoring": "Read it aloud.",
    "questions": [{"id": name, "ask": f"Is it {name}?"} for name in ("kind", "calm", "clear")],
}


def written(folder: Path, **changes: object) -> Path:
    path = folder / "tone.yaml"
    rubric = {name: value for name, value in {**GOOD, **changes}.items() if value is not None}
    path.write_text(json.dumps(rubric), encoding="utf-8")  # JSON is YAML
    return path


def test_the_ten_are_there_and_fit_the_schema() -> None:
    assert list(RUBRIC_IDS) == IDS
    assert sorted(path.stem for path in FOLDER.glob("*.yaml")) == sorted(IDS)
    for rubric in rubrics():
        found: Any = read_yaml(FOLDER / f"{rubric.id}.yaml").plain()
        SCHEMA.validate(found)
        SCHEMA.validate(rubric.to_json())
        assert found["id"] == rubric.id
        assert len(rubric.questions) == 3
    asked = [question.ask for rubric in rubrics() for question in rubric.questions]
    assert len(set(asked)) == 30


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"purpose": None}, "there is no 'purpose'"),
        ({"scoring": " "}, "a text that is not empty"),
        ({"id": "Tone of voice"}, "lower-case letters"),
        ({"extra": 1}, "extra: the field is not known"),
        ({"questions": GOOD["questions"][:2]}, "three yes/no questions"),
        ({"questions": [*GOOD["questions"][:2], {"id": "clear", "ask": "It is clear."}]}, "answered by yes or no"),
        ({"questions": [*GOOD["questions"][:2], {"id": "calm", "ask": "Is it?"}]}, "stands twice"),
    ],
)
def test_reader_and_schema_refuse_the_same(changes: dict[str, object], said: str, tmp_path: Path) -> None:
    path = written(tmp_path, **changes)
    with pytest.raises(InputError, match=r"tone\.yaml") as found:
        read_rubric(path)
    assert said in str(found.value)
    if said != "stands twice" and changes != {"scoring": " "}:  # more than a schema can say
        assert not SCHEMA.is_valid(read_yaml(path).plain())
    assert SCHEMA.is_valid(GOOD)


def test_all_problems_of_a_rubric_are_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, id="A B", purpose="", scoring=None, more=1)
    assert main(["rubrics", "show", str(path)]) == 2
    told = capsys.readouterr().err
    assert "4 problems" in told
    for field in ("id:", "purpose:", "scoring:", "more:"):
        assert f"  {field}" in told


def test_list_and_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubrics", "list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == IDS
    assert main(["rubrics", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [rubric["id"] for rubric in listed] == IDS
    assert main(["rubrics", "show", "test_quality", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == listed[8]
    assert main(["rubrics", "show", "test_quality"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert all(question["ask"].split()[-1] in shown for question in listed[8]["questions"])
    assert main(["rubrics", "show", "test_qualty"]) == 2
    assert "Did you mean test_quality?" in capsys.readouterr().err


def test_a_rubric_of_ones_own_is_a_suite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": "one", "task": "Reply.", "first": "No.", "second": "No, sorry."}) + "\n")
    made = ["rubrics", "suite", str(written(tmp_path)), str(tmp_path / "own"), "--pairs", str(pairs)]
    assert main([*made, "--judge-name", "my-model"]) == 0
    assert "1, 0 with a label" in capsys.readouterr().out
    assert "(Author: my-model)" in "".join(
        str(test.trials[0].edit.batches) for test in load_suite(str(tmp_path / "own")).plan.tests
    )
    assert main([*made, "--judge-name", ""]) == 2
    assert "--judge-name" in capsys.readouterr().err


def test_bad_pairs_are_told_with_their_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = tmp_path / "pairs.yaml"
    pairs.write_text(
        "- {id: a, task: t, first: x, second: x}\n"
        "- nonsense\n"
        "- {id: 'b:c', task: t, first: x, second: y, better: both}\n"
        "- {id: d, task: t, first: x, second: y, better: first, fails: [zz]}\n- {id: e, task: t, first: x, second: y}\n"
        "- {id: e, task: t, first: x, second: y}\n"
    )
    assert main(["rubrics", "suite", "test_quality", str(tmp_path / "s"), "--pairs", str(pairs)]) == 2
    told = capsys.readouterr().err
    assert "6 problems" in told
    for place in (
        "line 1, second:",
        "line 2:",
        "line 3, id:",
        "line 3, better:",
        "line 4, fails:",
        'line 6: the id "e"',
    ):
        assert f"pairs.yaml, {place}" in told
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("rubric", IDS)
def test_each_rubric_is_a_suite_that_freezes_to_the_same_bytes(rubric: str, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        made = ["rubrics", "suite", rubric, str(tmp_path / folder / "judged"), "--pairs", f"{SOURCES / rubric}.yaml"]
        (tmp_path / folder).mkdir()
        assert main(made) == 0
    files = sorted(path.name for path in (tmp_path / "one" / "judged").iterdir())
    assert files == ["cases.jsonl", "gold.jsonl", "manifest.json", "tests.jsonl.gz"]
    for name in files:
        assert (tmp_path / "one/judged" / name).read_bytes() == (tmp_path / "two/judged" / name).read_bytes()
    card: Any = evaluate(
        from_callable(honest, "honest"), tmp_path / "one/judged", bootstrap=0, progress=False
    ).to_dict()
    assert card["counts"]["judged"] == card["counts"]["held"] == 42
    assert card["accuracy"]["accuracy_answered"] == 1.0
