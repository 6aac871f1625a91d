"""Live judges: the bundled suites are balanced and frozen as their sources say, and each law finds its fault alone."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench import evaluate, from_callable
from pytest_jevbench.judges.bias import position_bias
from pytest_jevbench.judges.live_pairs import AnswerPair, read_answer_pairs
from pytest_jevbench.judges.live_suite import freeze_judged
from pytest_jevbench.judges.pairs import markup_density
from pytest_jevbench.judges.rubrics import rubrics
from pytest_jevbench.relations.judge_laws import JUDGE_LAWS
from pytest_jevbench.suite_loading import load_suite
from tests.judges.honest_judge import FAULTS, SOURCES, honest

SUITES = Path(__file__).parents[2] / "suites"
PAIRS, GRADED = "jevbench-judges", "jevbench-rubrics"


def all_pairs() -> list[AnswerPair]:
    return [pair for rubric in rubrics() for pair in read_answer_pairs(SOURCES / f"{rubric.id}.yaml", rubric)]


def scores(model: Any, suite: str) -> dict[str, Any]:
    card: Any = evaluate(from_callable(model, "judge"), suite, bootstrap=0, progress=False).to_dict()
    return {row["name"]: row["score"] for row in card["relations"]} | {"card": card}


# The labels ----------------------------------------------------------------------------------------------------------


def test_there_are_sixty_pairs_over_ten_rubrics_with_ties() -> None:
    pairs = all_pairs()
    assert len(pairs) == 60
    assert sum(pair.better == "tie" for pair in pairs) == 10
    assert {case.domain for case in load_suite(PAIRS).cases.values()} == {rubric.id for rubric in rubrics()}


def test_the_better_answer_stands_first_half_of_the_time_in_every_rubric() -> None:
    for rubric in rubrics():
        pairs = read_answer_pairs(SOURCES / f"{rubric.id}.yaml", rubric)
        labels = Counter(pair.better for pair in pairs)
        assert labels["tie"] == 1
        assert {labels["first"], labels["second"]} == {2, 3}
    assert Counter(pair.better for pair in all_pairs()) == {"first": 25, "second": 25, "tie": 10}


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9_]+", text.lower())


def shared(pair: AnswerPair, answer: str) -> set[str]:
    """The distinct words of an answer that stand in what it answers."""
    return set(words(answer)) & set(words(f"{pair.task} {pair.material}"))


def union(pair: AnswerPair, answer: str) -> set[str]:
    return set(words(answer)) | set(words(f"{pair.task} {pair.material}"))


SHORTCUTS: dict[str, Callable[[AnswerPair, str], float]] = {
    "more words": lambda _, answer: len(words(answer)),
    "more characters": lambda _, answer: len(answer),
    "more lines": lambda _, answer: answer.count("\n"),
    "more sentences": lambda _, answer: len(re.findall(r"[.!?](\s|$)", answer)),
    "more markup": lambda _, answer: markup_density(answer),
    "more words of the task": lambda pair, answer: len(shared(pair, answer)),
    "a larger share of words of the task": lambda pair, answer: len(shared(pair, answer)) / len(set(words(answer))),
    "overlap with the task": lambda pair, answer: len(shared(pair, answer)) / len(union(pair, answer)),
    "more digits": lambda _, answer: len(re.findall(r"\d", answer)),
    "more negations": lambda _, answer: sum(word in {"no", "not", "none", "never"} for word in words(answer)),
    "longer words": lambda _, answer: len("".join(words(answer))) / len(words(answer)),
}


@pytest.mark.parametrize("shortcut", SHORTCUTS)
def test_no_shortcut_tells_the_better_answer(shortcut: str) -> None:
    """Whoever goes by it alone gets about half of the 50 decided pairs right: no more than chance gives in 95 %."""
    points = 0.0
    for pair in all_pairs():
        better, worse = (pair.first, pair.second)[:: 1 if pair.better == "first" else -1]
        of_better, of_worse = (SHORTCUTS[shortcut](pair, answer) for answer in (better, worse))
        if pair.better != "tie":
            points += 0.5 + 0.5 * ((of_better > of_worse) - (of_better < of_worse))
    assert 18 <= points <= 32


@pytest.mark.parametrize(("name", "form"), [(PAIRS, "pairs"), (GRADED, "graded")])
def test_the_bundled_suites_are_what_their_sources_freeze_to(name: str, form: Any, tmp_path: Path) -> None:
    manifest = json.loads((SUITES / name / "manifest.json").read_text(encoding="utf-8"))
    of_rubrics = [(rubric, read_answer_pairs(SOURCES / f"{rubric.id}.yaml", rubric)) for rubric in rubrics()]
    freeze_judged(tmp_path / name, of_rubrics, form, name=name, description=manifest["description"])
    for file in (SUITES / name).iterdir():
        assert (tmp_path / name / file.name).read_bytes() == file.read_bytes(), file.name


def test_the_state_is_the_same_in_every_request_and_every_edit_is_one_of_the_question() -> None:
    suite = load_suite(PAIRS)
    for test in suite.plan.tests:
        base = suite.cases[test.id.case_id].questions
        for trial in test.trials:
            assert list(trial.edit.batches["variant"]) == list(base)
            assert dict(trial.edit.batches["variant"]) != dict(base), test.id


# The laws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suite", [PAIRS, GRADED])
def test_a_judge_that_knows_the_answers_and_has_no_bias_scores_100(suite: str) -> None:
    found = scores(honest, suite)
    card = found.pop("card")
    assert set(found) == set(JUDGE_LAWS) - ({"judge_swapped_order"} if suite == GRADED else set())
    assert set(found.values()) == {1.0}
    assert card["accuracy"]["accuracy_answered"] == 1.0
    assert card["scores"]["overall"]["score"] is None
    assert {row["counts_in"] for row in card["own_laws"]} == {None}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("suite", [PAIRS, GRADED])
def test_a_fault_breaks_the_laws_about_it_and_no_other(fault: str, suite: str) -> None:
    model, expected = FAULTS[fault]
    found = scores(model, suite)
    card = found.pop("card")
    if suite == GRADED and fault == "first option":
        expected = set()
    assert {name for name, score in found.items() if score < 1.0} == expected
    if suite == PAIRS and fault == "first option":
        figures = position_bias(*zip(*card["judge_pairs"].values(), strict=True))
        assert (figures.flip_rate.value, figures.first_rate.value, figures.decisive) == (1.0, 1.0, 60)
