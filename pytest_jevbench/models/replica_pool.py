"""The replicas of one model behind one question: who is asked, and who instead of a replica that went away."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from functools import partial

from pytest_jevbench.errors import ModelDown, ModelError, NotStored, Unreachable
from pytest_jevbench.models.protocol import Model, Reply
from pytest_jevbench.models.turns import Turn
from pytest_jevbench.questions import Request

__all__ = ["ReplicaPool"]

_MOST_PAIRS = 16
"""With more slots, there are always threads that read while others ask."""

_MOST_LATE = 3
"""Requests in a row that a replica may let wait too long while others answer."""

Hold = Callable[[], AbstractContextManager[object]]


class ReplicaPool:
    """Slots, each of which asks one replica, one request at a time.

    ``models`` has one model a slot; slot ``i`` belongs to replica ``i % replicas``. ``holds``, one a replica, are
    entered around each request where other processes ask the same replicas. A replica that cannot be reached is no loss
    while another one can: its request goes to the others in turn, and so does one that it lets wait too long, after
    three of which in a row it is asked no more. ``tell`` gets a line for each that went away.
    """

    def __init__(
        self,
        models: Sequence[Model],
        *,
        replicas: int | None = None,
        holds: Sequence[Hold] = (),
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self._models = models
        self._replicas = replicas or len(models)
        self._holds = holds
        self._tell = tell
        self._locks = [threading.Lock() for _ in models]
        self._gone: set[int] = set()
        self._late = [0] * self._replicas
        """The requests in a row that each replica has not answered in time."""
        for slot, model in enumerate(models):
            late = getattr(model, "give_up_late_answers_if", None)
            if late is not None:
                late(partial(self._has_others, slot))

    def __len__(self) -> int:
        return len(self._models)

    @property
    def replicas(self) -> int:
        """How many replicas the slots belong to."""
        return self._replicas

    @property
    def threads(self) -> int:
        """How many threads keep all slots busy: where a model lets threads take turns, one asks while another reads.

        Thread ``i`` asks slot ``i % len(self)``, as every method does that is given a number beyond the slots.
        """
        pairs = len(self._models) <= _MOST_PAIRS and all(self._turn(slot) for slot in range(len(self)))
        return len(self) * (2 if pairs else 1)

    def line_up(self, slot: int) -> None:
        """Take this thread's place among those that will ask the slot's model, before it is ready to."""
        turn = self._turn(slot)
        if turn is not None:
            turn.line_up()

    def leave(self, slot: int) -> None:
        """Give up this thread's place, where it has not asked."""
        turn = self._turn(slot)
        if turn is not None:
            turn.step_out()

    def is_gone(self, slot: int) -> bool:
        """Whether the slot's model is down while another one is not."""
        return slot % len(self) in self._gone

    def ask(self, request: Request, slot: int = 0) -> Reply:
        """The reply of the slot's replica, or of another one where that cannot be reached.

        Raises what models raise; :class:`Unreachable` and :class:`ModelDown` only where no replica could be reached.
        """
        slot %= len(self)
        attempts = 0
        last: ModelError | None = None
        for candidate in self._candidates(slot):
            try:
                with self._holding(candidate):
                    reply = self._models[candidate].ask(request)
            except NotStored:
                raise
            except (ModelDown, Unreachable) as error:
                attempts += error.attempts
                last = error
                if isinstance(error, ModelDown):
                    self._lose(candidate, error)
                elif isinstance(error, Unreachable) and error.timed_out:
                    self._was_late(candidate, error)
                continue
            self._late[candidate % self._replicas] = 0
            return reply if not attempts else replace(reply, attempts=reply.attempts + attempts)
        assert last is not None
        last.attempts = attempts
        raise last

    def _candidates(self, slot: int) -> Iterator[int]:
        """The slot, then one of each other replica; slots that went away last, for the error that they raise."""
        if slot not in self._gone:
            yield slot
        seen = set() if slot in self._gone else {slot % self._replicas}
        order = [(slot + step) % len(self._models) for step in range(len(self._models))]
        for candidate in [s for s in order if s not in self._gone] or order[:1]:
            if candidate % self._replicas not in seen:
                seen.add(candidate % self._replicas)
                yield candidate

    def _holding(self, slot: int) -> AbstractContextManager[object]:
        if not self._holds:
            return nullcontext() if self._turn(slot) else self._locks[slot]
        with ExitStack() as stack:
            stack.enter_context(self._locks[slot])
            stack.enter_context(self._holds[slot % self._replicas]())
            return stack.pop_all()

    def _turn(self, slot: int) -> Turn | None:
        """The model's own order of threads, which holds it for less than a whole request."""
        return getattr(self._models[slot % len(self)], "turn", None)

    def _has_others(self, slot: int) -> bool:
        """Whether another replica than the slot's is still there."""
        return any(other % self._replicas != slot % self._replicas for other in self._live())

    def _live(self) -> list[int]:
        return [slot for slot in range(len(self._models)) if slot not in self._gone]

    def _was_late(self, slot: int, error: Unreachable) -> None:
        replica = slot % self._replicas
        self._late[replica] += 1
        if self._late[replica] < _MOST_LATE or not self._has_others(slot):
            return
        late = ModelDown(f"{self._late[replica]} requests in a row were not answered in time; the last: {error}")
        for one in range(replica, len(self._models), self._replicas):
            self._lose(one, late)

    def _lose(self, slot: int, error: ModelDown) -> None:
        if slot not in self._gone:
            self._gone.add(slot)
            if self._tell is not None and len(self._gone) < len(self._models):
                self._tell(f"replica {slot % self._replicas} is asked no more: {error}")
