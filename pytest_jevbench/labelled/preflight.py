"""What would fail after a request was paid for, found before the first one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from pytest_jevbench.errors import InputError, Place, Refused
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.models.dialects.base import Dialect
from pytest_jevbench.models.ledger import Ledger

__all__ = ["check_askable", "check_budget", "check_folder"]

_SHOWN = 10


def check_folder(folder: Path) -> None:
    """Refuse a folder in which no file can be made. Raises :class:`InputError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.unlink(missing_ok=True)
        with probe.open("x"):
            pass
        probe.unlink()
    except OSError as error:
        raise InputError(
            f"no file can be made there ({error.strerror or error})",
            place=Place(folder),
            advice="Give --jevbench-raw=FOLDER elsewhere",
        ) from None


def check_askable(tasks: Sequence[Task], dialect: Dialect, model: str) -> None:
    """Refuse tasks that would not arrive as they stand, all at once. Raises :class:`InputError`."""
    problems: dict[str, str] = {}
    for task in tasks:
        try:
            dialect.write(task.request(), model)
            if dialect.in_process is not None:
                dialect.in_process.check(task.question)
        except Refused as error:
            problems[task.id] = "(not told: private)" if task.private else str(error).removeprefix("not sent: ")
    if problems:
        raise InputError(_words(problems, dialect.name), place=Place(field="dialect"))


def _words(problems: Mapping[str, str], dialect: str) -> str:
    lines = [f"{len(problems)} of the tasks cannot be asked in the dialect {dialect}"]
    lines += [f"{task_id}: {problem}" for task_id, problem in list(problems.items())[:_SHOWN]]
    if len(problems) > _SHOWN:
        lines.append(f"... and {len(problems) - _SHOWN} more")
    return "\n  ".join(lines)


def check_budget(ledger: Ledger, worst: Decimal) -> None:
    """Refuse a budget that does not cover one request of this worst case. Raises :class:`InputError`."""
    spent = ledger.spent()
    used_up = spent.max_requests is not None and spent.requests >= spent.max_requests
    if used_up or (spent.max_usd is not None and spent.charged + worst > spent.max_usd):
        raise InputError(
            f"the budget covers no request more ({spent}; the next may cost ${worst:f})",
            place=Place(ledger.path),
            advice="A new budget needs a new ledger: --jevbench-ledger=FILE",
        )
