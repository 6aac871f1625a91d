"""Models made in one call, for people who work in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.callable import AnswerFunction, CallableModel, named
from pytest_jevbench.models.opening import ModelSpec, Replicas, key_from_environment
from pytest_jevbench.models.urls import split_urls

__all__ = ["from_callable", "reference", "systemone"]


def systemone(
    url: str,
    *,
    model: str | None = None,
    revision: str = "",
    api_key_env: str | None = None,
    timeout: float = 60.0,
    retries: int = 4,
) -> ModelSpec:
    """A model behind a System One server: ``url`` is its address, or those of its replicas separated by commas.

    ``model`` is the name to ask for (default: what the server lists), ``revision`` tells versions apart where the name
    does not, ``api_key_env`` names the environment variable with the bearer token (default: ``JEVBENCH_API_KEY`` if it
    is set), ``timeout`` is in seconds for one answer, ``retries`` are attempts after the first. Nothing is asked yet.

    Raises :class:`InputError` for an address that is none, or a variable that is not set.
    """
    spec = ModelSpec(
        urls=split_urls(url),
        model=model,
        revision=revision,
        api_key=key_from_environment(api_key_env),
        timeout=timeout,
        retries=retries,
    )
    spec.check()
    return spec


def reference(name: str) -> ModelSpec:
    """A reference model that needs no server: ``uniform``, ``random``, ``luce`` or ``luce_biased``.

    Raises :class:`InputError` for another name.
    """
    spec = ModelSpec(reference=name)
    spec.check()
    return spec


def from_callable(function: AnswerFunction | Sequence[AnswerFunction], name: str | None = None) -> Replicas:
    """A function ``(state, questions) -> answers`` as a model, or a list of them as replicas of one model.

    ``state`` and ``questions`` are the function's own to change; ``answers`` has one answer for each question key. With
    a ``name`` a store keeps the answers from one run to the next: give each version another one. Replicas are called
    side by side, each by one thread at a time; a single function only in the thread that evaluates.

    Raises :class:`InputError` for what cannot be called so (an ``async`` function, a class), or an empty name.
    """
    functions: list[Any] = list(function) if isinstance(function, (list, tuple)) else [function]
    if not functions:
        raise InputError("the list of functions is empty", place=Place(field="from_callable()"))
    return Replicas([CallableModel(one) if name is None else named(one, name) for one in functions])
