"""Metamorphic coherence tests for typed decision models, as pytest items and from Python.

::

    from pytest_jevbench import evaluate, systemone

    card = evaluate(systemone("http://127.0.0.1:8000"), "jevbench-mini")
    print(card.overall.score)

docs/python-api.md has the whole of it. What is named here is imported at its first use: a project that has the plugin
installed and does not use it pays for nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_jevbench.api import (
        Card,
        Comparison,
        EvaluationInterrupted,
        ModelCheck,
        ModelSpec,
        RelationInfo,
        RunEstimate,
        Violation,
        check,
        compare,
        describe,
        estimate,
        evaluate,
        from_callable,
        list_relations,
        radar,
        reference,
        systemone,
    )
    from pytest_jevbench.errors import InputError, JevbenchError, ModelError

__version__ = "0.1.0"

__all__ = [
    "Card",
    "Comparison",
    "EvaluationInterrupted",
    "InputError",
    "JevbenchError",
    "ModelCheck",
    "ModelError",
    "ModelSpec",
    "RelationInfo",
    "RunEstimate",
    "Violation",
    "__version__",
    "check",
    "compare",
    "describe",
    "estimate",
    "evaluate",
    "from_callable",
    "list_relations",
    "radar",
    "reference",
    "systemone",
]

_ERRORS = ("InputError", "JevbenchError", "ModelError")


if not TYPE_CHECKING:  # a type checker reads the imports above, and a name that is none stays an error to it

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{'errors' if name in _ERRORS else 'api'}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
