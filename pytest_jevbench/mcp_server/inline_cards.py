"""A card in a message: its JSON, or its gzip in base64 where the JSON is too large for one."""

from __future__ import annotations

import binascii
import zlib
from base64 import b64decode
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import parse_json
from pytest_jevbench.scoring.card_reading import Card, card_of_value

__all__ = ["MOST_BYTES", "inline_card"]

MOST_BYTES = 16 * 1024 * 1024
"""So much a packed card may hold."""


def inline_card(value: Any, field: str) -> Card:
    """A card from a message. Raises :class:`InputError` that names its field."""
    place = Place(field=field)
    return card_of_value(parse_json(_unpacked(value, place), place) if isinstance(value, str) else value, place)


def _unpacked(text: str, place: Place) -> bytes:
    advice = "Give the card's JSON, or the output of: gzip -c CARD | base64 -w0"
    try:
        data = b64decode("".join(text.split()), validate=True)
        unpack = zlib.decompressobj(wbits=31)
        content = unpack.decompress(data, MOST_BYTES + 1)
    except (binascii.Error, ValueError, zlib.error):
        raise InputError("a text that is no gzip in base64", place=place, advice=advice) from None
    if len(content) > MOST_BYTES:
        raise InputError(f"a card of more than {MOST_BYTES:,} bytes", place=place, advice="Use the command line")
    if not unpack.eof:
        raise InputError("the gzip data end too early", place=place, advice=advice)
    return content
