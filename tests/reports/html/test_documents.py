"""Documents are told apart by what they say of themselves, and bad ones are one clear error."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.reports.html.documents import Result, read_document
from pytest_jevbench.scoring.card import card_text
from pytest_jevbench.scoring.card_reading import Card
from tests.reports.cards import card


def test_each_kind_is_read(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    text = card_text(card().data)
    path.write_text(text)
    assert isinstance(read_document(path), Card)
    path.write_bytes(gzip.compress(text.encode()))
    assert isinstance(read_document(path), Card)
    path.write_text(json.dumps({"format": "jevbench-judges", "schema_version": "1.3"}))
    found = read_document(path)
    assert isinstance(found, Result)
    assert (found.kind, found.path) == ("judges", str(path))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "not JSON"),
        ("[1]", "neither a coherence card nor a published report"),
        ("{}", "neither a coherence card nor a published report"),
        ('{"format": "jevbench-new", "schema_version": "1.0"}', '"jevbench-labelled" or "jevbench-judges"'),
        ('{"format": ["x"], "schema_version": "1.0"}', '"jevbench-labelled" or "jevbench-judges"'),
        ('{"format": "jevbench-judges", "schema_version": "2.0"}', "cannot be read, only 1.x"),
        ('{"format": "jevbench-judges"}', "cannot be read, only 1.x"),
    ],
)
def test_what_is_none_is_named(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "d.json"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        read_document(path)
    assert str(path) in str(error.value)
    assert told in str(error.value)
