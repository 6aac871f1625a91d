"""The fixtures a user's own tests and conftests may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_jevbench.plugin.keys import MODEL, REPLICA

if TYPE_CHECKING:
    from pytest_jevbench.plugin.judged_test import JevbenchTest
    from pytest_jevbench.plugin.replica import Replica

__all__ = ["jevbench_model", "jevbench_replica", "jevbench_test"]


@pytest.fixture(scope="session")
def jevbench_model(pytestconfig: pytest.Config) -> Any:
    """The model under test. Override it in the root conftest with a callable (state, questions) -> answers."""
    model = pytestconfig.stash.get(MODEL, None)
    if model is None:
        raise pytest.UsageError(
            "jevbench_model: no suite and no model were asked for; give --jevbench-suite and a model"
        )
    return model.model()


@pytest.fixture
def jevbench_test(request: pytest.FixtureRequest) -> JevbenchTest:
    """One test of the suite that ``@pytest.mark.jevbench_suite(suite=...)`` names, asked and judged.

    The function runs once for each test of the suite, and fails where the law is violated, after its body.
    """
    from pytest_jevbench.plugin.part_asking import ask_and_judge

    return ask_and_judge(request.node, request.param)


@pytest.fixture(scope="session")
def jevbench_replica(pytestconfig: pytest.Config) -> Replica:
    """The replica that this process is for: its ``index`` of ``count``, from 0, and its ``url`` or None.

    With pytest-xdist each worker has its own, and a replacement worker that of the one it replaces, so that a fixture
    ``jevbench_model`` can pin a device: ``torch.device("cuda", jevbench_replica.index)``.
    """
    from pytest_jevbench.plugin.replica import Replica

    return pytestconfig.stash.get(REPLICA, Replica())
