"""When a chat model is not worth asking any more, and what to do about it."""

from __future__ import annotations

from pytest_jevbench.errors import ModelDown, ModelError, Unreachable

__all__ = ["KEY_VARIABLE", "MOST_FAILURES", "given_up", "is_final"]

KEY_VARIABLE = "JEVBENCH_CHAT_API_KEY"
MOST_FAILURES = 3
"""So many failed cases in a row, each with its own attempts, end a run."""


def is_final(error: ModelError) -> bool:
    """Whether every other request would fail alike: no right, no such address or model, nobody there."""
    return error.status in (401, 403, 404) or (isinstance(error, Unreachable) and error.status is None)


def given_up(error: ModelError, model: str, *, option: str = "--url", variable: str = KEY_VARIABLE) -> ModelDown:
    """The end of a run, with what to do. ``option`` gave the address, ``variable`` the key."""
    if error.status in (401, 403):
        advice = f"Check the key in the environment variable {variable}"
    elif error.status == 404:
        advice = f"Check {option}, and whether the server has a model called {model}"
    else:
        advice = "See to the server, then run again: what there is is kept"
    return ModelDown(f"{str(error).rstrip('.')}. {advice}", status=error.status, attempts=error.attempts)
