"""Python's search for reference cycles, kept from what lives as long as the run.

A suite's cases, trials and items are hundreds of thousands of objects that nothing frees before the end. Searching them
again and again takes more time than judging the tests.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Generator

import pytest

from pytest_jevbench.plugin.item import JevbenchItem

__all__ = ["pytest_collection", "pytest_runtestloop", "pytest_sessionfinish"]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Make the items without a search."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return (yield)
    finally:
        if enabled:
            gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Leave what there is out of the searches to come."""
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Spare pytest its last searches, and the interpreter its own at its end.

    Only where no test but the suite's can have left anything to find.
    """
    if all(isinstance(item, JevbenchItem) for item in getattr(session, "items", ())):
        gc.freeze()
        atexit.register(gc.freeze)
