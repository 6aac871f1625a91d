"""A plan file: a header line, then one trial a line, compressed to the same bytes everywhere."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pytest_jevbench.errors import InputError, Place, SuiteError
from pytest_jevbench.files import parse_line
from pytest_jevbench.json_text import dumps, shown
from pytest_jevbench.plans.deflate import gzip_bytes
from pytest_jevbench.plans.plan import Plan, PlannedTest, TestId
from pytest_jevbench.plans.rows import RowWriter
from pytest_jevbench.plans.stored import MOST_TRIALS, PlanFile, StoredTrials
from pytest_jevbench.questions import Case
from pytest_jevbench.relations.base import Relation
from pytest_jevbench.relations.known import BUILT_IN, Relations
from pytest_jevbench.relations.own_law import unregistered

__all__ = ["FORMAT", "plan_text", "read_plan", "write_plan"]

FORMAT = 1


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


def read_plan(
    data: bytes,
    cases: Mapping[str, Case],
    file: Path | str,
    relations: Relations = BUILT_IN,
    *,
    most_plain: int = MOST_TRIALS,
) -> Plan:
    """The plan of a plan file: which tests there are is read and checked now, their trials when they are used.

    ``cases`` are all cases of the suite by id, ``file`` the name that errors give. :func:`~.stored.check_tests` reads
    the trials of a selection at once. ``relations`` are those of this run, the user's own included. The lines of a
    plan of more than ``most_plain`` trials are kept compressed. Raises :class:`SuiteError` naming line and field.
    """
    try:
        return _read(_lines(data), cases, file, relations, most_plain)
    except SuiteError:
        raise
    except InputError as error:
        raise SuiteError(error.problem, place=error.place, advice=error.advice) from None
    except (OSError, EOFError, zlib.error) as error:
        raise SuiteError(
            f"not a whole gzip file ({error})", place=Place(file), advice="Freeze the suite again"
        ) from None


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The numbered lines, unpacked as they are wanted."""
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacked:
        yield from enumerate(unpacked, 1)


def _read(
    lines: Iterator[tuple[int, bytes]],
    cases: Mapping[str, Case],
    file: Path | str,
    relations: Relations,
    most_plain: int,
) -> Plan:
    number, first = next(lines, (1, b""))
    place = Place(file, number)
    header = _header(parse_line(first, place), place)
    known = _known_relations(header.relations, place, relations)
    for case_id in header.cases:
        if case_id not in cases:
            raise InputError(f"there is no case {shown(case_id)}", place=place.at("cases"))
    plan_file = PlanFile.of(file, known, [cases[case_id] for case_id in header.cases], most_plain)
    heads = _HeadReader(plan_file)
    tests: dict[TestId, StoredTrials] = {}
    seen: set[tuple[TestId, int, int]] = set()
    for number, line in lines:
        if line.isspace():
            continue
        test, variant, draw = heads.read(number, line)
        if (test, variant, draw) in seen:
            raise InputError("the trial stands on an earlier line", place=Place(file, number))
        seen.add((test, variant, draw))
        trials = tests.get(test)
        if trials is None:
            trials = tests[test] = StoredTrials(plan_file)
        trials.add(number, line)
    if not tests:
        raise InputError("the plan has no test", place=Place(file), advice="Freeze the suite again")
    planned = tuple(PlannedTest(test, trials) for test, trials in tests.items())
    return Plan(tuple(known), tuple(header.cases), header.seed, header.draws, header.selection, planned)


class _HeadReader:
    """Reads which trial a line holds, from the line's start where it is written as plans are."""

    _text = rb'("(?:[^"\\]|\\.)*")'
    _head = re.compile(
        rb'\{"case": %b, "relation": %b, "key": %b, "v": (\d+), "t": (\d+), "targets": \[' % (_text, _text, _text)
    )

    def __init__(self, file: PlanFile) -> None:
        self._file = file
        self._texts: dict[bytes, str] = {}

    def read(self, number: int, line: bytes) -> tuple[TestId, int, int]:
        """The test of a line, the variant and the draw. Raises :class:`InputError`."""
        match = self._head.match(line)
        place = Place(self._file.name, number)
        if match is None:  # in another order, or wrong
            return self._read_whole(number, line, place)
        case_id, relation, key = (self._decoded(text, place) for text in match.group(1, 2, 3))
        if relation not in self._file.relations:
            raise InputError(f"the relation {shown(relation)} is not in the header", place=place.at("relation"))
        reader = self._file.readers.get(case_id)
        if reader is None:
            raise InputError(f"the case {shown(case_id)} is not in the header", place=place.at("case"))
        reader.require_key(key, place.at("key"))
        return TestId(relation, case_id, key), int(match[4]), int(match[5])

    def _read_whole(self, number: int, line: bytes, place: Place) -> tuple[TestId, int, int]:
        row = parse_line(line, place)
        if not isinstance(row, dict):
            raise InputError.unexpected(row, "a trial as an object", place)
        for field, listed in (("relation", self._file.relations), ("case", self._file.readers)):
            name = row.get(field)
            if not isinstance(name, str) or name not in listed:
                raise InputError(f"the {field} {shown(name)} is not in the header", place=place.at(field))
        trial = self._file.read(number, line)
        return TestId(trial.relation, trial.case_id, trial.key), trial.variant, trial.draw

    def _decoded(self, text: bytes, place: Place) -> str:
        known = self._texts.get(text)
        if known is None:
            decoded: str = parse_line(text, place)
            known = self._texts[text] = decoded
        return known


class _Header(NamedTuple):
    seed: int
    draws: int
    relations: list[str]
    cases: list[str]
    selection: str


def _header(value: Any, place: Place) -> _Header:
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
    return _Header(seed, draws, names[0], names[1], selection)


def _known_relations(names: list[str], place: Place, relations: Relations) -> dict[str, Relation]:
    for name in names:
        if name not in relations:
            raise unregistered(name, relations, place.at("relations"))
    return {name: relations[name] for name in names}
