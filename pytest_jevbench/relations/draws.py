"""Reproducible draws: the same choices on every machine, Python and hash seed.

A generator is SHA-256 in counter mode over the identity of what is drawn. ``random`` is not used: its
algorithms are not promised to stay the same between versions of Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import count
from typing import TypeVar

from pytest_jevbench.json_text import dumps

__all__ = ["Draw"]

T = TypeVar("T")


class Draw:
    """A stream of draws that is a pure function of its identity."""

    def __init__(self, seed: int, case_id: str, family: str, key: str, draw: int, variant: int) -> None:
        identity = dumps([seed, case_id, family, key, draw, variant], compact=True)
        self._words = self._stream(identity.encode())

    @staticmethod
    def _stream(identity: bytes):  # type: ignore[no-untyped-def]
        for block in count():
            digest = sha256(identity + b"/" + str(block).encode()).digest()
            for start in range(0, 32, 8):
                yield int.from_bytes(digest[start : start + 8], "big")

    def below(self, n: int) -> int:
        """A uniform integer in [0, n), without modulo bias."""
        limit = 2**64 - 2**64 % n
        while True:
            word: int = next(self._words)
            if word < limit:
                return word % n

    def choose(self, items: Sequence[T]) -> T:
        """One of the items, each equally likely."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """``k`` different items in the order drawn."""
        pool = list(items)
        return [pool.pop(self.below(len(pool))) for _ in range(k)]

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """All items in a uniformly drawn order."""
        return self.sample(items, len(items))

    def hex(self, digits: int) -> str:
        """Text of ``digits`` hexadecimal digits."""
        return "".join("0123456789abcdef"[self.below(16)] for _ in range(digits))
