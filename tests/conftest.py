"""Fixtures for all tests."""

from __future__ import annotations

import pytest

from tests.importing import import_everything
from tests.servers.fixtures import jevcompat_mock, laya_limited, sparrow, start_server

__all__ = ["jevcompat_mock", "laya_limited", "pytester", "sparrow", "start_server"]


@pytest.fixture(scope="session")
def everything_imported() -> None:
    """Before the first ``pytester``, which forgets at its end whatever was imported after it was made."""
    import_everything()


@pytest.fixture
def pytester(everything_imported: None, pytester: pytest.Pytester) -> pytest.Pytester:
    """Runs pytest in a folder of its own; what it runs in this process finds everything imported."""
    return pytester
