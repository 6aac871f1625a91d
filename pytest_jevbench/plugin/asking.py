"""What one process asks: the model it was given, opened at its first use, and the asker in front of it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from pytest_jevbench.runs.asking import Asker, Tally

if TYPE_CHECKING:
    from pytest_jevbench.models.protocol import Identity, Model, Reply
    from pytest_jevbench.questions import Request

__all__ = ["ProcessModel"]

Opener = Callable[["pytest.Item | None"], "Model"]


class ProcessModel:
    """The model of this process. ``opener`` makes it; it gets the item that needs it first, or None."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._model: Model | None = None
        self._asker: Asker | None = None
        self.broken = ""
        """Why the model could not be opened."""

    @property
    def identity(self) -> Identity | None:
        """Who is asked, once it is open."""
        return None if self._model is None else self._model.identity

    def model(self, item: pytest.Item | None = None) -> Model:
        """The model, opened at the first call."""
        if self._model is None:
            self._model = self._opener(item)
        return self._model

    def asker(self, item: pytest.Item | None = None) -> Asker:
        """The asker in front of the model. A model that cannot be opened stops the session: nothing can be judged."""
        if self._asker is None:
            try:
                model = self.model(item)
            except Exception as error:
                self.broken = f"{type(error).__name__}: {error}"
                if item is not None:
                    item.session.shouldstop = f"the model could not be opened ({self.broken})"
                raise

            def answer(request: Request) -> tuple[Reply, bool]:
                return model.ask(request), False

            self._asker = Asker(answer)
        return self._asker

    def tally(self) -> Tally:
        """What has been asked so far."""
        return Tally() if self._asker is None else copy.copy(self._asker.tally)

    def spent_since(self, earlier: Tally) -> list[Any]:
        """Requests, hits and seconds since an earlier tally, as plain JSON."""
        spent = self.tally().since(earlier)
        return [spent.requests, spent.hits, round(spent.seconds, 6)]

    def close(self) -> None:
        """Close the model if it was opened."""
        if self._model is not None:
            self._model.close()
            self._model = None
