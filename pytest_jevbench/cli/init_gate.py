"""A gate of conditions that can be decided on the tests at hand: few cases cannot show a significant drop."""

from __future__ import annotations

from importlib.resources import files

from pytest_jevbench.scoring.gate_config import GateConfig, Limit, NoDrop
from pytest_jevbench.scoring.gate_forecast import forecast_gate
from pytest_jevbench.scoring.pairs import planned_layout
from pytest_jevbench.scoring.weights import OVERALL, ScoredFrom
from pytest_jevbench.suite_loading import Suite

__all__ = ["gate_text"]

DROP = 0.05
LEVEL = 0.05


def gate_text(suite: Suite) -> str:
    """The text of ``gate.yaml`` for a suite, or for cases of one's own."""
    groups = {name: relation.group for name, relation in suite.relations.items() if relation.scored}
    layout = planned_layout((test.id for test in suite.plan.tests if test.id.relation in groups), groups)
    scored_from = ScoredFrom(suite.min_n)

    def decidable(config: GateConfig) -> bool:
        return not any(one.falls_short for one in forecast_gate(config, layout, scored_from=scored_from))

    significant = "no_significant_drop: {level: 0.05}", "overall and the five dimensions, Holm's correction"
    largest, new = ("max_drop: {overall: 0.05}", "whatever its significance"), "# max_new_violations: 10"
    if not decidable(GateConfig(no_significant_drop=NoDrop(LEVEL))):
        significant = "no_significant_drop: {level: 0.05, scores: [overall]}", "too few cases for each dimension"
        if not decidable(GateConfig(no_significant_drop=NoDrop(LEVEL, (OVERALL,)))):
            significant = "# no_significant_drop: {level: 0.05}", "these tests cannot show one"
    if not decidable(GateConfig(largest_drop=(Limit(OVERALL, DROP),))):
        largest, new = ("# max_drop: {overall: 0.05}", "these tests have no overall score"), "max_new_violations: 0"
    template = (files("pytest_jevbench.cli") / "init_templates" / "gate.yaml").read_text(encoding="utf-8")
    lines = {"SIGNIFICANT": significant, "LARGEST": largest, "NEW": (new, "tests that are broken now and were not")}
    for name, (condition, why) in lines.items():
        template = template.replace(f"@{name}@", f"{condition:<36} # {why}")
    return template
