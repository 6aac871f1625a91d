"""A task and its result in one row: all that figures are made of, and no text of the state or the question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, shown
from pytest_jevbench.labelled.fields import RowFields
from pytest_jevbench.labelled.private import Hiding
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.labelled.results import TaskResult, judge_answer, result_from_json, result_to_json
from pytest_jevbench.metrics import LabelledQuestion

__all__ = ["TYPES", "LabelledRow", "row_from_json", "row_to_json", "rows_of"]

TYPES = ("noul", "choice", "score")


@dataclass(frozen=True)
class LabelledRow:
    """One task of a result document. ``labels`` are called as :class:`~.private.Hiding` calls them."""

    id: str
    family: str
    type: str
    split: str
    group: str | None
    case: str
    labels: tuple[str, ...]
    expected: str | None
    private: bool
    result: TaskResult

    @property
    def asked(self) -> bool:
        return self.result.asked

    @property
    def counts(self) -> bool:
        """Whether the row is in the denominator of an accuracy: it was asked, and its label is known."""
        return self.asked and self.expected is not None

    @property
    def right(self) -> bool | None:
        """Whether the label given is the expected one; None without a valid answer, or where nobody knows the label.

        An answer whose top is shared gives no label and is not right: the figures count what the verdicts say.
        """
        if self.expected is None or not self.result.answered:
            return None
        return self.result.given == self.expected

    @property
    def question(self) -> LabelledQuestion:
        """The row as the metrics take it. Raises ``ValueError`` where the label is not known."""
        if self.expected is None:
            raise ValueError(f"task {self.id} has no label")
        return LabelledQuestion(
            self.case, self.id, self.type, self.family, self.labels, self.expected, self.result.probabilities
        )


def rows_of(tasks: Iterable[Task], results: Iterable[TaskResult]) -> list[LabelledRow]:
    """One row for each task, in order; a task without a result is unattempted.

    Private tasks are hidden. Raises ``ValueError`` for a result of another task.
    """
    tasks = list(tasks)
    by_id = {result.task_id: result for result in results}
    unknown = by_id.keys() - {task.id for task in tasks}
    if unknown:
        raise ValueError(f"a result of a task that is not there: {shown(min(unknown))}")
    hiding = Hiding(tasks)
    rows = []
    for task in tasks:
        names = hiding.names(task)
        result = by_id.get(task.id) or TaskResult(task.id, "unjudged", "unattempted")
        rows.append(
            LabelledRow(
                id=task.id,
                family=task.family,
                type=task.question.type,
                split=task.split,
                group=task.group,
                case=task.case or task.id,
                labels=tuple(names.values()),
                expected=None if task.expected is None else names[task.expected],
                private=task.private,
                result=hiding.result(task, result),
            )
        )
    return rows


def row_to_json(row: LabelledRow) -> dict[str, JSON]:
    """The row as a document holds it."""
    return {
        "id": row.id,
        "family": row.family,
        "type": row.type,
        "split": row.split,
        "group": row.group,
        "case": row.case,
        "labels": list(row.labels),
        "expected": row.expected,
        "private": row.private,
        **{name: value for name, value in result_to_json(row.result).items() if name != "id"},
    }


def row_from_json(value: object, place: Place) -> LabelledRow:
    """A row that is whole in itself: its labels, its answer and its verdict fit each other.

    Raises :class:`InputError` naming the field that is wrong.
    """
    fields = RowFields.of(value, place)
    result = result_from_json(value, place)
    row = LabelledRow(
        id=result.task_id,
        family=fields.text("family"),
        type=fields.one_of("type", TYPES),
        split=fields.text("split"),
        group=fields.optional_text("group"),
        case=fields.text("case"),
        labels=fields.texts("labels"),
        expected=fields.optional_text("expected"),
        private=fields.truth("private"),
        result=result,
    )
    _check(row, place)
    return row


def _check(row: LabelledRow, place: Place) -> None:
    p, given = row.result.probabilities, row.result.given
    if len(set(row.labels)) != len(row.labels) or len(row.labels) < 2:
        raise InputError.unexpected(list(row.labels), "at least two labels, each once", place.at("labels"))
    if row.type == "noul" and set(row.labels) != {"no", "yes"}:
        raise InputError.unexpected(list(row.labels), 'the labels of a Noul, "no" and "yes"', place.at("labels"))
    if row.type == "score" and list(row.labels) != [str(level) for level in range(len(row.labels))]:
        raise InputError.unexpected(list(row.labels), "the indices of the levels from 0, as text", place.at("labels"))
    for name, label in (("expected", row.expected), ("given", given)):
        if label is not None and label not in row.labels:
            raise InputError.unexpected(label, "one of the labels, or null", place.at(name))
    if p is not None and (list(p) != list(row.labels) or abs(sum(p.values()) - 1.0) > 2e-2):
        wanted = "a number for each label, in their order, that sum to 1"
        raise InputError.unexpected(dict(p), wanted, place.at("probabilities"))
    if p is not None and row.result.probs_source in (None, "label_only"):
        raise InputError.unexpected(
            row.result.probs_source, "where the probabilities are from", place.at("probs_source")
        )
    if row.result.answered:
        judged = judge_answer(row.labels, row.expected, given, p)
        if (given, row.result.verdict, row.result.reason) != judged:
            comes_to = " ".join(word for word in judged[1:] if word)
            said = f"the answer comes to {comes_to}, giving {shown(judged[0])}, and the row says otherwise"
            raise InputError(said, place=place.at("verdict"))
    elif row.result.verdict == "correct" or row.result.reason in ("", "tied", "unlabelled"):
        raise InputError("there is no answer, and the verdict is of one", place=place.at("verdict"))
