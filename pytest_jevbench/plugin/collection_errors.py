"""A run that ends before its first test, because something in the tree could not be collected."""

from __future__ import annotations

import pytest

__all__ = ["SeesCollectionErrors"]


class SeesCollectionErrors:
    """Part of a plugin that writes results: where nothing was run, none takes the place of an earlier result."""

    _begun = False

    def pytest_runtest_logstart(self) -> None:
        self._begun = True

    def ended_in_collection(self, session: pytest.Session) -> bool:
        """Whether a module or folder could not be collected, and so no test was begun."""
        return session.testsfailed > 0 and not self._begun
