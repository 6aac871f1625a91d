"""The lines of a plan, of which a run needs each once or twice and never many at once.

The plan of a hundred thousand tests is 160 MB of text that repeats itself. A plan of more lines than a large suite has
is kept compressed, a few hundred lines together; the lines of a smaller one go when they were read.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_right
from collections import OrderedDict

__all__ = ["PlanLines"]

_BLOCK = 1 << 18
"""Bytes of text that are kept together."""
_KEPT = 4
"""Blocks that are kept as text once they were needed: neighbouring lines are needed together."""


class PlanLines:
    """Lines by number, from 1, in the order in which they were added. For one thread at a time.

    Up to ``plain`` lines are kept as text and can be let go; more are compressed and stay.
    """

    def __init__(self, plain: int) -> None:
        self._plain = plain
        self._blocks: list[bytes] = []
        self._first: list[int] = []
        """The number of each block's first line."""
        self._starts: list[array[int]] = []
        """Where each block's lines begin, and where the last one ends."""
        self._left: list[int] = []
        """The lines of each block that were not let go."""
        self._open: list[bytes] = []
        self._open_size = 0
        self._count = 0
        self._numbers = array("I")
        """Where each line stands in its file."""
        self._texts: OrderedDict[int, bytes] = OrderedDict()

    def __len__(self) -> int:
        return self._count

    @property
    def stay(self) -> bool:
        """Whether there are so many lines that they stay, compressed."""
        return self._count > self._plain

    def add(self, line: bytes, number: int) -> int:
        """Keep a line, which has this number in its file; its number here."""
        self._numbers.append(number)
        self._open.append(line)
        self._open_size += len(line)
        self._count += 1
        if self._open_size >= _BLOCK:
            self._close_block()
        if self._count == self._plain + 1:
            self._blocks = [zlib.compress(text, 1) for text in self._blocks]
        return self._count

    def number(self, number: int) -> int:
        """The number in its file of a line by its number here."""
        return self._numbers[number - 1]

    def line(self, number: int) -> bytes:
        """The line of a number that :meth:`add` gave."""
        block = self._block_of(number)
        if block is None:
            return self._open[number - self._count - 1]
        starts, within = self._starts[block], number - self._first[block]
        return self._text(block)[starts[within] : starts[within + 1]]

    def let_go(self, number: int) -> None:
        """The line is needed no more. Does nothing where lines stay."""
        block = self._block_of(number)
        if self.stay or block is None:
            return
        self._left[block] -= 1
        if not self._left[block]:
            self._blocks[block] = b""

    def _block_of(self, number: int) -> int | None:
        """The block that holds a line; None where it is among the last ones, which are not together yet."""
        block = bisect_right(self._first, number) - 1
        held = block >= 0 and number - self._first[block] < len(self._starts[block]) - 1
        return block if held else None

    def _close_block(self) -> None:
        starts = array("I", [0])
        for line in self._open:
            starts.append(starts[-1] + len(line))
        text = b"".join(self._open)
        self._blocks.append(zlib.compress(text, 1) if self.stay else text)
        self._first.append(self._count - len(self._open) + 1)
        self._starts.append(starts)
        self._left.append(len(self._open))
        self._open, self._open_size = [], 0

    def _text(self, block: int) -> bytes:
        if not self.stay:
            return self._blocks[block]
        text = self._texts.get(block)
        if text is None:
            text = self._texts[block] = zlib.decompress(self._blocks[block])
            if len(self._texts) > _KEPT:
                self._texts.popitem(last=False)
        else:
            self._texts.move_to_end(block)
        return text
