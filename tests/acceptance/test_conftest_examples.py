"""Every file of conftest_examples/ does what it says when it is copied to a root directory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_jevbench.plugin.replica import Replica
from pytest_jevbench.relation_testing import check_relation
from pytest_jevbench.relations.own_law_sources import load_file
from tests.servers.dialects import chat
from tests.servers.scripted import ScriptedServer

EXAMPLES = Path(__file__).parents[2] / "conftest_examples"
Run = Callable[..., pytest.RunResult]
SUITE = ("--jevbench-suite=jevbench-examples", "--jevbench-store=off", "--jevbench-fail-on=never")


def use(pytester: pytest.Pytester, name: str) -> None:
    pytester.makeconftest((EXAMPLES / name).read_text(encoding="utf-8"))


def test_a_model_in_the_process(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    use(pytester, "in_process_model.py")
    assert run_jevbench(*SUITE).ret == 0
    card = json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))
    assert card["identity"]["model"]["dialect"] == "callable"
    assert card["counts"]["judged"] == 50


def test_scores_go_to_a_tracker(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    use(pytester, "scores_to_a_tracker.py")
    for _ in range(2):
        assert run_jevbench(*SUITE, "--jevbench-reference=uniform").ret == 0
    lines = (pytester.path / "tracker.jsonl").read_text(encoding="utf-8").splitlines()
    card = json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))
    expected = {"model": "uniform", "overall": card["scores"]["overall"]["score"], "reason": None}
    assert [json.loads(line) for line in lines] == [expected, expected]


def own_cases(pytester: pytest.Pytester) -> str:
    questions = {
        "order_found": {"type": "noul", "instructions": "Was the order found?"},
        "refund_approved": {"type": "noul", "instructions": "Is a refund approved?"},
    }
    rows = [{"id": f"c{n}", "state": f"Parcel {n} never came.", "questions": questions} for n in range(2)]
    (pytester.path / "cases.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return "--jevbench-cases=cases.jsonl"


@pytest.mark.parametrize(
    ("name", "law", "tests"),
    [("custom_relation.py", "same_for_an_auditor", 4), ("domain_law_over_two_questions.py", "refund_needs_order", 2)],
)
def test_a_law_of_ones_own(run_jevbench: Run, pytester: pytest.Pytester, name: str, law: str, tests: int) -> None:
    use(pytester, name)
    cases = own_cases(pytester)
    assert run_jevbench(cases, f"--jevbench-relation={law}", "--jevbench-reference=uniform").ret == 0
    card = json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in card["own_laws"]] == [law]
    assert card["counts"]["judged"] == tests


@pytest.mark.parametrize(
    ("name", "law", "defect"),
    [
        ("custom_relation.py", "SameForAnAuditor", "wording_noise"),
        ("domain_law_over_two_questions.py", "RefundNeedsOrder", "batch_leak"),
    ],
)
def test_the_laws_stand_their_own_check(pytester: pytest.Pytester, name: str, law: str, defect: str) -> None:
    own_cases(pytester)
    module = load_file(EXAMPLES / name)
    assert check_relation(getattr(module, law), pytester.path / "cases.jsonl", defect=defect, processes=False).broken


def test_a_copy_of_the_model_on_each_gpu(
    run_jevbench: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(pytester, "replicas_on_gpus.py")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    result = run_jevbench(*SUITE, "--jevbench-replicas=2")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*model by hook (conftest), 2 replicas*"])
    module = load_file(EXAMPLES / "replicas_on_gpus.py")
    devices = [module.pytest_jevbench_model(None, Replica(index, 3)).device for index in range(3)]
    assert devices == ["cuda:0", "cuda:1", "cuda:0"]


def test_a_gate_of_ones_own(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    use(pytester, "gate.py")
    assert run_jevbench(*SUITE, "--jevbench-reference=uniform").ret == 0
    failed = run_jevbench(*SUITE, "--jevbench-reference=random")
    assert failed.ret == 1
    failed.stdout.fnmatch_lines(["own gate failed: * decisions flipped, more than 25%"])


def test_a_chat_model_under_instructions_of_ones_own(
    run_jevbench: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(pytester, "chat_model.py")
    with ScriptedServer([chat()]) as server:
        monkeypatch.setenv("CHAT_URL", server.url)
        monkeypatch.setenv("CHAT_MODEL", "talker")
        monkeypatch.setenv("CHAT_API_KEY", "sk-test-123")
        result = run_jevbench(*SUITE)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["talker (verbalised) · jevbench-examples"])
    asked = server.asked[0]
    assert asked.headers["authorization"] == "Bearer sk-test-123"
    assert asked.json["messages"][0]["content"].endswith("stay near 0.5.")
    assert asked.json["seed"] == 7
    card = (pytester.path / "jevbench-card.json").read_text(encoding="utf-8")
    assert "sk-test-123" not in card
    assert json.loads(card)["identity"]["model"]["details"]["probs_source"] == "verbalised"


def test_a_judge_that_goes_by_length_is_found_out(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    use(pytester, "judge_of_pairs.py")
    chosen = ("--jevbench-relation=judge_longer_answer", "--jevbench-relation=judge_swapped_order")
    assert run_jevbench("--jevbench-suite=jevbench-judges", "--jevbench-fail-on=never", *chosen).ret == 0
    card = json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))
    scores = {row["name"]: row["score"] for row in card["relations"]}
    assert scores["judge_swapped_order"] == 1.0
    assert scores["judge_longer_answer"] < 0.1
    assert sum(card["judge_gains"]["judge_longer_answer"].values()) / 60 > 0.4


def test_no_example_is_left_out() -> None:
    tested = {
        "chat_model.py",
        "in_process_model.py",
        "scores_to_a_tracker.py",
        "custom_relation.py",
        "domain_law_over_two_questions.py",
        "replicas_on_gpus.py",
        "gate.py",
        "judge_of_pairs.py",
    }
    assert {path.name for path in EXAMPLES.glob("*.py")} == tested
