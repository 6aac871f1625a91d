"""When to stop asking a model that does not answer."""

from __future__ import annotations

from pytest_jevbench.errors import ModelDown, ModelError

__all__ = ["DOWN_AFTER", "FailureStreak"]

DOWN_AFTER = 25
"""Failures in a row after which a model counts as down."""


class FailureStreak:
    """Counts the failures in a row of one model.

    A request that ended without an answer is one failure; where nothing even took the connection, each attempt is
    one. A refusal is no failure: the server is there. 0 as ``limit`` never gives up.
    """

    def __init__(self, limit: int = DOWN_AFTER) -> None:
        self._limit = limit
        self._count = 0
        self._down: ModelDown | None = None

    def check(self) -> None:
        """Raise :class:`ModelDown` if the model was found to be down."""
        if self._down is not None:
            raise ModelDown(str(self._down), status=self._down.status, body=self._down.body, attempts=0)

    def alive(self) -> None:
        """The model answered or refused: the row is broken."""
        self._count = 0

    def failed(self, error: ModelError, count: int = 1) -> ModelError:
        """Count a failure and return what to raise: the error itself, or that the model is down."""
        self._count += count
        if not self._limit or self._count < self._limit:
            return error
        return self.down(f"the model is down: {self._count} failures in a row; the last: {error}", error)

    def down(self, message: str, error: ModelError) -> ModelDown:
        """Take the model as down from now on."""
        self._down = ModelDown(message, status=error.status, body=error.body, attempts=error.attempts)
        return self._down
