"""How long a server asks us to wait."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

__all__ = ["asked_wait"]

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?|[+-]?\.[0-9]+")


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """The wait in seconds, at least 0, that a response asks for; None where it asks for none that can be understood.

    ``retry-after-ms`` comes before ``Retry-After``, which is a number of seconds or an HTTP date. A date is compared
    with the response's own ``Date`` where there is one, so that a wrong clock on either side does no harm.

    >>> asked_wait({"retry-after": "-1"}, datetime.now(timezone.utc))
    0.0
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000.0)
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None:
        return max(0.0, seconds)
    until = _date(text)
    if until is None:
        return None
    return max(0.0, (until - (_date(headers.get("date")) or now)).total_seconds())


def _number(text: str | None) -> float | None:
    text = (text or "").strip()
    return float(text) if _NUMBER.fullmatch(text) else None


def _date(text: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime((text or "").strip())
        # "-0000" is UTC with nothing said about the local zone: the parser gives it without a zone
        return moment.replace(tzinfo=timezone.utc) if moment.tzinfo is None else moment.astimezone(timezone.utc)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
