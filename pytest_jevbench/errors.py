"""The exceptions of the project, one tree.

::

    JevbenchError
    ├── InputError            something a person wrote is wrong: file, line, field, found, advice
    │   └── SuiteError        a suite directory cannot be used as it is
    ├── SealedError           a relation read a model's answer while it built a trial
    ├── BuildError            a relation built a request that no model should be sent
    ├── ModelError            the model gave no answer
    │   ├── Unreachable       nothing answers there, or not within the attempts allowed
    │   │   └── NotStored     offline, and the store has no answer to this request
    │   ├── Refused           the server said no to this request, for good
    │   ├── ModelDown         so many failures in a row that asking on is pointless
    │   └── OverBudget        the request was not sent: the budget does not cover it
    ├── Overspent             a request cost more than was reserved for it: the run must stop
    └── AnswerFormatError     the model answered, and an answer is not in the format
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "MISSING",
    "AnswerFormatError",
    "BuildError",
    "InputError",
    "JevbenchError",
    "ModelDown",
    "ModelError",
    "NotStored",
    "OverBudget",
    "Overspent",
    "Place",
    "Refused",
    "SealedError",
    "SuiteError",
    "Unreachable",
]


class JevbenchError(Exception):
    """Base of all errors raised here. The message is one that a person can act on."""


MISSING: Any = object()
"""What :meth:`InputError.unexpected` is told was found where a field is not there at all."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the user's input something was found; any part may be unknown."""

    file: Path | str | None = None
    line: int | None = None
    field: str | None = None

    def at(self, field: str) -> Place:
        """The place of a part of this one: fields join with a dot."""
        return Place(self.file, self.line, f"{self.field}.{field}" if self.field else field)

    def __str__(self) -> str:
        parts = [str(self.file)] if self.file is not None else []
        if self.line is not None:
            parts.append(f"line {self.line}")
        if self.field:
            parts.append(self.field)
        return ", ".join(parts)


class InputError(JevbenchError):
    """Bad input, told in one line: where, what was found, what to do."""

    def __init__(self, problem: str, *, place: Place | None = None, advice: str = "") -> None:
        self.problem = problem
        self.place = place or Place()
        self.advice = advice
        super().__init__(self._text())

    def _text(self) -> str:
        where = str(self.place)
        text = f"{where}: {self.problem}" if where else self.problem
        return f"{text}. {self.advice}" if self.advice else text

    @classmethod
    def unexpected(cls, found: object, wanted: str, place: Place) -> InputError:
        """``found`` stands where ``wanted`` should, or nothing does: :data:`MISSING`."""
        from pytest_jevbench.json_text import shown

        if found is MISSING:
            return cls("this is missing", place=place, advice=f"Give {wanted}")
        return cls(f"found {shown(found)}", place=place, advice=f"Give {wanted}")


class SuiteError(InputError):
    """A suite directory cannot be used as it is: a file is missing, changed or malformed."""


class SealedError(JevbenchError):
    """A relation read a model's answer while it built a trial; such a plan could not be frozen."""


class BuildError(JevbenchError):
    """A relation built a request that is not well formed (an id twice, an empty description)."""


class ModelError(JevbenchError):
    """The model gave no answer to a request.

    ``status`` is the HTTP status where there was one, ``body`` the start of what came back (already
    free of secrets), ``attempts`` how many requests were sent.
    """

    def __init__(self, message: str, *, status: int | None = None, body: str = "", attempts: int = 1) -> None:
        super().__init__(message)
        self.status = status
        self.body = body
        self.attempts = attempts


class Unreachable(ModelError):
    """No usable answer within the attempts and the time allowed.

    ``timed_out`` is whether the last attempt was given up because nothing came within the time for one answer.
    """

    timed_out: bool = False


class Refused(ModelError):
    """The server refused the request for good (an HTTP 4xx other than 408 and 429)."""


class ModelDown(ModelError):
    """Too many failures in a row: the run stops asking and keeps what it has."""


class NotStored(Unreachable):
    """Offline, and the answer store holds no answer to the request; the message names the request."""


class OverBudget(ModelError):
    """The request was not sent, because its worst case would pass the budget."""


class Overspent(JevbenchError):
    """A request cost more than was reserved for it: a price or a bound is wrong, and the run must stop."""


class AnswerFormatError(JevbenchError):
    """An answer is not in the System One format; the message names the question and the value."""
