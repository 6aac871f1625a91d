"""What a user is warned of, in one class that filters can name."""

from __future__ import annotations

import sys
import warnings

import pytest

__all__ = ["JevbenchWarning", "notify"]


class JevbenchWarning(pytest.PytestWarning):
    """Something is not as the user meant it, and the run goes on."""


def notify(message: str) -> None:
    """Warn, and never raise: under ``-W error`` the text goes to standard error instead."""
    try:
        warnings.warn(JevbenchWarning(message), stacklevel=2)
    except JevbenchWarning:
        sys.stderr.write(f"JevbenchWarning: {message}\n")
