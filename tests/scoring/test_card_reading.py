"""Files that are no card, or a damaged one, are refused with one clear message."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_jevbench.errors import InputError
from pytest_jevbench.reports.tables import summary
from pytest_jevbench.scoring.card import build_card, card_text, read_card
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.published import published_report
from tests.scoring.by_hand import FIVE, facts_for, judged, unjudged
from tests.scoring.test_card import SCHEMA, whole_card


@pytest.fixture
def value() -> dict[str, Any]:
    results = [judged(name, f"c{i}", 0.1 * i) for name in FIVE for i in range(5)]
    results.append(unjudged("key_rename", "c9", "invalid", "no answer"))
    return json.loads(card_text(build_card(facts_for(results), results)))  # type: ignore[no-any-return]


@pytest.fixture
def refused(tmp_path: Path) -> Callable[[str | bytes], str]:
    """The message with which a file of some content is refused."""

    def read(content: str | bytes) -> str:
        path = tmp_path / "card.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(InputError) as raised:
            read_card(path)
        message = str(raised.value)
        assert message.startswith(f"{path}")
        assert "\n" not in message
        return message

    return read


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_card(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not JSON"),
        ("hello", "not JSON"),
        ("[]", "neither a coherence card nor a published report"),
        ("{}", "neither a coherence card nor a published report"),
        ('{"outcomes": []}', "neither a coherence card nor a published report"),
        ('{"schema_version": "1.0", "schema_version": "1.0"}', "twice"),
        ('{"schema_version": 1}', "schema_version: found 1"),
        ('{"schema_version": "one"}', 'found "one"'),
        ('{"schema_version": "2.0"}', "schema version 2.0 cannot be read"),
        ('{"schema_version": "1.0"}', "identity: there is no 'identity'"),
        ('{"schema_version": NaN}', "NaN"),
        (b"\xff\xfe{}", "UTF-8"),
        (gzip.compress(b"{}", mtime=0)[:-4], "gzip data is damaged"),
    ],
)
def test_what_is_no_card(content: str | bytes, said: str, refused: Callable[[str | bytes], str]) -> None:
    assert said in refused(content)


def test_a_truncated_card(value: dict[str, Any], refused: Callable[[str | bytes], str]) -> None:
    text = card_text(value)
    assert "not JSON" in refused(text[: len(text) // 2])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda v: v["tests"][0].update(verdict="maybe"), 'tests[0].verdict: found "maybe"'),
        (lambda v: v["tests"][3]["outcomes"][0].update(deviation="0.3"), "tests[3].outcomes[0].deviation"),
        (lambda v: v["tests"][3]["outcomes"][0].update(flip=1), "tests[3].outcomes[0].flip"),
        (lambda v: v["tests"][3]["outcomes"][0].update(draw=True), "tests[3].outcomes[0].draw"),
        (lambda v: v["tests"][3].pop("outcomes"), "tests[3].outcomes: there is no 'outcomes'"),
        (lambda v: v["tests"][-1].update(error=3), "found 3. Give the number of an entry of errors"),
        (lambda v: v["errors"][0].update(reason="tired"), "errors[0].reason"),
        (lambda v: v["identity"].pop("settings"), "identity.settings"),
        (lambda v: v["relations"][1].update(planned=-1), "relations[1].planned"),
        (lambda v: v["cases"].update(c0=None), "cases.c0"),
        (lambda v: v.update(deselected=[["a", "b"]]), "deselected[0]"),
        (lambda v: v.update(tests={}), "tests: found {}"),
    ],
)
def test_a_wrong_field_is_named(
    change: Callable[[dict[str, Any]], object], said: str, value: dict[str, Any], refused: Callable[[str | bytes], str]
) -> None:
    change(value)
    assert said in refused(json.dumps(value))


def test_a_later_minor_version_with_fields_of_its_own(value: dict[str, Any], tmp_path: Path) -> None:
    value |= {"schema_version": "1.7", "new": {"a": 1}}
    value["tests"][0]["new"] = [1]
    path = tmp_path / "card.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert len(read_card(path).results) == 26


@pytest.mark.parametrize("packed", [False, True])
def test_plain_and_packed_cards(packed: bool, value: dict[str, Any], tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + json.dumps(value, indent=2).encode()
    path = tmp_path / "card.json"  # what a file holds decides, not its name
    path.write_bytes(gzip.compress(data) if packed else data)
    card = read_card(path)
    row = card.scores.relation("key_rename")
    assert row is not None
    assert (row.judged, row.violated, row.unjudged["invalid"], row.status) == (5, 4, 1, "incomplete")
    assert [r.message for r in card.results if not r.judged] == ["no answer"]


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The place of every field; of an array the first item stands for all."""
    items: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))[:1]
    return [found for key, item in items for found in ((*path, key), *_paths(item, (*path, key)))]


SLOW = [pytest.param(wrong, marks=pytest.mark.slow) for wrong in (None, "x", -1, 1e300, [], {}, [{}], True)]


@pytest.mark.parametrize("wrong", ["gone", *SLOW], ids=repr)
def test_a_damaged_field_anywhere_is_refused_or_harmless(wrong: object) -> None:
    """Never another error than InputError, wherever a card is damaged; what the schema refuses is refused."""
    whole = json.loads(card_text(whole_card()))
    whole["identity"]["settings"]["bootstrap"] = 0
    text = json.dumps(whole)
    validator = Draft202012Validator(SCHEMA)
    refused = 0
    for *parents, last in _paths(whole):
        damaged = json.loads(text)
        inside = damaged
        for step in parents:
            inside = inside[step]
        if wrong == "gone":
            del inside[last]
        else:
            inside[last] = wrong
        try:
            card = Card.from_json(damaged)
        except InputError:
            refused += 1
            continue
        assert parents[:1] == ["tests"] or validator.is_valid(damaged), (*parents, last)
        summary(card, level="relation", worst=3)
        summary(card, level="domain")
        published_report(card)
    assert refused > 20
