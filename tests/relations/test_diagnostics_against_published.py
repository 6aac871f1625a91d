"""The diagnostics measure what the published package measures, on its cases and one server."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from pytest_jevbench.models.systemone import SystemOne
from pytest_jevbench.plans.plan import PlannedTest, TestId
from pytest_jevbench.questions import Case
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import SourceCase
from pytest_jevbench.rewrite_bank import RewriteBank
from pytest_jevbench.runs.asking import Asker
from pytest_jevbench.runs.judge import judge
from pytest_jevbench.suite_loading import load_suite
from tests.servers.published import RunningServer, program

NAMES = ("confidence_consistency", "routing_stability")
DOMAIN = "customer_support"

Measured = dict[tuple[str, str, str], tuple[float, bool | None]]


def _published(url: str, out: Path) -> Measured:
    command = [program("jevbench"), "eval", "--url", f"{url}/v1/systemone", "--model", "mock", "--no-cache"]
    command += ["--suite", "jevbench-mini", "--domains", DOMAIN, "--relations", ",".join(NAMES), "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True, cwd=out.parent)
    outcomes = json.loads(out.read_text(encoding="utf-8"))["result"]["outcomes"]
    return {(o["relation"], o["case_id"], o["targets"][0]): (o["deviation"], o["flip"]) for o in outcomes}


def _ours(url: str, cases: list[Case]) -> Measured:
    model = SystemOne(url, model="mock")
    asker = Asker(lambda request, slot: (model.ask(request), False))
    found: Measured = {}
    for case in cases:
        source = SourceCase(case, RewriteBank())
        for relation in map(registry.get, NAMES):
            for key in relation.transformation.targets(source):
                test = PlannedTest(TestId(relation.name, case.id, key), (relation.build(source, key, 0, 0, 0),))
                for outcome in judge(test, case, asker.ask(case.request()), asker.ask).outcomes:
                    assert outcome.deviation is not None
                    found[relation.name, case.id, outcome.targets[0]] = (outcome.deviation, outcome.flip)
    model.close()
    return found


def test_both_diagnostics_agree(jevcompat_mock: RunningServer, tmp_path: Path) -> None:
    cases = [c for c in load_suite("jevbench:jevbench-mini").cases.values() if c.domain == DOMAIN]
    ours = _ours(jevcompat_mock.url, cases)
    theirs = _published(jevcompat_mock.url, tmp_path / "report.json")
    assert ours.keys() == theirs.keys()
    assert len(ours) > 200
    for identity, (deviation, flip) in ours.items():
        assert abs(deviation - theirs[identity][0]) <= 1e-12, identity
        assert flip is theirs[identity][1], identity
    assert any(flip for _, flip in ours.values())
