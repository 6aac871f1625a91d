"""A part of a session: the tests of one marked function, or of one suite folder, with settings and a card of its own.

Nothing joins parts: each is planned, judged, scored and written for itself, so that a number always says of which
tests it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import InputError
from pytest_jevbench.plans.plan import PlannedTest, TestId
from pytest_jevbench.plugin.case_file import with_case_file
from pytest_jevbench.plugin.settings import PLANNED, Settings
from pytest_jevbench.plugin.tests_asked_for import filters_of, suite_asked_for
from pytest_jevbench.relations.known import Relations
from pytest_jevbench.runs.gathering import Results
from pytest_jevbench.runs.planning import Run, node_id, plan_run

__all__ = ["Part", "PartRun", "PartSpec", "PartTest", "plan_part", "short_id"]

SELECTING = ("relation", "dimension", "group", "domain")


@dataclass(frozen=True)
class PartSpec:
    """What a part is of, as plain values: another process plans the same from it.

    ``name`` is the node id that its items share, ``where`` the file and line that ask for it. ``asked`` are settings by
    option name; a path among them is absolute.
    """

    name: str
    where: str
    asked: Mapping[str, Any]
    folder: bool = False
    """Whether it is a suite folder, not a function."""

    def to_json(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}


def short_id(test: TestId) -> str:
    """``case::relation-question``, as in the node ids of a suite's items."""
    return node_id("", test).partition("::")[2]


@dataclass(frozen=True)
class PartRun(Run):
    """The run of a part: its node ids are those that pytest shows."""

    part: str = ""
    folder: bool = False

    @cached_property
    def by_node_id(self) -> Mapping[str, PlannedTest]:
        """The tests by node id; distinct tests have distinct ids."""
        return {self.name_of(test.id): test for test in self.tests}

    def name_of(self, test: TestId) -> str:
        """The node id of a test; a function that is parametrized further has several, of which this stands for all."""
        return f"{self.part}::{short_id(test)}" if self.folder else f"{self.part}[{short_id(test)}]"


@dataclass(frozen=True)
class Part:
    """A planned part. ``results`` gathers what is reported, in the process that ends the session."""

    spec: PartSpec
    settings: Settings
    run: PartRun
    results: Results

    @property
    def fails(self) -> bool:
        """Whether a violation is a failure."""
        return bool(self.settings.get("fail_on") != "never")


@dataclass(frozen=True, repr=False)
class PartTest:
    """One test of a part, as an item carries it."""

    part: Part
    test: PlannedTest

    @property
    def name(self) -> str:
        """Its node id."""
        return self.part.run.name_of(self.test.id)

    def __repr__(self) -> str:
        return short_id(self.test.id)


def plan_part(spec: PartSpec, base: Settings, relations: Relations, *, checked: bool = False) -> Part:
    """Load and plan a part. ``base`` are the session's settings. Raises :class:`InputError`, saying who asks for it."""
    try:
        settings = _settings_of(spec, base, relations)
        suite = suite_asked_for(settings, relations)
        run = plan_run(suite, filters_of(settings), repeats=settings.get("repeats", 1), checked=checked, prefix="")
    except InputError as error:
        raise InputError(f"{spec.where}: {error}") from None
    own = PartRun(**{one.name: getattr(run, one.name) for one in fields(run)}, part=spec.name, folder=spec.folder)
    return Part(spec, settings, own, Results(own))


def _settings_of(spec: PartSpec, base: Settings, relations: Relations) -> Settings:
    """The session's settings, and what the part asks for in their place."""
    typed = {name: value for name, value in base.typed.items() if name not in (*PLANNED, *SELECTING, "case")}
    given = {name: value for name, value in base.given.items() if name not in (*PLANNED, *SELECTING, "case")}
    never = "never" in (given.get("fail_on"), spec.asked.get("fail_on"))
    asked = {**spec.asked, "fail_on": "never" if never else "violations"}
    settings = replace(base, given={**given, **asked}, typed=typed, of_part=True)
    if "cases" in spec.asked:
        settings = with_case_file(settings, relations, over={*typed, *asked})
    if base.card is not None:
        card = base.card.with_name(f"{base.card.stem}.{_card_name(spec.name)}{base.card.suffix}")
        settings = replace(settings, given={**settings.given, "card": str(card.absolute())})
    return settings


def _card_name(name: str) -> str:
    """A part's name in that of its card: ``tests.test_tickets.test_laws``, or of a folder ``tests.suites.mine``."""
    path, *inside = name.split("::")
    parts = Path(path.removesuffix(".py")).parts
    return ".".join([*(parts if inside else parts[:-1] or ("suite",)), *inside])
