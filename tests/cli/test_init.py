"""The command that sets up a repository: what it writes and what it leaves alone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_jevbench import __version__
from pytest_jevbench.case_settings import read_case_settings
from pytest_jevbench.scoring.gate_config import Limit, NoDrop, read_gate
from pytest_jevbench.scoring.gate_source import find_gate
from pytest_jevbench.suite_finding import bundled_suites
from tests.cli.initialised import CASES, EXAMPLES, GATE, GITHUB, MODEL, Init, files, folder, init, read_by_pytest

__all__ = ["folder", "init", "read_by_pytest"]

# What is written ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("--ci", "github"), {"pytest.ini", "jevbench.yaml", *GATE, *GITHUB}),
        (("--ci", "gitlab"), {"pytest.ini", "jevbench.yaml", *GATE, ".gitlab-ci.yml"}),
        (("--ci", "none"), {"pytest.ini", "jevbench.yaml"}),
        ((), {"pytest.ini", "jevbench.yaml", *GATE, *GITHUB}),
    ],
)
def test_the_files(words: tuple[str, ...], wanted: set[str], folder: Path, init: Init) -> None:
    said = init(*MODEL, *words)
    assert set(files(folder)) == wanted
    assert {line.partition(":")[0] for line in said.partition("\n\n")[0].splitlines()} == wanted
    assert max(map(len, said.splitlines())) <= 80
    for name, data in files(folder).items():
        assert b"@" not in data.replace(b"@v", b"").replace(b"@users.noreply", b""), name
        assert max(len(line) for line in data.decode().splitlines()) <= 120
        if name.endswith((".yaml", ".yml")):
            yaml.safe_load(data)


def test_a_repository_with_gitlab_gets_that_pipeline(folder: Path, init: Init) -> None:
    (folder / ".gitlab-ci.yml").write_text("stages: [test]\n", encoding="utf-8")
    said = init(*MODEL)
    assert "include: coherence/gitlab-ci.yml" in said
    assert (folder / ".gitlab-ci.yml").read_text(encoding="utf-8") == "stages: [test]\n"
    assert "record coherence baseline" in yaml.safe_load(
        (folder / "coherence/gitlab-ci.yml").read_text(encoding="utf-8")
    )
    init("--reference", "random", *EXAMPLES, "--force")  # not even then
    assert (folder / ".gitlab-ci.yml").read_text(encoding="utf-8") == "stages: [test]\n"


def test_what_ci_installs_is_pinned(folder: Path, init: Init) -> None:
    init("--launch", "sparrow-decider serve --port {port}", "--suite", "jevbench:jevbench-mini")
    lines = (folder / "coherence/requirements.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line[0] != "#"] == [
        f"pytest-jevbench=={__version__}",
        "jevbench==0.1.0",
        "sparrow-decider==0.2.0",
    ]


def test_a_model_at_a_url_may_have_a_key(folder: Path, init: Init) -> None:
    said = init("--url", "https://models.example.org/v1", *EXAMPLES)
    for name in GITHUB:
        [job] = yaml.safe_load((folder / name).read_text(encoding="utf-8"))["jobs"].values()
        assert job["env"] == {"JEVBENCH_API_KEY": "${{ secrets.JEVBENCH_API_KEY }}"}
    assert "not there in CI" not in said
    assert "A server on this machine is not there in CI" in init("--url", "http://localhost:1", *EXAMPLES, "--force")


@pytest.mark.parametrize(
    ("words", "conditions"),
    [
        (("--suite", "jevbench-mini"), {"no_significant_drop", "largest_drop", "minimum_coverage"}),
        (("--suite", "jevbench-examples"), {"largest_drop", "minimum_coverage"}),
        (("--cases", "cases.yaml"), {"most_new_violations", "minimum_coverage"}),
    ],
    ids=["240 cases", "one case, many tests", "one case, few tests"],
)
def test_the_gate_holds_what_these_tests_can_decide(
    words: tuple[str, ...], conditions: set[str], folder: Path, init: Init
) -> None:
    (folder / "cases.yaml").write_text(CASES, encoding="utf-8")
    init("--reference", "luce", *words)
    gate = read_gate(folder / "coherence/gate.yaml")
    every = ("no_significant_drop", "largest_drop", "most_new_violations", "minimum_coverage", "minimum", "largest_ece")
    assert {name for name in every if getattr(gate, name) not in (None, ())} == conditions
    assert not read_gate(folder / "jevbench.yaml").needs_baseline


def test_what_is_commented_out_can_be_read_too(folder: Path, init: Init) -> None:
    (folder / "cases.yaml").write_text(CASES, encoding="utf-8")
    (folder / "bank.jsonl").write_text("", encoding="utf-8")
    init("--reference", "luce", "--cases", "cases.yaml")
    for name in ("jevbench.yaml", "coherence/gate.yaml"):
        text = (folder / name).read_text(encoding="utf-8")
        uncommented = re.sub(r"^( *)# ( *[a-z_]+:(?: .*)?)$", r"\1\2", text, flags=re.MULTILINE)
        assert uncommented.count("#   ") == 0
        (folder / name).write_text(uncommented, encoding="utf-8")
    gate = find_gate(folder).config
    assert gate is not None
    assert (gate.minimum, gate.minimum_accuracy) == ((Limit("overall", 0.6),), 0.8)
    assert gate.most_violations == (Limit("option_clone", 0),)
    against = read_gate(folder / "coherence/gate.yaml")
    assert (against.no_significant_drop, against.largest_drop) == (NoDrop(0.05), (Limit("overall", 0.05),))
    settings = read_case_settings(folder / "cases.yaml")
    assert settings.values["tolerance"] == 0.05
    assert "verbosity" not in settings.relations
    assert "key_rename" in settings.relations


# Where the settings go ------------------------------------------------------------------------------------------------

ODD = "./suites ünï/日本 #1; 50%"
"""A folder's name that ini and TOML files hold without quoting it wrongly: quotes, backslashes and more come below."""
COMMANDS = (
    "my-server --port {port} --say 'a \"b\"' --dir C:\\\\models",
    "serve --port {port} --greet 'grüße; 100 % # really' --empty \"\"",
    "[weird] = {port} 'it = []'",
)
WHERE = {
    "nothing": ({}, "pytest.ini"),
    "pytest.ini": ({"pytest.ini": "[pytest]\naddopts = -ra\n  -q\n"}, "pytest.ini"),
    "an empty pytest.ini": ({"pytest.ini": ""}, "pytest.ini"),
    "pytest.ini without the section": ({"pytest.ini": "[other]\na = 1\n"}, "pytest.ini"),
    "pytest.ini without a last line end": ({"pytest.ini": "[pytest]"}, "pytest.ini"),
    "pytest.ini with a comment": ({"pytest.ini": "# ours\n[pytest]  # here\nminversion = 8.0\n"}, "pytest.ini"),
    "an empty pyproject": ({"pyproject.toml": ""}, "pyproject.toml"),
    "pyproject without pytest": ({"pyproject.toml": '[project]\nname = "a"\n'}, "pyproject.toml"),
    "pyproject with ini_options": (
        {"pyproject.toml": '[tool.pytest.ini_options] # x\naddopts = "-ra"\n[tool.ruff]\nline-length = 9\n'},
        "pyproject.toml",
    ),
    "pyproject with blanks in the head": (
        {"pyproject.toml": '  [ tool.pytest . ini_options ]\naddopts = "-ra"\n'}, "pyproject.toml"
    ),
    "pyproject in CRLF": (
        {"pyproject.toml": '[project]\r\nname = "a"\r\n[tool.pytest.ini_options]\r\nx = "é"\r\n'}, "pyproject.toml"
    ),
    "tox.ini": ({"tox.ini": "[tox]\nenvlist = a\n[pytest]\nx = 1\n[testenv]\nb = 2\n"}, "tox.ini"),
    "tox.ini without pytest": ({"tox.ini": "[tox]\n"}, "pytest.ini"),
    "setup.cfg": ({"setup.cfg": "[metadata]\nname = a\n[tool:pytest]\nx = 1\n"}, "setup.cfg"),
    "setup.cfg without pytest": ({"setup.cfg": "[metadata]\nname = a\n"}, "pytest.ini"),
    "pytest.ini before pyproject": (
        {"pytest.ini": "[pytest]\n", "pyproject.toml": '[tool.pytest.ini_options]\nx = "1"\n'}, "pytest.ini"
    ),
    "pyproject before tox.ini": (
        {"tox.ini": "[pytest]\n", "pyproject.toml": '[tool.pytest.ini_options]\nx = "1"\n'}, "pyproject.toml"
    ),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("there", WHERE)
def test_pytest_reads_what_was_said_and_what_was_there(
    there: str, command: str, folder: Path, init: Init, read_by_pytest: Callable[[], Mapping[str, Any]]
) -> None:
    given, taken = WHERE[there]
    for name, text in given.items():
        (folder / name).write_bytes(text.encode())
    shutil.copytree(bundled_suites()["jevbench-examples"], folder / ODD)
    init("--launch", command, "--suite", ODD, "--ci", "none")
    assert read_by_pytest() == {"jevbench_launch": command, "jevbench_suite": ODD, "jevbench_store": "off"}
    assert set(files(folder)) - {taken, "jevbench.yaml"} - {name for name in files(folder) if "suites" in name} == (
        set(given) - {taken}
    )
    new = (folder / taken).read_bytes().decode()
    ours = [line for line in new.splitlines(keepends=True) if line.startswith("jevbench_")]
    kept = "".join(line for line in new.splitlines(keepends=True) if line not in ours)
    assert kept.replace("[pytest]\n", "").split() == given.get(taken, "").replace("[pytest]\n", "").split() or (
        there in ("pyproject without pytest", "an empty pyproject", "pytest.ini without a last line end")
    )
    assert ("\r\n" in given.get(taken, "")) == all(line.endswith("\r\n") for line in ours)


@pytest.mark.skipif(int(version("pytest").partition(".")[0]) < 9, reason="pytest 8 does not read these places")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.toml", ""),
        ("pytest.toml", "[pytest]\nminversion = '8.0'\n"),
        (".pytest.toml", "[pytest]\n"),
        ("pyproject.toml", "[tool.pytest]\nminversion = '8.0'\n"),
    ],
)
def test_the_places_of_pytest_9(
    name: str, text: str, folder: Path, init: Init, read_by_pytest: Callable[[], Mapping[str, Any]]
) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "tox.ini").write_text("[pytest]\n", encoding="utf-8")
    init(*MODEL, "--ci", "none")
    wanted = {"jevbench_reference": "luce", "jevbench_suite": "jevbench-examples", "jevbench_store": "off"}
    assert read_by_pytest() == wanted
    assert set(files(folder)) == {name, "tox.ini", "jevbench.yaml"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\njevbench_url = http://a\nx = 1\njevbench_store = here\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\njevbench_command = "a"\n\n[tool.x]\njevbench_url = "kept"\n'),
    ],
)
def test_keys_that_are_there_are_replaced_only_when_told(
    name: str, text: str, folder: Path, init: Init, read_by_pytest: Callable[[], Mapping[str, Any]]
) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    before = files(folder)
    said = init(*MODEL, status=2)
    assert said.startswith(f"pytest-jevbench: {name}: jevbench_")
    assert "Nothing was written. --force replaces them" in said
    assert files(folder) == before
    init(*MODEL, "--force")
    wanted = {"jevbench_reference": "luce", "jevbench_suite": "jevbench-examples", "jevbench_store": "off"}
    assert read_by_pytest() == wanted
    assert ('jevbench_url = "kept"' in (folder / name).read_text(encoding="utf-8")) == (name == "pyproject.toml")


def test_settings_that_lie_beside_the_cases_are_enough(folder: Path, init: Init) -> None:
    """A second gate would be refused by every run."""
    (folder / "cases").mkdir()
    (folder / "cases/all.yaml").write_text(CASES, encoding="utf-8")
    (folder / "cases/jevbench.yaml").write_text("gate: {min_coverage: 1}\n", encoding="utf-8")
    for cases in ("cases", "cases/all.yaml"):
        init("--reference", "luce", "--cases", cases, "--ci", "none", "--force")
        assert set(files(folder)) == {"pytest.ini", "cases/all.yaml", "cases/jevbench.yaml"}
        assert find_gate(folder, cases=folder / cases).origin == "cases/jevbench.yaml"


def test_a_second_time_changes_nothing(folder: Path, init: Init) -> None:
    init(*MODEL)
    before = files(folder)
    said = init(*MODEL)
    assert files(folder) == before
    assert said.count(": as it was; ") == 6


# A function in conftest.py --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "there", [None, "", '"""Ours."""\nimport os\n', "import os\r\n\r\ndef helper():\r\n    return os\r\n"]
)
def test_the_example_of_a_model_answers(there: str | None, folder: Path, init: Init) -> None:
    if there is not None:
        (folder / "conftest.py").write_bytes(there.encode())
    said = init("--fixture", *EXAMPLES, "--ci", "none")
    assert "  put your model into conftest.py\n  pytest --jevbench" in said
    text = (folder / "conftest.py").read_bytes().decode()
    assert text.startswith((there or "").rstrip())
    assert ("\r\n" in text) == ("\r\n" in (there or ""))
    names: dict[str, Any] = {}
    exec(compile(text, "conftest.py", "exec"), names)
    questions = {
        "a": {"type": "noul", "instructions": "A?"},
        "b": {"type": "choice", "instructions": "B?", "criteria": {"x": "X", "y": "Y"}},
        "c": {"type": "score", "instructions": "C?", "criteria": ["low", "mid", "high", "top"]},
    }
    assert names["answers_of"]("a state", questions) == {
        "a": {"type": "noul", "noul": 0.5},
        "b": {"type": "choice", "probabilities": {"x": 0.5, "y": 0.5}},
        "c": {"type": "score", "probabilities": {"0": 0.25, "1": 0.25, "2": 0.25, "3": 0.25}},
    }


@pytest.mark.parametrize(
    "there",
    ["import pytest\n@pytest.fixture\ndef jevbench_model():\n    ...\n", "from mine import jevbench_model\n"],
)
def test_a_conftest_with_a_model_is_left_alone(there: str, folder: Path, init: Init) -> None:
    (folder / "conftest.py").write_text(there, encoding="utf-8")
    said = init("--fixture", *EXAMPLES, "--ci", "none", "--force")
    assert (folder / "conftest.py").read_text(encoding="utf-8") == there
    assert "conftest.py: as it was; it has a model" in said
    assert "put your model" not in said
