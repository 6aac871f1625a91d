"""Reading a gate: every condition, the short forms, and what a person may get wrong in YAML."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.scoring.gate_config import (
    GateConfig,
    Limit,
    NoDrop,
    NonInferiority,
    gate_from_assignments,
    gate_section,
    known_scores,
    read_gate,
)
from pytest_jevbench.scoring.sample_size import Assumption
from pytest_jevbench.yaml_text import parse_yaml


def read(text: str) -> GateConfig:
    return gate_section(parse_yaml(text, "gate.yaml"))


def error(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read(text)
    return str(caught.value)


def test_every_condition(tmp_path: Path) -> None:
    file = tmp_path / "gate.yaml"
    file.write_text(
        """\
gate:
  min: {overall: 0.90, REP: 0.85, LOG.bounds: 0.80, option_clone: 0.95}
  min_graded:
    option_clone: .97
  max_drop: {overall: 2e-2}
  no_significant_drop: {level: 0.01, scores: [overall, CHO], graded: true}
  non_inferiority: {margin: {overall: 0.03, BAT: 0.1}, level: 0.1, power: 0.9}
  max_violations: {all: 200, option_clone: 0, DIAG.fields: 3}
  max_violation_rate: {option_clone: 0.3}
  max_new_violations: 5
  min_accuracy: 0.8
  min_coverage: 1
  max_ece: 0.1
  assume: {discordance: 0.2, correlation: 0}
""",
        encoding="utf-8",
    )
    assert read_gate(file) == GateConfig(
        minimum=(Limit("overall", 0.9), Limit("REP", 0.85), Limit("LOG.bounds", 0.8), Limit("option_clone", 0.95)),
        minimum_graded=(Limit("option_clone", 0.97),),
        largest_drop=(Limit("overall", 0.02),),
        no_significant_drop=NoDrop(0.01, ("overall", "CHO"), True),
        non_inferiority=NonInferiority((Limit("overall", 0.03), Limit("BAT", 0.1)), 0.1, 0.9),
        most_violations=(Limit("all", 200), Limit("option_clone", 0), Limit("DIAG.fields", 3)),
        largest_violation_rate=(Limit("option_clone", 0.3),),
        most_new_violations=5,
        minimum_accuracy=0.8,
        minimum_coverage=1.0,
        largest_ece=0.1,
        assumption=Assumption(0.2, 0.0),
    )


def test_short_forms_and_a_file_without_the_word_gate(tmp_path: Path) -> None:
    file = tmp_path / "gate.yaml"
    file.write_text("\ufeffmin: 0.9\r\nno_significant_drop: true\r\nnon_inferiority: 0.05\r\n", encoding="utf-8")
    config = read_gate(file)
    assert config.minimum == (Limit("overall", 0.9),)
    assert config.no_significant_drop == NoDrop(0.05)
    assert config.non_inferiority == NonInferiority((Limit("overall", 0.05),))
    assert config.needs_baseline
    assert not config.needs_gold
    assert read("no_significant_drop: 0.01\nmin_accuracy: 0.5").no_significant_drop == NoDrop(0.01)


def test_options_read_like_the_file() -> None:
    place = Place("--jevbench-gate-condition")
    options = ["min.overall=0.9", "min.LOG.bounds=0.8", "max_new_violations=0", "no_significant_drop.level=0.01"]
    assert gate_from_assignments(options, place) == read(
        "min: {overall: 0.9, LOG.bounds: 0.8}\nmax_new_violations: 0\nno_significant_drop: {level: 0.01}"
    )
    for wrong in (["min"], ["=1"], ["min=0.9", "min.REP=0.8"], ["min.REP=1", "min.REP=0"], ["max_ece=1", "max_ece=0"]):
        with pytest.raises(InputError, match="jevbench-gate-condition"):
            gate_from_assignments(wrong, place)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("min:\n  overal: 0.9", 'gate.yaml, line 2, min.overal: unknown name "overal". Did you mean overall?'),
        ("minimum: 0.9", 'line 1, minimum: unknown name "minimum"'),
        ("min: {option_clones: 1}", "Did you mean option_clone"),
        ("min: {confidence_consistency: 1}", "unknown name"),  # a diagnostic has no score
        ("non_inferiority: {margins: 0.1}", "Did you mean margin?"),
        ("max_drop: 0.1\nmax_drop: 0.2", 'line 2: "max_drop" stands twice'),
        ("no_significant_drop: {scores: [overall, overall]}", '"overall" stands twice'),
        ("no_significant_drop: {scores: [overal]}", "Did you mean overall?"),
        ("no_significant_drop: {scores: {overall: 1}}", "a list of scores"),
    ],
)
def test_names_are_checked(text: str, said: str) -> None:
    assert said in error(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("min: 95", "0.95 for 95 %"),
        ("min: 95%", "0.95 for 95 %"),
        ("min: 0,95", "0.95 for 95 %"),
        ("min: 01", "0.95 for 95 %"),
        ("min: .nan", "found"),
        ("min: .inf", "found"),
        ("min: -0.1", "found"),
        ("min: 1_0", "found"),
        ("min: ''", "found"),
        ("min: ~", 'found "~"'),
        ("min: [0.9]", "found"),
        ("max_violations: 010", "a whole number"),
        ("max_violations: 1e3", "a whole number"),
        ("max_violations: 1:30", "a whole number"),
        ("max_violations: 0x1F", "a whole number"),
        ("max_new_violations: -1", "from 0 on"),
        ("max_new_violations: yes", "a whole number"),
        ("no_significant_drop: yes", "found"),
        ("no_significant_drop: on", "found"),
        ("no_significant_drop: {graded: no}", "true, false"),
        ("no_significant_drop: 0.95", "0.05 for a confidence of 95 %"),
        ("no_significant_drop: {level: 0}", "above 0"),
        ("non_inferiority: {level: 0.05}", "margin is missing"),
        ("non_inferiority: 0", "above 0"),
        ("assume: {discordance: 0}\nmin: 0.5", "above 0"),
    ],
)
def test_values_are_what_their_digits_say_or_refused(text: str, said: str) -> None:
    message = error(text)
    assert said in message
    assert "gate.yaml, line 1" in message


@pytest.mark.parametrize("text", ["assume: {discordance: 0.2}", "no_significant_drop: false", "min: {}", "gate"])
def test_a_gate_without_a_condition_is_refused(text: str) -> None:
    assert "gate.yaml" in error(text)


def test_an_empty_file_and_a_missing_one_are_named(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("")
    with pytest.raises(InputError, match=r"empty\.yaml.*empty"):
        read_gate(tmp_path / "empty.yaml")
    with pytest.raises(InputError, match=r"absent\.yaml.*no such file"):
        read_gate(tmp_path / "absent.yaml")


def test_the_known_scores_are_the_taxonomys() -> None:
    names = known_scores()
    assert names[:6] == ("overall", "REP", "BAT", "MEA", "LOG", "CHO")
    of_taxonomy = 1 + 5 + 11 + 50
    assert names[of_taxonomy : of_taxonomy + 3] == ("JUDGE", "JUDGE.bias", "judge_swapped_order")
    assert len(names) == len(set(names)) == of_taxonomy + 2 + 7
