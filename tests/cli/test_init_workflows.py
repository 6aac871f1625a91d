"""What ``init`` writes works: its next steps and its workflows' commands, typed in a repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_ci_page import WORKFLOWS, Repository
from tests.servers.published import program

EXAMPLES = "--suite jevbench-examples"
COHERENCE = ("gate.yaml", "requirements.txt", "baseline.json")


def set_up(folder: Path, words: str) -> tuple[Repository, list[str]]:
    """A repository with one commit, after ``init``, and the commands that it says come next."""
    repository = Repository(folder, {"README.md": "Ours.\n", "pyproject.toml": '[project]\nname = "ours"\n'})
    done = repository.sh(f"pytest-jevbench init {words}")
    assert done.returncode == 0, done.stderr
    commands = done.stdout.partition("Next:\n")[2].splitlines()
    return repository, [line.strip() for line in commands if line.startswith("  ")]


def accepted_by_the_service(path: Path) -> bool:
    """By the JSON Schemas of both services, which check-jsonschema carries with it."""
    service = "github-workflows" if path.parent.name == "workflows" else "gitlab-ci"
    command = [program("check-jsonschema"), "--builtin-schema", f"vendor.{service}"]
    if service == "gitlab-ci":
        command += ["--data-transform", "gitlab-ci"]
    return subprocess.run([*command, str(path)], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="the steps are bash scripts for Linux runners")
@pytest.mark.slow
@pytest.mark.parametrize("ci", ["github", "gitlab"])
def test_from_nothing_to_a_red_job(ci: str, tmp_path: Path) -> None:
    repository, commands = set_up(
        tmp_path, f"--launch 'pytest-jevbench serve luce --port {{port}}' {EXAMPLES} --ci {ci}"
    )
    assert [command.split()[0] for command in commands] == ["pytest", "pytest-jevbench", "git"]
    for command in commands:
        done = repository.sh(command)
        assert done.returncode == 0, done.stdout + done.stderr
    assert repository.sh("git commit -qm coherence").returncode == 0
    settings = {"pyproject.toml", "jevbench.yaml"} | {f"coherence/{name}" for name in COHERENCE}
    workflows = {f"{WORKFLOWS}coherence.yml", f"{WORKFLOWS}coherence-baseline.yml"}
    committed = set(repository.sh("git show --format= --name-only").stdout.split())
    assert committed == settings | (workflows if ci == "github" else {".gitlab-ci.yml"})

    def gate() -> int:
        return repository.github("coherence.yml", "gate") if ci == "github" else repository.gitlab("coherence")

    assert gate() == 0, repository.out
    assert "gate passed" in repository.out
    repository.sh("sed -i 's/serve luce/serve random/' pyproject.toml")
    assert gate() == 1, repository.out
    assert "max_drop overall: failed" in repository.out

    (repository.folder / "coherence/baseline.json").unlink()
    if ci == "github":
        assert repository.github("coherence-baseline.yml", "record") == 0, repository.out
        assert (
            "coherence/baseline.json"
            in repository.sh("git fetch -q && git show --stat origin/coherence-baseline-17").stdout
        )
    else:
        assert repository.gitlab("record coherence baseline") == 0, repository.out
    assert gate() == 0, repository.out


@pytest.mark.skipif(sys.platform == "win32", reason="the steps are bash scripts for Linux runners")
@pytest.mark.slow
@pytest.mark.parametrize("words", ["--fixture", "--reference luce --cases cases.yaml"])
def test_other_models_and_cases_of_ones_own(words: str, tmp_path: Path) -> None:
    cases = 'state: Late.\nquestions:\n  angry: {type: noul, instructions: "Angry?"}\n'
    (tmp_path / "cases.yaml").write_text(f"- {cases}".replace("\n", "\n  "), encoding="utf-8")
    suite = "" if "--cases" in words else EXAMPLES
    repository = Repository(tmp_path / "own", {"cases.yaml": (tmp_path / "cases.yaml").read_text(encoding="utf-8")})
    done = repository.sh(f"pytest-jevbench init {words} {suite} --ci gitlab")
    assert done.returncode == 0, done.stderr
    for command in [line for line in done.stdout.splitlines() if line.startswith(("  pytest", "  git"))]:
        step = repository.sh(command.strip())
        assert step.returncode == 0, step.stdout + step.stderr
    assert repository.gitlab("coherence") == 0, repository.out


@pytest.mark.slow
def test_the_services_accept_the_workflows(tmp_path: Path) -> None:
    from pytest_jevbench.cli import main

    for ci, model in (("github", "--url=https://a.example.org"), ("gitlab", "--reference=luce")):
        (tmp_path / ci).mkdir()
        assert main(["init", model, *EXAMPLES.split(), "--ci", ci, "--dir", str(tmp_path / ci)]) == 0
    paths = [*tmp_path.glob("*/.github/workflows/*.yml"), tmp_path / "gitlab/.gitlab-ci.yml"]
    assert len(paths) == 3
    for path in paths:
        assert accepted_by_the_service(path), path
        path.write_text(
            path.read_text(encoding="utf-8").replace("runs-on:", "runs_on:").replace("when: always", "when: ever"),
            encoding="utf-8",
        )
        assert not accepted_by_the_service(path)
