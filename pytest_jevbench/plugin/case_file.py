"""Settings of cases of the user's own, from the ``jevbench.yaml`` beside them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from pytest_jevbench.case_settings import read_case_settings
from pytest_jevbench.plugin.settings import Settings
from pytest_jevbench.relations.known import Relations
from pytest_jevbench.warning import notify

__all__ = ["with_case_file"]

_SELECTING = ("relation", "dimension", "group")


def with_case_file(settings: Settings, relations: Relations, over: Collection[str] | None = None) -> Settings:
    """The settings with those of the file beside the cases; they go before ini keys, and behind the command line.

    ``over`` names the settings that go before the file (default: those typed). Laws that were chosen there take the
    place of all that the file chooses. Raises :class:`InputError` naming file and line.
    """
    found = read_case_settings(settings.path("cases"), relations)
    if found.gate is not None and settings.of_part:
        notify(
            f"jevbench: the gate in {Settings.as_typed(found.gate)} decides nothing here: marked functions have a card "
            "each, and `pytest-jevbench card gate` decides on one"
        )
    stronger = set(settings.typed if over is None else over)
    values: dict[str, Any] = {name: value for name, value in found.values.items() if name not in stronger}
    if found.relations and not stronger.intersection(_SELECTING):
        values["relation"] = list(found.relations)
    return replace(settings, given={**settings.given, **values}) if values else settings
