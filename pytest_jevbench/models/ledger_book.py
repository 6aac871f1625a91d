"""The rows of a budget's ledger, added up exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.money import dollars, exact_amount

__all__ = ["EXACT", "Book", "Spent", "overspent_text", "whole_number"]

EXACT = Context(prec=60)
_NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a ledger comes to. Amounts are in dollars.

    ``known`` was settled, ``unknown`` requests were sent and their cost is not known (the reservations stay charged),
    ``open`` ones are reserved and not settled; ``held`` is what these two keep reserved, never to be published as a
    price. ``charged`` = known + held counts against the cap. ``unreadable`` lines were skipped.
    """

    requests: int = 0
    known: Decimal = _NOTHING
    unknown: int = 0
    open: int = 0
    held: Decimal = _NOTHING
    max_usd: Decimal | None = None
    max_requests: int | None = None
    unreadable: int = 0

    @property
    def charged(self) -> Decimal:
        return EXACT.add(self.known, self.held)

    def __str__(self) -> str:
        limit = f" of {dollars(self.max_usd)}" if self.max_usd is not None else ""
        requests = f"{self.requests} of {self.max_requests}" if self.max_requests is not None else str(self.requests)
        text = f"{dollars(self.known)} spent in {requests} requests, {dollars(self.charged)}{limit} charged"
        return f"{text}, {self.unknown + self.open} requests of unknown cost" if self.unknown + self.open else text


@dataclass
class Book:
    """The ledger's rows, added up."""

    cap_usd: Decimal | None = None
    cap_requests: int | None = None
    requests: int = 0
    known: Decimal = _NOTHING
    held: Decimal = _NOTHING
    open: dict[str, Decimal] = field(default_factory=dict)
    unknown: int = 0
    overspent: dict[str, str] = field(default_factory=dict)
    unreadable: list[int] = field(default_factory=list)

    def add(self, row: dict[str, Any]) -> None:
        """Enter one row. Raises ``InputError``, ``KeyError`` or ``TypeError`` where it is none of ours."""
        kind, place = row["row"], Place(field="usd")
        if kind == "cap":
            self._add_cap(row, place)
        elif kind == "reserve":
            amount = exact_amount(row["usd"], place)
            if str(row["id"]) in self.open:
                raise KeyError("a number that was given before")
            self.open[str(row["id"])] = amount
            self.requests += 1
            self.held = EXACT.add(self.held, amount)
        elif kind == "settle":
            self._settle(row, place)
        else:
            raise KeyError(kind)

    def _add_cap(self, row: dict[str, Any], place: Place) -> None:
        usd, requests = row.get("usd"), row.get("requests")
        if self.cap_usd is None and usd is not None:
            self.cap_usd = exact_amount(usd, place)
        if self.cap_requests is None and requests is not None:
            self.cap_requests = whole_number(requests)

    def _settle(self, row: dict[str, Any], place: Place) -> None:
        usd = row["usd"]
        amount = None if usd is None else exact_amount(usd, place)
        # The reservation's own line may have been lost: then what was paid is still counted.
        reserved = self.open.pop(str(row["id"]), None)
        self.requests += reserved is None
        self.unknown += amount is None
        if amount is not None:
            self.known = EXACT.add(self.known, amount)
            self.held = EXACT.subtract(self.held, reserved or _NOTHING)
            if reserved is not None and amount > reserved:
                self.overspent.setdefault(str(row.get("run", "")), overspent_text(amount, reserved))


def whole_number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError.unexpected(value, "a number of requests of at least 0", Place(field="the budget in requests"))
    return value


def overspent_text(amount: Decimal, reserved: Decimal) -> str:
    return (
        f"a request cost {dollars(amount)} and {dollars(reserved)} was reserved for it: a price or the bound on its "
        "tokens is wrong, so the budget cannot be kept, and the run stops"
    )
