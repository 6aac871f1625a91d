"""Compression whose bytes never change: DEFLATE (RFC 1951) in gzip (RFC 1952), written in Python.

zlib promises to read its own output, not to write the same output in its next version, and Python may be built on
another library that compresses otherwise (zlib-ng). A manifest holds the hash of the compressed plan, so the bytes
must depend on the text alone. This encoder is greedy and looks at two candidates a position, which suits plans:
almost all of a row stands in one of the rows before it, and files come out within a third of zlib's best.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import accumulate

__all__ = ["gzip_bytes"]

WINDOW = 32768
LONGEST = 258
STARTS = (6, 32)
"""A candidate is the last place that began with as many equal bytes: a near one, and one that goes on for longer.
DEFLATE allows matches of 3, but short far ones cost as much as the letters."""
STRIDE = 8
"""Inside a match every eighth place is remembered."""
REMEMBERED = 200_000
BLOCK = 40_000
"""Symbols that share one Huffman code."""

END = 256
LENGTH_EXTRA = (0,) * 8 + tuple(bits for bits in range(1, 6) for _ in range(4)) + (0,)
LENGTH_BASE = (*accumulate((3, *(1 << bits for bits in LENGTH_EXTRA[:27]))), 258)
DISTANCE_EXTRA = (0, 0, *(bits for bits in range(14) for _ in range(2)))
DISTANCE_BASE = tuple(accumulate((1, *(1 << bits for bits in DISTANCE_EXTRA[:29]))))
CODE_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)

Symbols = list[tuple[int, int]]
"""(literal, 0), or (length, distance) of a match."""


def gzip_bytes(data: bytes) -> bytes:
    """The data as a gzip file without name and time: equal data give equal bytes, always and everywhere."""
    header = b"\x1f\x8b\x08" + bytes(5) + b"\x02\xff"
    sizes = zlib.crc32(data).to_bytes(4, "little") + (len(data) & 0xFFFFFFFF).to_bytes(4, "little")
    return header + _deflate(data) + sizes


def _deflate(data: bytes) -> bytes:
    out = _Bits()
    symbols: Symbols = []
    for symbol in _matches(data):
        symbols.append(symbol)
        if len(symbols) == BLOCK:
            _write_block(out, symbols, last=False)
            symbols = []
    _write_block(out, symbols, last=True)
    return out.finish()


def _matches(data: bytes) -> Iterator[tuple[int, int]]:
    """The data as literals and matches: the longer of two candidates at every position."""
    tables: tuple[tuple[int, dict[bytes, int]], ...] = tuple((size, {}) for size in STARTS)
    position, end = 0, len(data)
    while position < end:
        ahead = data[position : position + LONGEST]
        length, distance = 0, 0
        for size, latest in tables:
            start = ahead[:size]
            candidate = latest.get(start)
            latest[start] = position
            if candidate is not None and position - candidate <= WINDOW:
                common = _common(ahead, data[candidate : candidate + len(ahead)])
                if common > length:
                    length, distance = common, position - candidate
        if length < STARTS[0]:
            yield data[position], 0
            position += 1
            continue
        yield length, distance
        for inside in range(position + 1, position + length, STRIDE):
            for size, latest in tables:
                latest[data[inside : inside + size]] = inside
        position += length
        for _, latest in tables:
            if len(latest) > REMEMBERED:
                for text in [text for text, at in latest.items() if position - at > WINDOW]:
                    del latest[text]


def _common(one: bytes, other: bytes) -> int:
    """How many bytes at the start of two equally long texts agree."""
    differing = int.from_bytes(one, "big") ^ int.from_bytes(other, "big")
    return len(one) - (differing.bit_length() + 7) // 8


class _Bits:
    """Bits, lowest first, collected into bytes."""

    def __init__(self) -> None:
        self._done = bytearray()
        self._pending = 0
        self._count = 0

    def put(self, value: int, bits: int) -> None:
        self._pending |= value << self._count
        self._count += bits
        if self._count >= 512:
            self._done += (self._pending & ((1 << 512) - 1)).to_bytes(64, "little")
            self._pending >>= 512
            self._count -= 512

    def finish(self) -> bytes:
        return bytes(self._done) + self._pending.to_bytes((self._count + 7) // 8, "little")


LENGTH_INDEX = [bisect_right(LENGTH_BASE, length) - 1 for length in range(LONGEST + 1)]


def _distance_index(distance: int) -> int:
    """The last index whose base distance is not above this one: two for every power of two."""
    beyond = distance - 1
    doublings = beyond.bit_length() - 1
    return beyond if beyond < 4 else 2 * doublings + (beyond >> (doublings - 1) & 1)


def _write_block(out: _Bits, symbols: Symbols, *, last: bool) -> None:
    """One block with Huffman codes of its own."""
    literals, distances = [0] * 286, [0] * 30
    for value, distance in symbols:
        if distance:
            literals[257 + LENGTH_INDEX[value]] += 1
            distances[_distance_index(distance)] += 1
        else:
            literals[value] += 1
    literals[END] = 1
    literal_bits, distance_bits = _code_lengths(literals, 15), _code_lengths(distances, 15)
    out.put(int(last), 1)
    out.put(2, 2)
    _write_codes(out, literal_bits, distance_bits)
    literal_codes, distance_codes = _codes(literal_bits), _codes(distance_bits)
    put = out.put
    for value, distance in symbols:
        if not distance:
            put(literal_codes[value], literal_bits[value])
            continue
        index = LENGTH_INDEX[value]
        put(literal_codes[257 + index], literal_bits[257 + index])
        put(value - LENGTH_BASE[index], LENGTH_EXTRA[index])
        index = _distance_index(distance)
        put(distance_codes[index], distance_bits[index])
        put(distance - DISTANCE_BASE[index], DISTANCE_EXTRA[index])
    put(literal_codes[END], literal_bits[END])


def _write_codes(out: _Bits, literal_bits: list[int], distance_bits: list[int]) -> None:
    """The two codes, as the run-length coded lengths of their words."""
    runs = list(_runs(literal_bits + distance_bits))
    counts = [0] * 19
    for symbol, _, _ in runs:
        counts[symbol] += 1
    bits = _code_lengths(counts, 7)
    codes = _codes(bits)
    written = max(4, 1 + max(at for at, symbol in enumerate(CODE_ORDER) if bits[symbol]))
    out.put(len(literal_bits) - 257, 5)
    out.put(len(distance_bits) - 1, 5)
    out.put(written - 4, 4)
    for symbol in CODE_ORDER[:written]:
        out.put(bits[symbol], 3)
    for symbol, extra, extra_bits in runs:
        out.put(codes[symbol], bits[symbol])
        out.put(extra, extra_bits)


def _runs(lengths: list[int]) -> Iterator[tuple[int, int, int]]:
    """Code lengths with their repetitions coded: (symbol, extra value, extra bits)."""
    at = 0
    while at < len(lengths):
        value, count = lengths[at], 1
        while at + count < len(lengths) and lengths[at + count] == value:
            count += 1
        at += count
        if value:
            yield value, 0, 0
            count -= 1
        while count >= 3:
            if value:
                take = min(count, 6)
                yield 16, take - 3, 2
            elif count > 10:
                take = min(count, 138)
                yield 18, take - 11, 7
            else:
                take = count
                yield 17, take - 3, 3
            count -= take
        for _ in range(count):
            yield value, 0, 0


def _code_lengths(counts: Sequence[int], longest: int) -> list[int]:
    """The lengths of a Huffman code's words, none above ``longest``; 0 for a symbol that does not occur.

    A word too long is avoided by flattening the counts, which costs a few bits and keeps the code complete. At least
    two words are made: readers differ in what they accept below that.
    """
    used = [symbol for symbol, count in enumerate(counts) if count]
    used += [symbol for symbol in range(2) if symbol not in used][: max(0, 2 - len(used))]
    weights = {symbol: max(1, counts[symbol]) for symbol in used}
    while True:
        depths = _huffman_depths(weights)
        if max(depths.values()) <= longest:
            return [depths.get(symbol, 0) for symbol in range(len(counts))]
        weights = {symbol: (weight + 1) // 2 for symbol, weight in weights.items()}


def _huffman_depths(weights: dict[int, int]) -> dict[int, int]:
    heap: list[tuple[int, int, tuple[int, ...]]] = [(weight, symbol, (symbol,)) for symbol, weight in weights.items()]
    heapify(heap)
    depths = dict.fromkeys(weights, 0)
    while len(heap) > 1:
        weight, first, members = heappop(heap)
        other_weight, second, others = heappop(heap)
        for symbol in (*members, *others):
            depths[symbol] += 1
        heappush(heap, (weight + other_weight, min(first, second), (*members, *others)))
    return depths


def _codes(lengths: Sequence[int]) -> list[int]:
    """The words of the canonical code of these lengths, bits reversed, as they are written lowest first."""
    codes, code = [0] * len(lengths), 0
    for length in range(1, max(lengths) + 1):
        code <<= 1
        for symbol, own in enumerate(lengths):
            if own == length:
                codes[symbol] = int(f"{code:0{length}b}"[::-1], 2)
                code += 1
    return codes
