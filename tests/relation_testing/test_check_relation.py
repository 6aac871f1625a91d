"""What the helper for laws of one's own lets pass, and each fault that it has to find."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import dumps
from pytest_jevbench.own_laws import OwnLaw
from pytest_jevbench.relation_testing import RelationFault, check_relation
from pytest_jevbench.relations import registry
from tests.oracle.cases import HERE, read_cases, read_rewrites
from tests.relation_testing import laws
from tests.relation_testing.laws import ROWS, Framed, OneOfTwo, RefundNeedsOrder


def half_the_order(model: Any) -> Any:
    """A model that believes in half of the orders that there are."""

    def ask(state: Any, questions: Mapping[str, Any]) -> Any:
        answers = model(state, questions)
        return {**answers, "found": {"type": "noul", "noul": answers["found"]["noul"] / 2}}

    return ask


def test_a_law_over_two_questions_is_kept_and_found_broken() -> None:
    checked = check_relation(RefundNeedsOrder, ROWS, defect=half_the_order)
    assert checked.targets == (("parcel", "refund"),)
    assert (checked.trials, checked.kept) == (1, 0.0)
    assert checked.broken is not None
    assert 0.05 < checked.broken <= 0.5  # P(refund) <= P(found), so past half of it by half of it at most


def test_a_law_with_wording_is_asked_of_every_type_of_question() -> None:
    checked = check_relation(Framed, ROWS, defect="wording_noise", processes=False)
    assert [key for _, key in checked.targets] == ["found", "refund", "wish"]
    assert checked.trials == 3 * 2


def test_an_event_made_of_answers_and_a_drawn_option() -> None:
    checked = check_relation(OneOfTwo, ROWS, draws=5, processes=False)
    assert (checked.trials, checked.kept < 1e-9) == (5, True)


def test_cases_and_rewrites_come_from_files(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(dumps(read_cases()["pool-log"]), encoding="utf-8")
    (tmp_path / "rewrites.jsonl").write_text("\n".join(map(dumps, read_rewrites(HERE))), encoding="utf-8")
    checked = check_relation(registry.get("natural_negation"), tmp_path, defect="negation_blindness", processes=False)
    assert checked.trials > 0
    assert checked.broken is not None


@pytest.mark.parametrize("name", ["key_rename", "option_merge", "score_cumulative", "frechet_and_upper"])
def test_built_in_relations_stand_it_too(name: str) -> None:
    checked = check_relation(registry.get(name), [read_cases()["pool-log"]], processes=name == "key_rename")
    assert checked.kept < 1e-9


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (laws.NoBackground, "a model without contradictions breaks no_background .laws.py, line .*`given` say"),
        (laws.NothingLeft, "`given` allows no world of case 'parcel'"),
        (laws.Unexplained, "An auditor asks: Was the order found.*Let `means` say"),
        (laws.Misexplained, "breaks misexplained .* question 'refund', variant 0"),
        (laws.Peeks, "peeks .*reads the answers of case 'parcel' while it builds"),
        (laws.PeeksInSecret, "peeks_in_secret .*reads the answers"),
        (laws.ByTheClock, "builds something else each time.*`draw`"),
        (laws.EmptyText, "empty id, text or description"),
        (laws.NoQuestion, "'Was the order found.', which is no question"),
        (laws.Nowhere, "applies to no question"),
        (laws.MeasuresNothing, "measure returns float"),
    ],
    ids=lambda value: value.name if isinstance(value, type) else "",
)
def test_each_fault_is_found_and_told(law: type[OwnLaw], words: str) -> None:
    with pytest.raises(RelationFault, match=words):
        check_relation(law, ROWS, processes=False)


def test_what_hangs_on_the_hash_seed_shows_in_other_processes() -> None:
    with pytest.raises(RelationFault, match=r"by_the_hash .*builds other tests in a process with PYTHONHASHSEED="):
        check_relation(laws.ByTheHash, ROWS)


def test_a_class_inside_a_function_is_found_by_no_other_process() -> None:
    class Inside(Framed):
        name = "inside"

    with pytest.raises(RelationFault, match="top level"):
        check_relation(Inside, ROWS)
    assert check_relation(Inside, ROWS, processes=False).trials == 6


def test_a_defect_that_the_law_does_not_find_is_told() -> None:
    with pytest.raises(RelationFault, match=r"does not find first_option: its largest deviation is 0\.0000"):
        check_relation(RefundNeedsOrder, ROWS, defect="first_option", processes=False)
    with pytest.raises(InputError, match=r"there is no defect 'rounding'.*rounding_1"):
        check_relation(RefundNeedsOrder, ROWS, defect="rounding", processes=False)
