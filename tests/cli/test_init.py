"""The command that sets up a repository: what it writes, what it leaves alone, what it refuses."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_jevbench import __version__
from pytest_jevbench.case_settings import read_case_settings
from pytest_jevbench.cli import main
from pytest_jevbench.scoring.gate_config import Limit, NoDrop, read_gate
from pytest_jevbench.scoring.gate_source import find_gate
from pytest_jevbench.suite_finding import bundled_suites

GITHUB = {".github/workflows/coherence.yml", ".github/workflows/coherence-baseline.yml"}
GATE = {"coherence/gate.yaml", "coherence/requirements.txt"}
EXAMPLES = ("--suite", "jevbench-examples")
MODEL = ("--reference", "luce", *EXAMPLES)
CASES = """
- state: My parcel is late.
  questions:
    angry: {type: noul, instructions: "Is the writer angry?"}
"""

Init = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def init(folder: Path, capsys: pytest.CaptureFixture[str]) -> Init:
    """Runs the command and gives what it printed."""

    def run(*words: str, status: int = 0) -> str:
        capsys.readouterr()
        done = main(["init", *words])
        printed = capsys.readouterr()
        assert done == status, printed
        return printed.err if status else printed.out

    return run


@pytest.fixture
def read_by_pytest(folder: Path) -> Callable[[], Mapping[str, Any]]:
    """What pytest reads of our keys, from the file that it takes."""
    from _pytest.config.findpaths import locate_config

    def read() -> Mapping[str, Any]:
        found = locate_config(folder, [folder])[2]
        return {name: getattr(value, "value", value) for name, value in found.items() if name.startswith("jevbench")}

    return read


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


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


# What cannot be done --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pyproject.toml", "[tool\n", "pyproject.toml: pytest cannot read this (Expected"),
        ("pytest.ini", "[pytest]\nnonsense\n", "pytest.ini, line 2: pytest cannot read this (unexpected line"),
        ("tox.ini", "a = 1\n", "tox.ini, line 1: pytest cannot read this (no section header"),
        ("pyproject.toml", "\ud83d", "pyproject.toml: this is not UTF-8. Save it as UTF-8"),
        ("pyproject.toml", "tool.pytest.ini_options.x = '1'\n", "the keys cannot be put in safely here"),
        ("pyproject.toml", "tool = {pytest = {ini_options = {x = '1'}}}\n", "the keys cannot be put in safely here"),
        ("pyproject.toml", 'a = """\n[tool.pytest.ini_options]\n"""\n[tool.pytest.ini_options.b]\n', "put in safely"),
        ("conftest.py", "def broken(:\n", "conftest.py: this is no Python that can be read"),
        ("conftest.py", "a = '\ud83d'\n", "conftest.py: this is no Python that can be read"),
    ],
)
def test_files_that_cannot_be_added_to(name: str, text: str, said: str, folder: Path, init: Init) -> None:
    (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    before = files(folder)
    assert said in init("--fixture", *EXAMPLES, "--force", status=2)
    assert files(folder) == before


def test_files_in_the_way_are_named_together(folder: Path, init: Init) -> None:
    (folder / "jevbench.yaml").write_text("gate: {min: 1}\n", encoding="utf-8")
    (folder / "coherence").mkdir()
    (folder / "coherence/gate.yaml").write_text("mine", encoding="utf-8")
    before = files(folder)
    said = init(*MODEL, status=2)
    assert said == (
        "pytest-jevbench: jevbench.yaml, coherence/gate.yaml are there already. Nothing was written. "
        "--force replaces them\n"
    )
    assert files(folder) == before
    init(*MODEL, "--force")
    assert read_gate(folder / "coherence/gate.yaml").needs_baseline


@pytest.mark.parametrize(
    ("in_the_way", "said"),
    [
        ("coherence", "coherence: this is a file, where a folder is needed"),
        ("jevbench.yaml/", "jevbench.yaml: this is no file"),
    ],
)
def test_nothing_is_forced_over_another_kind(in_the_way: str, said: str, folder: Path, init: Init) -> None:
    if in_the_way.endswith("/"):
        (folder / in_the_way).mkdir()
    else:
        (folder / in_the_way).write_text("mine", encoding="utf-8")
    before = files(folder)
    assert f"{said}. Nothing was written" in init(*MODEL, "--force", status=2)
    assert files(folder) == before


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /proc, into which not even root can write")
def test_a_folder_that_cannot_be_written_to(init: Init) -> None:
    said = init(*MODEL, "--dir", "/proc/self", status=2)
    assert said.startswith("pytest-jevbench: /proc/self/pytest.ini: ")


def test_where_one_file_cannot_be_written_the_others_are_put_back(
    folder: Path, init: Init, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full for the fourth file."""
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    before = files(folder)
    count = iter(range(99))

    def write(path: Path, data: bytes) -> None:
        if next(count) == 3:
            raise OSError(28, "No space left on device", str(path))
        path.write_bytes(data)

    monkeypatch.setattr("pytest_jevbench.cli.init_writing.write_whole", write)
    assert "requirements.txt: No space left on device" in init(*MODEL, status=2)
    assert files(folder) == before
    assert [path.name for path in folder.iterdir()] == ["pytest.ini"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no model is named. Give one of --url, --launch, --command, --reference, --fixture"),
        (("--yes",), "no model is named"),
        (("--url", ""), 'found "". Give a URL'),
        (("--url", "localhost:8000"), "does not start with http:// or https://"),
        (("--url", "http://a\njevbench_suite = x"), 'found "http://a\\njevbench_suite = x". Give one line'),
        (("--url", "http://a\x85b"), "Give one line of plain text"),
        (("--url", "http://a\udc80"), "Give one line of plain text"),
        (("--url", "http://me:secret@a"), "this holds a password or a key"),
        (("--url", "http://a,http://b?api_key=secret"), "this holds a password or a key"),
        (("--launch", "serve --token secret --port {port}"), "this holds a password or a key"),
        (("--launch", "my-server --port 8000"), "Give a command with {port} where the port goes"),
        (("--launch", "serve 'open --port {port}"), "the command cannot be read: No closing quotation"),
        (("--launch", "cd x && serve --port {port}"), "needs a shell, and none is used"),
        (("--command", ""), "the command names no program"),
        (("--reference", "luce", "--suite", "jevbench-minni"), "Did you mean jevbench-mini"),
        (("--reference", "luce", "--suite", "./none"), "there is no directory none"),
        (("--reference", "luce", "--suite", ""), "no suite is given"),
        (("--reference", "luce", "--suite", "not-installed:x"), "is not installed here"),
        (("--reference", "luce", "--cases", "none.yaml"), "none.yaml, --cases: there is no such file or folder"),
        (("--reference", "luce", "--cases", ""), "there is no such file or folder"),
        (("--reference", "luce", "--dir", "none"), "none, --dir: there is no such folder"),
        (("--reference", "luce", "--dir", "file"), "file, --dir: this is a file, not a folder"),
        (("--reference", "luce", "--cases", "file"), "file"),
    ],
)
def test_what_was_said_wrong(words: tuple[str, ...], said: str, folder: Path, init: Init) -> None:
    (folder / "file").write_text("nonsense", encoding="utf-8")
    told = init(*words, status=2)
    assert said in told
    assert "secret" not in told
    assert set(files(folder)) == {"file"}


def test_a_path_is_seen_from_the_repository(
    folder: Path, init: Init, monkeypatch: pytest.MonkeyPatch, read_by_pytest: Callable[[], Mapping[str, Any]]
) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "tests").mkdir()
    (folder / "tests/cases.yaml").write_text(CASES, encoding="utf-8")
    monkeypatch.chdir(folder / "elsewhere")
    said = init("--reference", "luce", "--cases", str(folder / "tests/cases.yaml"), "--dir", str(folder))
    assert f"  cd {folder}\n" in said
    assert read_by_pytest()["jevbench_cases"] == "tests/cases.yaml"
    (folder.parent / "outside.yaml").write_text(CASES, encoding="utf-8")
    said = init("--reference", "luce", "--cases", str(folder.parent / "outside.yaml"), "--dir", "..", status=2)
    assert "lies outside the repository" in said


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
