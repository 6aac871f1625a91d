"""Replicas of different models are found before their answers are mixed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.models.protocol import Identity, Reply
from pytest_jevbench.models.replica_check import check_answers
from pytest_jevbench.questions import Noul, Request

REQUEST = Request("s", {"q": Noul("Is it?")})


class Server:
    """Answers with these probabilities of yes in turn, the last one for ever."""

    def __init__(self, address: str, probabilities: Sequence[float], name: str = "m") -> None:
        self.identity = Identity("systemone", "default", address=address)
        self._probabilities = list(probabilities)
        self._name = name
        self.asked = 0

    def ask(self, request: Request) -> Reply:
        p = self._probabilities[min(self.asked, len(self._probabilities) - 1)]
        self.asked += 1
        return Reply({"q": {"type": "noul", "noul": p}}, model=self._name)

    def close(self) -> None:
        """Nothing is held."""


def checked(*servers: Server) -> int:
    """How many requests it took, the first server's first one not counted."""
    return len(list(check_answers(servers, REQUEST, servers[0].ask(REQUEST), 0.05)))


def test_equal_answers_take_a_request_a_replica() -> None:
    assert checked(Server("a", [0.7]), Server("b", [0.7]), Server("c", [0.74])) == 2


def test_another_name() -> None:
    with pytest.raises(InputError, match="a and b answer as 'm' and 'other'"):
        checked(Server("a", [0.7]), Server("b", [0.7], "other"))


def test_another_answer() -> None:
    with pytest.raises(InputError, match=r'a and b to "q" are 0\.1 apart, and at most 0\.05 is allowed'):
        checked(Server("a", [0.7]), Server("b", [0.8]))


def test_what_differs_by_chance_may_be_twice_as_far() -> None:
    assert checked(Server("a", [0.7, 0.64]), Server("b", [0.81])) == 2  # 0.11 against 2 x 0.06
    with pytest.raises(InputError, match=r"at most 0\.12 is allowed"):
        checked(Server("a", [0.7, 0.64]), Server("b", [0.83]))
