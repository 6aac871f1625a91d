"""Finding suites by bundled name, path, and distribution:name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_jevbench.errors import SuiteError
from pytest_jevbench.suite_finding import Found, bundled_suites, find_base, find_suite, known_suites, locate_suite
from tests.suite_writing import EXAMPLES, published_suite, write_suite


@pytest.fixture
def distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed distribution ``Acme.Suites`` with the suites ``small`` and ``large``; the site's directory."""
    site = tmp_path / "site"
    for name in ("small", "large"):
        write_suite(site / "acme" / name)
        (site / "acme" / name / "tests.jsonl.gz").touch()
    info = site / "acme_suites-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: Acme.Suites\nVersion: 1.0\n")
    files = sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    (info / "RECORD").write_text("".join(f"{name},,\n" for name in files))
    monkeypatch.syspath_prepend(str(site))
    return site


def test_a_bundled_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path / "jevbench-examples")
    assert find_suite("jevbench-examples").resolve() == EXAMPLES.resolve()
    assert locate_suite("./jevbench-examples") == Found(Path("jevbench-examples"))


def test_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = write_suite(tmp_path / "own")
    monkeypatch.chdir(tmp_path)
    assert find_suite(str(suite)) == suite
    assert find_suite("./own").resolve() == suite
    monkeypatch.chdir(suite)
    assert find_suite(".").resolve() == suite


def test_a_suite_of_a_distribution(distribution: Path) -> None:
    found = locate_suite("acme-suites:small")
    assert found == Found(distribution / "acme" / "small", "acme-suites")
    assert found.named("small") == "acme-suites.small"
    assert locate_suite("Acme_Suites:small") == found


def test_the_published_suites_are_found() -> None:
    assert locate_suite("jevbench:jevbench-mini") == Found(published_suite("jevbench-mini"), "jevbench")


def test_our_own_distribution_means_the_bundled_suites() -> None:
    assert locate_suite("pytest-jevbench:jevbench-examples") == locate_suite("jevbench-examples")


def test_an_editable_distribution_is_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = write_suite(tmp_path / "project" / "src" / "acme" / "suites" / "small")
    (suite / "tests.jsonl.gz").touch()
    info = tmp_path / "site" / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "RECORD").write_text("acme-1.0.dist-info/METADATA,,\n")
    origin = {"url": (tmp_path / "project").as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert find_suite("acme:small") == suite


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "no suite is given"),
        ("jevbench-exampel", "there is no suite .* Did you mean jevbench-examples"),
        ("small", "there is no suite .* Did you mean acme-suites:small"),
        ("./nowhere", "there is no directory nowhere"),
        ("own", "there is no bundled suite .* give ./own"),
        ("./own/cases.jsonl", "is a file.*--jevbench-cases"),
        ("acme-suites:smal", 'the distribution "acme-suites" has no suite "smal". It has small'),
        ("acme-suites:other", "It has large, small"),
        ("acme:small", 'the distribution "acme" is not installed here'),
        (":small", "is not installed here"),
        ("jevbench:", 'has no suite ""'),
        ("pytest:x", "It ships no suite"),
    ],
)
def test_what_is_not_found_is_told_with_advice(
    spec: str, message: str, distribution: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path / "own")
    with pytest.raises(SuiteError, match=message):
        locate_suite(spec)


def test_known_suites_are_bundled_ones_then_those_of_distributions(distribution: Path) -> None:
    known = list(known_suites())
    assert known[: len(bundled_suites())] == list(bundled_suites())
    assert {"acme-suites:small", "acme-suites:large", "jevbench:jevbench-mini"} <= set(known)
    assert not any(spec.startswith("pytest-jevbench:") for spec in known)


def test_a_base_lies_beside_its_suite(tmp_path: Path) -> None:
    base, derived = write_suite(tmp_path / "base"), write_suite(tmp_path / "derived")
    assert find_base("base", Found(derived)) == Found(base)


def test_a_base_is_looked_for_in_the_same_distribution_and_never_in_another(distribution: Path, tmp_path: Path) -> None:
    elsewhere = write_suite(tmp_path / "elsewhere" / "derived")
    assert find_base("large", Found(elsewhere, "acme-suites")).path == distribution / "acme" / "large"
    for found in (Found(elsewhere), Found(elsewhere, "jevbench")):
        with pytest.raises(SuiteError, match=r'the base suite "large" .* is not beside it'):
            find_base("large", found)


@pytest.mark.parametrize("name", [None, 1, "", ".", "..", "../base", "/base", "jevbench:examples"])
def test_a_base_is_a_bare_name(name: object, tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="A base is the bare name of a suite"):
        find_base(name, Found(tmp_path))
