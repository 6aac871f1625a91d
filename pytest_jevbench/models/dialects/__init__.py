"""The ways to ask a model, by name. Nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.models.dialect_names import ALL_DIALECTS, CHAT, DIALECT_NAMES
from pytest_jevbench.models.dialects.base import Dialect
from pytest_jevbench.models.dialects.decisions import DECISIONS
from pytest_jevbench.models.dialects.gradio_space import GRADIO, gradio_space
from pytest_jevbench.models.dialects.list_form import LIST
from pytest_jevbench.models.dialects.local_openjev import LOCAL_OPENJEV, local_openjev
from pytest_jevbench.models.dialects.needle import NEEDLE, needle
from pytest_jevbench.models.dialects.openai import openai
from pytest_jevbench.models.dialects.openai_decisions import OPENAI_DECISIONS
from pytest_jevbench.models.dialects.systemone import SYSTEMONE

__all__ = ["DIALECT_NAMES", "Dialect", "dialect_of"]

_PLAIN = {dialect.name: dialect for dialect in (SYSTEMONE, LIST, DECISIONS, OPENAI_DECISIONS)}
_MADE: Mapping[str, Callable[[Mapping[str, Any] | None], Dialect]] = {
    CHAT: openai,
    GRADIO: gradio_space,
    LOCAL_OPENJEV: local_openjev,
    NEEDLE: needle,
}


def dialect_of(name: str, options: Mapping[str, Any] | None = None) -> Dialect:
    """The dialect of a name; ``options`` are further fields of each request to a chat model, or what else it takes.

    Raises :class:`InputError` for a name that is none, and for options that the dialect does not take.
    """
    if name in _MADE:
        return _MADE[name](options)
    if name not in _PLAIN:
        raise InputError.unexpected(name, f"one of {', '.join(ALL_DIALECTS)}", Place(field="dialect"))
    if options:
        raise InputError(
            f"found {shown(sorted(options))}, and the dialect {name} has no further fields",
            place=Place(field="request options"),
            advice=f"Leave them out, or ask a chat model with the dialect {CHAT}",
        )
    return _PLAIN[name]
