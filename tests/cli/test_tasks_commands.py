"""``pytest-jevbench tasks ...`` as a person types it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_jevbench.cli import main
from pytest_jevbench.labelled.document import build_document, write_labelled
from pytest_jevbench.labelled.results import TaskResult, judge_task
from pytest_jevbench.labelled.task_sets import check_tasks
from pytest_jevbench.reports.text import columns

NOUL = {"type": "noul", "instructions": "Is it about a delivery?"}
CHOICE = {"type": "choice", "instructions": "What is wrong?", "criteria": {"late": "Not there", "broken": "In pieces"}}
SCORE = {"type": "score", "instructions": "How upset?", "criteria": ["calm", "angry"]}
RECORDS: list[dict[str, Any]] = [
    {
        "id": "late-1",
        "family": "parcels",
        "state": "Not here.",
        "question": NOUL,
        "expected": "yes",
        "group": "g",
    },
    {"id": "late-2", "family": "parcels", "state": "Nothing came.", "question": NOUL, "expected": "yes", "group": "g"},
    {"id": "lid", "family": "Rücksendung", "state": "The lid broke.", "question": CHOICE, "split": "dev"},
    {
        "id": "p-1",
        "family": "parcels",
        "state": "A zebrafish.",
        "question": SCORE,
        "expected": 1,
        "split": "private",
        "provenance": "quokka",
    },
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder ``set`` with four tasks; commands run beside it."""
    (tmp_path / "set").mkdir()
    write(tmp_path / "set" / "a.jsonl", *RECORDS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, *rows: dict[str, Any]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


def typed(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> list[str]:
    """The lines that a command prints on standard output, or on standard error where it ends with 2."""
    capsys.readouterr()
    assert main(["tasks", *words]) == status
    out, err = capsys.readouterr()
    assert (err if status != 2 else out) == ""
    return (err if status == 2 else out).splitlines()


def by_definition(*rows: dict[str, Any]) -> str:
    whole = []
    for row in rows:
        labels = {"noul": ["no", "yes"], "choice": list(CHOICE["criteria"]), "score": [0, 1]}[row["question"]["type"]]
        blank = {"labels": labels, "expected": None, "split": "public", "group": None, "provenance": None}
        whole.append(json.dumps({**blank, **row}, sort_keys=True, ensure_ascii=False) + "\n")
    return hashlib.sha256("".join(sorted(whole)).encode()).hexdigest()


PUBLIC, DEV, PRIVATE = by_definition(*RECORDS[:2]), by_definition(RECORDS[2]), by_definition(RECORDS[3])

# validate ------------------------------------------------------------------------------------------------------------


def test_records_without_a_problem_are_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = typed(capsys, "validate", "set")
    assert said[0] == "4 tasks about 4 states, no problem"
    assert [line.split() for line in said if line.endswith((" 1", " 2", " 3"))] == [
        ["public", "2"],
        ["dev", "1"],
        ["private", "(private)", "1"],
        ["parcels", "3"],
        ["Rücksendung", "1"],
        ["noul", "2"],
        ["choice", "1"],
        ["score", "1"],
    ]
    assert said[-2:] == ["1 paraphrase group", "1 task without an expected label"]
    assert all(columns(line) <= 80 for line in said)


def test_every_problem_is_a_line_with_its_file_and_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = [
        {**RECORDS[0], "expected": "maybe", "note": 1},
        {**RECORDS[1], "state": {"mail": [{"ground_truth": "yes"}]}},
        {**RECORDS[3], "expected": True},
    ]
    write(folder / "set" / "a.jsonl", RECORDS[2], *wrong)
    with (folder / "set" / "b.jsonl").open("w", encoding="utf-8") as file:
        file.write('{"id": "late-1", "state": NaN}\n\nnot json\n')
    said = typed(capsys, "validate", "set", status=1)
    assert [line.partition(": ")[0] for line in said[:-1]] == [
        "set/a.jsonl, line 2, note",
        "set/a.jsonl, line 2, expected",
        "set/a.jsonl, line 3, state.mail[0].ground_truth",
        "set/a.jsonl, line 4, expected",
        "set/b.jsonl, line 1, state",
        "set/b.jsonl, line 1, family",
        "set/b.jsonl, line 1, state",
        "set/b.jsonl, line 1, question",
        "set/b.jsonl, line 1, id",
        "set/b.jsonl, line 3",
    ]
    assert said[-1] == "10 problems; 1 record can be used"


def test_words_of_private_records_are_told_where_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "set" / "a.jsonl", {**RECORDS[3], "expected": "zebrafish"})
    [said, _] = typed(capsys, "validate", "set", status=1)
    assert said.startswith("set/a.jsonl, line 1, expected: something is wrong in a record that is private")
    assert "zebrafish" not in said
    [said, _] = typed(capsys, "validate", "set", "--show-private", status=1)
    assert 'found "zebrafish"' in said


def test_what_a_terminal_cannot_show_is_escaped(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "set" / "a.jsonl", {**RECORDS[0], "id": "\x1b[31mred", "family": "a\u202eb", "expected": "\x1b[2J"})
    said = typed(capsys, "validate", "set", status=1)
    assert all(line.isprintable() for line in said)


def test_a_folder_is_held_against_its_manifest(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed(capsys, "hash", "set", "--manifest", "set/manifest.json")
    assert typed(capsys, "validate", "set")[-1] == "the hashes are those of set/manifest.json"
    write(folder / "set" / "a.jsonl", *RECORDS[1:])
    [said, last] = typed(capsys, "validate", "set", status=1)
    assert said.startswith("set/manifest.json, splits.public: 2 records are pinned, and there are 1. ")
    assert last == "1 problem; 3 records can be used"
    write(folder / "set" / "a.jsonl", *RECORDS[:3])
    assert typed(capsys, "validate", "set")[-1] == "pinned and not here: private (private)"


def test_another_manifest_may_be_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed(capsys, "hash", "set", "--manifest", "pins.yaml")
    assert typed(capsys, "validate", "set", "--manifest", "pins.yaml")[-1] == "the hashes are those of pins.yaml"
    write(folder / "set" / "a.jsonl", {**RECORDS[0], "state": "edited"}, *RECORDS[1:])
    assert f"{PUBLIC} is pinned" in typed(capsys, "validate", "set", "--manifest", "pins.yaml", status=1)[0]
    assert typed(capsys, "validate", "set")[0] == "4 tasks about 4 states, no problem"


def test_the_gold_answers_of_a_suite(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = typed(capsys, "validate", "--suite", "jevbench-examples")
    assert "no problem" in said[0]
    assert said[-1] == "every task has its label"


# hash ----------------------------------------------------------------------------------------------------------------


def test_hashes_of_splits_and_of_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(capsys, "hash", "set") == [
        f"{PUBLIC}  public, 2 tasks",
        f"{DEV}  dev, 1 task",
        f"{PRIVATE}  private (private), 1 task",
        f"{by_definition(*RECORDS)}  all, 4 tasks",
    ]
    write(folder / "one.jsonl", *RECORDS[1::-1])
    assert typed(capsys, "hash", "one.jsonl") == [f"{PUBLIC}  public, 2 tasks"]


@pytest.mark.parametrize("name", ["set/manifest.yaml", "set/manifest.yml", "set/manifest.json", "pins.json"])
def test_a_manifest_is_written(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert typed(capsys, "hash", "set", "--manifest", name)[-1] == f"pinned in {name}"
    text = (folder / name).read_text(encoding="utf-8")
    assert (json.loads(text) if name.endswith("json") else yaml.safe_load(text)) == {
        "format": "jevbench-tasks",
        "schema_version": "1.0",
        "splits": {
            "public": {"sha256": PUBLIC, "tasks": 2},
            "dev": {"sha256": DEV, "tasks": 1},
            "private": {"sha256": PRIVATE, "tasks": 1, "private": True},
        },
    }
    assert "zebrafish" not in text


def test_a_manifest_out_of_date_is_told_or_written_anew(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed(capsys, "hash", "set", "--manifest", "set/manifest.json")
    write(folder / "set" / "a.jsonl", *RECORDS[1:])
    assert "2 records are pinned, and there are 1" in typed(capsys, "hash", "set", status=2)[0]
    typed(capsys, "hash", "set", "--manifest", "set/manifest.json")
    assert typed(capsys, "validate", "set")[0] == "3 tasks about 3 states, no problem"


def test_records_with_problems_are_not_hashed_or_pinned(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "set" / "a.jsonl", {**RECORDS[0], "expected": "maybe"}, {**RECORDS[1], "id": 7})
    said = typed(capsys, "hash", "set", "--manifest", "set/manifest.json", status=2)
    assert said[0] == "pytest-jevbench: 2 problems in the labelled tasks"
    assert [line.strip().partition(": ")[0] for line in said[1:]] == [
        "set/a.jsonl, line 1, expected",
        "set/a.jsonl, line 2, id",
    ]
    assert not (folder / "set" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["set", "--manifest", "pins.txt"],
            '--manifest: found "pins.txt". Give a name that ends in .yaml, .yml or .json',
        ),
        (["set", "--manifest", "set/pins.yaml"], "--manifest: pins.yaml lies among the records"),
        (["nowhere"], "nowhere: there is no such file"),
        (["nowhere.jsonl"], "nowhere.jsonl: there is no such file"),
        (["."], "set/a.jsonl"),
        (["--suite", "nope"], 'there is no suite "nope"'),
        ([], "found nothing to read. Give PATH, or --suite=SUITE"),
        (["set", "--suite", "jevbench-mini"], "found paths and --suite"),
    ],
)
def test_what_cannot_be_hashed_is_one_message(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    if words == ["."]:
        write(folder / "b.jsonl", RECORDS[0])  # once more, beside the folder
    assert message in " ".join(typed(capsys, "hash", *words, status=2))


@pytest.mark.parametrize("command", ["validate", "hash"])
def test_nothing_or_two_things_to_read(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "found nothing to read" in typed(capsys, command, status=2)[0]
    assert "found paths and --suite" in typed(capsys, command, "x.jsonl", "--suite", "jevbench-mini", status=2)[0]


# summarize and export ------------------------------------------------------------------------------------------------


@pytest.fixture
def results(folder: Path) -> Path:
    """Results of three models on the four tasks: ``whole.json``, ``half.json`` and ``partial.json``."""
    tasks = check_tasks([Path("set")])[0]
    lid = {"late": 0.3, "broken": 0.7}
    answers = {
        "whole": [{"no": 0.1, "yes": 0.9}, {"no": 0.2, "yes": 0.8}, lid, {"0": 0.25, "1": 0.75}],
        "half": [{"no": 0.1, "yes": 0.9}, {"no": 0.6, "yes": 0.4}, lid, {"0": 0.75, "1": 0.25}],
        "partial": [{"no": 0.1, "yes": 0.9}, {"no": 0.2, "yes": 0.8}],
    }
    for name, given in answers.items():
        found = [
            judge_task(
                task,
                TaskResult(
                    task.id,
                    "wrong",
                    probabilities=p,
                    probs_source="native",
                    model_asked=name,
                    model_answered=name,
                    detail="quokka" if task.private else "",
                    latency_s=0.5,
                    cost_usd=0.25,
                    cost_basis="derived_usage_times_tariff",
                ),
            )
            for task, p in zip(tasks.tasks, given, strict=False)
        ]
        write_labelled(f"{name}.json", build_document(tasks, found, model={"name": name}))
    return folder


def test_one_result_in_full(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = typed(capsys, "summarize", "half.json")
    table = {line[:40].strip(): line[40:].split() for line in said}
    assert said[0].startswith("half · set · data set ")
    assert "4 of 4 tasks asked: 1 correct, 2 wrong, 1 unjudged (1 unlabelled)" in said[1]
    # Right 1 of 3; Wilson [6.1, 79.2].
    assert table["accuracy, no answer counting as wrong"] == ["33.3", "[", "6.1,", "79.2]", "3"]
    # Squared errors .02, .72, 1.125.
    assert table["Brier, over all labels"] == [f"{(0.02 + 0.72 + 1.125) / 3:.3f}", "3"]
    assert table["paraphrase pairs that agree"] == ["0.0", "1"]
    assert any("500.0 ms" in line for line in said)
    assert any("$1, $250 per 1,000 tasks" in line for line in said)
    assert any(line.startswith("accuracy by split") for line in said)
    assert any("No text of it is in this result" in line for line in said)
    assert all(columns(line) <= 80 for line in said)
    by_type = typed(capsys, "summarize", "half.json", "--by", "type")
    assert any(line.startswith("accuracy by type") for line in by_type)
    assert not any(line.startswith("accuracy by split") for line in by_type)


def test_several_results_side_by_side(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = typed(capsys, "summarize", "partial.json", "half.json", "whole.json")
    assert [line.split()[:3] for line in said[1:4]] == [
        ["1", "whole", "100.0"],
        ["2", "half", "33.3"],
        ["-", "partial", "100.0"],
    ]
    assert said[4] == "* partial has no rank: incomplete: 2 of 4 tasks asked"
    assert all(columns(line) <= 80 for line in said)


def test_figures_as_json(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads("\n".join(typed(capsys, "summarize", "partial.json", "whole.json", "--json")))
    assert [(row["name"], row["rank"], row["no_rank_because"]) for row in rows] == [
        ("whole", 1, ""),
        ("partial", None, "incomplete: 2 of 4 tasks asked"),
    ]
    assert rows[0]["dataset"] == by_definition(*RECORDS)
    assert rows[0]["accuracy"]["accuracy_strict"] == 1.0
    assert rows[0]["counts"]["reasons"]["unlabelled"] == 1


def test_figures_are_those_of_the_rows_and_not_of_the_file(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    value = json.loads((results / "half.json").read_text(encoding="utf-8"))
    value["figures"]["accuracy"]["accuracy_strict"] = 1.0
    (results / "half.json").write_text(json.dumps(value), encoding="utf-8")
    [row] = json.loads("\n".join(typed(capsys, "summarize", "half.json", "--json")))
    assert row["accuracy"]["accuracy_strict"] == 1 / 3


def test_an_export_has_no_row_and_no_word_of_a_private_split(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "\n".join(typed(capsys, "export", "half.json", "whole.json"))
    value = json.loads(text)
    assert [(of["model"]["name"], of["rank"]) for of in value["results"]] == [("whole", 1), ("half", 2)]
    assert [row["id"] for row in value["results"][0]["tasks"]] == ["late-1", "late-2", "lid"]
    assert value["results"][1]["figures"]["accuracy"]["n"] == 3
    assert not any(word in text for word in ("zebrafish", "quokka", "p-1", "upset", "angry", "delivery"))
    assert typed(capsys, "export", "half.json", "whole.json", "--out", "public.json") == ["public.json: 2 results"]
    assert (results / "public.json").read_text(encoding="utf-8") == text + "\n"
    typed(capsys, "export", "half.json", "--no-rows", "--out", "public.json")
    [alone] = json.loads((results / "public.json").read_text(encoding="utf-8"))["results"]
    assert alone["tasks"] == []


@pytest.mark.parametrize("command", ["summarize", "export"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (None, "half.json: there is no such file"),
        ("", "half.json: not JSON: it is empty"),
        ("[]", "half.json: found []. Give an object"),
        ('{"format": "jevbench-judges"}', 'half.json, format: found "jevbench-judges". Give "jevbench-labelled"'),
        ({"schema_version": "2.0"}, "half.json, schema_version: schema version"),
        ({"tasks": {}}, "half.json, tasks: found {}"),
        ({"dataset": []}, "half.json, dataset: found []"),
    ],
)
def test_what_is_no_result_is_one_message(
    results: Path, capsys: pytest.CaptureFixture[str], command: str, change: Any, message: str
) -> None:
    path = results / "half.json"
    if isinstance(change, dict):
        change = json.dumps({**json.loads(path.read_text(encoding="utf-8")), **change})
    path.unlink() if change is None else path.write_text(change, encoding="utf-8")
    [said] = typed(capsys, command, "whole.json", "half.json", status=2)
    assert said.startswith(f"pytest-jevbench: {message}")


def test_an_export_that_cannot_be_written(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [said] = typed(capsys, "export", "half.json", "--out", "nowhere/public.json", status=2)
    assert "nowhere" in said
    assert "No such file or directory" in said


def test_nothing_is_written_over_what_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "one.json", RECORDS[0])
    before = (folder / "one.json").read_bytes()
    for words in (
        ["hash", "one.json", "--manifest", "./one.json"],
        ["hash", "set/a.jsonl", "--manifest", "set/a.jsonl"],
    ):
        assert "would be written over. Name another file" in "\n".join(typed(capsys, *words, status=2))
    assert (folder / "one.json").read_bytes() == before


def test_a_result_is_not_written_over_by_its_export(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (results / "half.json").read_bytes()
    [said] = typed(capsys, "export", "whole.json", "half.json", "--out", "half.json", status=2)
    assert "half.json: this is what is read, and would be written over" in said
    assert (results / "half.json").read_bytes() == before
