"""From verified texts to a suite: what is used, what is written, what is refused."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.datagen.folders import DomainFolder
from pytest_jevbench.errors import Place
from pytest_jevbench.questions import case_from_json
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import SourceCase
from pytest_jevbench.rewrite_bank import RewriteBank, rewrite_from_json
from pytest_jevbench.suite_loading import load_suite
from tests.datagen.domains import small_folder, write_all

ARGS = ["--cases", "6", "--name", "desk", "--description", "A desk"]


@pytest.fixture
def folder(tmp_path: Path) -> DomainFolder:
    made = small_folder(tmp_path / "parcel_desk")
    assert main(["datagen", "plan", str(made.path), "--cases", "8"]) == 0
    write_all(made, made.domain())
    assert main(["datagen", "verify", str(made.path)]) == 0
    return made


def freeze(folder: DomainFolder, out: Path, *options: str) -> int:
    """0 or 1: the small bank of the test domain may repeat its questions more than a bundled one may."""
    return main(["datagen", "freeze", str(folder.path), "--out", str(out), *(options or ARGS)])


def lines(out: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / name).read_text("utf-8").splitlines()]


def replace_draft(folder: DomainFolder, index: int, old: str, new: str) -> str:
    domain = folder.domain()
    plan = folder.planned(domain)[index]
    path = folder.draft(domain, plan)
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    return plan.id


def test_the_files_of_a_suite(folder: DomainFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "suite"
    assert freeze(folder, out) in (0, 1)
    told = capsys.readouterr().out
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert (manifest["name"], manifest["description"], manifest["min_n"]) == ("desk", "A desk", 5)
    for name in ("cases.jsonl", "gold.jsonl", "facts.jsonl", "rewrites.jsonl"):
        assert manifest["files"][name] == sha256((out / name).read_bytes()).hexdigest()
    cases, gold, facts = (lines(out, f"{name}.jsonl") for name in ("cases", "gold", "facts"))
    plans = folder.planned(folder.domain())[:6]
    assert [c["id"] for c in cases] == [g["case"] for g in gold] == [f["case"] for f in facts] == [p.id for p in plans]
    for case, answers, plan in zip(cases, gold, plans, strict=True):
        assert answers["answers"] == {asked.key: asked.gold for asked in plan.questions}
        assert list(case["questions"]) == [asked.key for asked in plan.questions]
        for asked in plan.questions:
            if asked.order:
                assert list(case["questions"][asked.key]["criteria"]) == list(asked.order)
        assert {"subject": "days since posting", "value": plan.facts["days"].value} in case["thresholds"]
        assert case["domain"] == "parcel_desk"
    report = json.loads((out / "balance.json").read_text("utf-8"))["parcel_desk"]
    assert report["cases"] == 6
    assert set(report["not_used"].values()) == {"spare"}
    often = report["most_frequent_pattern"]
    assert f'"{often["words"]} ..." {often["asked"]} times' in told


def test_the_suite_loads_with_one_test_a_relation_and_case(folder: DomainFolder, tmp_path: Path) -> None:
    out = tmp_path / "suite"
    freeze(folder, out)
    suite = load_suite(str(out))
    tests = [(test.id.relation, test.id.case_id) for test in suite.plan.tests]
    assert len(tests) == len(set(tests)) == 50 * 6
    assert suite.name == "desk"
    assert suite.gold is not None
    assert {case: set(answers) for case, answers in suite.gold.items()} == {
        case_id: set(case.questions) for case_id, case in suite.cases.items()
    }


def test_a_suite_needs_a_folder(folder: DomainFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datagen", "freeze", str(folder.path)]) == 2
    assert "--out is missing" in capsys.readouterr().err


def test_every_relation_applies_to_every_case(folder: DomainFolder, tmp_path: Path) -> None:
    out = tmp_path / "suite"
    freeze(folder, out)
    bank = RewriteBank.of(rewrite_from_json(row, Place("rewrites.jsonl")) for row in lines(out, "rewrites.jsonl"))
    assert bank.languages() == ("translate:zh", "translate:es")
    assert len(registry.scored()) == 50
    for row in lines(out, "cases.jsonl"):
        source = SourceCase(case_from_json(row, Place("cases.jsonl")), bank)
        assert [r.name for r in registry.scored() if not list(r.transformation.targets(source))] == []


def test_equal_sources_give_equal_bytes(folder: DomainFolder, tmp_path: Path) -> None:
    freeze(folder, tmp_path / "one")
    freeze(folder, tmp_path / "two")
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "two").iterdir())
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_text_that_was_changed_after_its_check_is_not_used(
    folder: DomainFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = replace_draft(folder, 2, "Well,", "Well,")
    changed = folder.draft(folder.domain(), folder.planned(folder.domain())[2])
    changed.write_text(changed.read_text("utf-8").replace("The ", "the ", 1), "utf-8")
    assert freeze(folder, tmp_path / "suite") in (0, 1)
    assert f"not used: {case}: not verified as it stands" in capsys.readouterr().out
    assert case not in [row["id"] for row in lines(tmp_path / "suite", "cases.jsonl")]
    assert len(lines(tmp_path / "suite", "cases.jsonl")) == 6


def test_near_duplicates_and_wrong_lengths_are_not_used(
    folder: DomainFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domain = folder.domain()
    emails = [plan for plan in folder.planned(domain) if plan.style == "email"]
    first, second, third = emails[:3]
    copy = folder.draft(domain, first).read_text("utf-8")
    told = folder.draft(domain, second).read_text("utf-8")
    folder.draft(domain, second).write_text(" ".join([*told.split()[:40], *copy.split()]), "utf-8")
    folder.draft(domain, third).write_text("word " * 400, "utf-8")
    main(["datagen", "verify", str(folder.path)])
    capsys.readouterr()
    main(["datagen", "freeze", str(folder.path), "--out", str(tmp_path / "s"), "--report-only"])
    out = capsys.readouterr().out
    assert f"not used: {third.id}: 400 words" in out
    assert f"not used: {second.id}: " in out
    assert f"too near to {first.id}" in out or "words, and" in out
    assert not (tmp_path / "s").exists()


def test_too_few_usable_cases_are_refused(
    folder: DomainFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in list(folder.drafts.iterdir())[:3]:
        path.unlink()
    assert freeze(folder, tmp_path / "suite") == 2
    assert "parcel_desk has 5 usable cases" in capsys.readouterr().err
    assert not (tmp_path / "suite").exists()


def test_a_rule_that_changed_after_planning_is_refused(
    folder: DomainFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder.path / "domain.yaml"
    file.write_text(file.read_text("utf-8").replace("answer: days > 5", "answer: days > 1"), "utf-8")
    assert freeze(folder, tmp_path / "suite") == 2
    assert "the question long_under_way has another rule" in capsys.readouterr().err


def test_readers_verdicts_reach_the_suite(
    folder: DomainFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "sheet.jsonl"
    assert main(["datagen", "review", str(folder.path), "--sheet", str(sheet)]) == 0
    rows = lines(tmp_path, "sheet.jsonl")
    plans = {plan.id: plan for plan in folder.planned(folder.domain())}
    target = next(row for row in rows if row["id"].startswith("gold:"))
    for row in rows:
        assert "gold" not in {key for key in row if key != "id"}
        if row["id"].startswith("gold:"):
            assert set(row["answers"].values()) == {None}
            golds = {asked.key: asked.gold for asked in plans[row["id"][5:]].questions}
            spoken = {True: "yes", False: "no"}
            row["answers"] = {
                k: spoken.get(golds[k], golds[k]) if isinstance(golds[k], bool) else golds[k] for k in row["answers"]
            }
        else:
            row["verdict"] = "ok"
    wrong = next(key for key, value in target["answers"].items() if value == "yes")
    target["answers"][wrong] = "no"
    for row in rows:
        if row["id"] == "paraphrase:light_enough:2":
            row |= {"verdict": "reject", "reason": "drops the kilos"}
        if row["id"] == "text:parcel_desk-002":
            row |= {"verdict": "reject", "reason": "odd"}
        if row["id"] == "negation:light_enough":
            row["verdict"] = ""
    sheet.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    capsys.readouterr()
    assert main(["datagen", "review", str(folder.path), "--read", str(sheet)]) == 1
    out = capsys.readouterr().out
    assert "paraphrase:light_enough:2: drops the kilos" in out
    assert f'gold:{target["id"][5:]}:{wrong}: read as "no"' in out
    assert "1 not read, 0 of other words than now" in out

    assert freeze(folder, tmp_path / "suite") in (0, 1)
    audited = {
        (row["kind"], str(row["rewrite"])): row["audited"] for row in lines(tmp_path / "suite", "rewrites.jsonl")
    }
    assert audited["paraphrase", "Is the weight of the box at most twenty kilos?"] is False
    assert audited["paraphrase", "Is twenty kilos or less what the box weighs?"] is True
    assert audited["negation", "Does the box weigh more than twenty kilos?"] is None
    assert all(value is True for (kind, _), value in audited.items() if kind.startswith("translate"))
    gold = {row["case"]: row["answers"] for row in lines(tmp_path / "suite", "gold.jsonl")}
    assert gold[target["id"][5:]][wrong] is None
    assert sum(value is None for answers in gold.values() for value in answers.values()) == 1
    assert "parcel_desk-002" not in gold

    assert main(["datagen", "review", str(folder.path), "--sheet", str(sheet)]) == 0
    assert [row["id"] for row in lines(tmp_path, "sheet.jsonl")] == ["negation:light_enough"]
    file = folder.path / "domain.yaml"
    file.write_text(file.read_text("utf-8").replace("zh: 寄出多久了？", "zh: 寄出有多久了？"), "utf-8")
    assert main(["datagen", "review", str(folder.path), "--sheet", str(sheet)]) == 0
    assert [row["id"] for row in lines(tmp_path, "sheet.jsonl")] == [
        "negation:light_enough",
        "translate:zh:time_passed",
    ]


def test_one_bad_draft_is_not_used_and_stops_nothing(
    folder: DomainFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domain = folder.domain()
    plan = folder.planned(domain)[0]
    folder.draft(domain, plan).write_bytes(b"\xff\xfe")
    assert freeze(folder, tmp_path / "suite") in (0, 1)
    assert f"not used: {plan.id}: " in capsys.readouterr().out
    assert len(lines(tmp_path / "suite", "cases.jsonl")) == 6


def test_a_domain_is_given_once(folder: DomainFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(folder.path)
    assert main(["datagen", "freeze", path, f"{path}/domain.yaml", "--out", str(tmp_path / "suite")]) == 2
    assert "the domain parcel_desk is given twice" in capsys.readouterr().err
    assert not (tmp_path / "suite").exists()


def test_other_files_are_not_written_among(
    folder: DomainFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work", "utf-8")
    assert freeze(folder, mine) == 2
    assert "the folder holds other files" in capsys.readouterr().err
    assert [path.name for path in mine.iterdir()] == ["thesis.txt"]
    out = tmp_path / "suite"
    out.mkdir()
    assert freeze(folder, out) in (0, 1)
    assert freeze(folder, out) in (0, 1)
    before = (out / "manifest.json").read_bytes()
    assert freeze(folder, out, "--cases", "5", "--name", "counter") == 2
    assert 'the folder holds the suite "desk"' in capsys.readouterr().err
    assert (out / "manifest.json").read_bytes() == before
