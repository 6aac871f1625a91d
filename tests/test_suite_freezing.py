"""Freezing: the same bytes for everyone, in a form that other tools read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench import __version__
from pytest_jevbench.errors import InputError, SuiteError
from pytest_jevbench.suite_freezing import freeze_mini, freeze_suite, recorded_base
from pytest_jevbench.suite_loading import load_suite
from tests.suite_writing import EXAMPLES, MARKET, write_suite

WRITTEN = ("tests.jsonl.gz", "manifest.json")


def copy_sources(directory: Path) -> Path:
    """The examples as they are before freezing."""
    directory.mkdir()
    for name in ("cases.jsonl", "rewrites.jsonl", "gold.jsonl"):
        shutil.copy(EXAMPLES / name, directory)
    fields = json.loads((EXAMPLES / "manifest.json").read_text(encoding="utf-8"))
    stub = {name: fields[name] for name in ("name", "version", "description", "min_n")}
    (directory / "manifest.json").write_text(json.dumps(stub), encoding="utf-8")
    return directory


def written(directory: Path) -> list[bytes]:
    return [(directory / name).read_bytes() for name in WRITTEN]


@pytest.mark.parametrize("seed", ["0", "4242"])
def test_the_bundled_examples_are_what_freezing_gives_under_any_hash_seed(seed: str, tmp_path: Path) -> None:
    """The tests run on every supported Python, so this holds every Python to the same bytes too."""
    directory = copy_sources(tmp_path / "examples")
    subprocess.run(
        [sys.executable, "-m", "pytest_jevbench", "suite", "freeze", str(directory)],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    assert written(directory) == written(EXAMPLES)


def test_freezing_again_changes_nothing(tmp_path: Path) -> None:
    directory = write_suite(tmp_path / "own", notes={"by": "hand"})
    freeze_suite(directory, seed=5, draws=2)
    first = written(directory)
    freeze_suite(directory, seed=5, draws=2)
    assert written(directory) == first
    freeze_suite(directory, seed=6, draws=2)
    assert written(directory) != first


def test_the_manifest(tmp_path: Path) -> None:
    directory = write_suite(tmp_path / "own", [MARKET, {**MARKET, "id": "fair"}], min_n=2, notes={"by": "hand"})
    frozen = freeze_suite(directory)
    manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    plan = manifest.pop("plan")
    assert manifest == {
        "name": "own",
        "version": "1",
        "description": "for a test",
        "min_n": 2,
        "cases": 2,
        "questions": 6,
        "domains": {"stalls": 2},
        "files": {
            name: sha256((directory / name).read_bytes()).hexdigest() for name in ("cases.jsonl", "tests.jsonl.gz")
        },
        "notes": {"by": "hand"},
        "built_with": f"pytest-jevbench {__version__}",
    }
    assert plan["file"] == "tests.jsonl.gz"
    assert plan["tests"] == plan["trials"] == len(frozen.plan.tests) == 2 * len(frozen.plan.relations)
    assert (plan["seed"], plan["trials_per_target"], plan["relations"]) == (0, 1, len(frozen.plan.relations))
    assert plan["requests"] == frozen.requests
    assert plan["chosen_from_trials"] > plan["trials"]


def test_relations_that_apply_to_no_case_are_told(tmp_path: Path) -> None:
    frozen = freeze_suite(write_suite(tmp_path / "own"))
    assert {"score_complement", "natural_negation", "nary_and_upper", "pairwise_iia"} <= set(frozen.unused)
    assert not set(frozen.unused) & set(frozen.plan.relations)
    assert len(frozen.unused) + len(frozen.plan.relations) == 50


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("cases.jsonl", b"\xef\xbb\xbf%s\n", r"cases\.jsonl, line 1: the file starts with a byte-order mark"),
        (
            "cases.jsonl",
            b"%s\n\n" + '{"id": "b\u2028"}'.encode(),
            r"cases\.jsonl, line 3: there is a raw U\+2028.*\\u2028",
        ),
        ("rewrites.jsonl", '\n"\x85"'.encode(), r"rewrites\.jsonl, line 2: there is a raw U\+0085"),
        ("rewrites.jsonl", b"\xef\xbb\xbf", r"rewrites\.jsonl, line 1: .*byte-order mark"),
        ("cases.jsonl", b"\n%s\n".replace(b"%s", b"[]"), r"cases\.jsonl, line 2: found \[\]"),
        ("gold.jsonl", b'{"case": "fair", "answers": {}}', r'gold\.jsonl, line 1, case: there is no case "fair"'),
    ],
)
def test_what_other_readers_would_refuse_is_refused(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    directory = write_suite(tmp_path / "own")
    (directory / name).write_bytes(content.replace(b"%s", json.dumps(MARKET).encode()))
    with pytest.raises(InputError, match=message):
        freeze_suite(directory)
    assert not (directory / "tests.jsonl.gz").exists()


def test_a_colon_in_a_question_key_is_refused(tmp_path: Path) -> None:
    questions: dict[str, Any] = {"a:b": {"type": "noul", "instructions": "Q?"}}
    directory = write_suite(tmp_path / "own", [MARKET, {**MARKET, "id": "fair", "questions": questions}])
    with pytest.raises(SuiteError, match=r'cases\.jsonl, line 2, questions: the question key "a:b" has a colon'):
        freeze_suite(directory)


def test_a_directory_without_a_manifest_or_cases(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'there is no manifest\.json\. Write one with \{"name"'):
        freeze_suite(tmp_path)
    (tmp_path / "manifest.json").write_text('{"name": "own"}')
    with pytest.raises(InputError, match=r"cases\.jsonl: there is no such file"):
        freeze_suite(tmp_path)


# --- small suites ------------------------------------------------------------------------------------------


@pytest.fixture
def large(tmp_path: Path) -> Path:
    cases = [{**MARKET, "id": f"{domain}-{i}", "domain": domain} for domain in ("stalls", "fairs") for i in range(4)]
    directory = write_suite(tmp_path / "large", cases)
    freeze_suite(directory)
    return directory


def stub(directory: Path) -> Path:
    directory.mkdir()
    (directory / "manifest.json").write_text(json.dumps({"name": directory.name, "version": "1"}))
    return directory


def test_a_small_suite_refers_to_its_base(large: Path, tmp_path: Path) -> None:
    frozen = freeze_mini(stub(tmp_path / "small"), "large", per_domain=1)
    manifest = json.loads((tmp_path / "small" / "manifest.json").read_text(encoding="utf-8"))
    assert not frozen.standalone
    assert (manifest["base"], manifest["per_domain"]) == ("large", 1)
    assert manifest["base_files"] == json.loads((large / "manifest.json").read_text(encoding="utf-8"))["files"]
    assert list(manifest["files"]) == ["tests.jsonl.gz"]
    assert manifest["plan"]["drawn_from"] == "large v1"
    assert manifest["plan"]["tests"] == 2 * manifest["plan"]["relations"]
    assert manifest["cases"] == 8
    assert recorded_base(tmp_path / "small") == ("large", 1)
    assert recorded_base(large) is None


def test_a_standalone_suite_has_its_own_cases_and_can_have_any_base(large: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    frozen = freeze_mini(stub(elsewhere / "small"), str(large), per_domain=1, standalone=True)
    assert frozen.standalone
    manifest = json.loads((elsewhere / "small" / "manifest.json").read_text(encoding="utf-8"))
    assert "base" not in manifest
    assert list(manifest["files"]) == ["cases.jsonl", "tests.jsonl.gz"]
    shutil.rmtree(large)
    assert len(load_suite(str(elsewhere / "small")).plan.tests) == len(frozen.plan.tests)


def test_both_forms_have_the_same_tests(large: Path, tmp_path: Path) -> None:
    freeze_mini(stub(tmp_path / "one"), "large", per_domain=2)
    freeze_mini(stub(tmp_path / "other"), "large", per_domain=2, standalone=True)
    assert (tmp_path / "one" / "tests.jsonl.gz").read_bytes() == (tmp_path / "other" / "tests.jsonl.gz").read_bytes()


def test_a_small_suite_of_a_small_suite_is_refused(large: Path, tmp_path: Path) -> None:
    freeze_mini(stub(tmp_path / "small"), "large", per_domain=2)
    with pytest.raises(SuiteError, match="is drawn from another suite itself"):
        freeze_mini(stub(tmp_path / "smaller"), "small", per_domain=1)


def test_a_base_goes_by_one_name(large: Path, tmp_path: Path) -> None:
    large.rename(tmp_path / "renamed")
    with pytest.raises(SuiteError, match='the directory renamed holds the suite "large"'):
        freeze_mini(stub(tmp_path / "small"), "renamed", per_domain=1)


def test_a_standalone_suite_is_not_planned_anew_by_a_slip(large: Path, tmp_path: Path) -> None:
    freeze_mini(stub(tmp_path / "small"), "large", per_domain=1, standalone=True)
    with pytest.raises(SuiteError, match=r'plan: the tests of this suite were drawn from "large v1"\. Give --base'):
        freeze_suite(tmp_path / "small")


@pytest.mark.parametrize("standalone", [False, True])
def test_a_suite_is_not_its_own_base(large: Path, standalone: bool) -> None:
    before = {path.name: path.read_bytes() for path in large.iterdir()}
    with pytest.raises(SuiteError, match="a suite cannot be its own base"):
        freeze_mini(large, "large", per_domain=1, standalone=standalone)
    assert {path.name: path.read_bytes() for path in large.iterdir()} == before


@pytest.mark.parametrize("standalone", [False, True])
def test_cases_of_ones_own_are_not_replaced_by_those_of_a_base(large: Path, tmp_path: Path, standalone: bool) -> None:
    own = write_suite(tmp_path / "own", [{**MARKET, "id": "mine"}])
    before = (own / "cases.jsonl").read_bytes()
    with pytest.raises(SuiteError, match=r"own/cases\.jsonl: the directory has a cases\.jsonl of its own"):
        freeze_mini(own, "large", per_domain=1, standalone=standalone)
    assert (own / "cases.jsonl").read_bytes() == before


def test_a_small_suite_is_drawn_again(large: Path, tmp_path: Path) -> None:
    for standalone in (False, True):
        small = stub(tmp_path / f"small{standalone}")
        freeze_mini(small, "large", per_domain=2, standalone=standalone)
        first = (small / "tests.jsonl.gz").read_bytes()
        freeze_mini(small, "large", per_domain=2, standalone=standalone)
        assert (small / "tests.jsonl.gz").read_bytes() == first


def test_line_ends_that_git_changed_are_named(large: Path) -> None:
    path = large / "cases.jsonl"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.raises(SuiteError, match=r"cases\.jsonl: its lines end otherwise .* \.gitattributes"):
        load_suite(str(large))


def test_cases_in_yaml_are_named_as_what_is_not_frozen(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "ours"}', encoding="utf-8")
    (tmp_path / "mine.yaml").write_text("- id: one\n", encoding="utf-8")
    with pytest.raises(InputError, match=r'no such file\. "mine\.yaml" is not frozen as it is: write its cases over'):
        freeze_suite(tmp_path)
