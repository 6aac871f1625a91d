"""What is kept out of memory."""

from __future__ import annotations

import tempfile
import threading
from typing import Any

import pytest

from pytest_jevbench.models.spool import Spool


def test_each_piece_comes_back_whatever_else_was_put() -> None:
    spool = Spool()
    texts = [f"{number} é\u2028".encode() * (number % 7) for number in range(2000)]
    places = [spool.put(text) for text in texts]
    for text, place in [*zip(texts, places, strict=True)][::-1]:
        assert spool.get(place) == text
    assert spool.get(spool.put(b"later")) == b"later"
    spool.close()
    assert spool.get(places[1]) is None


def test_many_pieces_go_to_a_file() -> None:
    spool = Spool()
    places = [spool.put(b"x" * 1000 + b"%d" % number) for number in range(3000)]
    assert spool._file._rolled  # type: ignore[attr-defined]
    assert spool.get(places[17]) == b"x" * 1000 + b"17"


def test_threads_share_it() -> None:
    spool = Spool()
    wrong: list[bytes] = []

    def work(name: str) -> None:
        for number in range(300):
            text = f"{name}{number}".encode() * 20
            if spool.get(spool.put(text)) != text:
                wrong.append(text)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_without_a_place_for_files_all_stays_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError("no space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    spool = Spool()
    places = [spool.put(b"x" * 100_000 + b"%d" % number) for number in range(20)]
    assert spool.get(places[19]) == b"x" * 100_000 + b"19"
    assert spool.get(places[0]) == b"x" * 100_000 + b"0"
