"""The worlds of a joint distribution, as somebody reads them who states a law of their own."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pytest_jevbench.oracle.propositions import Propositions

__all__ = ["Truth", "Worlds"]

Truth: TypeAlias = NDArray[np.bool_]
"""Whether something is true, in every world. ``&``, ``|`` and ``~`` make further events of them."""


class Worlds:
    """What is true in each of the worlds over which a case's answers are spread."""

    def __init__(self, read: Propositions) -> None:
        self._read = read

    def __contains__(self, key: str) -> bool:
        """Whether the case has a question of this key."""
        return key in self._read.answers

    @property
    def everywhere(self) -> Truth:
        """What is always true; ``~worlds.everywhere`` is never."""
        return np.ones(self._read.joint.size, dtype=bool)

    def yes(self, key: str) -> Truth:
        """The answer to a yes/no question of the case is yes."""
        return self.answer(key, "yes")

    def answer(self, key: str, answer: str) -> Truth:
        """The answer to a question of the case is this option (by id) or level (by its number from "0" on).

        Raises ``KeyError`` with what there is.
        """
        answers = self._read.answers.get(key)
        if answers is None:
            raise KeyError(f"the case has no question {key!r}, only {', '.join(self._read.answers)}")
        if answer not in answers:
            raise KeyError(f"question {key!r} has no answer {answer!r}, only {', '.join(answers)}")
        return answers[answer] > 0.5

    def asks(self, key: str, text: str) -> bool:
        """Whether a text is the instructions of the case's question ``key``."""
        return bool(self._read.table.questions[key]["instructions"] == text)

    def instructions(self) -> dict[str, str]:
        """The instructions of the case's questions, by key."""
        return {key: question["instructions"] for key, question in self._read.table.questions.items()}

    def fact(self, name: str) -> Truth:
        """Something that no question of the case asks, true in some worlds: the same for the same name."""
        return self._read.joint.event(f"fact {name}") > 0.5
