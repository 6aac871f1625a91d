"""The ledger keeps its cap, whatever happens to the processes that use it."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_jevbench.errors import InputError, OverBudget, Overspent
from pytest_jevbench.models.ledger import Ledger
from pytest_jevbench.models.money import dollars

Open = Callable[..., Ledger]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".jevbench" / "ledger.jsonl"


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def ledger(path: Path, told: list[str]) -> Open:
    def open_ledger(**facts: Any) -> Ledger:
        return Ledger(path, warn=told.append, **facts)

    return open_ledger


def rows(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def test_two_billed_attempts_and_a_lost_one_use_up_three_cents(ledger: Open) -> None:
    book = ledger(max_usd="0.03")
    for cost in ("0.01", "0.01", None):  # the third connection was lost, and nobody knows what it cost
        book.settle(book.reserve("0.01"), cost)
    spent = book.spent()
    assert (dollars(spent.known), spent.requests, spent.unknown) == ("$0.02", 3, 1)
    assert (dollars(spent.charged), dollars(spent.held)) == ("$0.03", "$0.01")
    with pytest.raises(OverBudget, match=r"\$0\.03 of the budget of \$0\.03") as caught:
        book.reserve("0.01")
    assert caught.value.attempts == 0
    assert book.spent() == spent
    assert str(spent) == "$0.02 spent in 3 requests, $0.03 of $0.03 charged, 1 requests of unknown cost"


def test_ten_dimes_fill_a_dollar_exactly(ledger: Open) -> None:
    book = ledger(max_usd=1)
    for _ in range(10):
        book.settle(book.reserve(0.1), 0.1)
    assert dollars(book.spent().known) == "$1.00"
    with pytest.raises(OverBudget):
        book.reserve("0.000000000001")
    book.reserve(0)


def test_the_reservation_is_in_the_file_before_the_request_leaves(path: Path, ledger: Open) -> None:
    book = ledger(max_usd="0.10", run="r")
    with book.request("0.07") as bill:
        written = rows(path)
        assert [row["row"] for row in written] == ["cap", "reserve"]
        assert written[0] == {"row": "cap", "usd": "0.1", "requests": None, "run": "r"}
        assert written[1]["usd"] == "0.07"
        bill.cost = "0.05"
    assert rows(path)[2] == {"row": "settle", "id": written[1]["id"], "usd": "0.05", "run": "r"}


def test_a_request_that_fails_stays_charged(ledger: Open) -> None:
    book = ledger(max_usd="0.10")
    with pytest.raises(ConnectionResetError), book.request("0.07"):
        raise ConnectionResetError
    assert (book.spent().unknown, book.spent().charged) == (1, Decimal("0.07"))


def test_an_unsettled_reservation_is_charged_in_later_runs(ledger: Open) -> None:
    ledger(max_usd="0.10").reserve("0.07")
    later = ledger(max_usd="0.10")
    assert (later.spent().open, later.spent().charged) == (1, Decimal("0.07"))
    with pytest.raises(OverBudget):
        later.reserve("0.04")
    later.reserve("0.03")


def test_a_later_run_cannot_raise_the_cap(ledger: Open, told: list[str]) -> None:
    ledger(max_usd="0.10", max_requests=5)
    assert told == []
    later = ledger(max_usd="5", max_requests=50)
    assert (later.spent().max_usd, later.spent().max_requests) == (Decimal("0.1"), 5)
    assert len(told) == 2
    assert "stays $0.10" in told[0]
    assert "stays 5 requests" in told[1]
    assert ledger().spent().max_usd == Decimal("0.1")


def test_a_smaller_cap_holds_for_its_run_alone(ledger: Open) -> None:
    ledger(max_usd="0.10")
    careful = ledger(max_usd="0.02")
    with pytest.raises(OverBudget):
        careful.reserve("0.03")
    ledger(max_usd="0.10").reserve("0.03")


def test_a_cap_on_requests_counts_them_all(ledger: Open) -> None:
    book = ledger(max_requests=2)
    book.settle(book.reserve(), None)
    ledger(max_requests=2).reserve()
    with pytest.raises(OverBudget, match="the budget of 2 requests is used up"):
        book.reserve()
    assert book.spent().requests == 2


def test_a_budget_of_nothing_sends_nothing(ledger: Open) -> None:
    with pytest.raises(OverBudget):
        ledger(max_requests=0).reserve()


def test_a_cost_above_the_reservation_is_recorded_and_stops_the_run(path: Path, ledger: Open) -> None:
    book, other_worker = ledger(max_usd=1, run="a"), ledger(max_usd=1, run="a")
    number = book.reserve("0.10")
    with pytest.raises(Overspent, match=r"\$0\.12 and \$0\.10 was reserved"):
        book.settle(number, "0.12")
    assert book.spent().known == Decimal("0.12")
    assert rows(path)[-1]["usd"] == "0.12"
    for worker in (book, other_worker, ledger(max_usd=1, run="a")):
        with pytest.raises(Overspent):
            worker.reserve("0.01")
    ledger(max_usd=1, run="b").reserve("0.01")


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), -0.01, "nan", True, "x"])
def test_amounts_that_are_none_are_refused_and_nothing_is_written(path: Path, ledger: Open, amount: object) -> None:
    book = ledger(max_usd=1)
    number = book.reserve("0.10")
    before = path.read_bytes()
    with pytest.raises(InputError):
        book.reserve(amount)
    with pytest.raises(InputError):
        book.settle(number, amount)
    with pytest.raises(InputError):
        ledger(max_usd=amount)
    assert path.read_bytes() == before
    assert book.spent().charged == Decimal("0.1")


@pytest.mark.parametrize("requests", [-1, 1.5, True, "3"])
def test_a_number_of_requests_is_a_whole_number(ledger: Open, requests: Any) -> None:
    with pytest.raises(InputError, match="number of requests"):
        ledger(max_requests=requests)


def test_a_reservation_is_settled_once(ledger: Open) -> None:
    book = ledger(max_usd=1)
    number = book.reserve("0.10")
    ledger(max_usd=1).settle(number, "0.05")  # by another worker
    for number_given in (number, "absent"):
        with pytest.raises(ValueError, match="no open reservation"):
            book.settle(number_given, "0.05")
    assert book.spent().known == Decimal("0.05")


@pytest.mark.parametrize("kept", [1, 10, -1])
def test_a_torn_last_line_is_told_and_does_not_swallow_the_next(
    path: Path, ledger: Open, told: list[str], kept: int
) -> None:
    book = ledger(max_usd=1)
    book.settle(book.reserve("0.10"), "0.05")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1].rstrip(b"\n")[:kept])
    later = ledger(max_usd=1)
    assert later.spent().charged == Decimal("0.1")  # the settlement is lost, so the worst case stays charged
    assert later.spent().unreadable == 1
    later.reserve("0.20")
    assert ledger(max_usd=1).spent().charged == Decimal("0.3")
    assert told == [f"{path}: line 3 cannot be read (a process may have been killed while it wrote)"] * 2


def test_a_last_line_that_lacks_its_end_alone_counts(path: Path, ledger: Open, told: list[str]) -> None:
    book = ledger(max_usd=1)
    book.reserve("0.10")
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    later = ledger(max_usd=1)
    later.reserve("0.20")
    assert ledger().spent().charged == Decimal("0.3")
    assert told == []


def test_a_tail_torn_by_another_process_is_mended_by_one_that_is_open(
    path: Path, ledger: Open, told: list[str]
) -> None:
    book = ledger(max_usd=1)
    with path.open("ab") as file:
        file.write(b'{"row":"reserve","id":"x","u')
    book.reserve("0.10")
    assert book.spent().charged == Decimal("0.1")
    assert len(told) == 1
    assert len(path.read_bytes().splitlines()) == 3


@pytest.mark.parametrize(
    "line",
    [
        b"null",
        b"[]",
        b'{"row":"gift","usd":"1"}',
        b'{"row":"reserve","id":"x","usd":"-5"}',
        b'{"row":"reserve","id":"x","usd":NaN}',
        b'{"row":"settle","usd":"1"}',
        b'{"row":"reserve","id":"x","usd":"1","usd":"0"}',
        b"\xff\xfe",
    ],
)
def test_lines_that_are_no_rows_are_told_with_their_number(
    path: Path, ledger: Open, told: list[str], line: bytes
) -> None:
    ledger(max_usd=1).reserve("0.10")
    with path.open("ab") as file:
        file.write(line + b"\n")
    assert ledger().spent().charged == Decimal("0.1")
    assert "line 3 cannot be read" in told[0]


def test_what_was_paid_counts_where_its_reservation_was_lost(path: Path, ledger: Open) -> None:
    ledger(max_usd=1)
    with path.open("ab") as file:
        file.write(b'{"row":"settle","id":"x","usd":"0.25","run":""}\n')
    assert (ledger().spent().known, ledger().spent().requests) == (Decimal("0.25"), 1)


def test_a_ledger_that_cannot_be_written_stops_before_anything_is_spent(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="the ledger cannot be written"):
        Ledger(tmp_path / "file" / "ledger.jsonl", max_usd=1)
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="the ledger cannot be written"):
        Ledger(tmp_path / "folder", max_usd=1)


def test_a_held_lock_is_one_error(path: Path) -> None:
    path.parent.mkdir()
    with FileLock(f"{path}.lock"), pytest.raises(InputError, match="holds the ledger's lock"):
        Ledger(path, max_usd=1, lock_seconds=0.0)


def test_amounts_are_kept_exactly(path: Path, ledger: Open) -> None:
    book = ledger(max_usd="0.3")
    book.reserve("0.1")
    book.reserve("0.2")
    assert ledger().spent().charged == Decimal("0.3")
    assert [row["usd"] for row in rows(path)] == ["0.3", "0.1", "0.2"]


cents = st.integers(0, 60).map(lambda n: Decimal(n) / 100)
steps = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.one_of(cents.map(lambda c: ("reserve", c)), st.tuples(st.just("settle"), st.integers(0, 100))),
    ),
    max_size=25,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps, st.integers(0, 200))
def test_however_four_workers_take_turns_the_cap_is_kept(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Any], cap: int
) -> None:
    """Against a plain sum of what must be charged after each step."""
    path = tmp_path_factory.mktemp("turns") / "ledger.jsonl"
    limit = Decimal(cap) / 100
    workers = [Ledger(path, max_usd=limit, run=str(number)) for number in range(4)]
    charged: dict[str, Decimal] = {}
    opened: list[tuple[str, Decimal]] = []
    for worker, (kind, value) in steps:
        total = sum(charged.values(), Decimal(0))
        if kind == "reserve":
            if total + value > limit:
                with pytest.raises(OverBudget):
                    workers[worker].reserve(value)
            else:
                number = workers[worker].reserve(value)
                charged[number] = value
                opened.append((number, value))
        elif opened:
            number, worst = opened.pop(value % len(opened))
            real = worst * value / 100
            workers[worker].settle(number, real)
            charged[number] = real
        total = sum(charged.values(), Decimal(0))
        assert total <= limit
        assert workers[(worker + 1) % 4].spent().charged == total
