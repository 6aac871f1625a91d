"""Fixtures for all tests."""

from __future__ import annotations

from tests.servers.fixtures import jevcompat_mock, laya_limited, sparrow, start_server

__all__ = ["jevcompat_mock", "laya_limited", "sparrow", "start_server"]
