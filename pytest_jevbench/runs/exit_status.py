"""The exit status of a run: one number for what matters most."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FAILED", "INCOMPLETE", "UNREACHABLE", "Ending", "exit_status"]

FAILED = 1
INTERRUPTED = 2
INCOMPLETE = 16
"""Tests were not judged, or were lost, where a verdict was asked for."""
UNREACHABLE = 17
"""The model could not be used at all."""

PRECEDENCE = (4, 3, UNREACHABLE, INTERRUPTED, INCOMPLETE, FAILED, 5, 0)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended.

    ``pytest_status`` is pytest's own exit status, ``interrupted`` whether a person stopped it, ``stopped_by_failures``
    whether ``-x`` or ``--maxfail`` did. ``other_failures`` counts failures that are not ours, ``violations`` those that
    count as failures, ``unjudged`` the tests that were asked and not judged, ``lost`` those never reported. ``gated``
    is whether a gate decides, ``gate_failed`` and ``gate_incomplete`` what it said. ``card_lost`` is whether the card
    could not be written: what reads it next would find that of an earlier run.
    """

    pytest_status: int
    interrupted: bool = False
    stopped_by_failures: bool = False
    other_failures: int = 0
    violations: int = 0
    unjudged: int = 0
    lost: int = 0
    model_unusable: bool = False
    gated: bool = False
    gate_failed: bool = False
    gate_incomplete: bool = False
    card_lost: bool = False


def exit_status(ending: Ending) -> int:
    """The status that goes before all others that apply: 4, 3, 17, 2, 16, 1, 5, 0; unknown ones stay what they are.

    A run stopped by its own ``-x`` is incomplete only where a gate waits for all of it.
    """
    statuses = {0}
    if ending.pytest_status not in (0, FAILED, INTERRUPTED):
        statuses.add(ending.pytest_status)
    if ending.interrupted:
        statuses.add(INTERRUPTED)
    if ending.model_unusable:
        statuses.add(UNREACHABLE)
    lost_without_reason = ending.lost and (ending.gated or not ending.stopped_by_failures)
    if ending.unjudged or lost_without_reason or ending.gate_incomplete or ending.card_lost:
        statuses.add(INCOMPLETE)
    if ending.other_failures or ending.violations or ending.gate_failed:
        statuses.add(FAILED)
    for status in PRECEDENCE:
        if status in statuses:
            other = [s for s in statuses if s not in PRECEDENCE]
            return max(other) if other and status in (0, 5) else status
    return max(statuses)
