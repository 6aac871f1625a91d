"""What an answer store says to an estimate: which requests it has answers to, and how many tokens they took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, tee
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from pytest_jevbench.json_text import shown
from pytest_jevbench.models.protocol import Reply, Usage
from pytest_jevbench.questions import Request
from pytest_jevbench.runs.estimating import Estimate, Sizes, TokenRule, add_up, measured_rule, sizes_of

if TYPE_CHECKING:
    from pytest_jevbench.models.identity_key import ModelKey
    from pytest_jevbench.models.model_answers import ModelAnswers

__all__ = ["InStore", "add_up_stored", "nothing_stored"]


class InStore(NamedTuple):
    """The estimate with what is stored taken off, and of which model it is.

    ``rule`` are its tokens a byte and ``seconds`` the median time of a stored request, where they are known.
    """

    estimate: Estimate
    model: str = ""
    rule: TokenRule | None = None
    seconds: float | None = None
    text: str = ""


def nothing_stored(requests: Iterable[Request]) -> InStore:
    """The estimate where every request is to be asked."""
    return InStore(add_up((request, False) for request in requests))


def add_up_stored(requests: Iterator[Request], answers: ModelAnswers, key: ModelKey) -> InStore:
    """The estimate where one model's answers are stored."""
    used: list[tuple[Sizes, Usage]] = []
    times: list[float] = []
    repeats: list[Request] = []

    def first_times() -> Iterator[Request]:
        for request in requests:
            if request.repeat:
                repeats.append(request)
            else:
                yield request

    def looked_up() -> Iterator[tuple[Request, bool]]:
        asked, to_look_up = tee(first_times())
        first = zip(asked, answers.get_many(to_look_up), strict=True)
        for request, recorded in chain(first, ((one, answers.get(one, one.repeat)) for one in repeats)):
            if isinstance(recorded, Reply):
                used.append((sizes_of(request), recorded.usage))
                times.append(recorded.seconds)
            yield request, recorded is not None

    estimate = add_up(looked_up())
    text = f"as in {len(used):,} stored answers"
    seconds = median(times) if any(times) else None
    name = shown(str(key) or "a model without a name", 200).strip('"')
    return InStore(estimate, name, measured_rule(used, text), seconds, text)
