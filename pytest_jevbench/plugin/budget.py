"""What the options say of a budget, checked before anything is asked."""

from __future__ import annotations

from pytest_jevbench.errors import InputError
from pytest_jevbench.plugin.settings import Settings

__all__ = ["check_budget"]


def check_budget(settings: Settings) -> bool:
    """Whether there is a budget. Raises :class:`InputError` for one in dollars without prices."""
    usd = settings.get("max_usd")
    prices = [settings.get("price_in"), settings.get("price_out")]
    if usd is not None and None in prices:
        raise InputError(
            "--jevbench-max-usd needs the prices of a million tokens",
            advice="Give --jevbench-price-in and --jevbench-price-out",
        )
    return usd is not None or settings.get("max_requests") is not None
