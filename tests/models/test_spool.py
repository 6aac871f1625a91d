"""Texts kept out of memory."""

from __future__ import annotations

import tempfile
import threading
from typing import Any

import pytest

from pytest_jevbench.models.spool import Spool


def test_each_text_comes_back_whatever_else_was_put() -> None:
    spool = Spool()
    texts = [f"{number} é\u2028" * (number % 7) for number in range(2000)]
    places = [spool.put(text) for text in texts]
    for text, place in [*zip(texts, places, strict=True)][::-1]:
        assert spool.get(place) == text
    assert spool.get(spool.put("later")) == "later"
    spool.close()
    assert spool.get(places[1]) is None


def test_many_texts_go_to_a_file() -> None:
    spool = Spool()
    places = [spool.put("x" * 1000 + str(number)) for number in range(3000)]
    assert spool._file._rolled  # type: ignore[attr-defined]
    assert spool.get(places[17]) == "x" * 1000 + "17"


def test_threads_share_it() -> None:
    spool = Spool()
    wrong: list[str] = []

    def work(name: str) -> None:
        for number in range(300):
            text = f"{name}{number}" * 20
            if spool.get(spool.put(text)) != text:
                wrong.append(text)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_without_a_place_for_files_texts_stay_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError("no space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    spool = Spool()
    places = [spool.put("x" * 100_000 + str(number)) for number in range(20)]
    assert spool.get(places[19]) == "x" * 100_000 + "19"
    assert spool.get(places[0]) == "x" * 100_000 + "0"
