"""Pairs of answers for a live judge: a task, two answers to it, and which of them is better, where that is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import parse_jsonl, read_bytes
from pytest_jevbench.json_text import shown
from pytest_jevbench.judges.problems import ManyProblems, Problems
from pytest_jevbench.judges.rubrics import Rubric
from pytest_jevbench.yaml_text import read_yaml

__all__ = ["AnswerPair", "Better", "read_answer_pairs"]

Better: TypeAlias = Literal["first", "second", "tie"]
BETTER = ("first", "second", "tie")
_FIELDS = ("id", "task", "material", "first", "second", "better", "fails")


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Two answers to one task. ``better`` is the label, None where nobody said. ``fails`` are the ids of the criteria
    that the worse answer does not meet, or, of a tie, both do not; None where nobody said."""

    id: str
    task: str
    material: str
    first: str
    second: str
    better: Better | None = None
    fails: tuple[str, ...] | None = None

    def failed_by(self, side: str) -> tuple[str, ...] | None:
        """The criteria that an answer does not meet; None where that is not known."""
        if self.fails is None or self.better is None:
            return None
        return () if self.better == side else self.fails


def read_answer_pairs(path: Path, rubric: Rubric) -> list[AnswerPair]:
    """Pairs from JSON lines or a YAML list, fields as in :class:`AnswerPair` (``material``, ``better`` and ``fails``
    may be left out). Raises :class:`InputError` with everything that is wrong with the file."""
    pairs: list[AnswerPair] = []
    found: list[InputError] = []
    for place, value in _rows(path):
        try:
            pair = _pair(value, rubric, place)
            if any(pair.id == other.id for other in pairs):
                raise InputError(
                    f"the id {shown(pair.id)} stands twice", place=place, advice="Give each an id of its own"
                )
            pairs.append(pair)
        except InputError as error:
            of_pair = error.problems if isinstance(error, ManyProblems) else (error,)
            found += [_in_line(one, Place(path, place.line), place.field) for one in of_pair]
    if len(found) == 1:
        raise found[0]
    if found:
        raise ManyProblems(found, Place(path))
    if not pairs:
        raise InputError("there is no pair", place=Place(path), advice="Write one pair a line")
    return pairs


def _in_line(error: InputError, line: Place, row: str | None) -> InputError:
    """A problem of a pair with the line that the pair begins in, in the place of its number."""
    field = error.place.field
    return InputError(error.problem, place=line if field in (None, row) else line.at(str(field)), advice=error.advice)


def _rows(path: Path) -> Iterable[tuple[Place, Any]]:
    if path.suffix in (".yaml", ".yml"):
        return [(entry.place, entry.plain()) for entry in read_yaml(path).items("a list of pairs")]
    return parse_jsonl(read_bytes(path).split(b"\n"), path)


def _pair(value: Any, rubric: Rubric, place: Place) -> AnswerPair:
    problems = Problems(place)
    if not isinstance(value, dict):
        raise InputError.unexpected(value, "a pair with id, task, first and second", place)
    for name in value:
        if name not in _FIELDS:
            problems.add(str(name), "the field is not known", f"A pair has {', '.join(_FIELDS)}")
    name, task, first, second = (
        problems.text(value, field, "").strip("\n").rstrip() for field in ("id", "task", "first", "second")
    )
    if ":" in name:
        problems.unexpected("id", name, "an id without a colon")
    if first and first == second:
        problems.add("second", "it is the first answer again")
    material = value.get("material", "")
    if not isinstance(material, str):
        problems.unexpected("material", material, "text, or leave it out")
        material = ""
    better, fails = value.get("better"), value.get("fails")
    if better is not None and better not in BETTER:
        problems.unexpected("better", better, "first, second or tie, or leave it out")
    known = [question.id for question in rubric.questions]
    if fails is not None:
        if (
            not isinstance(fails, list)
            or any(one not in known for one in fails)
            or len(set(map(str, fails))) < len(fails)
        ):
            problems.unexpected("fails", fails, f"a list of {', '.join(known)}, or leave it out")
        elif better in ("first", "second") and not fails:
            problems.add("fails", "the worse answer meets every criterion", "Name those that it does not meet")
    problems.settle()
    named = None if fails is None else tuple(fails)
    return AnswerPair(name, task, material.strip(), first, second, cast("Better | None", better), named)
