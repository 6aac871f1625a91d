"""How workers are dealt their tests: xdist's work stealing, which no worker ends by dying at the wrong moment."""

from __future__ import annotations

from contextlib import suppress

from xdist.scheduler.worksteal import WorkStealingScheduling  # type: ignore[import-untyped]

__all__ = ["StealingFromTheLiving"]


class StealingFromTheLiving(WorkStealingScheduling):  # type: ignore[misc]
    """Work stealing that goes on where a worker is gone and its end is not yet known here.

    What is sent to such a worker raises ``OSError``, which would end the whole run as an internal error. Its end is the
    next thing to be heard, and then its tests are dealt out again.
    """

    def check_schedule(self) -> None:
        with suppress(OSError):
            super().check_schedule()
