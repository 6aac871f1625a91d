"""What the relations declare of themselves."""

from __future__ import annotations

from itertools import groupby

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import (
    Relation,
)
from pytest_jevbench.relations.taxonomy import DIAGNOSTICS, FORMS, GROUPS

ALL = list(registry.RELATIONS.values())


def test_there_are_fifty_relations_and_two_diagnostics_in_taxonomy_order() -> None:
    order = [group.id for group in GROUPS] + [DIAGNOSTICS.id]
    groups = [relation.group for relation in ALL]
    assert [group for group, _ in groupby(sorted(groups, key=order.index))] == order
    counts = {
        dimension: sum(r.dimension == dimension for r in ALL) for dimension in dict.fromkeys(r.dimension for r in ALL)
    }
    assert counts == {"REP": 15, "BAT": 5, "MEA": 17, "LOG": 10, "CHO": 3, "DIAG": 2}
    assert [r.name for r in ALL if not r.scored] == ["confidence_consistency", "routing_stability"]


@pytest.mark.parametrize("relation", ALL, ids=lambda relation: relation.name)
def test_a_declaration_is_complete(relation: Relation) -> None:
    assert relation.form in FORMS
    assert set(relation.edits) <= {"key", "instructions", "criteria", "type", "batch"}
    assert relation.law.endswith(".")
    assert relation.formula
    assert relation.source
    assert relation.check
    assert relation.variants


def test_only_some_carry_a_tolerance_of_their_own() -> None:
    own = {relation.name: relation.tolerance for relation in ALL if relation.tolerance is not None}
    assert own == {"threshold_sweep": 0.05, "confidence_consistency": 0.02, "routing_stability": 0.0}


def test_an_unknown_name_is_refused_with_near_ones() -> None:
    with pytest.raises(InputError, match="option_clone"):
        registry.get("option_clones")


def test_a_name_is_registered_once() -> None:
    with pytest.raises(InputError, match="option_clone"):
        registry.register(type(registry.get("option_clone")))
