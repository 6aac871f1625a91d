"""The decisions form of gateways such as OpenRouter: the body of System One at ``/decisions``.

``probabilities`` are optional in it. An answer without them states no distribution and is invalid: none is made of a
``choice`` and a ``confidence``.
"""

from __future__ import annotations

from pytest_jevbench.models.dialects.base import Dialect, Route
from pytest_jevbench.models.dialects.systemone import read_systemone, write_systemone

__all__ = ["DECISIONS"]

DECISIONS = Dialect("decisions", Route("/decisions", ("/decisions",)), write_systemone, read_systemone)
