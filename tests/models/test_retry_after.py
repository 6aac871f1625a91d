"""How long a server asks us to wait."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest

from pytest_jevbench.models.retry_after import asked_wait

NOW = datetime(2024, 5, 17, 12, 0, 0, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("-1", 0.0),
        ("86400", 86400.0),
        ("²", None),
        ("nan", None),
        ("inf", None),
        ("-inf", None),
        ("1e3", None),
        ("٣", None),
        ("", None),
        ("soon", None),
        ("5, 10", None),
        ("Fri, 17 May 2024 12:00:30 GMT", 30.0),
        ("Fri, 17 May 2024 14:00:30 +0200", 30.0),
        ("Fri, 17 May 2024 11:59:00 GMT", 0.0),
        ("Fri, 17 May 2024 12:00:30 -0000", 30.0),
        ("Fri, 17 May 99999 12:00:30 GMT", None),
        ("Fri, 17 May 2024 12:00:30 +9999999", None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert asked_wait({"retry-after": value}, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "-5"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "nan", "retry-after": "9"}, 9.0),
        ({}, None),
    ],
)
def test_milliseconds_come_first(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers, NOW) == seconds


@pytest.fixture(params=["Asia/Tokyo", "America/Los_Angeles"])
def local_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("local_zone")
def test_a_date_without_a_zone_is_utc_wherever_we_are() -> None:
    now = datetime.now(timezone.utc)
    past = format_datetime((now - timedelta(minutes=1)).replace(tzinfo=None))
    assert past.endswith("-0000")
    assert asked_wait({"retry-after": past}, now) == 0.0


def test_the_date_of_the_response_is_the_clock() -> None:
    headers = {"retry-after": "Fri, 17 May 2019 12:00:30 GMT", "date": "Fri, 17 May 2019 12:00:00 GMT"}
    assert asked_wait(headers, NOW) == 30.0
