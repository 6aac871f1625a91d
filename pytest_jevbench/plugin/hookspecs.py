"""The hooks that a conftest or another plugin may implement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["pytest_jevbench_card", "pytest_jevbench_model"]


@pytest.hookspec(firstresult=True)
def pytest_jevbench_model(config: pytest.Config) -> Any:
    """Give the model to be tested, where no option on the command line names one.

    Return a callable ``(state, questions) -> answers`` or a :class:`~pytest_jevbench.models.protocol.Model`.
    It is called once in every process that asks. The model is asked one request on the controller before any
    test. For example::

        # conftest.py
        def pytest_jevbench_model(config):
            from my_project import load_model
            return load_model("checkpoints/latest")
    """


def pytest_jevbench_card(config: pytest.Config, card: Mapping[str, Any]) -> None:
    """Called once, on the controller, with the finished coherence card, after it was written.

    The card is the JSON value of docs/card.md; changing it changes nothing. For example, to log scores to a tracker::

        # conftest.py
        def pytest_jevbench_card(config, card):
            tracker.log(card["scores"]["overall"])
    """
