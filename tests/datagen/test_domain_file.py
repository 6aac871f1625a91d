"""A domain file: what stands in it is what is meant, and every mistake is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jevbench.errors import InputError
from tests.datagen.domains import changed, small_domain


def test_words_that_yaml_would_turn_into_something_else_stay_words(tmp_path: Path) -> None:
    domain = small_domain(tmp_path)
    assert list(domain.questions["counter"].options) == ["no", "till", "search", "010"]
    assert list(domain.facts["parcel"].wordings) == ["missing", "damaged", "wrong", "on"]
    assert domain.questions["counter"].hierarchies[0]["none"] == ("no",)
    assert domain.facts["refund"].unsaid == "no"


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    domain = small_domain(tmp_path)
    refund = domain.facts["refund"]
    assert refund.wordings["yes"].mention == {"explicit": 1}
    assert domain.facts["visit"].weights == {"yes": 1, "no": 1}
    assert domain.questions["two_of_three"].requires == ("refund", "visit", "days")
    assert domain.facts["writer"].wordings[""].explicit == ("{value}",)


@pytest.mark.parametrize(
    ("old", "new", "at", "words"),
    [
        ("    range: 1..30", "    range: 01..30", "    range: 01", '"01..30"'),
        ("    range: 1..30", "    range: 1e1", "    range: 1e1", '"1e1"'),
        ("    range: 1..30", "    range: 30..1", "    range: 30", "the lower number first"),
        ("        weight: 2 ", "        weight: 2\n        weight: 3 ", "        weight: 3", '"weight" stands twice'),
        ("    unsaid: no\n", "    unsaid: maybe\n", "    unsaid: maybe", "one of yes, no"),
        ("    forbidden: ['{value} ki", "    forbiden: ['{value} ki", "    forbiden:", 'unknown field "forbiden"'),
        ("only_if: not parcel = on", "only_if: not parcel = off", "    only_if", '"off" is not one of its values'),
        ("only_if: not parcel = on", "only_if: writer = parcel", "    only_if", "there is no fact"),
        ("{parcel: {missing: 1,", "{parcel: {mising: 1,", "    facts: {parcel", '"mising"'),
        ("      - no: otherwise", "      - no: refund", None, "`otherwise` must stand once, at the end"),
        ("      - till: refund\n", "      - till: otherwise\n", None, "`otherwise` must stand once, at the end"),
        ("    answer: refund", "    answer: refunds", "    answer: refunds", "Did you mean refund?"),
        ("negation: Is the customer without", 'negation: None. Is the "customer', None, "question mark"),
        ("ask: What became of the parcel?", "ask: What became of #12?", "    ask: What bec", "lost as a comment"),
        ("        none: [no]", "        none: [till]", None, "exactly once"),
        ("some: [till, search, 010]", "some: [till, 010]", None, "a grouping of the options without search"),
        ("    range: 1..30", "    range: 010..240", "    range: 010", "a number that begins with 0"),
        ("    zh: 寄出多久了？", "    zh: How long?", "    zh: How long", "Simplified Chinese"),
        ("parcel weighs {value} kilos", "parcel weighs {weight} kilos", None, "no such fact"),
        ("['postage back']\n    no", "['postage (back']\n    no", "      explicit: ['postage (", "not a regular"),
        ("      - What happened to the parcel?", "      - What has become of the parcel?", None, "stands twice"),
        ("text: It came broken", "text: Nobody has it", None, "stands twice"),
        ("    threshold: days since posting", "", None, "no integer fact has a threshold"),
        ("lengths: {short: 80..140", "lengths: {short: 79..140", "lengths:", "a band within 80..350 words"),
        ("long: 141..300", "long: 141..351", "lengths:", 'found "141..351"'),
        ("against: ['undamaged']", "against: ['gone', 'broken']", "        against:", "no text could state the fact"),
        ("implied: ['neighbours', 'shed']", "implied: ['not arrived']", "        implied:", "under explicit too"),
        ("name: parcel_desk", "name: Parcel Desk", "name: Parcel", "cannot be a name"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, at: str | None, words: str) -> None:
    folder = changed(tmp_path, old, new)
    file = folder.path / "domain.yaml"
    with pytest.raises(InputError) as error:
        folder.domain()
    message = str(error.value)
    assert words in message
    assert message.startswith(str(file))
    if at is not None:
        lines = [n for n, line in enumerate(file.read_text("utf-8").split("\n"), 1) if line.startswith(at)]
        assert any(f"line {n}," in message for n in lines)


@pytest.mark.parametrize("new", ["description: !!int 3 # ", "description: &n x\nsetting: *n # ", "? [a]\n: b # "])
def test_tags_aliases_and_names_of_several_words_are_not_read(tmp_path: Path, new: str) -> None:
    folder = changed(tmp_path, "description: ", new)
    with pytest.raises(InputError, match=r"is not read here|a name must be plain text"):
        folder.domain()
