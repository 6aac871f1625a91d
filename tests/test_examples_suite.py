"""The bundled suite of one case: complete, and at home in the published tool."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.plans.plan import count_requests
from pytest_jevbench.plans.stored import check_tests
from pytest_jevbench.questions import Choice, Noul, Score
from pytest_jevbench.relations import registry
from pytest_jevbench.rewrite_bank import translation_source
from pytest_jevbench.suite_loading import Suite, load_suite
from tests.relations.measuring import measure
from tests.servers.published import program
from tests.suite_writing import EXAMPLES


@pytest.fixture(scope="module")
def examples() -> Suite:
    suite = load_suite("jevbench-examples")
    check_tests(suite.plan.tests)
    return suite


def test_every_relation_is_tested_once(examples: Suite) -> None:
    assert [test.id.relation for test in examples.plan.tests] == [relation.name for relation in registry.scored()]
    assert len(examples.plan.tests) == 50
    assert examples.min_n == 1
    assert "demonstration, not a result" in examples.description


def test_the_case_has_all_types_declared_facts_and_gold(examples: Suite) -> None:
    (case,) = examples.cases.values()
    types = Counter(question.type for question in case.questions.values())
    assert types["noul"] >= 4
    assert types["choice"] >= 2
    assert types["score"] >= 1
    assert case.thresholds
    assert {len(q.options) for q in case.questions.values() if isinstance(q, Choice)} == {4}
    assert set(case.hierarchies) == set(case.of_type(Choice))
    answers = examples.gold[case.id]
    assert set(answers) == set(case.questions)
    assert all(answer is not None for answer in answers.values())


def test_every_text_has_its_rewrites(examples: Suite) -> None:
    (case,) = examples.cases.values()
    bank = examples.bank
    for question in case.questions.values():
        paraphrases = bank.find("paraphrase", question.instructions)
        assert len({question.instructions, *paraphrases}) == 3
        assert len(bank.find("negation", question.instructions)) == (1 if isinstance(question, Noul) else 0)
        if isinstance(question, Choice):
            for description in question.options.values():
                assert bank.find("description", description)
        for language in ("zh", "es"):
            (translation,) = bank.find(f"translate:{language}", translation_source(question))
            criteria = json.loads(translation)["criteria"]
            if isinstance(question, Choice):
                assert list(criteria) == list(question.options)
                assert len(set(criteria.values())) == len(criteria)
            elif isinstance(question, Score):
                assert len(set(criteria)) == len(question.levels)
            else:
                assert criteria is None


def test_every_rewrite_belongs_to_a_text_of_the_case(examples: Suite) -> None:
    (case,) = examples.cases.values()
    texts = {("paraphrase", q.instructions) for q in case.questions.values()}
    texts |= {("negation", q.instructions) for q in case.questions.values() if isinstance(q, Noul)}
    texts |= {("description", d) for q in case.questions.values() if isinstance(q, Choice) for d in q.options.values()}
    texts |= {(f"translate:{lang}", translation_source(q)) for lang in ("zh", "es") for q in case.questions.values()}
    assert set(examples.bank.texts) == texts


def hashed(state: Any, questions: Mapping[str, Any]) -> dict[str, Any]:
    """A model whose probabilities are drawn from a hash of key, question and batch: it breaks nearly every law."""
    answers: dict[str, Any] = {}
    for key, question in questions.items():
        criteria = question.get("criteria") or ["false", "true"]
        ids = list(criteria) if question["type"] == "choice" else [str(i) for i in range(len(criteria))]
        seeds = [sha256(json.dumps([key, question, list(questions), i]).encode()).digest()[:4] for i in ids]
        weights = [1 + int.from_bytes(seed, "big") for seed in seeds]
        shares = {answer: weight / sum(weights) for answer, weight in zip(ids, weights, strict=True)}
        if question["type"] == "noul":
            answers[key] = {"type": "noul", "noul": shares["1"]}
        else:
            answers[key] = {"type": question["type"], "probabilities": shares}
    return answers


def test_the_published_tool_measures_the_same(examples: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import jevbench

    monkeypatch.chdir(tmp_path)
    report = jevbench.evaluate(jevbench.from_callable(hashed), str(EXAMPLES.resolve()), cache=":memory:")
    report.save(str(tmp_path / "report.json"))
    result = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["result"]
    assert result["errors"] == []
    theirs = {(o["trial_id"], tuple(o["targets"])): o["deviation"] for o in result["outcomes"]}
    (case,) = examples.cases.values()
    ours = {}
    for trial, measurement in measure(case, examples.plan.trials, hashed):
        variant = f":v{trial.variant}" if trial.variant else ""
        name = f"{trial.relation}:{case.id}:{trial.key}:{trial.draw}{variant}"
        ours[name, measurement.targets] = measurement.deviation
    assert ours == pytest.approx(theirs, abs=1e-12)
    assert sum(deviation > 0.05 for deviation in ours.values()) > 30


def test_the_published_tool_counts_the_same_requests(examples: Suite, tmp_path: Path) -> None:
    estimate = subprocess.run(
        [program("jevbench"), "estimate", "--suite", str(EXAMPLES.resolve())],
        check=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert json.loads(estimate.stdout) == {"cases": 1, "relations": 50, "requests": 43, "trials": 50}
    assert count_requests(examples.plan, examples.cases) == examples.manifest["plan"]["requests"] == 43
