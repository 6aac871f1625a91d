from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.judges.fixture import read_fixture
from pytest_jevbench.judges.json_places import line_numbers
from pytest_jevbench.judges.pairs import read_pairs
from pytest_jevbench.judges.problems import ManyProblems
from tests.judges.worked_example import worked_fixture


def test_lines_of_values() -> None:
    text = '{\n "a": [\n  1, {"b,]": "x\\"}{[",\n   "c": null}\n ],\n "d": {},\n "a.e": true}'
    assert line_numbers(text) == {
        "": 1,
        "a": 2,
        "a[0]": 3,
        "a[1]": 3,
        "a[1].b,]": 3,
        "a[1].c": 4,
        "d": 6,
        "a.e": 7,
    }
    assert line_numbers("\n\n 7") == {"": 1}


def test_the_value_stands_on_its_line_in_any_layout() -> None:
    value = worked_fixture()
    for indent in (None, 0, 1, 4):
        text = json.dumps(value, indent=indent)
        lines = line_numbers(text)
        for number, item in enumerate(value["items"]):
            assert f'"text": "{item["text"]}"' in text.split("\n")[lines[f"items[{number}].text"] - 1]


def test_problems_come_in_the_order_of_the_file_with_their_lines(tmp_path: Path) -> None:
    value = worked_fixture()
    value["items"][3]["truth"] = 1
    value["items"][1]["id"] = "i0"
    del value["items"][5]["split"]
    del value["schema_version"]
    path = tmp_path / "mine.json"
    text = json.dumps(value, indent=1)
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    with pytest.raises(ManyProblems) as caught:
        read_fixture(path)
    found = [(one.place.field, one.place.line) for one in caught.value.problems]
    assert [field for field, _ in found] == ["schema_version", "items[1].id", "items[3].truth", "items[5].split"]
    lines = text.split("\n")
    assert found[0][1] is None
    assert lines[found[1][1] - 1].strip() == '"id": "i0",'  # type: ignore[operator]
    assert lines[found[2][1] - 1].strip() == '"truth": 1,'  # type: ignore[operator]
    assert lines[found[3][1] :][0].strip() == '"id": "i5",', "the item that lacks it"  # type: ignore[misc]


def test_one_problem_has_its_line_too(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text('{"synthetic": true, "license": "Apache-2.0",\n "pairs": [\n  7]}')
    with pytest.raises(InputError, match=r"pairs\.json, line 3, pairs\[0\]: found 7"):
        read_pairs(path)
