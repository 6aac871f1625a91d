"""What a gate says beforehand: which drops it notices, margins out of reach, conditions that cannot be met."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from pytest_jevbench.errors import Place
from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.scoring.gate_config import GateConfig, gate_from_assignments
from pytest_jevbench.scoring.gate_forecast import Forecast, forecast_gate
from pytest_jevbench.scoring.pairs import planned_layout
from tests.scoring.noisy_runs import GROUPS, LOUD, published_plan

FULL, MINI = published_plan("jevbench-240").layout, published_plan("jevbench-mini").layout


def config(*conditions: str) -> GateConfig:
    return gate_from_assignments(conditions, Place("options"))


def by_score(found: tuple[Forecast, ...]) -> dict[str, Forecast]:
    return {line.name.split()[1]: line for line in found}


def test_mini_notices_larger_drops_than_the_full_suite_and_says_which() -> None:
    drops = config("no_significant_drop=0.05")
    full, mini = by_score(forecast_gate(drops, FULL)), by_score(forecast_gate(drops, MINI))
    assert list(mini) == ["overall", "REP", "BAT", "MEA", "LOG", "CHO"]
    for name, line in mini.items():
        smaller = full[name]
        assert line.value is not None
        assert smaller.value is not None
        assert not line.falls_short
        assert line.value > 1.5 * smaller.value
        assert f"notices drops from {line.value:.3f} on four times in five or more, smaller ones may pass" in line.text
        assert "assuming that 0.1 of the tests differ between two runs" in line.text
    assert max(line.value or 0 for line in mini.values()) == mini["CHO"].value


def test_the_noticed_drop_by_hand() -> None:
    layout = planned_layout([TestId("option_clone", f"c{i}", "q") for i in range(100)], GROUPS)
    conditions = config("no_significant_drop.scores=option_clone", "assume.discordance=0.2", "assume.correlation=0")
    (line,) = forecast_gate(conditions, layout)
    assert line.value is not None  # a drop by d adds d to the share of tests that differ
    assert line.value == pytest.approx((norm.ppf(0.95) + norm.ppf(0.8)) * np.sqrt((0.2 + line.value) / 100))
    (watched,) = forecast_gate(conditions, layout, stop_when_decided=True)
    assert watched.value is not None
    assert watched.value == pytest.approx((norm.ppf(0.96) + norm.ppf(0.8)) * np.sqrt((0.2 + watched.value) / 100))


def test_a_repeat_of_the_baseline_replaces_the_assumption() -> None:
    repeat = LOUD.pair(FULL, np.random.default_rng(0))
    assumed = forecast_gate(config("no_significant_drop=0.05"), FULL)
    measured = forecast_gate(config("no_significant_drop=0.05"), FULL, repeat=repeat)
    assert "from the baseline and its repeat" in measured[0].text
    assert (measured[0].value or 0) > (assumed[0].value or 1)


def test_margins_out_of_reach_are_told_with_the_cases_needed() -> None:
    lines = forecast_gate(config("non_inferiority.margin=0.01"), MINI)
    assert lines[0].falls_short
    assert lines[0].needed is not None
    assert lines[0].needed > 298  # 1 - 0.05^(1/298) is the first under 0.01
    assert "240 cases cannot show a margin under 0.0124" in lines[0].text
    assert forecast_gate(config("non_inferiority=0.1"), FULL) == ()


def test_a_margin_within_reach_but_seldom_shown() -> None:
    (line,) = forecast_gate(config("non_inferiority=0.02"), MINI)
    assert not line.falls_short
    assert "240 cases show a margin of 0.02 less often than 80% of the time" in line.text


def test_conditions_that_a_small_plan_cannot_meet() -> None:
    few = planned_layout([TestId("option_clone", "c0", str(i)) for i in range(6)], GROUPS)
    lines = forecast_gate(config("min.overall=0.9", "min.option_clone=0.9", "no_significant_drop=0.05"), few)
    assert [(line.name, line.falls_short) for line in lines] == [
        ("min overall", True),
        ("no_significant_drop MEA", True),
    ]
    assert "no test of REP is planned" in lines[0].text
    assert "1 cases can never fail it, 5 could" in lines[1].text
