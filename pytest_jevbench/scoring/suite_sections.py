"""The parts of a card that need the suite beside the answers: accuracy on gold answers, and the uniform model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.json_text import JSON
from pytest_jevbench.runs.judge import judge_uniform
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.scoring.card import complete_results, score_run
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from pytest_jevbench.scoring.run_facts import RunFacts
from pytest_jevbench.scoring.scores_json import reference_json

__all__ = ["SuiteSections", "suite_sections"]


class SuiteSections(NamedTuple):
    """The sections ``accuracy`` (None where the suite has no gold answers) and ``reference`` of a card."""

    accuracy: dict[str, JSON] | None
    reference: dict[str, JSON]


def suite_sections(
    run: Run, facts: RunFacts, settings: ScoreSettings, sources: Mapping[str, Mapping[str, Distribution]]
) -> SuiteSections:
    """Both sections for the tests planned here that were not deselected."""
    from pytest_jevbench.metrics import measure_gold

    left_out = set(facts.deselected)
    tests = [test for test in run.here if test.id not in left_out]
    tolerance = settings.tolerance if settings.tolerance is not None else 0.05
    uniform = complete_results(facts, judge_uniform(tests, run.cases, tolerance, run.relations))
    cases = {case_id: run.cases[case_id] for case_id in dict.fromkeys(test.id.case_id for test in tests)}
    gold = measure_gold(cases, run.suite.gold, sources) if run.suite.gold else None
    chance = None if gold is None else gold.chance
    scores = score_run(facts, uniform, replace(settings, bootstrap=0))
    return SuiteSections(None if gold is None else gold.to_json(), reference_json("uniform", scores, chance))
