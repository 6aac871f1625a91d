"""Recorded judgments of some judges on labelled items, and the checks that a file of them passes.

One item is one yes/no question on one text with the right answer; ``judgments`` has each judge's probability of yes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pytest_jevbench.errors import MISSING, InputError, Place
from pytest_jevbench.json_text import dumps, find_surrogate, shown
from pytest_jevbench.judges.json_places import read_checked
from pytest_jevbench.judges.problems import Problems
from pytest_jevbench.judges.scrubbing import LICENSE, check_declarations, check_texts

if TYPE_CHECKING:
    from pytest_jevbench.judges.arrays import Floats

__all__ = ["SPLITS", "JudgeFixture", "JudgeItem", "Split", "fixture_from_json", "read_fixture"]

Split: TypeAlias = Literal["fit", "holdout"]
SPLITS: tuple[Split, ...] = ("fit", "holdout")
SCHEMA_VERSION = 1
MOST_COST = 1e300

_FIELDS = ("schema_version", "synthetic", "license", "rubric", "judge_costs", "items")
_ITEM_FIELDS = ("id", "split", "question_id", "text", "truth", "judgments")


@dataclass(frozen=True, slots=True)
class JudgeItem:
    """One question on one text: ``truth`` is the right answer, ``judgments`` each judge's P(yes)."""

    id: str
    split: Split
    question_id: str
    text: str
    truth: bool
    judgments: Mapping[str, float]


@dataclass(frozen=True)
class JudgeFixture:
    """Items that the same judges have judged. ``questions`` are texts by id, ``costs`` each judge's cost where given.

    ``name`` is what to call it, ``digest`` a SHA-256 of its content; ``private`` data need not keep the rules for
    data that is shared; ``demo`` is the bundled one.
    """

    items: tuple[JudgeItem, ...]
    questions: Mapping[str, str]
    rubric: str = ""
    costs: Mapping[str, float] = field(default_factory=dict)
    name: str = ""
    digest: str = ""
    private: bool = False
    demo: bool = False

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """The judges, in the order of the first item."""
        return tuple(self.items[0].judgments)

    def part(self, split: Split | None = None) -> tuple[JudgeItem, ...]:
        """The items of a split, or all."""
        return tuple(item for item in self.items if split is None or item.split == split)

    def scores(self, judge: str, split: Split | None = None) -> Floats:
        """A judge's P(yes) on the items of a split: (n,)."""
        import numpy as np

        return np.array([item.judgments[judge] for item in self.part(split)], dtype=np.float64)

    def labels(self, split: Split | None = None) -> Floats:
        """The right answers on the items of a split, 1 for yes: (n,)."""
        import numpy as np

        return np.array([item.truth for item in self.part(split)], dtype=np.float64)

    def to_json(self) -> dict[str, Any]:
        """The fixture in the form it is read from."""
        costs = {"judge_costs": dict(self.costs)} if self.costs else {}
        declared = {} if self.private else {"synthetic": True, "license": LICENSE}
        return {
            "schema_version": SCHEMA_VERSION,
            **declared,
            "rubric": {
                "id": self.rubric,
                "questions": [{"id": key, "text": text} for key, text in self.questions.items()],
            },
            **costs,
            "items": [
                {
                    "id": item.id,
                    "split": item.split,
                    "question_id": item.question_id,
                    "text": item.text,
                    "truth": item.truth,
                    "judgments": dict(item.judgments),
                }
                for item in self.items
            ],
        }


def read_fixture(path: Path | str, *, private: bool = False, judged: bool = True) -> JudgeFixture:
    """Read a fixture. Raises :class:`InputError` with everything that is wrong with it."""
    return read_checked(path, partial(fixture_from_json, private=private, judged=judged))


def fixture_from_json(
    value: object, place: Place | None = None, *, private: bool = False, judged: bool = True
) -> JudgeFixture:
    """A fixture from its JSON value, checked in full.

    ``private`` data stays with its owner: it need not be declared synthetic and licensed, and e-mail addresses are not
    looked for. ``judged`` False lets items be without judgments (they are to be recorded).

    Raises :class:`InputError` with all problems at once, each with its place.
    """
    place = place or Place()
    if not isinstance(value, dict):
        raise InputError.unexpected(value, "an object with rubric and items", place)
    half = find_surrogate(value)
    if half is not None:
        raise InputError("the text has a lone surrogate (half of a character)", place=place.at(half or "text"))
    if "pairs" in value and "items" not in value:
        raise InputError("these are pairs, and a fixture is wanted", place=place, advice="judge bias takes pairs")
    problems = Problems(place)
    problems.near_misses(value, _FIELDS, "")
    if value.get("schema_version") != SCHEMA_VERSION or isinstance(value.get("schema_version"), bool):
        problems.unexpected("schema_version", value.get("schema_version", MISSING), str(SCHEMA_VERSION))
    if not private:
        check_declarations(value, problems)
    rubric, questions = _rubric(value.get("rubric", MISSING), problems)
    items = _items(value.get("items", MISSING), questions, problems, judged)
    costs = _costs(value.get("judge_costs"), items, problems)
    if not private:
        check_texts(
            [
                *((f"rubric.questions[{i}].text", text) for i, text in enumerate(questions.values())),
                *((f"items[{i}].text", item.text) for i, item in enumerate(items)),
                *((f"items[{i}].id", item.id) for i, item in enumerate(items)),
            ],
            problems,
        )
    problems.settle()
    return JudgeFixture(
        items=tuple(items),
        questions=questions,
        rubric=rubric,
        costs=costs,
        name=Path(place.file).stem if place.file is not None else "",
        digest=sha256(dumps(value, compact=True).encode()).hexdigest(),
        private=private,
    )


def _rubric(value: object, problems: Problems) -> tuple[str, dict[str, str]]:
    if not isinstance(value, dict):
        problems.unexpected("rubric", value, 'an object: {"id": ..., "questions": [{"id": ..., "text": ...}]}')
        return "", {}
    rubric = problems.text(value, "id", "rubric")
    listed = value.get("questions", MISSING)
    questions: dict[str, str] = {}
    if not isinstance(listed, list) or not listed:
        problems.unexpected("rubric.questions", listed, "a list of questions, each with id and text")
        return rubric, questions
    for i, question in enumerate(listed):
        at = f"rubric.questions[{i}]"
        if not isinstance(question, dict):
            problems.unexpected(at, question, "an object with id and text")
            continue
        key, text = problems.text(question, "id", at), problems.text(question, "text", at)
        if key in questions:
            problems.add(f"{at}.id", f"the question id {shown(key)} stands twice", "Give each question its own")
        elif key:
            questions[key] = text
    return rubric, questions


def _items(value: object, questions: Mapping[str, str], problems: Problems, judged: bool) -> list[JudgeItem]:
    if not isinstance(value, list) or not value:
        problems.unexpected("items", value, "a list of items that is not empty")
        return []
    items = [_item(item, f"items[{i}]", questions, problems, judged) for i, item in enumerate(value)]
    first: dict[str, int] = {}
    for i, item in enumerate(items):
        if item.id and first.setdefault(item.id, i) != i:
            problems.add(
                f"items[{i}].id", f"the id {shown(item.id)} is that of items[{first[item.id]}]", "Give each its own"
            )
    splits = Counter(item.split for item in items)
    for split in SPLITS:
        if not splits[split]:
            problems.add("items", f'no item has the split "{split}"', "Fit on some items and hold out others")
    if judged:
        _same_judges(items, problems)
    return items


def _item(value: object, at: str, questions: Mapping[str, str], problems: Problems, judged: bool) -> JudgeItem:
    if not isinstance(value, dict):
        problems.unexpected(at, value, f"an object with {', '.join(_ITEM_FIELDS)}")
        return JudgeItem("", "fit", "", "", False, {})
    problems.near_misses(value, _ITEM_FIELDS, at)
    split = value.get("split", MISSING)
    if split not in SPLITS:
        problems.unexpected(f"{at}.split", split, '"fit" or "holdout"')
    question_id = problems.text(value, "question_id", at)
    if question_id and question_id not in questions:
        known = ", ".join(shown(key, 40) for key in list(questions)[:10])
        problems.add(f"{at}.question_id", f"the rubric has no question {shown(question_id)}", f"It has {known}")
    truth = value.get("truth", MISSING)
    if not isinstance(truth, bool):
        problems.unexpected(f"{at}.truth", truth, "true or false")
    return JudgeItem(
        id=problems.text(value, "id", at),
        split=split if split in SPLITS else "",  # type: ignore[arg-type]
        question_id=question_id,
        text=problems.text(value, "text", at, blank=True),
        truth=truth is True,
        judgments=_judgments(value.get("judgments", MISSING), f"{at}.judgments", problems, judged),
    )


def _judgments(value: object, at: str, problems: Problems, judged: bool) -> dict[str, float]:
    if value in (None, MISSING) and not judged:
        return {}
    if not isinstance(value, dict) or (judged and not value):
        problems.unexpected(at, value, 'each judge\'s probability of yes: {"judge-a": 0.9}')
        return {}
    found: dict[str, float] = {}
    for judge, p in value.items():
        if not judge.strip():
            problems.add(at, "a judge has no name", "Name every judge")
        probability = problems.probability(p, f"{at}.{judge}")
        found[judge] = math.nan if probability is None else probability
    return found


def _same_judges(items: Sequence[JudgeItem], problems: Problems) -> None:
    """Every item has the judges of the first one that has any."""
    wanted = next((item.judgments for item in items if item.judgments), {})
    for i, item in enumerate(items):
        if not item.judgments:
            continue
        missing = [judge for judge in wanted if judge not in item.judgments]
        extra = [judge for judge in item.judgments if judge not in wanted]
        if missing or extra:
            parts = [f"no judgment of {_named(missing)}"] * bool(missing) + [f"one more of {_named(extra)}"] * bool(
                extra
            )
            problems.add(f"items[{i}].judgments", ", ".join(parts), "Record the same judges on every item")


def _named(judges: Sequence[str]) -> str:
    return ", ".join(shown(judge, 40) for judge in judges)


def _costs(value: object, items: Sequence[JudgeItem], problems: Problems) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        problems.unexpected("judge_costs", value, 'each judge\'s cost, in one unit: {"judge-a": 0.01}')
        return {}
    judges = {judge for item in items for judge in item.judgments}
    costs: dict[str, float] = {}
    for judge, cost in value.items():
        if judges and judge not in judges:
            problems.add(
                f"judge_costs.{judge}", f"no item was judged by {shown(judge)}", "Name the judges of the items"
            )
        if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not 0 <= cost <= MOST_COST:
            problems.unexpected(f"judge_costs.{judge}", cost, "a cost: a number of at least 0")
        else:
            costs[judge] = float(cost)
    return costs
