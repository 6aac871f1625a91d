"""What a run leaves for CI: job summary, Markdown, badge, annotations, each once and by the controller alone."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.acceptance.small_project import SERIAL_AND_N2, Project, freeze_cases

workers = pytest.mark.parametrize("workers", SERIAL_AND_N2, ids=["serial", "n2"])
BROKEN = ["c0", "c1", "c2"]


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return freeze_cases(tmp_path_factory.mktemp("ten"), 10)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, ten: Path) -> Path:
    return Project(tmp_path_factory.mktemp("recorded"), ten).record(broken=BROKEN)


@pytest.fixture
def project(tmp_path: Path, ten: Path) -> Project:
    return Project(tmp_path / "project", ten)


def commands(out: str) -> list[str]:
    """The lines that GitHub's runner takes for commands."""
    return [line for line in out.splitlines() if line.lstrip().startswith("::")]


@workers
def test_the_job_summary_is_appended_once(project: Project, recorded: Path, workers: tuple[str, ...]) -> None:
    job = project.write("job.md", "# from an earlier step\n")
    options = [f"--jevbench-baseline={recorded}", "--jevbench-markdown=out/summary.md", "--jevbench-badge=badge.json"]
    gate = "--jevbench-require=max_new_violations=0"
    env = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(job)}
    done = project.run(*options, gate, *workers, broken=[*BROKEN, "c7"], env=env)
    assert done.status == 1
    summary = (project.folder / "out" / "summary.md").read_text(encoding="utf-8")
    assert job.read_text(encoding="utf-8") == "# from an earlier step\n" + summary
    assert summary.startswith("## ❌ Coherence gate failed: ")
    assert "1 new violation, 3 known, 0 fixed" in summary
    assert "`key_rename` on case `c7`, question `q`" in summary
    assert "case `c0`" not in summary
    assert "+ k" in summary or "sent as" in summary
    badge = json.loads((project.folder / "badge.json").read_text(encoding="utf-8"))
    assert (badge["message"], badge["color"]) == ("not scored, gate failed", "red")
    first, condition, violation = commands(done.out)
    assert first.startswith("::error title=Coherence gate failed::")
    assert condition.startswith("::error title=max_new_violations::failed; 1, at most 0")
    assert violation.startswith("::warning title=key_rename newly violated::small::c7::key_rename-q%0A")


def test_nothing_is_annotated_elsewhere_or_where_all_is_well(project: Project) -> None:
    assert commands(project.run(broken=BROKEN).out) == []
    well = project.run("--jevbench-require=max_violation_rate=1", env={"GITHUB_ACTIONS": "true"})
    assert well.status == 0
    assert commands(well.out) == []


@pytest.mark.parametrize("quiet", ["-q", "-qq"])
def test_annotations_are_printed_in_quiet_runs_too(project: Project, quiet: str) -> None:
    done = project.run(quiet, broken=[f"c{i}" for i in range(10)], env={"GITHUB_ACTIONS": "true"})
    assert done.status == 1
    found = commands(done.out)
    assert len(found) == 3
    assert all(line.startswith("::error title=key_rename violated::small::c") for line in found)


HOSTILE = """
def model(state, questions):
    if "of c3." in state:
        raise RuntimeError("\\n::error::taken\\n##[error]taken | <img src=x>")
    return {key: {"type": "noul", "noul": 0.9 if key != "q" else 0.2} for key in questions}
"""


@workers
def test_what_a_model_says_is_no_command_and_no_markup(project: Project, workers: tuple[str, ...]) -> None:
    hostile = Project(project.folder, project.suite, model=HOSTILE)
    done = hostile.run("--jevbench-markdown=s.md", "-vv", "-rA", *workers, env={"GITHUB_ACTIONS": "true"})
    assert done.status == 16
    assert not any("taken" in line for line in commands(done.out))
    assert not any("##[" in line for line in done.out.splitlines())
    summary = (project.folder / "s.md").read_text(encoding="utf-8")
    [line] = [line for line in summary.splitlines() if "taken" in line]
    assert line.startswith("- 1 ")
    assert line.count("`") == 2
    assert line.index("`") < line.index("<img")


def test_a_summary_that_cannot_be_written_is_a_warning_and_changes_nothing(project: Project, tmp_path: Path) -> None:
    missing = str(tmp_path / "nowhere" / "job.md")
    done = project.run("-W", "error", env={"GITHUB_STEP_SUMMARY": missing})
    assert done.status == 0
    assert "could not be written" in done.out
    assert done.counts["judged"] == 10


def test_files_are_written_whole_and_may_be_replaced(project: Project) -> None:
    old = project.write("summary.md", "old\n" * 1000)
    old.chmod(stat.S_IRUSR | stat.S_IWUSR)
    done = project.run("--jevbench-markdown=summary.md", broken=BROKEN)
    assert done.status == 1
    assert old.read_text(encoding="utf-8").startswith("## 3 of 10 coherence tests violated")
    assert list(project.folder.glob("*.tmp")) == list(project.folder.glob(".*.tmp")) == []


def test_markdown_is_also_an_ini_key_read_from_the_root(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\njevbench_markdown = from_ini.md\njevbench_badge = from_ini.json\n")
    project.run()
    assert (project.folder / "from_ini.md").exists()
    assert (project.folder / "from_ini.json").exists()
