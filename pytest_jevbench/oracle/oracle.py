"""The oracle: a model whose every answer is a probability under one joint distribution."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pytest_jevbench.oracle.joint import Joint, Vector
from pytest_jevbench.oracle.menus import conditioned, joint_of_two, level_strengths, option_strengths, yes_or_no
from pytest_jevbench.oracle.propositions import Propositions, plainly_asked
from pytest_jevbench.oracle.table import CaseTable, UnknownText

__all__ = ["Answers", "Asker", "Meaning", "Oracle"]

Answers: TypeAlias = dict[str, dict[str, Any]]
Asker: TypeAlias = Callable[[Any, Mapping[str, Any]], Answers]
"""(state, questions in wire form) to answers in wire form."""
Meaning: TypeAlias = Callable[[str], "Vector | str | None"]
"""What a text asks that the table does not know: an event, the key of the question it asks in other words, or None."""


class Oracle:
    """Answers requests about one case. Keys, ids and companions are never read.

    ``meaning`` tells what further texts ask. Raises UnknownText for a text that neither the table nor it knows, and for
    any state but the case's own.
    """

    def __init__(
        self, table: CaseTable, joint: Joint, meaning: Meaning | None = None, read: Propositions | None = None
    ) -> None:
        self.table = table
        self.joint = joint
        self.read = read or Propositions(table, joint)
        self._meaning: Meaning = meaning or (lambda text: None)
        self._known: dict[str, list[float]] = {}

    def __call__(self, state: Any, questions: Mapping[str, Any]) -> Answers:
        if state != self.table.state:
            raise UnknownText("a state that is not the case's own")
        return {key: self.answer(question) for key, question in questions.items()}

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one question in wire form."""
        identity = json.dumps(question)
        if identity not in self._known:
            self._known[identity] = self._probabilities(question)
        probabilities = self._known[identity]
        kind = question["type"]
        if kind == "noul":
            return {"type": kind, "noul": probabilities[0]}
        ids = question["criteria"] if kind == "choice" else [str(i) for i in range(len(question["criteria"]))]
        return {"type": kind, "probabilities": dict(zip(ids, probabilities, strict=True))}

    def _probabilities(self, question: Mapping[str, Any]) -> list[float]:
        kind, instructions = question["type"], question["instructions"]
        told = self._meaning(instructions)
        if kind == "noul":
            return [self.joint.probability(self._event(instructions, told))]
        criteria = question["criteria"]
        texts = list(criteria.values()) if kind == "choice" else list(criteria)
        events = [event for event in map(self._meaning, texts) if event is not None and not isinstance(event, str)]
        if len(events) == len(texts):
            return conditioned(self.joint.weights, events)
        yes = self.read.own(instructions)
        if yes is not None:
            return conditioned(self.joint.weights, yes_or_no(yes, texts))
        if kind == "choice":
            pair = joint_of_two(self.read, instructions, texts)
            if pair is not None:
                return conditioned(self.joint.weights, pair)
        key = told if isinstance(told, str) else plainly_asked(self.table, instructions)
        if key is None or self.table.questions[key]["type"] != kind:
            raise UnknownText(instructions)
        strengths = option_strengths if kind == "choice" else level_strengths
        return conditioned(self.joint.weights, strengths(self.read, key, texts))

    def _event(self, instructions: str, told: Vector | str | None) -> Vector:
        if told is None:
            return self.read.event(instructions)
        return self.read.answers[told]["yes"] if isinstance(told, str) else told
