"""Whose stored answers a run without a model replays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_jevbench.errors import InputError
from pytest_jevbench.models.identity_key import details_of
from pytest_jevbench.models.opening import ModelSpec, expected_identity
from pytest_jevbench.models.protocol import Identity

if TYPE_CHECKING:
    from pytest_jevbench.models.private_store import PrivateStore
    from pytest_jevbench.models.store import AnswerStore, StoredModel

__all__ = ["recorded_model"]


def recorded_model(spec: ModelSpec | None, store: AnswerStore | PrivateStore) -> tuple[Identity, str | None]:
    """The model whose answers are used, and the name it answered under: the last used one that fits the options.

    A conftest's model is not made to learn its name: the last used one stands for it. Raises :class:`InputError` where
    the store has no answers.
    """
    models: list[StoredModel] = getattr(store, "models", list)()
    if not models:
        raise InputError(
            "offline, and the store has no answers", advice="Record a run with the model first, or name its store"
        )
    fitting = [model for model in models if spec is None or _fits(spec, model)]
    if spec is not None and not fitting:
        return expected_identity(spec), None
    parts = fitting[0].key.parts
    recorded = Identity(
        parts.get("dialect", ""),
        parts.get("name", ""),
        parts.get("revision", ""),
        parts.get("launch", ""),
        parts.get("address", ""),
        details=details_of(parts),
    )
    if spec is not None:
        recorded = replace(expected_identity(spec), name=recorded.name)
    return recorded, parts.get("answered")


def _fits(spec: ModelSpec, model: StoredModel) -> bool:
    expected, parts = expected_identity(spec), model.key.parts
    same = all(parts.get(part, "") == getattr(expected, part) for part in ("dialect", "revision", "launch"))
    named = spec.model or spec.reference
    same = same and details_of(parts) == expected.details
    return same and (not named or parts.get("name", "") == expected.name)
