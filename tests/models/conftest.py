"""What the tests of models share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_jevbench.models.systemone import SystemOne
from pytest_jevbench.questions import Choice, Noul, Request, Score


class Connect:
    """Opens System One models whose waits are written down instead of waited for, and closes them at the end."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.told: list[str] = []
        self.opened: list[SystemOne] = []

    def __call__(self, url: str, **options: Any) -> SystemOne:
        facts: dict[str, Any] = {"model": "m", "environ": {}, **options}
        model = SystemOne(url, sleep=self.slept.append, tell=self.told.append, **facts)
        self.opened.append(model)
        return model


@pytest.fixture
def connect() -> Iterator[Connect]:
    connect = Connect()
    yield connect
    for model in connect.opened:
        model.close()


@pytest.fixture
def request_of_all_types() -> Request:
    """One question of each type."""
    return Request(
        {"text": "The lid is cracked."},
        {
            "n": Noul("Is it broken?"),
            "c": Choice("Which part?", {"lid": "The cover", "cup": "The vessel"}),
            "s": Score("How bad?", ("not", "somewhat", "very")),
        },
    )


ONE_NOUL = Request("x", {"n": Noul("Is it?")})
