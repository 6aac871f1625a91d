from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

from pytest_jevbench.json_text import dumps
from pytest_jevbench.judges.demo import FIXTURE_TEMPLATE, PAIRS_TEMPLATE, demo_fixture, demo_pairs
from pytest_jevbench.judges.demo_making import DATA, demo_fixture_json, demo_pairs_json
from pytest_jevbench.judges.document import (
    JudgeSettings,
    Ratings,
    agreement_document,
    bench_document,
    bias_document,
    calibration_document,
)
from pytest_jevbench.judges.fixture import fixture_from_json
from pytest_jevbench.judges.pairs import pairs_from_json

SCHEMA = json.loads((files("pytest_jevbench.judges") / "judges.schema.json").read_text(encoding="utf-8"))
QUICK = JudgeSettings(draws=50)


def check(document: object) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(dumps(document)))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_real_documents_keep_the_schema() -> None:
    fixture, pairs = demo_fixture(), demo_pairs()
    check(bench_document(fixture, QUICK))
    check(calibration_document(fixture, QUICK, pairs))
    check(bias_document(pairs, QUICK))
    check(agreement_document(fixture, QUICK))
    check(agreement_document(Ratings({"a": [1, None, 2], "b": [1, 2, 2]}, "ordinal"), QUICK))
    check(calibration_document(fixture_from_json(FIXTURE_TEMPLATE), QUICK))
    check(bias_document(pairs_from_json(PAIRS_TEMPLATE), QUICK))


def test_the_schema_refuses_what_is_no_document() -> None:
    document = bench_document(demo_fixture(), QUICK)
    with pytest.raises(jsonschema.ValidationError):
        check({**document, "format": "card"})
    with pytest.raises(jsonschema.ValidationError):
        check({**document, "bench": [{"judge": "a"}]})


def test_the_demonstration_data_are_what_their_script_makes() -> None:
    for name, value in (("demo_fixture.json", demo_fixture_json()), ("demo_pairs.json", demo_pairs_json())):
        assert json.loads((DATA / name).read_text(encoding="utf-8")) == value


def test_what_was_put_into_the_demonstration_is_found() -> None:
    found = calibration_document(demo_fixture(), JudgeSettings(draws=500), demo_pairs())
    bias = {row["judge"]: row for row in found["bias"]}
    assert bias["judge-confident"]["position"]["flip_rate"]["value"] > 0.5
    assert bias["judge-confident"]["matched_length"]["preference"]["interval"]["low"] > 0.5
    assert bias["judge-lenient"]["self_preference"]["preference"]["interval"]["low"] > 0.5
    assert bias["judge-lenient"]["matched_markup"]["preference"]["interval"]["low"] > 0.5
    assert bias["judge-steady"]["position"]["flip_rate"]["value"] < 0.5
    confident = next(row for row in found["calibration"] if row["judge"] == "judge-confident")
    change = confident["methods"]["temperature"]["changes"]["log_loss"]
    assert (change["verdict"], change["certain"]) == ("better", True)
    assert [(row["judge"], row["rank"]) for row in found["costs"]["ranks"]] == [
        ("judge-lenient", 1),
        ("judge-steady", 1),
        ("judge-confident", 2),
    ]


def test_custom_data_get_no_demo_rows() -> None:
    own = calibration_document(fixture_from_json(FIXTURE_TEMPLATE), QUICK)
    assert own["bias"] is None
    assert own["pairs"] is None
    assert not any("made-up" in caution for caution in own["cautions"])


def test_held_out_items_have_no_say_in_what_is_fitted() -> None:
    one = demo_fixture_json()
    other = demo_fixture_json()
    for item in other["items"]:
        if item["split"] == "holdout":
            item["truth"] = not item["truth"]
            item["judgments"] = {judge: round(1 - p, 3) for judge, p in item["judgments"].items()}
    first, second = (calibration_document(fixture_from_json(value), QUICK)["calibration"] for value in (one, other))
    for a, b in zip(first, second, strict=True):
        assert [m["fitted"] for m in a["methods"].values()] == [m["fitted"] for m in b["methods"].values()]
        for kind, threshold in a["thresholds"].items():
            assert threshold["threshold"] == b["thresholds"][kind]["threshold"]
            assert threshold["holdout"] != b["thresholds"][kind]["holdout"] or threshold["threshold"] is None


def test_a_missing_cost_means_no_ranking() -> None:
    value = demo_fixture_json()
    del value["judge_costs"]["judge-steady"]
    costs = bench_document(fixture_from_json(value), QUICK)["costs"]
    assert costs == {"ranks": None, "reason": "no cost is given for judge-steady"}


def test_the_same_text_in_both_splits_is_said() -> None:
    value = demo_fixture_json()
    value["items"][-1]["text"] = value["items"][1]["text"]
    assert "too kind" in bench_document(fixture_from_json(value), QUICK)["cautions"][0]


def test_missing_ratings_leave_kappas_undefined_with_the_reason() -> None:
    found = agreement_document(Ratings({"a": [1, None], "b": [1, 2]}), QUICK)["agreement"]
    assert found["cohen"] is None
    assert "alpha does" in found["cohen_reason"]
