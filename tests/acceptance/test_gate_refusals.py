"""Gates over HTTP: what can never be decided is refused before the first request, what is not scored never passes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.small_project import SERIAL_AND_N2, Project, freeze_cases
from tests.servers.scripted import ScriptedServer, Step, Talk, reply, right

workers = pytest.mark.parametrize("workers", SERIAL_AND_N2, ids=["serial", "n2"])


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return freeze_cases(tmp_path_factory.mktemp("ten"), 10)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, ten: Path) -> Path:
    return Project(tmp_path_factory.mktemp("recorded"), ten).record()


@pytest.fixture
def project(tmp_path: Path, ten: Path) -> Project:
    return Project(tmp_path / "project", ten, model="")


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer([right(model="v1")]) as server:
        yield server


def changed(recorded: Path, folder: Path, change: dict[str, Any], *path: str) -> Path:
    """The recorded baseline with one section changed."""
    card = json.loads(recorded.read_text(encoding="utf-8"))
    section = card
    for name in path:
        section = section[name]
    section.update(change)
    made = folder / "changed.json"
    made.write_text(json.dumps(card), encoding="utf-8")
    return made


def refused(project: Project, server: ScriptedServer, *options: str) -> str:
    """The one line of a run that was refused before it asked anything."""
    done = project.run(f"--jevbench-url={server.url}", "--jevbench-model=m", *options)
    assert done.status == 4, done.out
    assert server.asked == []
    assert done.card is None
    [line] = [line for line in done.out.splitlines() if "jevbench:" in line]
    return line


def test_a_baseline_of_another_suite(project: Project, server: ScriptedServer, recorded: Path, tmp_path: Path) -> None:
    files = {"cases.jsonl": "0" * 64}
    other = changed(recorded, tmp_path, {"name": "other", "version": "7", "files": files}, "identity", "suite")
    line = refused(project, server, f"--jevbench-baseline={other}")
    assert "the baseline is of another suite (other 7, this run is of small 1)" in line
    renamed = changed(recorded, tmp_path, {"files": files}, "identity", "suite")
    line = refused(project, server, f"--jevbench-baseline={renamed}")
    assert "the baseline is of another suite (small 1 too, but of other content)" in line


def test_a_baseline_under_other_settings(
    project: Project, server: ScriptedServer, recorded: Path, tmp_path: Path
) -> None:
    line = refused(project, server, f"--jevbench-baseline={recorded}", "--jevbench-tolerance=0.1")
    assert "the baseline was judged with tolerance 0.05, this run with 0.1" in line
    mixed = changed(recorded, tmp_path, {"answered": ["v1", "v2"]}, "identity", "model")
    line = refused(project, server, f"--jevbench-baseline={mixed}")
    assert "the baseline was answered by 2 model versions" in line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gate:\n  min: {overal: 0.9}\n", "gate.yaml, line 2, gate.min.overal: unknown name"),
        ("minimum: 0.9\n", "gate.yaml, line 1, minimum: unknown name"),
        ("min: 95\n", "Give a share from 0 to 1"),
        ("max_new_violations: 3\n", "Give --jevbench-baseline=CARD"),
        ("min_accuracy: 0.5\n", "suite small has none"),
        ("assume: {discordance: 0.2}\n", "a gate without one would pass everything"),
    ],
)
def test_conditions_that_cannot_be_read_or_decided(
    project: Project, server: ScriptedServer, text: str, said: str
) -> None:
    file = project.write("gate.yaml", text)
    assert said in refused(project, server, f"--jevbench-gate={file}")


def test_two_places_for_conditions_and_places_where_nothing_can_be_written(
    project: Project, server: ScriptedServer
) -> None:
    file = project.write("gate.yaml", "min: 0.5\n")
    both = refused(project, server, f"--jevbench-gate={file}", "--jevbench-require=min=0.5")
    assert "Keep them in one place" in both
    (project.folder / "folder").mkdir()
    assert "this is a directory" in refused(project, server, "--jevbench-markdown=folder")
    assert "gate.yaml is a file" in refused(project, server, "--jevbench-badge=gate.yaml/badge.json")
    gate = refused(project, server, "--jevbench-gate=folder")
    assert gate.endswith("folder: this is a directory, not a file")


def test_an_unknown_section_of_jevbench_yaml(project: Project, server: ScriptedServer) -> None:
    project.write("jevbench.yaml", "gates:\n  min: 0.9\n")
    assert "unknown section 'gates'" in refused(project, server)


@workers
def test_answers_of_two_model_versions_are_flagged_and_never_pass(project: Project, workers: tuple[str, ...]) -> None:
    script: list[Step] = [right(model="v1")] * 12
    with ScriptedServer([*script, right(model="v2")]) as server:
        options = [f"--jevbench-url={server.url}", "--jevbench-model=m", "--jevbench-require=max_violation_rate=1"]
        done = project.run(*options, *workers)
    assert done.status == 16
    assert done.card is not None
    assert done.card["identity"]["model"]["answered"] == ["v1", "v2"]
    assert "mixed_models" in [flag["name"] for flag in done.card["flags"]]
    assert done.counts["judged"] == 10
    assert done.gate["reasons"] == ['this run was answered by 2 model versions: "v1", "v2"']
    assert project.gate("--require=max_violation_rate=1").status == 16


@workers
def test_half_of_the_tests_unreachable_is_half_covered_and_not_scored(
    project: Project, workers: tuple[str, ...]
) -> None:
    failing = {f"State of c{i}." for i in range(1, 10, 2)}

    def step(talk: Talk) -> bool:
        if talk.asked.json["state"] in failing:
            return reply({"error": "overloaded"}, 500, retry_after="0")(talk)
        return right(model="v1")(talk)

    conditions = ["min_coverage=0.99", "min.key_rename=0.1", "max_violation_rate=0"]
    with ScriptedServer([step]) as server:
        options = [f"--jevbench-url={server.url}", "--jevbench-model=m", "--jevbench-retries=2"]
        done = project.run(*options, *(f"--jevbench-require={one}" for one in conditions), *workers)
    attempts = Counter(request.body for request in server.asked if request.json["state"] in failing)
    assert set(attempts.values()) == {3}
    assert done.status == 16
    assert (done.counts["judged"], done.counts["unjudged"]["unreachable"]) == (5, 5)
    assert done.card is not None
    [row] = done.card["relations"]
    assert (row["status"], row["score"]) == ("incomplete", None)
    assert done.gate["decision"] == "incomplete"
    found = {condition["name"]: condition for condition in done.gate["conditions"]}
    assert (found["min_coverage"]["value"], found["min_coverage"]["verdict"]) == (0.5, "failed")
    assert found["min key_rename"]["verdict"] == "not_evaluated"
    assert found["max_violation_rate all"]["verdict"] == "incomplete"
    assert project.gate(*(f"--require={one}" for one in conditions)).status == 16
