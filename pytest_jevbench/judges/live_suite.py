"""Suites of judged answers: pairs that a model compares, or single answers that it grades, frozen as any other is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import write_whole
from pytest_jevbench.json_text import JSON, dumps
from pytest_jevbench.judges.live_pairs import AnswerPair
from pytest_jevbench.judges.rubrics import Rubric
from pytest_jevbench.relations.judge_questions import BETTER, FIELD, GRADE, SIDES, criterion_key, questions_of
from pytest_jevbench.relations.known import JUDGES
from pytest_jevbench.suite_files import CASES, GOLD, MANIFEST
from pytest_jevbench.suite_freezing import Frozen, freeze_suite

__all__ = ["Form", "freeze_judged", "judged_rows"]

Form: TypeAlias = Literal["pairs", "graded"]
"""Two answers compared by a Choice, or each answer graded by a Score and three yes/no questions."""

OfRubric: TypeAlias = tuple[Rubric, Sequence[AnswerPair]]


class _Row(NamedTuple):
    case: dict[str, JSON]
    gold: dict[str, JSON]


def freeze_judged(
    directory: Path,
    rubrics: Iterable[OfRubric],
    form: Form = "pairs",
    *,
    name: str,
    version: str = "1",
    description: str,
    min_n: int = 5,
    judge_name: str | None = None,
) -> Frozen:
    """Write and freeze a suite of judged answers: equal pairs give equal bytes.

    A directory that holds another suite is refused. ``judge_name`` is shown as the author's name by the law of own
    names, in the place of words that fit every judge. Raises :class:`InputError`.
    """
    if (directory / CASES).exists() and not _is_judged(directory / CASES):
        raise InputError("it holds a suite of another kind", place=Place(directory), advice="Name an empty directory")
    rows = [row for of_rubric in rubrics for row in judged_rows(*of_rubric, form, judge_name)]
    directory.mkdir(parents=True, exist_ok=True)
    write_whole(directory / CASES, "".join(f"{_line(row.case)}\n" for row in rows))
    write_whole(directory / GOLD, "".join(f"{_line(row.gold)}\n" for row in rows))
    stub = {"name": name, "version": version, "description": description, "min_n": min_n}
    write_whole(directory / MANIFEST, dumps(stub, indent=1) + "\n")
    return freeze_suite(directory, relations=JUDGES)


def _is_judged(cases: Path) -> bool:
    return f'"{FIELD}":' in cases.read_text(encoding="utf-8").partition("\n")[0]


def _line(row: Mapping[str, JSON]) -> str:
    """A line that every reader of suites takes for one."""
    return dumps(dict(row)).replace("\x85", "\\u0085").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def judged_rows(
    rubric: Rubric, pairs: Iterable[AnswerPair], form: Form = "pairs", judge_name: str | None = None
) -> Iterator[_Row]:
    """The cases of a rubric and their gold answers."""
    for pair in pairs:
        if form == "pairs":
            yield _row(rubric, pair, pair.id, (pair.first, pair.second), judge_name, {BETTER: pair.better})
            continue
        for side, answer in zip(SIDES, (pair.first, pair.second), strict=True):
            yield _row(rubric, pair, f"{pair.id}-{side}", (answer,), judge_name, _grades(rubric, pair.failed_by(side)))


def _grades(rubric: Rubric, failed: tuple[str, ...] | None) -> dict[str, JSON]:
    keys = [criterion_key(number) for number in range(1, len(rubric.questions) + 1)]
    if failed is None:
        return dict.fromkeys((*keys, GRADE))
    met = [question.id not in failed for question in rubric.questions]
    return {**dict(zip(keys, met, strict=True)), GRADE: sum(met)}


def _row(
    rubric: Rubric,
    pair: AnswerPair,
    case_id: str,
    answers: tuple[str, ...],
    judge_name: str | None,
    gold: Mapping[str, JSON],
) -> _Row:
    questions = questions_of(rubric.scoring, rubric.criteria, answers)
    parts: dict[str, JSON] = {"rubric": rubric.id, "scoring": rubric.scoring, "criteria": list(rubric.criteria)}
    parts |= {"answers": list(answers), **({"name": judge_name} if judge_name is not None else {})}
    case: dict[str, JSON] = {
        "id": case_id,
        "domain": rubric.id,
        "state": _state(pair),
        "questions": {key: question.to_json() for key, question in questions.items()},
        FIELD: parts,
    }
    return _Row(case, {"case": case_id, "answers": dict(gold)})


def _state(pair: AnswerPair) -> str:
    """What the answers answer: it stays as it is whatever a relation edits."""
    return f"Task:\n{pair.task}" + (f"\n\nMaterial:\n{pair.material}" if pair.material else "")
