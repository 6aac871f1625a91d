"""The compressor: any reader can read it, and its bytes depend on the text alone."""

from __future__ import annotations

import gzip
import zlib
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_jevbench.plans.deflate import gzip_bytes

repetitive = st.builds(
    lambda parts, order: b"".join(parts[i % len(parts)] for i in order),
    st.lists(st.binary(min_size=1, max_size=60), min_size=1, max_size=4),
    st.lists(st.integers(0, 3), max_size=200),
)


@given(st.one_of(st.binary(max_size=3000), repetitive))
@settings(max_examples=150, deadline=None)
def test_zlib_reads_back_what_was_written(data: bytes) -> None:
    assert gzip.decompress(gzip_bytes(data)) == data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a",
        b"a" * 70_000,
        bytes(range(256)) * 200,
        b"0123456789" * 20 + bytes(40_000) + b"0123456789" * 20,  # a repetition beyond the window
        "".join(chr(65 + (i * i) % 23) for i in range(50_000)).encode(),
    ],
    ids=["nothing", "one byte", "one run", "all bytes", "far apart", "two blocks"],
)
def test_the_edges_of_the_format(data: bytes) -> None:
    assert gzip.decompress(gzip_bytes(data)) == data


def test_a_code_that_would_be_too_long_is_flattened() -> None:
    """Fibonacci counts give the deepest Huffman code: 25 symbols would need 24 bits, and 15 are allowed."""
    counts = [1, 1]
    while len(counts) < 25:
        counts.append(counts[-1] + counts[-2])
    data = b"".join(bytes([65 + i, 10 + i % 2]) * n for i, n in enumerate(counts))
    assert gzip.decompress(gzip_bytes(data)) == data


def test_no_name_and_no_time_stand_in_the_header() -> None:
    assert gzip_bytes(b"x")[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"


def test_repetition_is_found() -> None:
    text = b'{"case": "c", "relation": "r", "key": "question"}\n' * 400
    assert len(gzip_bytes(text)) < len(text) / 50
    assert len(gzip_bytes(text)) < 4 * len(zlib.compress(text, 9))


def test_the_bytes_are_what_they_always_were() -> None:
    """Manifests hold hashes of such bytes: a change here changes every suite that is frozen again."""
    text = "".join(f"{i % 7} of {i * 37 % 101}, and {i % 5}\n" for i in range(2000)).encode()
    assert sha256(gzip_bytes(text)).hexdigest() == "dd80cc7965edb7dc5f8f04c91324e27d9be38aff72e2fa092d7c02441fb7b9fa"
