"""Trying again: how often, how long, how far apart."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from tenacity import RetryCallState, Retrying

from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.models.reading_replies import Trouble

__all__ = ["Attempted", "Retrier", "RetryPolicy"]


TOLD_FROM = 2.0
"""Seconds of waiting that whoever watches is told of before they pass."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How a request is tried again; all times in seconds.

    ``retries`` attempts after the first one, none later than ``total`` seconds after it. The wait before retry n (from
    0) is drawn evenly from the upper half of ``first_wait`` · 2ⁿ, at most ``longest_wait``; a wait that the server asks
    for takes its place, at most ``longest_asked_wait``.
    """

    retries: int = 4
    total: float = 300.0
    first_wait: float = 0.5
    longest_wait: float = 30.0
    longest_asked_wait: float = 60.0

    def backoff(self, retry: int, chance: float) -> float:
        """The wait before retry ``retry`` (from 0) where the server asked for none; ``chance`` is in [0, 1)."""
        longest = min(self.longest_wait, self.first_wait * 2.0 ** min(retry, 60))
        return longest * (0.5 + 0.5 * chance)


class Attempted(NamedTuple):
    """The outcome of the last attempt, how many there were, and why there were no more."""

    outcome: Reply | Trouble
    attempts: int
    stopped: str = ""


class Retrier:
    """Runs attempts by a policy. Sleeping is injected, and the jitter has a generator of its own."""

    def __init__(self, policy: RetryPolicy, sleep: Callable[[float], None], tell: Callable[[str], None]) -> None:
        self.somebody_else: Callable[[], bool] = lambda: False
        """Whether a request that timed out can be asked elsewhere, and so is not tried here again."""
        self._policy = policy
        self._tell = tell
        # never the shared generator: a user's seeded tests must not see us draw
        self._random = random.Random()
        self._stopped = ""
        self._spent = 0.0
        self._planned = (0, 0.0)
        self._retrying = Retrying(
            sleep=sleep,
            stop=self._stop,
            wait=self._wait,
            retry=lambda state: _trouble(state) is not None,
            before_sleep=self._say,
            retry_error_callback=lambda state: state.outcome.result() if state.outcome else None,
        )

    def run(self, attempt: Callable[[int], Reply | Trouble], spent: float = 0.0) -> Attempted:
        """Attempt until there is a reply, a trouble that trying again cannot mend, or no attempt left.

        ``attempt`` is given its number, from 1. ``spent`` seconds have passed since the first one began.
        """
        count = 0

        def one() -> Reply | Trouble:
            nonlocal count
            count += 1
            return attempt(count)

        self._stopped = ""
        self._spent = spent
        self._planned = (0, 0.0)
        outcome: Reply | Trouble = self._retrying(one)
        return Attempted(outcome, count, self._stopped)

    def _wait(self, state: RetryCallState) -> float:
        """The wait after an attempt, drawn once however often and in whatever order it is asked for."""
        number = state.attempt_number
        if self._planned[0] != number:
            trouble = _trouble(state)
            asked = trouble.wait if trouble is not None else None
            if asked is None:
                wait = self._policy.backoff(number - 1, self._random.random())
            else:
                wait = min(asked, self._policy.longest_asked_wait)
            self._planned = (number, wait)
        return self._planned[1]

    def _stop(self, state: RetryCallState) -> bool:
        if state.attempt_number > self._policy.retries:
            return True
        trouble = _trouble(state)
        if trouble is not None and trouble.timed_out and self.somebody_else():
            return True
        passed = self._spent + max(state.seconds_since_start or 0.0, state.idle_for)
        wait = self._wait(state)
        if passed + wait > self._policy.total:
            self._stopped = (
                f"the next attempt was due in {wait:.1f} s, past the {self._policy.total:g} s allowed for one request"
            )
            return True
        return False

    def _say(self, state: RetryCallState) -> None:
        trouble, wait = _trouble(state), self._wait(state)
        if trouble is None or wait < TOLD_FROM:
            return
        longest = self._policy.longest_asked_wait
        asked = trouble.wait if trouble.wait is not None and trouble.wait > longest else None
        self._tell(
            f"{trouble.message}; asking again in {wait:.0f} s, retry {state.attempt_number} of {self._policy.retries}"
            + (
                ""
                if asked is None
                else f" (the server asked to wait {asked:g} s; {longest:g} s is the longest allowed)"
            )
        )


def _trouble(state: RetryCallState) -> Trouble | None:
    """The trouble of the last attempt, if trying again may mend it."""
    result = state.outcome.result() if state.outcome is not None else None
    return result if isinstance(result, Trouble) and result.kind == "again" else None
