"""Which tests the settings ask for: those of a frozen suite, or of cases of the user's own."""

from __future__ import annotations

from pathlib import Path

from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import JSON
from pytest_jevbench.plugin.settings import Settings
from pytest_jevbench.relations.known import BUILT_IN, Relations
from pytest_jevbench.runs.selection import Filters
from pytest_jevbench.suite_finding import is_path
from pytest_jevbench.suite_loading import Suite, load_suite, suite_of_cases

__all__ = ["filters_of", "source_of", "suite_asked_for"]

_PLANNING = ("seed", "draws", "rewrites", "audited_only")
"""Options that say how tests are made, and so cannot be meant for a suite whose tests are frozen."""


def suite_asked_for(settings: Settings, relations: Relations = BUILT_IN, *, worker: bool = False) -> Suite:
    """The suite to run, with the relations of the run; a ``worker`` runs a part of it. Raises :class:`InputError`."""
    if settings.planned == "cases":
        rewrites = settings.path("rewrites") if settings.get("rewrites") is not None else None
        return suite_of_cases(
            settings.path("cases"),
            rewrites=rewrites,
            seed=settings.get("seed", 0),
            draws=settings.get("draws", 1),
            audited_only=settings.get("audited_only", False),
            relations=relations,
        )
    for name in _PLANNING:
        if name in settings.typed:
            raise InputError(
                f"--jevbench-{name.replace('_', '-')} says how tests are made, and those of a suite are frozen",
                advice="Give it with --jevbench-cases, or to `pytest-jevbench suite freeze`",
            )
    spec = settings.suite or ""
    if "suite" not in settings.typed and is_path(spec) and Path.cwd() != settings.rootdir:
        spec = str(settings.path("suite"))  # of an ini file, and so seen from the root directory
    return load_suite(spec, relations, most_plain=0) if worker else load_suite(spec, relations)


def filters_of(settings: Settings) -> Filters:
    """What of these tests the settings select."""
    return Filters(
        dimensions=tuple(settings.get("dimension", ())),
        groups=tuple(settings.get("group", ())),
        relations=tuple(settings.get("relation", ())),
        domains=tuple(settings.get("domain", ())),
        cases=tuple(settings.get("case", ())),
    )


def source_of(settings: Settings) -> dict[str, JSON]:
    """Where the tests came from, as another process on this machine finds them again."""
    if settings.planned == "cases":
        given: dict[str, JSON] = {name: settings.get(name) for name in _PLANNING if settings.get(name) is not None}
        if "rewrites" in given:
            given["rewrites"] = str(settings.path("rewrites").resolve())
        return {"cases": {"path": str(settings.path("cases").resolve()), **given}}
    path = settings.path("suite")
    return {"suite": str(path.resolve()) if path.is_dir() else settings.suite}
