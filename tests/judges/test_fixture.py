from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.judges.demo import FIXTURE_TEMPLATE, PAIRS_TEMPLATE
from pytest_jevbench.judges.fixture import fixture_from_json, read_fixture
from pytest_jevbench.judges.pairs import judged_pairs, markup_density, pairs_from_json
from pytest_jevbench.judges.problems import ManyProblems
from pytest_jevbench.judges.ratings import ratings_from_json

Change = Callable[[dict[str, Any]], object]


def fixture(change: Change) -> dict[str, Any]:
    value = copy.deepcopy(FIXTURE_TEMPLATE)
    change(value)
    return value


def item(number: int, **fields: Any) -> Change:
    return lambda value: value["items"][number].update(fields)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda v: v.pop("schema_version"), "schema_version: this is missing. Give 1"),
        (lambda v: v.update(synthetic=False), "synthetic: found false"),
        (lambda v: v.update(synthetic=1), "synthetic: found 1"),
        (lambda v: v.pop("license"), "license: there is no 'license'"),
        (lambda v: v.update(license="MIT"), 'license: found "MIT"'),
        (lambda v: v.pop("items"), "items: this is missing. Give a list of items"),
        (lambda v: v.update(items=[]), "items: found []"),
        (lambda v: v["items"].append(7), "items[4]: found 7"),
        (lambda v: v.update(judge_cost=v.pop("judge_costs")), "did you mean"),
        (lambda v: v["rubric"].update(questions=[]), "rubric.questions: found []"),
        (
            lambda v: v["rubric"]["questions"].append({"id": "cites", "text": "?"}),
            'the question id "cites" stands twice',
        ),
        (item(1, id="f1"), 'items[1].id: the id "f1" is that of items[0]'),
        (item(1, split="test"), 'items[1].split: found "test". Give "fit" or "holdout"'),
        (item(1, question_id="q9"), 'items[1].question_id: the rubric has no question "q9". It has "cites"'),
        (item(1, truth=1), "items[1].truth: found 1. Give true or false"),
        (item(1, judgments={"judge-a": True}), "items[1].judgments.judge-a: found true. Give a number between 0 and 1"),
        (item(1, judgments={"judge-a": 1.5}), "items[1].judgments.judge-a: found 1.5"),
        (item(1, judgments={"judge-a": "0.5"}), "items[1].judgments.judge-a: found"),
        (item(1, judgments={"judge-b": 0.5}), 'items[1].judgments: no judgment of "judge-a", one more of "judge-b"'),
        (item(1, judgments={}), "items[1].judgments: found {}"),
        (item(1, text="Write to me: jo@firm.de"), 'items[1].text: an e-mail address at "firm.de"'),
        (lambda v: v["judge_costs"].update({"judge-a": -1}), "judge_costs.judge-a: found -1"),
        (lambda v: v["judge_costs"].update({"nobody": 1}), 'judge_costs.nobody: no item was judged by "nobody"'),
        (lambda v: [one.update(split="fit") for one in v["items"]], 'no item has the split "holdout"'),
        (item(1, text="half \ud83d"), "lone surrogate"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(change: Change, told: str) -> None:
    with pytest.raises(InputError) as caught:
        fixture_from_json(fixture(change), Place("mine.json"))
    assert told.lower() in str(caught.value).lower()
    assert str(caught.value).startswith("mine.json")
    assert "firm.de" not in told or "jo@" not in str(caught.value)


def test_all_problems_come_at_once() -> None:
    value = fixture(lambda v: [v.pop("license"), item(0, truth="yes")(v), item(2, judgments={"judge-a": 9})(v)])
    with pytest.raises(ManyProblems) as caught:
        fixture_from_json(value)
    assert [problem.place.field for problem in caught.value.problems] == [
        "license",
        "items[0].truth",
        "items[2].judgments.judge-a",
    ]


def test_thousands_of_problems_stay_readable() -> None:
    value = fixture(lambda v: v.update(items=[7] * 5000))
    with pytest.raises(ManyProblems) as caught:
        fixture_from_json(value)
    assert len(caught.value.problems) > 5000
    assert len(str(caught.value).splitlines()) == 52


@pytest.mark.parametrize(
    "address", ["a@example.com", "b@mail.example.org", "c@x.test", "d@y.invalid", "@mention", "a@b"]
)
def test_addresses_for_examples_are_let_through(address: str) -> None:
    assert fixture_from_json(fixture(item(0, text=f"mail {address}."))).judges == ("judge-a",)


def test_private_data_need_no_declaration() -> None:
    value = fixture(lambda v: [v.pop("license"), v.pop("synthetic"), item(0, text="jo@firm.de")(v)])
    found = fixture_from_json(value, private=True)
    assert "synthetic" not in found.to_json()
    assert fixture_from_json(found.to_json(), private=True).items == found.items


def test_a_fixture_comes_back_as_it_was() -> None:
    assert fixture_from_json(FIXTURE_TEMPLATE).to_json() == FIXTURE_TEMPLATE
    assert pairs_from_json(PAIRS_TEMPLATE).to_json() == PAIRS_TEMPLATE


def test_a_file_with_a_byte_order_mark_and_one_that_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(FIXTURE_TEMPLATE).replace("\n", "\r\n").encode())
    assert read_fixture(path).name == "mine"
    for data, told in (
        (b'{"a": NaN}', "NaN"),
        (b"{", "not JSON"),
        (b"\xff", "UTF-8"),
        (b'{"a":1,"a":2}', "twice"),
        (b"[]", "found []"),
    ):
        path.write_bytes(data)
        with pytest.raises(InputError, match=None) as caught:
            read_fixture(path)
        assert told in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"forward": True}, "pairs[0].forward: found true"),
        ({"forward": 2}, "pairs[0].forward: found 2"),
        ({"judge": ""}, "pairs[0].judge"),
        ({"matched": "style"}, "pairs[0].matched: found"),
        ({"matched": "length", "a": "x", "b": "y"}, "both answers are of one length"),
        ({"matched": "markup", "a": "x", "b": "y"}, "equally much markup"),
        ({"label": "first"}, "pairs[0].label"),
        ({"foward": 0.2}, "Did you mean 'forward'?"),
    ],
)
def test_wrong_pairs(fields: dict[str, Any], told: str) -> None:
    value = copy.deepcopy(PAIRS_TEMPLATE)
    value["pairs"][0].update(fields)
    if "foward" in fields:
        del value["pairs"][0]["forward"]
    with pytest.raises(InputError) as caught:
        pairs_from_json(value)
    assert told in str(caught.value)


def test_rows_for_python() -> None:
    rows = judged_pairs([{"a": "x", "b": "y", "forward": None, "swapped": 0.5}])
    assert (rows[0].judge, rows[0].preference) == ("judge", None)
    with pytest.raises(InputError, match="a list of pairs"):
        judged_pairs([])


def test_markup() -> None:
    marked = ["# t", "- a", "1. a", "> q", "```", "| a | b |", "a **b** c", "`x`", "[a](b)", "an _em_ word", "---"]
    assert [markup_density(line) for line in marked] == [1.0] * len(marked)
    assert [markup_density(line) for line in ("a - b", "2 * 3 * 4", "snake_case_name", "a_b", "#1", "", "3.5")] == [
        0.0
    ] * 7


def test_ratings() -> None:
    found = ratings_from_json({"level": "ordinal", "raters": {"a": [1, None], "b": [2, 3]}})
    assert found.raters["a"] == [1, None]
    for value in ([], {"raters": {"a": [1]}}, {"raters": {"a": [1], "b": [True]}}, {"raters": {"a": [1], "b": [1, 2]}}):
        with pytest.raises(InputError):
            ratings_from_json(value)
