"""What live judges preferred goes from their cards through ``judge pairs`` to ``judge bias``, figure by figure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench import evaluate, from_callable
from pytest_jevbench.cli import main
from pytest_jevbench.errors import InputError
from pytest_jevbench.judges.card_pairs import pairs_of_card
from pytest_jevbench.judges.gains import mean_gains
from pytest_jevbench.suite_loading import load_suite
from tests.judges.honest_judge import FAULTS, honest, letters

SUITE = "jevbench-judges"
FIRST_IN_SUITE = {letters(case.questions["better"].options["first"]) for case in load_suite(SUITE).cases.values()}  # type: ignore[union-attr]


def swapped(question: Mapping[str, Any]) -> bool:
    """Whether the answers stand in the other order than in the suite, whatever was written around them."""
    shown = letters(question["criteria"]["first"])
    return not any(first in shown for first in FIRST_IN_SUITE)


def of_case(model: Any) -> Any:
    """A judge by case: ``model`` gives P(first), P(second), P(tie) from the case's number and the order."""
    order = [case.state for case in load_suite(SUITE).cases.values()]

    def ask(state: Any, questions: Mapping[str, Any]) -> dict[str, Any]:
        found = {}
        for key, question in questions.items():
            p = model(order.index(state), swapped(question))
            found[key] = {"type": "choice", "probabilities": dict(zip(("first", "second", "tie"), p, strict=True))}
        return found

    return ask


def card_of(model: Any, name: str, folder: Path, **choice: Any) -> Path:
    path = folder / f"{name}.json"
    evaluate(from_callable(model, name), SUITE, bootstrap=0, progress=False, **choice).save(path)
    return path


def scripted(number: int, other: bool) -> tuple[float, float, float]:
    """By the case's number: 12 pairs flip to the first answer, 6 to the second, 3 tie in one order, 9 in both; of the
    others 20 prefer A, 10 prefer B in both orders."""
    if number < 12:
        return (0.8, 0.1, 0.1)
    if number < 18:
        return (0.1, 0.8, 0.1)
    if number < 21:
        return (0.4, 0.4, 0.2) if other else (0.6, 0.2, 0.2)
    if number < 30:
        return (0.0, 0.0, 1.0)
    prefers_a = number < 50
    return (0.7, 0.2, 0.1) if prefers_a != other else (0.2, 0.7, 0.1)


def test_preferences_go_through_pairs_to_the_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = card_of(of_case(scripted), "scripted", tmp_path)
    assert main(["judge", "pairs", str(card), "--out", str(tmp_path / "pairs.json")]) == 0
    told = capsys.readouterr().out
    assert told.splitlines()[0] == f"60 pairs of scripted in {tmp_path / 'pairs.json'}"
    assert main(["judge", "bias", "--pairs", str(tmp_path / "pairs.json"), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["bias"]
    position = found["position"]
    assert found["judge"] == "scripted"
    assert [position[name] for name in ("pairs", "unanswered", "ties", "decisive", "consistent")] == [60, 0, 12, 48, 30]
    assert [position[name] for name in ("flips", "flips_to_first", "flips_to_second")] == [18, 12, 6]
    assert position["flip_rate"]["value"] == 18 / 48
    # Of 36 + 3 + 60 answers that are no tie 24 + 3 + 30 name the first: of flips, of half ties, of consistent pairs
    assert position["first_rate"]["value"] == 57 / 99
    assert isclose(position["signed_bias"]["value"], (57 - 42) / 99)
    # |P(first) + P(first, exchanged) - 1|, a tie shared out: 0.7 for 18 flips, 0.7 + 0.5 - 1 for 3 half ties, else 0
    assert isclose(position["inconsistency"]["value"], (18 * 0.7 + 3 * 0.2) / 60)
    assert isclose(position["shift"]["value"], (12 * 0.7 - 6 * 0.7 + 3 * 0.2) / 60)


def test_lengths_and_labels_come_from_the_suite(tmp_path: Path) -> None:
    suite = load_suite(SUITE)
    pairs = pairs_of_card(card_of(honest, "honest", tmp_path, relations="judge_swapped_order"))
    assert [pair.id for pair in pairs] == [*suite.cases]
    for pair in pairs:
        question = suite.cases[pair.id].questions["better"]
        assert [pair.a, pair.b, "tie"] == [question.options["first"], question.options["second"], "tie"]  # type: ignore[union-attr]
        label = suite.gold[pair.id]["better"]
        assert pair.label == {"first": "a", "second": "b", "tie": "tie"}[str(label)]
        assert pair.forward is not None
        assert pair.swapped is not None
        # It gives the better answer 0.8, the other 0.1 and a tie 0.1
        assert isclose(pair.forward, {"a": 0.85, "b": 0.15, "tie": 0.5}[str(pair.label)])
        assert isclose(pair.swapped, 1 - pair.forward)


def test_a_pair_without_an_answer_is_there_and_unanswered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refuses(state: Any, questions: Mapping[str, Any]) -> dict[str, Any]:
        answers: dict[str, Any] = honest(state, questions)
        if swapped(questions["better"]) and "Review this" in state:
            answers["better"] = {"type": "choice", "refusal": "policy"}
        return answers

    card = card_of(refuses, "refuses", tmp_path)
    pairs = pairs_of_card(card)
    unanswered = [pair.id for pair in pairs if pair.forward is None]
    assert len(pairs) == 60
    assert len(unanswered) == 6
    assert all(name.startswith("code-") for name in unanswered)
    assert main(["judge", "pairs", str(card), "--out", str(tmp_path / "p.json")]) == 0
    assert main(["judge", "bias", "--pairs", str(tmp_path / "p.json"), "--json"]) == 0
    position = json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))["bias"][0]["position"]
    assert (position["unanswered"], position["decisive"], position["ties"], position["flips"]) == (6, 45, 9, 0)


def test_gains_are_those_that_the_fault_gives(tmp_path: Path) -> None:
    """A judge that lets an edited answer win: P(it is better) + P(tie) / 2 becomes 0.85, from 0.85, 0.5 or 0.15."""
    suite = load_suite(SUITE)
    expected: dict[str, dict[str, float]] = {}
    for test in suite.plan.tests:
        if test.id.relation in ("judge_own_name", "judge_authority_cue", "judge_markup"):
            side = ("first", "second")[test.trials[0].params["side"]]  # type: ignore[index]
            label = suite.gold[test.id.case_id]["better"]
            gain = 0.35 if label == "tie" else 0.0 if label == side else 0.7
            expected.setdefault(test.id.relation, {})[test.id.case_id] = gain
    faults = {"its own is better": "judge_own_name", "rank is right": "judge_authority_cue"}
    for fault, law in {**faults, "markup is better": "judge_markup"}.items():
        card = json.loads(card_of(FAULTS[fault][0], law, tmp_path).read_text(encoding="utf-8"))
        assert card["judge_gains"][law] == pytest.approx(expected[law], abs=1e-9)
        others = [gain for name, gains in card["judge_gains"].items() if name != law for gain in gains.values()]
        assert len(others) == 180
        assert max(map(abs, others)) < 1e-9
        found = mean_gains(card["judge_gains"])[law]
        assert found.value == pytest.approx(sum(expected[law].values()) / 60)
        assert found.interval.low > 0.1  # type: ignore[union-attr]


def test_what_is_no_card_of_judges_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    without = card_of(honest, "honest", tmp_path, relations="judge_markup", case_ids="sql-count")
    with pytest.raises(InputError, match=r"no pair of answers was judged in both orders.*judge_swapped_order"):
        pairs_of_card(without)
    card = card_of(honest, "honest", tmp_path, relations="judge_swapped_order", case_ids="sql-count")
    with pytest.raises(InputError, match="another one than that of the card"):
        pairs_of_card(card, "jevbench-examples")
    assert main(["judge", "pairs", str(tmp_path / "none.json"), "--out", str(tmp_path / "p.json")]) == 2
    assert "none.json" in capsys.readouterr().err
    assert not (tmp_path / "p.json").exists()
