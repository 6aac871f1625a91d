"""The tests of a run that a caller names in Python: a suite, or cases of their own from a file or from memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from pytest_jevbench.case_settings import PLANNING, CaseSettings, read_case_settings
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import dumps
from pytest_jevbench.relations.own_law import OwnLaw
from pytest_jevbench.relations.own_law_sources import add_installed
from pytest_jevbench.relations.own_registry import Registry
from pytest_jevbench.runs.planning import Run, plan_run
from pytest_jevbench.runs.selection import Filters
from pytest_jevbench.suite_loading import Suite, load_suite, suite_of_cases

__all__ = ["CasesLike", "Names", "Planned", "SuiteLike", "named_filters", "plan_named"]

SuiteLike: TypeAlias = "str | os.PathLike[str] | Suite"
"""A bundled name, a directory, ``distribution:name``, or a suite that was loaded."""

CasesLike: TypeAlias = "str | os.PathLike[str] | Sequence[Mapping[str, Any]]"
"""A file or folder as ``--jevbench-cases`` takes it, or cases as dictionaries."""

Names: TypeAlias = "str | Iterable[str]"
"""One name or several."""

_IN_MEMORY = "cases.jsonl"


class Planned(NamedTuple):
    """A run, and the ``tolerance`` and ``min_n`` that a ``jevbench.yaml`` beside its cases gives."""

    run: Run
    tolerance: float | None
    min_n: int | None


def plan_named(
    suite: SuiteLike | None,
    cases: CasesLike | None,
    filters: Filters,
    *,
    seed: int | None = None,
    draws: int | None = None,
    repeats: int | None = None,
    rewrites: str | os.PathLike[str] | None = None,
    audited_only: bool | None = None,
    laws: Sequence[type[OwnLaw]] = (),
    count_laws: bool = False,
    checked: bool = False,
) -> Planned:
    """The run of what a caller named; what is None, a ``jevbench.yaml`` beside cases may say. Raises ``InputError``."""
    registry = Registry(counted=count_laws)
    add_installed(registry)
    for law in _several(laws, "laws", "a list of classes derived from OwnLaw"):
        registry.add(law)
    relations = registry.relations()
    _check_paths(suite=suite, cases=cases, rewrites=rewrites)
    planning = {"seed": seed, "draws": draws, "rewrites": rewrites, "audited_only": audited_only or None}
    if (suite is None) == (cases is None):
        found = "neither a suite nor cases" if suite is None else "both a suite and cases"
        raise InputError(found, advice="Name one of them: a suite by name or directory, or cases=PATH")
    beside = CaseSettings()
    if cases is None:
        assert suite is not None
        for name, value in planning.items():
            if value is not None:
                raise InputError(
                    f"{name} says how tests are made, and those of a suite are frozen", advice="Give it with cases="
                )
        loaded = suite if isinstance(suite, Suite) else load_suite(_spec(suite), relations)
    else:
        if isinstance(cases, (str, os.PathLike)):
            beside = read_case_settings(Path(cases).expanduser(), relations)
        planning["audited_only"] = audited_only
        made: dict[str, Any] = {name: beside.values[name] for name in PLANNING if name in beside.values}
        made |= {name: value for name, value in planning.items() if value is not None}
        if "rewrites" in made:
            made["rewrites"] = Path(made["rewrites"]).expanduser()
        loaded = _suite_of(cases, {**made, "relations": relations})
    if beside.relations and not (filters.dimensions or filters.groups or filters.relations):
        filters = replace(filters, relations=beside.relations)
    repeats = beside.values.get("repeats", 1) if repeats is None else repeats
    run = plan_run(loaded, filters, repeats=repeats, prefix="", checked=checked)
    used = {test.id.relation for test in run.tests}
    if laws and not used.intersection(law.name for law in laws):
        raise InputError(
            "laws: none of them has a test here",
            advice="They are planned on cases=, where they apply; the tests of a suite are frozen",
        )
    if count_laws and not any(law.counted for law in run.relations.own if law.name in used):
        raise InputError(
            "count_laws: no law of your own has a test here and a dimension to count in",
            advice='Give cases= for it, and a dimension in its class, such as counts_in = "LOG"',
        )
    return Planned(run, beside.values.get("tolerance"), beside.values.get("min_n"))


def named_filters(
    *,
    dimensions: Names | None = None,
    groups: Names | None = None,
    relations: Names | None = None,
    domains: Names | None = None,
    case_ids: Names | None = None,
) -> Filters:
    """What was named, of each kind. Raises :class:`InputError` for a list that names nothing."""
    return Filters(
        dimensions=_names(dimensions, "dimensions"),
        groups=_names(groups, "groups"),
        relations=_names(relations, "relations"),
        domains=_names(domains, "domains"),
        cases=_names(case_ids, "case_ids"),
    )


def _names(given: Names | None, kind: str) -> tuple[str, ...]:
    if given is None:
        return ()
    names = [given] if isinstance(given, str) else _several(given, kind, "one name or a list of names")
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise InputError.unexpected(names, "one name or a list of names, or leave it out", Place(field=kind))
    return tuple(names)


def _several(given: object, name: str, wanted: str) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError.unexpected(given, wanted, Place(field=name))
    return list(given)


def _check_paths(*, suite: object, cases: object, rewrites: object) -> None:
    """Refuse what is neither a path nor what else may stand there."""
    if not isinstance(suite, (str, os.PathLike, Suite, type(None))):
        raise InputError.unexpected(suite, "a bundled name, a directory, or distribution:name", Place(field="suite"))
    if not isinstance(rewrites, (str, os.PathLike, type(None))):
        raise InputError.unexpected(rewrites, "the path of a rewrite bank", Place(field="rewrites"))
    if cases is not None and not isinstance(cases, (str, os.PathLike)):
        if isinstance(cases, Mapping):
            raise InputError.unexpected(cases, "a list of cases, such as [case]", Place(field="cases"))
        _several(cases, "cases", "a file, a folder, or a list of cases")


def _spec(suite: str | os.PathLike[str]) -> str:
    """A path is one even where it looks like a bundled name."""
    if isinstance(suite, str):
        return suite
    path = os.fspath(suite)
    return path if os.path.isabs(path) else os.path.join(os.curdir, path)  # noqa: PTH117, PTH118 - pathlib drops the dot


def _suite_of(cases: CasesLike, settings: Mapping[str, Any]) -> Suite:
    if isinstance(cases, (str, os.PathLike)):
        return suite_of_cases(Path(cases).expanduser(), **settings)
    rows = list(cases)
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError.unexpected(row, "a case as a dictionary", Place(f"cases[{number}]"))
    with tempfile.TemporaryDirectory(prefix="jevbench-cases-") as folder:
        file = Path(folder) / _IN_MEMORY
        file.write_text("".join(f"{_line(row, number)}\n" for number, row in enumerate(rows)), encoding="utf-8")
        try:
            return suite_of_cases(file, **settings)
        except InputError as error:
            if Path(str(error.place.file)) != file:
                raise
            line = error.place.line
            place = Place("cases" if line is None else f"cases[{line - 1}]", None, error.place.field)
            raise InputError(error.problem, place=place, advice=error.advice) from None


def _line(row: Mapping[str, Any], number: int) -> str:
    try:
        return dumps(dict(row))
    except (TypeError, ValueError) as error:
        raise InputError(f"it is no JSON ({error})", place=Place(f"cases[{number}]")) from None
