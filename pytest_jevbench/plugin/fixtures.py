"""The fixtures a user's own tests and conftests may use."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_jevbench.plugin.keys import MODEL

__all__ = ["jevbench_model"]


@pytest.fixture(scope="session")
def jevbench_model(pytestconfig: pytest.Config) -> Any:
    """The model under test. Override it in the root conftest with a callable (state, questions) -> answers."""
    model = pytestconfig.stash.get(MODEL, None)
    if model is None:
        raise pytest.UsageError(
            "jevbench_model: no suite and no model were asked for; give --jevbench-suite and a model"
        )
    return model.model()
