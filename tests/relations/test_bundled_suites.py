"""The bundled suites, their frozen plans included, hold no test that a coherent model would fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from pytest_jevbench.models.callable import CallableModel
from pytest_jevbench.models.protocol import Model
from pytest_jevbench.models.reference import answer, reference_model
from pytest_jevbench.oracle.defects import CONTROL, DEFECTS
from pytest_jevbench.oracle.joint import Joint
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import TOLERANCE
from pytest_jevbench.runs.asking import Asker
from pytest_jevbench.runs.judge import judge
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from pytest_jevbench.scoring.scores import Scores, score
from pytest_jevbench.suite_loading import Suite, load_suite
from tests.relations.measuring import all_trials, measure, oracle, source_case, worst

SUITES = Path(__file__).parents[2] / "suites"
EXAMPLES = SUITES / "jevbench-examples"
(EXAMPLE,) = load_suite(str(EXAMPLES)).cases
SCORED = [relation.name for relation in registry.scored()]
MENUS = {relation.name for relation in registry.scored() if relation.dimension == "CHO"}
EXACT = 1e-9


def _suites() -> list[Path]:
    """The suites that test coherence; those of judged answers have an oracle of their own (tests/judges)."""
    suites = sorted(path.parent for path in SUITES.glob("*/tests.jsonl.gz"))
    return [path for path in suites if path.name not in ("jevbench-judges", "jevbench-rubrics")]


def _judged(suite: Suite, joint: Joint, every: int) -> Iterator[TestResult]:
    chosen = set(list(suite.cases)[::every])
    askers = {case_id: _asker(CallableModel(oracle(case_id, joint, _home(suite)))) for case_id in chosen}
    for test in suite.plan.tests:
        if test.id.case_id in chosen:
            case, ask = suite.cases[test.id.case_id], askers[test.id.case_id].ask
            yield judge(test, case, ask(case.request()), ask)


def _asker(model: Model) -> Asker:
    return Asker(lambda request, slot: (model.ask(request), False))


def _home(suite: Suite) -> Path:
    """Where the cases stand: a derived suite takes those of its base."""
    base = suite.manifest.get("base")
    return suite.path.parent / str(base) if base else suite.path


def _scored(results: list[TestResult]) -> Scores:
    planned = Counter(result.id.relation for result in results)
    groups = {relation.name: relation.group for relation in registry.RELATIONS.values()}
    return score(results, planned, groups, ScoreSettings(min_n=1, bootstrap=0))


def _assert_perfect(results: list[TestResult]) -> None:
    assert max(outcome.deviation or 0.0 for result in results for outcome in result.outcomes) <= EXACT
    scores = _scored(results)
    assert scores.overall.score == scores.overall.graded == 1.0
    assert {row.name: row.score for row in scores.relations} == dict.fromkeys(SCORED, 1.0)
    assert all(row.held == row.planned > 0 for row in scores.relations)


@pytest.mark.parametrize("path", _suites(), ids=lambda path: path.name)
def test_a_coherent_model_scores_exactly_100_on_the_frozen_plan(path: Path) -> None:
    suite = load_suite(str(path))
    for joint in (Joint(1), Joint(2, worlds=8, sharpness=2.0)):
        _assert_perfect(list(_judged(suite, joint, every=max(1, len(suite.plan.tests) // 600))))


@pytest.mark.slow
@pytest.mark.parametrize("path", _suites(), ids=lambda path: path.name)
def test_a_coherent_model_scores_exactly_100_on_every_case(path: Path) -> None:
    _assert_perfect(list(_judged(load_suite(str(path)), Joint(3), every=1)))


@pytest.mark.parametrize(
    "joint", [Joint(1), Joint(2, 400, 0.3), Joint(3, 200, 3.0), Joint(4, 6), Joint(5, 1)], ids=repr
)
def test_every_law_holds_on_every_trial_of_the_examples(joint: Joint) -> None:
    source = source_case(EXAMPLE, EXAMPLES)
    trials = all_trials(source, seeds=(0, 1), draws=2)
    found = worst(measure(source.case, trials, oracle(EXAMPLE, joint, EXAMPLES)))
    assert {name: deviation for name, deviation in found.items() if deviation > EXACT} == {}
    assert sorted(found) == sorted(SCORED)


def test_the_twelve_defects_break_all_fifty_relations_on_the_examples_too() -> None:
    source = source_case(EXAMPLE, EXAMPLES)
    trials = list(all_trials(source, seeds=(0, 1)))
    models = [oracle(EXAMPLE, Joint(seed, 100, 1.2), EXAMPLES) for seed in range(6)]
    broken: set[str] = set()
    for defect in DEFECTS.values():
        for model in models:
            found = worst(measure(source.case, trials, defect(model)))
            broken |= {name for name, deviation in found.items() if deviation > TOLERANCE + EXACT}
    assert set(SCORED) - broken == set()


def test_two_digits_break_nothing_on_the_examples() -> None:
    source = source_case(EXAMPLE, EXAMPLES)
    for seed in range(3):
        model = CONTROL(oracle(EXAMPLE, Joint(seed, 200, 0.4), EXAMPLES))
        assert max(worst(measure(source.case, all_trials(source), model)).values()) <= TOLERANCE


def test_luce_keeps_the_menus_of_the_examples_and_fails_refinements() -> None:
    suite = load_suite(str(EXAMPLES))
    asker = _asker(reference_model("luce"))
    case = suite.cases[EXAMPLE]
    results = [judge(test, case, asker.ask(case.request()), asker.ask) for test in suite.plan.tests]
    scores = _scored(results)
    (menus,) = [row for row in scores.dimensions if row.name == "CHO"]
    assert menus.score == menus.graded == 1.0
    assert max(o.deviation or 0.0 for r in results if r.id.relation in MENUS for o in r.outcomes) <= 1e-12
    source = source_case(EXAMPLE, EXAMPLES)
    found = worst(measure(source.case, all_trials(source, seeds=(0, 1, 2)), partial(answer, "luce")))
    refined = ("option_clone", "option_split", "similarity_effect", "option_closure")
    assert {name: found[name] > TOLERANCE for name in refined} == dict.fromkeys(refined, True)
    assert found["extreme_level"] > 0.01
