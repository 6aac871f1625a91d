"""All that is wrong with files of labelled tasks, told at once."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_jevbench.counting import counted
from pytest_jevbench.errors import InputError

__all__ = ["SHOWN", "TaskProblems"]

SHOWN = 20
"""So many problems stand in the message of an error; ``tasks validate`` prints all."""


class TaskProblems(InputError):
    """Files of labelled tasks cannot be used: ``problems`` are all that was found, in the order of the files."""

    def __init__(self, problems: Sequence[InputError]) -> None:
        self.problems = tuple(problems)
        first = self.problems[0]
        super().__init__(first.problem, place=first.place, advice=first.advice)

    def _text(self) -> str:
        if len(self.problems) == 1:
            return super()._text()
        lines = [f"{counted(len(self.problems), 'problem')} in the labelled tasks", *map(str, self.problems[:SHOWN])]
        if len(self.problems) > SHOWN:
            lines.append(f"... and {len(self.problems) - SHOWN} more; `pytest-jevbench tasks validate` prints all")
        return "\n  ".join(lines)
