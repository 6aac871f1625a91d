"""Plans: reproducible, balanced, within the world's constraints, and told to writers without a question."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.datagen.briefs import brief_of
from pytest_jevbench.datagen.domain import Domain
from pytest_jevbench.datagen.planned import CasePlan, askable, gold_of, read_plans, write_plans
from pytest_jevbench.datagen.planning import plan_cases
from pytest_jevbench.errors import InputError
from tests.datagen.domains import changed, small_domain, small_folder, write_all

CASES = 24


@pytest.fixture(scope="module")
def domain(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return small_domain(tmp_path_factory.mktemp("domain"))


@pytest.fixture(scope="module")
def plans(domain: Domain) -> tuple[CasePlan, ...]:
    return plan_cases(domain, CASES)


def test_plans_read_back_as_they_were(domain: Domain, plans: tuple[CasePlan, ...], tmp_path: Path) -> None:
    path = tmp_path / "plans.jsonl"
    path.write_text(write_plans(plans), "utf-8")
    assert read_plans(path, domain) == plans


def test_more_cases_leave_the_first_ones_as_they_are(domain: Domain, plans: tuple[CasePlan, ...]) -> None:
    assert plan_cases(domain, 7) == plans[:7]
    assert plan_cases(domain, 7, seed=1) != plans[:7]


def test_the_hash_seed_of_python_changes_nothing(plans: tuple[CasePlan, ...], tmp_path: Path) -> None:
    small_folder(tmp_path)
    for seed in ("0", "77"):
        command = [sys.executable, "-m", "pytest_jevbench", "datagen", "plan", str(tmp_path), "--cases", str(CASES)]
        subprocess.run(
            command,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        assert (tmp_path / "plans.jsonl").read_text("utf-8") == write_plans(plans)


def test_every_case_has_what_every_relation_needs(domain: Domain, plans: tuple[CasePlan, ...]) -> None:
    for plan in plans:
        types = Counter(domain.questions[q.key].type for q in plan.questions)
        assert 8 <= len(plan.questions) <= 12
        assert types["noul"] >= 4
        assert types["choice"] >= 1
        assert types["score"] >= 1
        assert any(plan.facts[n].mention == "explicit" for n, f in domain.facts.items() if f.threshold)


def test_answers_follow_the_rules_and_the_text_can_answer(domain: Domain, plans: tuple[CasePlan, ...]) -> None:
    for plan in plans:
        for asked in plan.questions:
            question = domain.questions[asked.key]
            assert askable(question, domain, plan.facts)
            assert gold_of(question, plan.facts) == asked.gold
            assert sorted(asked.order) == (sorted(question.options) if question.type == "choice" else [])


def test_answers_by_hand(plans: tuple[CasePlan, ...]) -> None:
    for plan in plans:
        golds = {asked.key: asked.gold for asked in plan.questions}
        days, refund = plan.facts["days"].value, plan.facts["refund"].value
        assert isinstance(days, int)
        assert golds.get("delay", (days > 3) + (days > 10)) == (days > 3) + (days > 10)
        assert golds.get("money_wanted", refund) is refund
        if "counter" in golds:
            by_parcel = {"missing": "search", "damaged": "010", "wrong": "010", "on": "no"}
            assert golds["counter"] == ("till" if refund else by_parcel[str(plan.facts["parcel"].value)])


def test_the_world_keeps_its_constraints(plans: tuple[CasePlan, ...]) -> None:
    for plan in plans:
        facts = plan.facts
        assert not (facts["refund"].value and int(facts["days"].value or 0) < 4)
        assert (facts["weight_kg"].value is None) == (facts["parcel"].value == "on")
        if plan.archetype == "spare_part":
            assert facts["parcel"].value != "on"


def test_balance(domain: Domain, plans: tuple[CasePlan, ...]) -> None:
    asked = [(domain.questions[q.key], q) for plan in plans for q in plan.questions]
    nouls = [q.gold for question, q in asked if question.type == "noul"]
    places = Counter(q.order.index(str(q.gold)) for question, q in asked if question.type == "choice")
    assert 0.4 <= sum(map(bool, nouls)) / len(nouls) <= 0.6
    assert max(places.values()) - min(places.values()) <= 1
    assert abs(Counter(plan.style for plan in plans)["email"] - 16) <= 1
    assert Counter(plan.length for plan in plans) == {"short": 12, "long": 12}
    assert Counter(plan.archetype for plan in plans) == {"present": 12, "spare_part": 12}
    assert Counter(plan.voice for plan in plans) == {"In a hurry.": 12, "Polite.": 12}


def test_names_come_back_only_when_all_were_used(plans: tuple[CasePlan, ...]) -> None:
    names = [plan.facts["writer"].value for plan in plans]
    assert len(set(names[:7])) == 7
    assert names[7:14] == names[:7]


def test_a_writer_is_told_the_facts_and_no_question(domain: Domain, plans: tuple[CasePlan, ...]) -> None:
    for plan in plans:
        brief = brief_of(domain, plan)
        for question in domain.questions.values():
            assert question.ask not in brief
            assert not any(text in brief for text in (*question.paraphrases, *question.translations.values()))
            assert not any(option.text in brief for option in question.options.values())
        assert str(plan.facts["writer"].value) in brief
        if plan.facts["refund"].mention == "absent":
            assert "Neither mention nor hint at" in brief
            assert "whether money is asked back" in brief
            assert "postage" not in brief


def test_an_impossible_constraint_is_named(tmp_path: Path) -> None:
    folder = changed(tmp_path, "constraints: [not (refund and days < 4)]", "constraints: [days > 20]")
    with pytest.raises(InputError, match="no draw of the archetype present meets the constraints"):
        plan_cases(folder.domain(), 2)


def test_too_few_questions_are_named(tmp_path: Path) -> None:
    never = "    ask_if: days > 99\n"
    changes = {
        "    answer: visit\n": f"    answer: visit\n{never}",
        "    answer: refund\n": f"    answer: refund\n{never}",
    }
    domain = small_folder(tmp_path, **changes).domain()
    with pytest.raises(InputError, match="fewer than 8 questions can be asked"):
        plan_cases(domain, 6)


def test_texts_are_not_left_without_their_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = small_folder(tmp_path)
    assert main(["datagen", "plan", str(tmp_path), "--cases", "3"]) == 0
    before = folder.plans.read_text("utf-8")
    write_all(folder, folder.domain())
    assert main(["datagen", "plan", str(tmp_path), "--cases", "3", "--seed", "5"]) == 2
    assert "written for other facts" in capsys.readouterr().err
    assert folder.plans.read_text("utf-8") == before
    assert main(["datagen", "plan", str(tmp_path), "--cases", "5"]) == 0
    assert folder.plans.read_text("utf-8").startswith(before)
    capsys.readouterr()
    assert main(["datagen", "plan", str(tmp_path), "--cases", "1"]) == 2
    told = capsys.readouterr().err
    assert "2 texts would be left without a plan, that of parcel_desk-002 first" in told
    assert "at least --cases 3" in told


def test_questions_can_be_chosen_again_for_the_same_texts(tmp_path: Path) -> None:
    folder = small_folder(tmp_path)
    main(["datagen", "plan", str(tmp_path), "--cases", "4"])
    facts = [plan.facts for plan in folder.planned(folder.domain())]
    file = tmp_path / "domain.yaml"
    file.write_text(file.read_text("utf-8").replace("answer: days > 5", "answer: days > 9"), "utf-8")
    assert main(["datagen", "plan", str(tmp_path), "--keep-facts"]) == 0
    plans = folder.planned(folder.domain())
    assert [plan.facts for plan in plans] == facts
    for plan in plans:
        for asked in plan.questions:
            if asked.key == "long_under_way":
                assert asked.gold is (int(plan.facts["days"].value or 0) > 9)


def test_a_question_that_was_deleted_is_chosen_no_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = small_folder(tmp_path)
    main(["datagen", "plan", str(tmp_path), "--cases", "4"])
    write_all(folder, folder.domain())
    assert main(["datagen", "verify", str(tmp_path)]) == 0
    facts = [plan.facts for plan in folder.planned(folder.domain())]
    file = tmp_path / "domain.yaml"
    file.write_text(file.read_text("utf-8").replace("  time_passed:\n", "  time_gone:\n"), "utf-8")
    capsys.readouterr()
    assert main(["datagen", "verify", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert "'time_passed' is no longer in the domain" in told
    assert "plan --keep-facts" in told
    assert main(["datagen", "plan", str(tmp_path), "--keep-facts"]) == 0
    plans = folder.planned(folder.domain())
    assert [plan.facts for plan in plans] == facts
    assert all("time_gone" in {asked.key for asked in plan.questions} for plan in plans)
    assert main(["datagen", "verify", str(tmp_path)]) == 0


def test_a_fact_outside_its_range_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = small_folder(tmp_path)
    main(["datagen", "plan", str(tmp_path), "--cases", "4"])
    plans = folder.planned(folder.domain())
    late = next(plan for plan in plans if int(plan.facts["days"].value or 0) > 5)
    file = tmp_path / "domain.yaml"
    text = file.read_text("utf-8")
    file.write_text(text.replace("range: [2..5, 6..20]", "range: [2..5, 90]"), "utf-8")
    capsys.readouterr()
    assert main(["datagen", "verify", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert f"'days' of {late.id} is {late.facts['days'].value}, outside its range 2..5 or 90..90" in told
    assert f"plans.jsonl, line {plans.index(late) + 1}" in told
    # what an archetype draws from takes the place of the fact's own range
    for name in ("A present was sent.", "A spare part was ordered."):
        text = text.replace(f"    brief: {name}\n", f"    brief: {name}\n    facts: {{days: 2..20}}\n")
    text = text.replace("range: [2..5, 6..20]", "range: 99").replace(
        "    facts: {parcel: {missing: 1, damaged: 1, wrong: 1}}", "    #"
    )
    file.write_text(text, "utf-8")
    assert folder.planned(folder.domain()) == plans
