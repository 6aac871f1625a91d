"""Rubrics: what a judge of answers looks for, as data. Ten lie here, one YAML file each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, shown
from pytest_jevbench.judges.problems import Problems
from pytest_jevbench.yaml_text import read_yaml

__all__ = ["QUESTIONS", "RUBRIC_IDS", "RUBRIC_SCHEMA", "Criterion", "Rubric", "find_rubric", "read_rubric", "rubrics"]

FOLDER = Path(__file__).parent
RUBRIC_SCHEMA = FOLDER / "rubric.schema.json"
QUESTIONS = 3
RUBRIC_IDS = (
    "code_review_correctness",
    "rag_citation_grounding",
    "patch_minimalism",
    "security_diff_review",
    "tool_call_precision",
    "sql_equivalence",
    "summarization_faithfulness",
    "api_contract_safety",
    "test_quality",
    "agent_trajectory_efficiency",
)
_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_TEXTS = ("title", "purpose", "scoring")


@dataclass(frozen=True, slots=True)
class Criterion:
    """A yes/no question about one answer; yes speaks for it."""

    id: str
    ask: str


@dataclass(frozen=True, slots=True)
class Rubric:
    """``purpose`` says what is judged, ``scoring`` how, ``questions`` are the three criteria."""

    id: str
    title: str
    purpose: str
    scoring: str
    questions: tuple[Criterion, ...]

    @property
    def criteria(self) -> tuple[str, ...]:
        """The texts of the three questions."""
        return tuple(question.ask for question in self.questions)

    def to_json(self) -> dict[str, JSON]:
        """The form of the YAML file; rubric.schema.json describes it."""
        return {
            "id": self.id,
            "title": self.title,
            "purpose": self.purpose,
            "scoring": self.scoring,
            "questions": [{"id": question.id, "ask": question.ask} for question in self.questions],
        }


@cache
def rubrics() -> tuple[Rubric, ...]:
    """The ten rubrics that come with the package."""
    return tuple(read_rubric(FOLDER / f"{name}.yaml") for name in RUBRIC_IDS)


def find_rubric(name: str) -> Rubric:
    """A rubric by id, or by the path of a YAML file of one's own. Raises :class:`InputError`."""
    if name in RUBRIC_IDS:
        return next(rubric for rubric in rubrics() if rubric.id == name)
    if name.endswith((".yaml", ".yml")) or "/" in name:
        return read_rubric(Path(name).expanduser())
    near = get_close_matches(name, RUBRIC_IDS, n=3)
    advice = f"Did you mean {', '.join(near)}?" if near else "`pytest-jevbench rubrics list` lists them"
    raise InputError(f"there is no rubric {shown(name)}", advice=advice)


def read_rubric(path: Path) -> Rubric:
    """A rubric from a YAML file. Raises :class:`InputError` with everything that is wrong with it."""
    problems = Problems(Place(path))
    found = read_yaml(path).plain()
    if not isinstance(found, dict):
        raise InputError.unexpected(found, "a rubric with id, title, purpose, scoring and questions", Place(path))
    for name in found:
        if name not in ("id", *_TEXTS, "questions"):
            problems.add(str(name), "the field is not known", "A rubric has id, title, purpose, scoring and questions")
    name = _name(found, "", problems)
    title, purpose, scoring = (problems.text(found, field, "") for field in _TEXTS)
    questions = _questions(found.get("questions"), problems)
    problems.settle()
    return Rubric(name, title, purpose.strip(), scoring.strip(), questions)


def _questions(value: Any, problems: Problems) -> tuple[Criterion, ...]:
    if not isinstance(value, list) or len(value) != QUESTIONS:
        problems.unexpected("questions", value, "three yes/no questions, each with id and ask")
        return ()
    questions: list[Criterion] = []
    for at, item in enumerate(value):
        field = f"questions[{at}]"
        if not isinstance(item, dict):
            problems.unexpected(field, item, "a question with id and ask")
            continue
        for name in item:
            if name not in ("id", "ask"):
                problems.add(f"{field}.{name}", "the field is not known", "A question has id and ask")
        one = Criterion(_name(item, field, problems), problems.text(item, "ask", field).strip())
        if one.ask and not one.ask.endswith("?"):
            problems.unexpected(f"{field}.ask", one.ask, "a question that can be answered by yes or no")
        for before in questions:
            if one.id and one.id == before.id:
                problems.add(f"{field}.id", f"the id {shown(one.id)} stands twice")
            if one.ask and one.ask == before.ask:
                problems.add(f"{field}.ask", "the question stands twice")
        questions.append(one)
    return tuple(questions)


def _name(value: dict[str, Any], field: str, problems: Problems) -> str:
    name = problems.text(value, "id", field).strip()
    if name and not _ID.fullmatch(name):
        place = f"{field}.id" if field else "id"
        problems.unexpected(place, name, "an id of lower-case letters, digits and single underscores")
    return name
