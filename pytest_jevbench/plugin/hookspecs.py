"""The hooks that a conftest or another plugin may implement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_jevbench.plugin.replica import Replica
    from pytest_jevbench.relations.own_registry import Registry

__all__ = ["pytest_jevbench_card", "pytest_jevbench_model", "pytest_jevbench_relations"]


@pytest.hookspec(firstresult=True)
def pytest_jevbench_model(config: pytest.Config, replica: Replica) -> Any:
    """Give the model to be tested, where no option on the command line names one.

    Return a callable ``(state, questions) -> answers`` or a :class:`~pytest_jevbench.models.protocol.Model`.
    It is called once in every process that asks, and with ``--jevbench-replicas=N`` in one process N times.
    ``replica`` has the ``index`` of the replica wanted, from 0, and their ``count``. The model is asked one request on
    the controller before any test. For example::

        # conftest.py
        def pytest_jevbench_model(config, replica):
            from my_project import load_model
            return load_model("checkpoints/latest", device=f"cuda:{replica.index}")
    """


def pytest_jevbench_relations(registry: Registry) -> None:
    """Add laws of your own, before the tests of a run are planned.

    Called once in every process, when the run begins: the conftest must be loaded by then (that of the root directory
    is). They get tests on cases of your own and on suites that were frozen with them. For example::

        # conftest.py
        from pytest_jevbench.own_laws import OwnLaw, at_most

        def pytest_jevbench_relations(registry):
            registry.add(RefundNeedsOrder)
    """


def pytest_jevbench_card(config: pytest.Config, card: Mapping[str, Any]) -> None:
    """Called once, on the controller, with the finished coherence card, after it was written.

    The card is the JSON value of docs/card.md; changing it changes nothing. For example, to log scores to a tracker::

        # conftest.py
        def pytest_jevbench_card(config, card):
            tracker.log(card["scores"]["overall"])
    """
