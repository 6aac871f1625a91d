"""What stands before each attempt that is sent: the pace, then the budget's ledger."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal

from pytest_jevbench.errors import Overspent
from pytest_jevbench.models.ledger import Bill, Ledger
from pytest_jevbench.models.money import Prices, TokenBound, cost_of, most_tokens, worst_case
from pytest_jevbench.models.protocol import Identity, Model, Reply
from pytest_jevbench.models.replicas import Pace
from pytest_jevbench.questions import Request

__all__ = ["Meter", "Metered"]


class Meter:
    """Counts attempts against a budget and spaces them out. One for all replicas of a process; safe in threads.

    Without ``prices`` attempts cost nothing and are only counted. ``overspent`` is set once an attempt cost more than
    was reserved for it: its answer is kept, and nothing more may be sent.
    """

    def __init__(self, pace: Pace | None = None, ledger: Ledger | None = None, prices: Prices | None = None) -> None:
        self._pace = pace
        self._ledger = ledger
        self._prices = prices
        self.overspent: Overspent | None = None

    @property
    def needed(self) -> bool:
        """Whether there is anything to count or to wait for."""
        return self._pace is not None or self._ledger is not None

    @contextmanager
    def attempt(self, request: Request, bound: TokenBound | None = None) -> Iterator[Bill]:
        """Around one attempt: wait for its turn, reserve its worst case, settle what the bill says.

        ``bound`` are the tokens it can use at most, where those of the request in System One are not right.

        Raises :class:`~pytest_jevbench.errors.OverBudget` and :class:`~pytest_jevbench.errors.Overspent` before
        anything is sent.
        """
        if self.overspent is not None:
            raise Overspent(str(self.overspent))
        if self._ledger is None:
            self._wait()
            yield Bill()
            return
        worst = Decimal(0) if self._prices is None else worst_case(bound or most_tokens(request), self._prices)
        number = self._ledger.reserve(worst)
        bill = Bill()
        try:
            self._wait()
            yield bill
        finally:
            try:
                self._ledger.settle(number, bill.cost)
            except Overspent as error:  # the answer is there and paid for; the next attempt is refused
                self.overspent = error

    def bill(self, bill: Bill, reply: Reply) -> None:
        """Enter what an answered attempt cost, as far as the server told."""
        bill.cost = 0 if self._prices is None else cost_of(reply.usage, self._prices)

    def _wait(self) -> None:
        if self._pace is not None:
            self._pace.wait()


class Metered:
    """A model that sends one attempt a request, with the meter before each."""

    def __init__(self, model: Model, meter: Meter) -> None:
        self._model = model
        self._meter = meter

    @property
    def identity(self) -> Identity:
        return self._model.identity

    def ask(self, request: Request) -> Reply:
        """The model's reply; raises what the model and the meter raise."""
        with self._meter.attempt(request) as bill:
            reply = self._model.ask(request)
            self._meter.bill(bill, reply)
        return reply

    def close(self) -> None:
        self._model.close()
