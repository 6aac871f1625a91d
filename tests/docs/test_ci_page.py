"""docs/ci.md: its files are what the services accept, its tables are those of ci-statistics.md, its commands run.

``python -m tests.docs.test_ci_page`` writes the tables anew.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_jevbench.scoring.gate_config import read_gate
from tests.servers.published import program

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "ci.md"
FILE = re.compile(r"^`([\w./-]+)`:\n\n(?:<!-- [^\n]* -->\n)*```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WORKFLOWS = ".github/workflows/"


def files() -> dict[str, str]:
    """The complete files of the page, by name."""
    return dict(FILE.findall(PAGE.read_text(encoding="utf-8")))


# Tables --------------------------------------------------------------------------------------------------------------


def table_below(title: str) -> str:
    """The first table below a heading of ci-statistics.md."""
    below = (DOCS / "ci-statistics.md").read_text(encoding="utf-8").partition(f"### {title}\n")[2]
    found = re.search(r"(?:^\|.*\n)+", below, re.MULTILINE)
    assert found is not None
    return found[0]


def in_step(text: str) -> str:
    for name, title in (("power", "How often a drop is found"), ("noticed", "What mini cannot detect")):
        section = re.compile(rf"(?<=<!-- {name}:start -->\n).*?(?=<!-- {name}:end -->)", re.DOTALL)
        table = table_below(title)
        text = section.sub(lambda _, table=table: table, text)  # type: ignore[misc]
    return text


def test_the_tables_are_those_of_the_statistics() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert "| mini | loud | 0.10 |" in text
    assert text == in_step(text), "run python -m tests.docs.test_ci_page"


# Files ---------------------------------------------------------------------------------------------------------------


def test_every_file_of_the_listing_is_on_the_page() -> None:
    listed = re.findall(r"^([\w./-]+) {3,}\w", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(listed) - {"coherence/baseline.json"} <= set(files())
    assert sum(name.startswith(WORKFLOWS) for name in files()) == 3


def test_the_gate_can_be_read(tmp_path: Path) -> None:
    gate = tmp_path / "gate.yaml"
    gate.write_text(files()["coherence/gate.yaml"], encoding="utf-8")
    assert read_gate(gate).needs_baseline


@pytest.mark.parametrize("name", [name for name in files() if name.endswith(".yml")])
def test_workflows_are_what_the_service_accepts(name: str, tmp_path: Path) -> None:
    """By the JSON Schemas of both services, which check-jsonschema carries with it."""
    service = "github-workflows" if name.startswith(WORKFLOWS) else "gitlab-ci"
    command = [program("check-jsonschema"), "--builtin-schema", f"vendor.{service}"]
    if service == "gitlab-ci":
        command += ["--data-transform", "gitlab-ci"]
    path = tmp_path / "workflow.yml"
    right = files()[name]
    wrong = right.replace("runs-on:", "runs_on:").replace("when: always", "when: perhaps")
    assert wrong != right
    for text, accepted in ((right, True), (wrong, False)):
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
        assert (done.returncode == 0) is accepted, done.stdout


# Running them --------------------------------------------------------------------------------------------------------

PIP = '#!/bin/sh\nexec "{python}" -m tests.docs.test_ci_page "$@"\n'
"""In the place of pip: the environment of the tests has what the page installs, and this checks that it has."""


def check_installed(arguments: list[str]) -> None:
    """``pip install -r FILE`` without a network. Raises where a package of the file is not there."""
    assert arguments[:2] == ["install", "-r"]
    for line in Path(arguments[2]).read_text(encoding="utf-8").splitlines():
        name, _, pinned = line.partition("#")[0].strip().partition("==")
        if not name:
            continue
        found = version(name)
        if pinned and found != pinned:
            raise PackageNotFoundError(f"{name} {found} instead of {pinned}")


class Repository:
    """A repository of a user with these files, a remote, and the steps of its workflows."""

    def __init__(self, folder: Path, given: Mapping[str, str]) -> None:
        self.folder = folder / "work"
        self.summary = folder / "summary.md"
        bin_folder = folder / "bin"
        bin_folder.mkdir(parents=True)
        (bin_folder / "pip").write_text(PIP.format(python=sys.executable), encoding="utf-8")
        (bin_folder / "pip").chmod(0o755)
        for command in ("pytest", "pytest-jevbench", "sparrow-decider"):
            (bin_folder / command).symlink_to(program(command))
        plain = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "GIT", "JEVBENCH"))
        }
        self._env = {
            **plain,
            "PATH": f"{bin_folder}:{os.environ['PATH']}",
            "PYTHONPATH": str(DOCS.parent),
            "GITHUB_RUN_ID": "17",
            "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
            "CI": "true",
        }
        self.folder.mkdir()
        for name, text in given.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.sh(f"git init -q --bare {folder}/remote && git init -q -b main . && git remote add origin {folder}/remote")
        self.sh("git config user.name me && git config user.email me@example.org && git add -A && git commit -qm files")

    def sh(self, script: str, **env: str) -> subprocess.CompletedProcess[str]:
        """A script as the runners start it: the first command that fails ends it."""
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self.folder, env={**self._env, **env}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def github(self, workflow: str, job: str, matrix: dict[str, int] | None = None) -> int:
        """The status of a job: its steps' commands in turn, until one fails."""
        steps = self._yaml(WORKFLOWS + workflow)["jobs"][job]["steps"]
        self.summary.write_text("", encoding="utf-8")
        for step in steps:
            script = step.get("run", "")
            if not script:
                continue
            for name, value in (matrix or {}).items():
                script = script.replace(f"${{{{ matrix.{name} }}}}", str(value))
            assert "${{" not in script
            done = self.sh(script, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(self.summary))
            self.out = done.stdout + done.stderr
            if done.returncode:
                return done.returncode
        return 0

    def gitlab(self, job: str) -> int:
        """The status of a job of GitLab: what comes before the script, and the script."""
        every = self._yaml(".gitlab-ci.yml")
        wanted = {**every[every[job].get("extends", job)], **every[job]}
        done = self.sh("\n".join([*wanted["before_script"], *wanted["script"]]))
        self.out = done.stdout + done.stderr
        return done.returncode

    def _yaml(self, name: str) -> dict[str, Any]:
        read: dict[str, Any] = yaml.safe_load((self.folder / name).read_text(encoding="utf-8"))
        return read

    def launch(self, command: str) -> None:
        """Change the model, as a pull request would."""
        path = self.folder / "pyproject.toml"
        text = re.sub(r'jevbench_launch = ".*"', f'jevbench_launch = "{command}"', path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")

    def artifacts(self, patterns: str) -> Iterator[Path]:
        for pattern in patterns.split():
            found = list(self.folder.glob(pattern))
            assert found, pattern
            yield from found


def small(repository: Repository) -> None:
    """Run our own small suite in the place of the published one: the commands are the same, and seconds suffice."""
    path = repository.folder / "pyproject.toml"
    text = path.read_text(encoding="utf-8").replace("jevbench:jevbench-mini", "jevbench-mini")
    path.write_text(text, encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="the page's steps are bash scripts for Linux runners")
@pytest.mark.slow
@pytest.mark.parametrize("suite", ["bundled", "published"])
def test_the_workflows_from_the_first_baseline_to_a_red_pull_request(suite: str, tmp_path: Path) -> None:
    repository = Repository(tmp_path, files())
    if suite == "bundled":
        small(repository)
    assert repository.github("coherence-baseline.yml", "record") == 0, repository.out
    pushed = repository.sh("git fetch -q origin && git show --stat origin/coherence-baseline-17")
    assert "coherence/baseline.json" in pushed.stdout
    repository.sh("git switch -q main && git merge -q origin/coherence-baseline-17")

    gate = yaml.safe_load(files()[WORKFLOWS + "coherence.yml"])["jobs"]["gate"]["steps"]
    assert repository.github("coherence.yml", "gate") == 0, repository.out
    assert repository.summary.read_text(encoding="utf-8").startswith("## ✅ Coherence gate passed")
    assert {path.name for path in repository.artifacts(gate[-1]["with"]["path"])} == {
        "jevbench-card.json",
        "coherence-badge.json",
        "coherence-junit.xml",
        "coherence-summary.md",
    }

    repository.launch("pytest-jevbench serve random --port {port}")
    assert repository.github("coherence.yml", "gate") == 1, repository.out
    summary = repository.summary.read_text(encoding="utf-8")
    assert summary.startswith("## ❌ Coherence gate failed")
    assert "### The worst new violations" in summary
    assert "\n::error title=Coherence gate failed::" in repository.out
    saved = repository.sh(
        "pytest-jevbench card gate jevbench-card.json --baseline coherence/baseline.json --gate coherence/gate.yaml"
    )
    assert saved.returncode == 1
    refused = repository.sh("pytest-jevbench card promote jevbench-card.json coherence/baseline.json")
    assert "its gate failed" in refused.stderr
    if suite == "published":
        return

    assert repository.gitlab("coherence") == 1, repository.out
    shards = repository.folder / "shards"
    for shard in (1, 2, 3):
        assert repository.github("coherence-shards.yml", "run", {"shard": shard}) == 0, repository.out
    assert repository.github("coherence-shards.yml", "gate") == 1, repository.out
    assert repository.summary.read_text(encoding="utf-8").startswith("## ❌ Coherence gate failed")
    shutil.rmtree(shards)
    assert repository.gitlab("record coherence baseline") == 0, repository.out
    assert repository.gitlab("coherence") == 0, repository.out


if __name__ == "__main__":
    if len(sys.argv) > 1:
        check_installed(sys.argv[1:])
    else:
        PAGE.write_text(in_step(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
