"""A plan file: a header line, then one trial a line, compressed to the same bytes everywhere."""

from __future__ import annotations

import gc
import gzip
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any, TypeVar

from pytest_jevbench.errors import InputError, Place, SuiteError
from pytest_jevbench.files import parse_jsonl
from pytest_jevbench.json_text import dumps, shown
from pytest_jevbench.plans.deflate import gzip_bytes
from pytest_jevbench.plans.plan import Plan, PlannedTest, TestId
from pytest_jevbench.plans.rehearsal import Rehearsal
from pytest_jevbench.plans.rows import RowReader, RowWriter
from pytest_jevbench.questions import Case
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import Trial

__all__ = ["FORMAT", "plan_text", "read_plan", "write_plan"]

FORMAT = 1

T = TypeVar("T")


def plan_text(plan: Plan, cases: Mapping[str, Case]) -> Iterator[str]:
    """The lines of a plan, each with its line feed."""
    header = {
        "format": FORMAT,
        "seed": plan.seed,
        "trials": plan.draws,
        "relations": list(plan.relations),
        "cases": list(plan.cases),
        "selection": plan.selection,
    }
    yield dumps(header) + "\n"
    writers = {case_id: RowWriter(cases[case_id]) for case_id in plan.cases}
    for trial in plan.trials:
        yield dumps(writers[trial.case_id].row(trial)) + "\n"


def write_plan(plan: Plan, cases: Mapping[str, Case]) -> bytes:
    """The plan file: equal plans give equal bytes on every machine, Python and zlib."""
    return gzip_bytes("".join(plan_text(plan, cases)).encode())


def read_plan(data: bytes, cases: Mapping[str, Case], file: Path | str) -> Plan:
    """The plan of a plan file, every row checked: what a run could trip over later is refused here.

    ``cases`` are all cases of the suite by id, ``file`` the name that errors give. Raises :class:`SuiteError` naming
    line and field.
    """
    try:
        with _collector_paused():
            return _read(data, cases, file)
    except SuiteError:
        raise
    except InputError as error:
        raise SuiteError(error.problem, place=error.place, advice=error.advice) from None
    except (OSError, EOFError, zlib.error) as error:
        raise SuiteError(
            f"not a whole gzip file ({error})", place=Place(file), advice="Freeze the suite again"
        ) from None


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Without Python's search for reference cycles: a plan's many objects hold none, and it takes most of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read(data: bytes, cases: Mapping[str, Case], file: Path | str) -> Plan:
    lines = parse_jsonl(BufferedReader(gzip.GzipFile(fileobj=BytesIO(data))), file)
    place, header = next(lines, (Place(file), None))
    seed, draws, relations, case_ids, selection = _header(header, place)
    known = _known_relations(relations, place)
    for case_id in case_ids:
        if case_id not in cases:
            raise InputError(f"there is no case {shown(case_id)}", place=place.at("cases"))
    readers = {case_id: RowReader(cases[case_id]) for case_id in case_ids}
    rehearsal = Rehearsal()
    tests: dict[TestId, list[Trial]] = {}
    for place, row in lines:
        if not isinstance(row, dict):
            raise InputError.unexpected(row, "a trial as an object", place)
        relation = _listed(known, row, "relation", place)
        reader = _listed(readers, row, "case", place)
        trial = reader.trial(row, relation.name, place)
        rehearsal.check(relation, trial, reader.case, place)
        of_test = tests.setdefault(TestId(trial.relation, trial.case_id, trial.key), [])
        if any((other.variant, other.draw) == (trial.variant, trial.draw) for other in of_test):
            raise InputError("this variant and draw of the test stands on an earlier line", place=place)
        of_test.append(trial)
    if not tests:
        raise InputError("the plan has no test", place=Place(file), advice="Freeze the suite again")
    planned = tuple(PlannedTest(test, tuple(trials)) for test, trials in tests.items())
    return Plan(tuple(known), tuple(case_ids), seed, draws, selection, planned)


def _listed(listed: Mapping[str, T], row: Mapping[str, Any], field: str, place: Place) -> T:
    name = row.get(field)
    if not isinstance(name, str) or name not in listed:
        raise InputError(f"the {field} {shown(name)} is not in the header", place=place.at(field))
    return listed[name]


def _header(value: Any, place: Place) -> tuple[int, int, list[str], list[str], str]:
    found = value.get("format") if isinstance(value, dict) else value
    if type(found) is not int or found != FORMAT:
        raise InputError.unexpected(found, f"a plan's header line with format {FORMAT}", place.at("format"))
    seed, draws, selection = value.get("seed"), value.get("trials"), value.get("selection", "")
    if type(seed) is not int:
        raise InputError.unexpected(seed, "the seed as an integer", place.at("seed"))
    if type(draws) is not int or draws < 1:
        raise InputError.unexpected(draws, "the number of draws as an integer of at least 1", place.at("trials"))
    if not isinstance(selection, str):
        raise InputError.unexpected(selection, "text", place.at("selection"))
    names = []
    for field in ("relations", "cases"):
        listed = value.get(field)
        if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
            raise InputError.unexpected(listed, "a list of names", place.at(field))
        if len(set(listed)) != len(listed):
            raise InputError("a name stands twice", place=place.at(field))
        names.append(listed)
    return seed, draws, names[0], names[1], selection


def _known_relations(names: list[str], place: Place) -> dict[str, Any]:
    try:
        return {name: registry.get(name) for name in names}
    except InputError as error:
        raise InputError(error.problem, place=place.at("relations"), advice=error.advice) from None
