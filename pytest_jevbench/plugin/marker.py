"""``@pytest.mark.jevbench_suite(...)``: read, checked, and a function parametrized over the tests it names."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError, JevbenchError, Place
from pytest_jevbench.plugin.compat import fixture_homes
from pytest_jevbench.plugin.item_marks import marks_of
from pytest_jevbench.plugin.part import PartSpec, PartTest, short_id
from pytest_jevbench.plugin.part_session import part_session
from pytest_jevbench.runs.given_numbers import check_numbers, check_switches
from pytest_jevbench.suite_finding import bundled_suites, is_path

__all__ = ["FIXTURE", "MARKER", "parametrize"]

FIXTURE = "jevbench_test"
MARKER = "jevbench_suite"

NAMES = {"relations": "relation", "dimensions": "dimension", "groups": "group", "domains": "domain"}
"""Arguments that are names, and the option of each."""
PLANNING = ("rewrites", "audited_only", "seed", "draws")
"""Arguments that say how tests of cases are made."""
ARGUMENTS = ("suite", "cases", *NAMES, *PLANNING, "fail_on")


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Give a marked function its tests. Raises ``Collector.CollectError`` with one line that names file and line."""
    item = metafunc.definition
    path, line, _ = item.reportinfo()
    where = f"{_shown(Path(path), item.config)}:{(line or 0) + 1}"
    try:
        marks = [mark for mark in item.own_markers if mark.name == MARKER]
        if len(marks) > 1:
            raise InputError("the marker stands twice on one function", advice="Write a function for each")
        mark = item.get_closest_marker(MARKER)
        if mark is None:
            raise InputError(f"{FIXTURE} needs a marker", advice=f'Add @pytest.mark.{MARKER}(suite="jevbench-mini")')
        if FIXTURE not in metafunc.fixturenames:
            raise InputError("the function does not take the tests", advice=f"Give it an argument {FIXTURE}")
        spec = PartSpec(item.nodeid, f"{where}: @pytest.mark.{MARKER}", _asked(mark, Path(path).parent))
    except InputError as error:
        raise _refusal(f"{where}: @pytest.mark.{MARKER}: {error}") from None
    try:
        _check_fixture(item)
        part = part_session(item.config).part(spec)
    except JevbenchError as error:
        text = str(error)
        raise _refusal(text if text.startswith(where) else f"{spec.where}: {text}") from None
    except pytest.UsageError as error:
        raise _refusal(f"{spec.where}: {error}") from None
    tests = [
        pytest.param(PartTest(part, test), id=short_id(test.id), marks=marks_of(part.run, test))
        for test in part.run.tests
    ]
    metafunc.parametrize(FIXTURE, tests, indirect=True, scope="function")


def _refusal(text: str) -> pytest.Collector.CollectError:
    return pytest.Collector.CollectError(text)


def _shown(path: Path, config: pytest.Config) -> str:
    return str(path.relative_to(config.rootpath)) if path.is_relative_to(config.rootpath) else str(path)


def _asked(mark: pytest.Mark, folder: Path) -> dict[str, Any]:
    """The arguments of a marker as settings by option name; paths are read from the test file's folder."""
    if mark.args:
        raise InputError("the arguments are named", advice='Write suite="jevbench-mini", or cases="my.jsonl"')
    given = {name: value for name, value in mark.kwargs.items() if value is not None}
    unknown = [name for name in mark.kwargs if name not in ARGUMENTS]
    if unknown:
        raise InputError(f"there is no argument {unknown[0]}", advice=f"There are {', '.join(ARGUMENTS)}")
    if ("suite" in given) == ("cases" in given):
        found = "both a suite and cases" if "suite" in given else "neither a suite nor cases"
        raise InputError(found, advice='Name one of them: suite="jevbench-mini", or cases="my.jsonl"')
    asked: dict[str, Any] = {}
    if "suite" in given:
        asked["suite"] = _suite(given["suite"], folder)
        for name in PLANNING:
            if name in given:
                raise InputError(
                    f"{name} says how tests are made, and those of a suite are frozen", advice="Give it with cases="
                )
    else:
        asked["cases"] = str(folder / Path(_text(given["cases"], "cases", "a path")).expanduser())
    for name, option in NAMES.items():
        if name in given:
            asked[option] = _names(given[name], name)
    check_numbers(seed=given.get("seed"), draws=given.get("draws"))
    asked |= {name: given[name] for name in ("seed", "draws") if name in given}
    if "rewrites" in given:
        asked["rewrites"] = str(folder / Path(_text(given["rewrites"], "rewrites", "a path")).expanduser())
    if "audited_only" in given:
        check_switches(audited_only=given["audited_only"])
        asked["audited_only"] = given["audited_only"]
    if "fail_on" in given:
        if given["fail_on"] not in ("violations", "never"):
            raise InputError.unexpected(given["fail_on"], "violations or never", Place(field="fail_on"))
        asked["fail_on"] = given["fail_on"]
    return asked


def _suite(value: object, folder: Path) -> str:
    spec = _text(value, "suite", "a bundled name, a path, or distribution:name")
    if isinstance(value, str) and not is_path(spec) and not _only_a_folder(spec, folder):
        return spec
    path = folder / Path(spec).expanduser()
    return str(path if path.is_absolute() else path.absolute())


def _only_a_folder(name: str, folder: Path) -> bool:
    """Whether a bare name means the folder of this name beside the test file: a bundled suite goes before it."""
    return (folder / name).is_dir() and name not in bundled_suites()


def _text(value: object, name: str, wanted: str) -> str:
    if not isinstance(value, (str, os.PathLike)) or not os.fspath(value):
        raise InputError.unexpected(value, wanted, Place(field=name))
    return str(os.fspath(value))


def _names(value: object, name: str) -> list[str]:
    names = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else []
    if not names or not all(isinstance(one, str) and one.strip() for one in names):
        raise InputError.unexpected(value, "one name or a list of names, or leave it out", Place(field=name))
    return names


def _check_fixture(item: pytest.Item) -> None:
    """Refuse a model that only a part of the tree would be asked."""
    for home in fixture_homes(item, "jevbench_model"):
        if home not in ("", "."):
            raise InputError(
                f"{home} overrides the fixture jevbench_model, and one model is tested in a session",
                advice=f"Move the fixture to {item.config.rootpath / 'conftest.py'}",
            )
