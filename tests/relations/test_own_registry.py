"""What is registered as a law of one's own, and each way in which a declaration is refused."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.own_laws import OwnLaw, Registry
from pytest_jevbench.relations.known import BUILT_IN
from pytest_jevbench.relations.registry import RELATIONS
from tests.relation_testing.laws import Framed, RefundNeedsOrder


def made(**parts: Any) -> type[OwnLaw]:
    """A sound law with some parts exchanged; None takes one away."""
    declared = {"name": "a_law", "law": "It holds.", "formula": "P = P", **parts}
    body = {name: value for name, value in declared.items() if value is not None}
    body.setdefault("applies", lambda self, source, key: True)
    body.setdefault("measure", lambda self, reading: [])
    return type("Made", (OwnLaw,), body)


def test_own_laws_stand_behind_the_built_in_ones_and_nothing_else_knows_them() -> None:
    registry = Registry()
    assert registry.add(RefundNeedsOrder) is RefundNeedsOrder
    relations = registry.relations()
    assert list(relations) == [*RELATIONS, "refund_needs_order"]
    assert relations["refund_needs_order"].group == "OWN.laws"
    assert "refund_needs_order" not in RELATIONS
    assert list(BUILT_IN) == list(RELATIONS)


def test_only_a_registry_that_is_told_so_lets_a_law_count() -> None:
    groups = {}
    for counted in (False, True):
        registry = Registry(counted=counted)
        registry.add(RefundNeedsOrder)
        registry.add(Framed)
        groups[counted] = [law.group for law in registry.relations().own]
    assert groups == {False: ["OWN.laws", "OWN.laws"], True: ["LOG.own", "OWN.laws"]}


def test_after_the_run_has_begun_nothing_more_is_taken() -> None:
    registry = Registry()
    registry.relations()
    with pytest.raises(InputError, match=r"laws.py, line [0-9]+: the class Framed comes too late"):
        registry.add(Framed)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"name": None}, "it has no name"),
        ({"name": "Refund-Needs"}, 'its name is "Refund-Needs"'),
        ({"name": "option_merge"}, "a built-in relation is named 'option_merge'"),
        ({"name": "option_merges"}, "too much like 'option_merge'"),
        ({"name": "optionmerge"}, "too much like 'option_merge'"),
        ({"name": "overall"}, "stands for something else"),
        ({"name": "log"}, "stands for something else"),
        ({"law": None}, "law is missing"),
        ({"law": "  "}, "law is empty"),
        ({"formula": 3}, "formula is 3"),
        (
            {"measured": 1, "measure": lambda self, reading: []},
            "'measured', which means nothing. Did you mean 'measure'",
        ),
        ({"tolerence": 0.1}, "'tolerence', which means nothing. Did you mean 'tolerance'"),
        ({"tolerance": 1}, "tolerance is 1"),
        ({"tolerance": float("nan")}, "tolerance is"),
        ({"counts_in": "LOG.bounds"}, 'counts_in is "LOG.bounds", a group, and not a dimension. Give one of REP'),
        ({"counts_in": "SUM"}, 'counts_in is "SUM", no dimension'),
        ({"wordings": "Is it so? {q}"}, "wordings is .*texts in a tuple"),
        ({"wordings": ()}, "there is no variant"),
        ({"wordings": ("a", "a")}, "a wording stands twice"),
        ({"form": "X"}, 'form is "X"'),
    ],
)
def test_a_declaration_that_does_not_fit_is_refused_with_what_to_do(parts: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Registry().add(made(**parts))


def test_a_law_that_lacks_a_method_is_refused() -> None:
    class Lacking(OwnLaw):
        name = "lacking"
        law = "It holds."
        formula = "P = P"

    with pytest.raises(
        InputError, match=r"registry.py, line [0-9]+: Lacking: there is no method applies and no measure"
    ):
        Registry().add(Lacking)


def test_two_laws_of_one_name_and_of_nearly_one() -> None:
    registry = Registry()
    registry.add(RefundNeedsOrder)
    with pytest.raises(InputError, match=r"'refund_needs_order' is registered already \(laws.py, line"):
        registry.add(made(name="refund_needs_order"))
    with pytest.raises(InputError, match="too much like 'refund_needs_order'"):
        registry.add(made(name="refund_need_order"))


@pytest.mark.parametrize("thing", [Framed(), int, "framed", None])
def test_what_is_no_class_of_a_law_is_refused(thing: Any) -> None:
    with pytest.raises(InputError, match="is no law"):
        Registry().add(thing)
