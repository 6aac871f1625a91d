"""Fixtures for all tests."""

from __future__ import annotations

import numpy  # noqa: F401 - pytester forgets what a test imported, and numpy does not load a second time

from tests.servers.fixtures import jevcompat_mock, laya_limited, sparrow, start_server

__all__ = ["jevcompat_mock", "laya_limited", "sparrow", "start_server"]
