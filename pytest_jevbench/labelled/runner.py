"""Asking labelled tasks, one after another, so that nothing that was paid for is lost or paid for twice.

For each task: reserve its worst case, ask, write request and response to a file of their own, settle, judge, append the
result. Nothing is asked again: neither an answer that is invalid nor one that did not come.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

from pytest_jevbench.errors import AnswerFormatError, ModelError, OverBudget, Overspent, Refused
from pytest_jevbench.labelled.outcomes import not_asked, result_of
from pytest_jevbench.labelled.preflight import check_askable, check_budget, check_folder
from pytest_jevbench.labelled.raw_files import Outcome, RawFiles, RawOutcome
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.labelled.results import TaskResult
from pytest_jevbench.labelled.results_log import ResultsLog
from pytest_jevbench.models.dialects.base import Dialect
from pytest_jevbench.models.exchange import Exchange, Recording
from pytest_jevbench.models.ledger import Ledger
from pytest_jevbench.models.money import Prices, cost_of, most_tokens, worst_case
from pytest_jevbench.models.protocol import Model, Reply

__all__ = ["DERIVED", "FLAT_RATE", "LOCAL", "NO_ACCOUNT", "STOP_STATUSES", "LabelledRun", "Tariff", "beside"]

STOP_STATUSES = (401, 403, 429)
"""HTTP statuses that end a run: who is not let in, or is asked to wait, is not asked any more."""
FAILURES_IN_A_ROW = 3
"""So many requests in a row that no usable answer came to end a run, too."""

DERIVED = "derived_usage_times_tariff"
LOCAL = "local_no_provider_tariff"
NO_ACCOUNT = "no_billable_account_public_endpoint"
FLAT_RATE = "flat_rate_subscription_no_per_token_tariff"


@dataclass(frozen=True, slots=True)
class Tariff:
    """What requests cost: by ``prices``, as far as usage is told; else nothing is known, and ``basis`` may say why."""

    prices: Prices | None = None
    basis: str | None = None


@dataclass
class LabelledRun:
    """One model asked the ``tasks`` one after another on the thread that calls.

    ``raw`` and ``log`` are where everything is kept. ``dialect`` is how the model is asked, where that is one of ours.
    ``ledger`` is there where there is a budget; ``delay`` is the pause before every request but the first, in seconds.
    ``sleep`` and ``now`` are injected. ``stopped`` says why nothing more is asked; what was not asked then is
    unattempted, never wrong.
    """

    tasks: Sequence[Task]
    model: Model
    raw: RawFiles
    log: ResultsLog
    dialect: Dialect | None = None
    ledger: Ledger | None = None
    tariff: Tariff = field(default_factory=Tariff)
    delay: float = 0.0
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], datetime] = lambda: datetime.now(timezone.utc)
    stopped: str = ""
    asked: int = 0
    """How many requests were sent here."""
    on_record: int = 0
    """How many tasks an earlier run had asked."""
    _failures: int = 0
    _over_budget: dict[str, TaskResult] = field(default_factory=dict)

    def preflight(self) -> None:
        """Find out, before the first request, all that would fail after it was paid for.

        Raises :class:`InputError`: a task that the dialect cannot ask as it stands, a raw file in the way, a folder
        that cannot be written, a budget that does not cover a single request.
        """
        left = [task for task in self.tasks if task.id not in self.log.results]
        check_folder(self.raw.folder)
        self.raw.check(left)
        if self.dialect is not None:
            check_askable(left, self.dialect, self.model.identity.name)
        if self.ledger is not None and left:
            check_budget(self.ledger, self._worst(left[0]))

    def result(self, task: Task) -> TaskResult:
        """What came of a task: what is on record, or else what comes of asking it now.

        Raises ``OSError`` where the answer cannot be kept.
        """
        known = self.log.results.get(task.id)
        if known is not None:
            self.on_record += 1
            return known
        outcome = self.raw.outcome(task)
        if outcome is not None:
            self.on_record += 1
            return self._record(task, outcome, self._cost(outcome.got), None)
        if self.stopped:
            return not_asked(task, "unattempted", self.stopped)
        return self._ask(task)

    def results(self) -> list[TaskResult]:
        """The result of every task, in order; those without one are unattempted."""
        known = {**self._over_budget, **self.log.results}
        return [known.get(task.id) or not_asked(task, "unattempted", self.stopped) for task in self.tasks]

    def close(self) -> None:
        """Let go of the model and of the file of results."""
        try:
            self.model.close()
        finally:
            self.log.close()

    def _ask(self, task: Task) -> TaskResult:
        if self.asked and self.delay:  # before anything is reserved: a pause that is broken off has cost nothing
            self.sleep(self.delay)
        reserved = self._worst(task)
        number = None
        if self.ledger is not None:
            try:
                number = self.ledger.reserve(reserved)
            except (OverBudget, Overspent) as error:
                self.stopped = str(error)
                over = self._over_budget[task.id] = not_asked(task, "over_budget", str(error))
                return over
        self.asked += 1
        outcome, exchanges = self._exchange(task)
        stops = self._stops(task, outcome.got)
        self.raw.write(task, outcome, exchanges, stopped=stops)
        cost = self._cost(outcome.got)
        if self.ledger is not None and number is not None:
            try:
                self.ledger.settle(number, cost)
            except Overspent as error:  # the answer is there and paid for; nothing more is sent
                self.stopped = str(error)
        if stops:
            return not_asked(task, "unattempted", self.stopped)
        return self._record(task, outcome, cost, reserved if self.ledger is not None else None)

    def _exchange(self, task: Task) -> tuple[Outcome, list[Exchange]]:
        """The one request of a task, whatever it led to."""
        exchanges: list[Exchange] = []
        recording = isinstance(self.model, Recording)
        if isinstance(self.model, Recording):
            self.model.record = exchanges.append
        got: RawOutcome
        began = time.perf_counter()
        try:
            got = self.model.ask(task.request())
        except (Refused, AnswerFormatError, ModelError) as error:
            got = error
        seconds = time.perf_counter() - began
        if isinstance(got, Reply):
            seconds = got.seconds or seconds
        if not recording:
            received = dict(got.answers) if isinstance(got, Reply) else None
            problem = "" if isinstance(got, Reply) else str(got)
            exchanges.append(Exchange(task.request().body(), received, seconds=seconds, problem=problem))
        return Outcome(got, self.now().isoformat(timespec="seconds"), seconds), exchanges

    def _stops(self, task: Task, got: RawOutcome) -> bool:
        """Whether an outcome ends the run and is none of the task's; counts failures in a row on the way."""
        status = getattr(got, "status", None)
        words = "its words are not told, the task is private" if task.private else str(got)
        if status in STOP_STATUSES:
            self.stopped = f"the server answered HTTP {status}: {words}"
            return True
        if isinstance(got, (Reply, Refused, AnswerFormatError)):
            self._failures = 0
            return False
        self._failures += 1
        if self._failures >= FAILURES_IN_A_ROW:
            self.stopped = f"{self._failures} requests in a row got no usable answer; the last: {words}"
        return False

    def _record(self, task: Task, outcome: Outcome, cost: Decimal | None, reserved: Decimal | None) -> TaskResult:
        result = result_of(task, outcome, self.dialect, self.model.identity.name)
        basis = DERIVED if cost is not None else self.tariff.basis
        result = replace(
            result,
            cost_usd=None if cost is None else float(cost),
            cost_basis=basis,
            reserved_usd=float(reserved) if reserved is not None and cost is None else None,
        )
        self.log.append(result)
        return result

    def _cost(self, got: RawOutcome) -> Decimal | None:
        prices = self.tariff.prices
        return cost_of(got.usage, prices) if prices is not None and isinstance(got, Reply) else None

    def _worst(self, task: Task) -> Decimal:
        """What asking a task costs at most."""
        prices = self.tariff.prices
        if prices is None:
            return Decimal(0)
        request = task.request()
        sent, longest = None, None
        if self.dialect is not None:
            sent = len(self.dialect.write(request, self.model.identity.name).encode())
            longest = self.dialect.longest_output
        return worst_case(most_tokens(request, longest_output=longest, sent_bytes=sent), prices)


def beside(document: Path) -> tuple[Path, Path]:
    """Where results and raw files of a run lie whose document is written here.

    >>> [path.name for path in beside(Path("jevbench-labelled.json"))]
    ['jevbench-labelled.results.jsonl', 'jevbench-labelled.raw']
    """
    stem = document.name.removesuffix(".json")
    return document.with_name(f"{stem}.results.jsonl"), document.with_name(f"{stem}.raw")
