"""The budget's ledger: what may be spent, what is reserved, what was spent. One file for all workers.

::

    ledger = Ledger(path, max_usd=Decimal("2.50"))
    number = ledger.reserve(worst)            # before the request leaves; raises OverBudget
    reply = ...
    ledger.settle(number, cost)               # what it really cost, or None where nobody can tell

The file is only ever appended to, one JSON line each, under a lock between processes. Its first cap stands: a later run
cannot raise it. A reservation that is never settled stays charged, as does one whose cost is unknown, so a run that was
killed after paying counts as having paid.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from pytest_jevbench.errors import InputError, OverBudget, Overspent, Place
from pytest_jevbench.json_text import JsonProblem, dumps, loads
from pytest_jevbench.models.ledger_book import EXACT, Book, Spent, overspent_text, whole_number
from pytest_jevbench.models.money import dollars, exact_amount
from pytest_jevbench.models.own_folder import make_folder

__all__ = ["DEFAULT_LEDGER", "Bill", "Ledger", "Spent"]

DEFAULT_LEDGER = Path(".jevbench") / "ledger.jsonl"
"""Where the ledger of a project is kept, under its root directory."""

T = TypeVar("T")


@dataclass
class Bill:
    """What one request cost, to be filled in by whoever sends it; None where nobody can tell."""

    cost: object = None


class Ledger:
    """One ledger file. Any number of threads and processes may use it at once.

    ``max_usd`` and ``max_requests`` become the file's caps if it has none; a smaller one than the file's holds for this
    run alone. ``run`` names the run. Raises :class:`~pytest_jevbench.errors.InputError` where the file cannot be
    written: without it nothing may be spent.
    """

    def __init__(
        self,
        path: Path,
        *,
        max_usd: object = None,
        max_requests: int | None = None,
        run: str = "",
        warn: Callable[[str], None] | None = None,
        lock_seconds: float = 60.0,
    ) -> None:
        self.path = path
        self.run = run
        self._max_usd = None if max_usd is None else exact_amount(max_usd, Place(field="the budget in dollars"))
        self._max_requests = None if max_requests is None else whole_number(max_requests)
        self._warn = warn or _notify
        self._threads = threading.Lock()
        self._book = Book()
        self._offset = 0
        self._line = 0
        self._told = 0
        self._processes = FileLock(f"{path}.lock", timeout=lock_seconds)
        try:
            make_folder(path.parent)
        except OSError as error:
            raise self._unusable(error) from None
        self._locked(self._begin)

    def reserve(self, worst: object = 0) -> str:
        """Charge the worst case of one request before it is sent; the number to settle it by.

        Raises :class:`~pytest_jevbench.errors.OverBudget` where a cap would be passed (nothing is charged then),
        :class:`~pytest_jevbench.errors.Overspent` where a request of this run has cost more than was reserved, and
        :class:`~pytest_jevbench.errors.InputError` for an amount that is none.
        """
        amount = exact_amount(worst, Place(field="the amount to reserve"))

        def work() -> str:
            self._refuse_overspent()
            self._refuse_over_budget(amount)
            number = uuid.uuid4().hex[:16]
            self._append({"row": "reserve", "id": number, "usd": f"{amount:f}", "run": self.run})
            return number

        return self._locked(work)

    def settle(self, number: str, cost: object = None) -> None:
        """Enter what a request really cost, None where that is unknown: then its worst case stays charged.

        A cost above the reservation is entered and then raises :class:`~pytest_jevbench.errors.Overspent`. Raises
        ``ValueError`` for a number that is not open.
        """
        amount = None if cost is None else exact_amount(cost, Place(field="the cost"))

        def work() -> None:
            if number not in self._book.open:
                raise ValueError(f"the ledger has no open reservation {number}")
            reserved = self._book.open[number]
            self._append(
                {"row": "settle", "id": number, "usd": None if amount is None else f"{amount:f}", "run": self.run}
            )
            if amount is not None and amount > reserved:
                raise Overspent(overspent_text(amount, reserved))

        self._locked(work)

    @contextmanager
    def request(self, worst: object = 0) -> Iterator[Bill]:
        """Reserve, let the caller send one request and fill in the bill, settle; also where sending raises.

        A cost that nobody filled in is unknown, because a request that failed may have been billed.
        """
        number = self.reserve(worst)
        bill = Bill()
        try:
            yield bill
        finally:
            self.settle(number, bill.cost)

    def spent(self) -> Spent:
        """What all runs and workers have entered so far."""
        return self._locked(self._spent)

    def _spent(self) -> Spent:
        book = self._book
        usd, requests = self._caps()
        return Spent(
            requests=book.requests,
            known=book.known,
            unknown=book.unknown,
            open=len(book.open),
            held=book.held,
            max_usd=usd,
            max_requests=requests,
            unreadable=len(book.unreadable),
        )

    def _caps(self) -> tuple[Decimal | None, int | None]:
        """The caps of this run: the file's, or smaller ones of its own."""
        usd = [cap for cap in (self._book.cap_usd, self._max_usd) if cap is not None]
        requests = [cap for cap in (self._book.cap_requests, self._max_requests) if cap is not None]
        return min(usd, default=None), min(requests, default=None)

    def _begin(self) -> None:
        """Enter the caps that the file does not have yet; say where it has a smaller one."""
        book = self._book
        new_usd = self._max_usd if book.cap_usd is None else None
        new_requests = self._max_requests if book.cap_requests is None else None
        if new_usd is not None or new_requests is not None:
            usd = None if new_usd is None else f"{new_usd:f}"
            self._append({"row": "cap", "usd": usd, "requests": new_requests, "run": self.run})
        if self._max_usd is not None and book.cap_usd is not None and self._max_usd > book.cap_usd:
            self._warn(
                f"{self.path}: the budget stays {dollars(book.cap_usd)}, the ledger's first, and is not raised to "
                f"{dollars(self._max_usd)}; a new budget needs a new ledger"
            )
        if self._max_requests is not None and book.cap_requests is not None and self._max_requests > book.cap_requests:
            self._warn(
                f"{self.path}: the budget stays {book.cap_requests} requests, the ledger's first, and is not raised to "
                f"{self._max_requests}; a new budget needs a new ledger"
            )

    def _refuse_overspent(self) -> None:
        text = self._book.overspent.get(self.run)
        if text is not None:
            raise Overspent(text)

    def _refuse_over_budget(self, amount: Decimal) -> None:
        usd, requests = self._caps()
        spent = self._spent()
        if requests is not None and spent.requests + 1 > requests:
            raise OverBudget(f"not sent: the budget of {requests} requests is used up", attempts=0)
        if usd is not None and EXACT.add(spent.charged, amount) > usd:
            raise OverBudget(
                f"not sent: it may cost {dollars(amount)}, and {dollars(spent.charged)} of the budget of "
                f"{dollars(usd)} is charged already",
                attempts=0,
            )

    def _locked(self, work: Callable[[], T]) -> T:
        """The result of ``work``, with the rows of all processes read, and while no other writes."""
        with self._threads:
            try:
                with self._processes.acquire(poll_interval=0.002):
                    self._read_new()
                    return work()
            except (OverBudget, Overspent, ValueError):
                raise
            except OSError as error:
                self._forget()
                raise self._unusable(error) from None
            except BaseException:
                self._forget()
                raise

    def _forget(self) -> None:
        """Read the whole file again next time: what was entered may have been cut off in the middle."""
        self._book, self._offset, self._line = Book(), 0, 0

    def _unusable(self, error: OSError) -> InputError:
        if isinstance(error, Timeout):
            return InputError("another process holds the ledger's lock", place=Place(self.path))
        return InputError(
            f"the ledger cannot be written ({error.strerror or error})",
            place=Place(self.path),
            advice="Name a file that can be written: without a ledger no budget can be kept",
        )

    def _read_new(self) -> None:
        """Read what was appended since. A last line without its end is one that a killed process began."""
        with self.path.open("ab+") as file:
            file.seek(self._offset)
            data = file.read()
            if data and not data.endswith(b"\n"):
                file.write(b"\n")
                data += b"\n"
        self._offset += len(data)
        for line in data.split(b"\n")[:-1]:
            self._line += 1
            if line.strip():
                self._enter(line)
        if len(self._book.unreadable) > self._told:
            lines = ", ".join(map(str, self._book.unreadable[self._told :][:5]))
            self._told = len(self._book.unreadable)
            self._warn(f"{self.path}: line {lines} cannot be read (a process may have been killed while it wrote)")

    def _enter(self, line: bytes) -> None:
        try:
            self._book.add(loads(line.decode("utf-8")))
        except (JsonProblem, UnicodeDecodeError, InputError, KeyError, TypeError, AttributeError):
            self._book.unreadable.append(self._line)

    def _append(self, row: dict[str, Any]) -> None:
        """Write one row, and, where money is at stake, have it on the disk before anything is sent."""
        line = dumps(row, compact=True).encode("utf-8") + b"\n"
        with self.path.open("ab") as file:
            file.write(line)
            file.flush()
            if self._max_usd is not None or self._book.cap_usd is not None:
                os.fsync(file.fileno())
        self._offset += len(line)
        self._line += 1
        self._book.add(row)


def _notify(message: str) -> None:
    from pytest_jevbench.warning import notify

    notify(message)
