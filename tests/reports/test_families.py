"""The file that says which models belong together."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.reports.families import OTHERS, read_families


def file(folder: Path, text: str, name: str = "families.yaml") -> Path:
    made = folder / name
    made.write_text(text, encoding="utf-8")
    return made


def test_models_by_family_in_the_order_of_the_file(tmp_path: Path) -> None:
    families = read_families(file(tmp_path, "small: [b, a]\nempty: [z]\nlarge:\n  - 大きい\n"))
    models = [("a", 1), ("new", 2), ("大きい", 3), ("b (verbalised)", 4)]
    assert list(families.grouped(models).items()) == [("small", [1, 4]), ("large", [3]), (OTHERS, [2])]


def test_the_published_layout_is_read_from_json(tmp_path: Path) -> None:
    families = read_families(file(tmp_path, '{"a": "one", "b": "two", "c": "one"}', "f.json"))
    assert families.grouped([("a", 1), ("b", 2), ("c", 3)]) == {"one": [1, 3], "two": [2]}
    assert read_families(file(tmp_path, '{"one": ["a", "c"]}', "g.json")).of("c") == "one"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("[a, b]", "Give families, each with a list"),
        ("small: a", 'line 1, small: found "a". Give a list of model names'),
        ("small: []", "line 1, small: found []"),
        ("small: [a]\nlarge: [b, a]", 'line 2, large.1: "a" is in "small" already, and in "large"'),
        ("small: [a, a]", 'line 1, small.1: "a" is twice in "small"'),
        ("small: [a, {b: c}]", "line 1, small.1: found"),
        ("small: [a, '']", 'line 1, small.1: found ""'),
        ("other models: [a]", '"other models" is the name of what is in no family'),
        ("small: [a", "not YAML"),
        ("small: [a]\nsmall: [b]", "line 2"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_families(file(tmp_path, text))
    assert said in str(caught.value)


def test_a_file_of_other_models_is_refused_with_the_near_names(tmp_path: Path) -> None:
    families = read_families(file(tmp_path, "small: [sparrow-decider, uniform]"))
    with pytest.raises(InputError, match='Did you mean "sparrow-decider"'):
        families.grouped([("sparow-decider", 1)])
    assert families.grouped([]) == {}
