"""Which cards may become a baseline."""

from __future__ import annotations

from typing import Any

from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.gate_card import gated_run
from pytest_jevbench.scoring.gate_run import run_obstacles

__all__ = ["promotion_obstacles"]


def promotion_obstacles(card: Card) -> tuple[str, ...]:
    """Why a card cannot be a baseline: it is not whole, not of one model, or its own gate did not pass."""
    gate: dict[str, Any] | None = card.data.get("gate")
    refused = gate is not None and gate["decision"] != "passed"
    return (*run_obstacles(gated_run(card)), *((f"its gate {_DECIDED[gate['decision']]}",) if gate and refused else ()))


_DECIDED = {"failed": "failed", "incomplete": "was incomplete"}
