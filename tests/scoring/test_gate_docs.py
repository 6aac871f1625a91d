"""The gate file of the documentation is one that can be read, with every condition there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_jevbench.scoring.gate_config import GateConfig, NoDrop, gate_section
from pytest_jevbench.scoring.gate_forecast import forecast_gate
from pytest_jevbench.scoring.noninferiority import no_change_bound
from pytest_jevbench.yaml_text import parse_yaml
from tests.scoring.noisy_runs import published_plan

TEXT = (Path(__file__).parents[2] / "docs" / "ci-statistics.md").read_text(encoding="utf-8")


def test_the_gate_file_of_the_documentation() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    entry = parse_yaml(example, "docs/ci-statistics.md").fields()["gate"]
    config, nothing = gate_section(entry), GateConfig()
    unset = [name for name in GateConfig.__slots__ if getattr(config, name) == getattr(nothing, name)]
    assert unset == ["assumption"]  # the example writes the default
    for name in entry.fields():
        assert f"`{name}`" in TEXT.partition("```yaml")[2] or name in ("assume",)


@pytest.mark.parametrize("suite", ["240", "mini"])
def test_the_drops_that_the_documentation_says_are_noticed(suite: str) -> None:
    said = forecast_gate(GateConfig(no_significant_drop=NoDrop()), published_plan(f"jevbench-{suite}").layout)
    row = " | ".join(f"{line.value:.3f}" for line in said)
    assert f"| {suite} | {row} |" in TEXT


def test_the_margins_of_the_documentation() -> None:
    rows = re.findall(r"^\| ([\d,]+) \| (0\.\d+) \|$", TEXT, re.MULTILINE)
    assert len(rows) == 5
    for cases, margin in rows:
        bound = -no_change_bound(int(cases.replace(",", "")))
        assert f"{bound:.{len(margin) - 2}f}" == margin
