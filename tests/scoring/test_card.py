"""Cards built from results made by hand: complete, strict, equal for equal answers, as the schema says."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import pytest_jevbench
from pytest_jevbench.json_text import loads
from pytest_jevbench.runs.results import TestId, TestResult
from pytest_jevbench.scoring.card import (
    AskingFacts,
    Exchange,
    ModelFacts,
    SuiteFacts,
    build_card,
    card_text,
    read_card,
    score_run,
    worst_tests,
    write_card,
)
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from pytest_jevbench.scoring.scores_json import reference_json
from tests.scoring.by_hand import FIVE, facts_for, held_and_violated, judged, outcome, unjudged

SCHEMA = json.loads((files("pytest_jevbench.scoring") / "card.schema.json").read_text(encoding="utf-8"))
ACCURACY = {
    "questions": 1,
    "answered": 0,
    "right": 0.0,
    "accuracy_answered": None,
    "accuracy_answered_interval": None,
    "accuracy_strict": 0.0,
    "accuracy_strict_interval": {"low": 0.0, "high": 0.79, "degenerate": False},
    "case_interval": None,
    "unlabelled": 2,
    "majority_class": 1.0,
    "chance": 0.5,
    "by_type": {},
    "by_domain": {},
    **{
        name: {"value": None, "n": 0, "excluded": 1, "definition": "x"}
        for name in ("brier", "brier_positive", "ece_positive", "ece_top_label", "ece_top_label_equal_mass")
    },
    "mean_level_error": {"value": None, "n": 0, "excluded": 1, "definition": "x"},
}


def closed(schema: Any) -> Any:
    """The schema with every object of named fields closed, so that a field it does not describe is an error."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    return {**made, "additionalProperties": False} if isinstance(schema.get("properties"), dict) else made


def results_of_all_kinds() -> list[TestResult]:
    results = [r for name in FIVE for r in held_and_violated(name, 4, 2)]
    return [
        *results,
        judged("key_rename", "c8", outcome(0.2, flip=True, variant=1), outcome(None, flip=False)),
        *(unjudged("batch_solo", f"c{i}", "refused", "HTTP 400: too long") for i in (8, 9)),
        unjudged("count_upper", "c9", "over_budget"),
        *held_and_violated("routing_stability", 3, 1),
        TestResult(TestId("routing_stability", "c9", "q"), "route_flip", "not_applicable"),
    ]


def whole_card(**changes: Any) -> dict[str, Any]:
    """A card in which every section has something."""
    results = results_of_all_kinds()
    deselected, elsewhere = TestId("option_clone", "c8", "q"), TestId("option_clone", "c9", "q")
    facts = facts_for(
        results,
        {f"c{i}": "shop" if i % 2 else "bank" for i in range(10)},
        planned=[*(r.id for r in results), deselected, elsewhere],
        deselected=[deselected],
        elsewhere=[elsewhere],
        selection={"domains": ["shop", "bank"]},
        repeats=3,
        sources={f"c{i}": {"q": {"false": 0.25, "true": 0.75}} for i in range(10)},
        noise={"c0": {"q": 0.04}, "c1": {"q": 0.0}},
        notes={"no_confidence": 7},
        stopped="the gate had failed",
        model=ModelFacts("m", "m", ("m-1", "m-2")),
        suite=SuiteFacts("made-up", "1", "abc", {"cases.jsonl": "def"}, "made up", demonstration=True),
        **changes,
    )
    scores = score_run(facts, results)
    worst = worst_tests(results)["key_rename"][0].id
    exchanges = [Exchange("base", {"state": "s"}, {"q": {"noul": float("nan")}}), Exchange("variant", {}, {})]
    return build_card(
        facts, results, evidence={worst: exchanges}, accuracy=ACCURACY, reference=reference_json("uniform", scores, 0.5)
    )


def test_the_schema_is_one_and_a_whole_card_fits_it() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    card = whole_card()
    Draft202012Validator(closed(SCHEMA)).validate(loads(card_text(card)))
    empty = [name for name, value in card.items() if not value]
    assert empty == []


@pytest.mark.parametrize(
    "break_it",
    [
        lambda card: card.pop("counts"),
        lambda card: card["relations"][0].update(score=1.5),
        lambda card: card["tests"][0].update(verdict="maybe"),
        lambda card: card.update(schema_version="2.0"),
        lambda card: card["counts"]["unjudged"].pop("lost"),
    ],
)
def test_the_schema_refuses_a_broken_card(break_it: Any) -> None:
    card = loads(card_text(whole_card()))
    break_it(card)
    assert not Draft202012Validator(SCHEMA).is_valid(card)


def test_every_field_of_the_schema_is_documented() -> None:
    path = Path(pytest_jevbench.__file__).parents[1] / "docs" / "card.md"
    words = set(re.findall(r"[a-z_0-9]+", path.read_text(encoding="utf-8")))
    assert [name for name in _field_names(SCHEMA) if name not in words] == []


def _field_names(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return set().union(*map(_field_names, schema))
    if not isinstance(schema, dict):
        return set()
    properties = schema.get("properties")
    own = set(properties) if isinstance(properties, dict) else set()
    return own.union(*map(_field_names, schema.values()))


def test_nothing_vanishes() -> None:
    counts = whole_card()["counts"]
    assert counts["planned"] == counts["collected"] + counts["deselected"] + counts["elsewhere"] + counts["unlisted"]
    assert counts["collected"] == (
        counts["held"] + counts["violated"] + counts["unjudged"]["total"] + counts["not_applicable"]
    )
    assert counts["unjudged"] == {
        "total": 3,
        "refused": 2,
        "invalid": 0,
        "unreachable": 0,
        "over_budget": 1,
        "lost": 0,
    }
    assert (counts["held"], counts["violated"], counts["not_applicable"]) == (23, 12, 1)


def test_a_planned_test_without_a_result_is_lost_and_named() -> None:
    results = [r for name in FIVE for r in held_and_violated(name, 8, 0)]
    card = build_card(facts_for(results), results[:-1])
    assert (card["counts"]["planned"], card["counts"]["judged"], card["counts"]["unjudged"]["lost"]) == (40, 39, 1)
    lost = [test for test in card["tests"] if test["verdict"] == "unjudged"]
    assert lost == [{"relation": "pairwise_iia", "case": "c7", "key": "q", "verdict": "unjudged", "error": 0}]
    assert card["scores"]["overall"]["score"] is None
    assert {flag["name"] for flag in card["flags"]} == {"incomplete"}


def test_the_last_result_of_a_test_counts() -> None:
    results = held_and_violated("key_rename", 5, 0)
    again = judged("key_rename", "c0", 0.9)
    card = build_card(facts_for(results), [*results, again])
    assert (card["counts"]["violated"], card["counts"]["collected"]) == (1, 5)


def test_equal_answers_give_equal_cards_apart_from_the_run() -> None:
    results = results_of_all_kinds()
    shuffled = random.Random(5).sample(results, len(results))
    one = build_card(facts_for(results, asking=AskingFacts(requests=9, seconds=1.0)), results)
    other = build_card(facts_for(results, asking=AskingFacts(hits=9, seconds=2.0)), shuffled)
    assert one["run"] != other["run"]
    for card in (one, other):
        del card["run"]
    assert card_text(one) == card_text(other)


def test_scores_at_hand_change_nothing() -> None:
    results = results_of_all_kinds()
    facts = facts_for(results)
    assert card_text(build_card(facts, results)) == card_text(
        build_card(facts, results, scores=score_run(facts, results))
    )


def test_worst_tests_come_first_by_how_far_they_are_past_the_tolerance() -> None:
    results = [judged("key_rename", f"c{i}", d) for i, d in enumerate([0.1, 0.9, 0.04, 0.5, 0.7, 0.5])]
    assert [r.id.case_id for r in worst_tests(results)["key_rename"]] == ["c1", "c4", "c3"]
    card = build_card(facts_for(results), results)
    assert [test["deviation"] for test in card["relations"][0]["worst"]] == [0.9, 0.7, 0.5]
    assert worst_tests(results, ScoreSettings(tolerance=0.8)) == {"key_rename": [results[1]]}


def test_evidence_of_a_worst_test_is_whole_and_strict() -> None:
    (worst, *_) = whole_card()["relations"][0]["worst"]
    assert (worst["case"], worst["deviation"], worst["graded"], worst["violated"]) == ("c8", None, 0.0, True)
    assert worst["exchanges"][0] == {"label": "base", "request": {"state": "s"}, "answers": {"q": {"noul": "nan"}}}


@pytest.mark.parametrize("text", ["x::y", "a[b]", "q'uote", "\x00\x1b", "", "CON", "日本", "\ud800", "\u2028"])
def test_raw_ids_stay_as_they_are(text: str, tmp_path: Path) -> None:
    results = [judged(name, text, 0.9, key=text or "q") for name in FIVE]
    path = tmp_path / "card.json"
    write_card(path, build_card(facts_for(results, {text: "d"}), results))
    card = read_card(path)
    assert {r.id.case_id for r in card.results} == {text}
    assert len(path.read_text(encoding="utf-8").splitlines()) == path.read_bytes().count(b"\n")


def test_a_card_is_read_as_it_was_built(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "card.json"
    built = whole_card()
    write_card(path, built)
    card = read_card(path)
    assert card.data == loads(card_text(built))
    assert card.scores == Card.from_json(built).scores
    stored = {m["name"]: m["score"] for m in (built["scores"]["overall"], *built["scores"]["dimensions"])}
    assert {m.name: m.score for m in (card.scores.overall, *card.scores.dimensions)} == stored
    assert [r.planned for r in card.scores.relations] == [row["planned"] for row in built["relations"]]
    assert {d.name: d.overall.reason for d in card.scores.domains} == {
        d["name"]: d["overall"]["reason"] for d in built["scores"]["domains"]
    }
    assert (card.name, card.suite, card.layout) == ("m", "made-up", "card")


def test_a_card_can_be_scored_under_other_settings() -> None:
    results = [judged(name, f"c{i}", 0.08) for name in FIVE for i in range(6)]
    card = Card.from_json(build_card(facts_for(results), results))
    assert card.scores.overall.score == 0.0
    assert card.scored(replace(card.settings, tolerance=0.1)).overall.score == 1.0
    assert card.rescored(replace(card.settings, min_n=7)).scores.overall.score is None


def test_flags_say_what_a_reader_must_know() -> None:
    flags = {flag["name"]: flag["text"] for flag in whole_card()["flags"]}
    assert set(flags) == {"demonstration", "subset", "shard", "incomplete", "stopped", "mixed_models"}
    assert "m-1, m-2" in flags["mixed_models"]
    assert "the gate had failed" in flags["stopped"]
    results = held_and_violated("key_rename", 5, 0)
    assert build_card(facts_for(results), results)["flags"] == []


def test_repeat_noise_gives_a_tolerance_that_is_shown_alone() -> None:
    card = whole_card()
    assert card["repeat_noise"] == {"repeats": 3, "mean": 0.02, "largest": 0.04, "own_tolerance": 0.05}
    results = [judged("key_rename", f"c{i}", 0.08) for i in range(5)]
    noisy = facts_for(results, repeats=2, noise={"c0": {"q": 0.1}})
    found = build_card(noisy, results)
    assert found["repeat_noise"]["own_tolerance"] == 0.2
    assert found["relations"][0]["score"] == 0.0
