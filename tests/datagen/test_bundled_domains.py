"""The sources of the bundled domains: complete, verified as they stand, and within the bounds of a fair suite."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from pytest_jevbench.datagen.assembling import Assembly, assemble
from pytest_jevbench.datagen.balance import balance_of
from pytest_jevbench.datagen.folders import DomainFolder
from pytest_jevbench.datagen.freezing import require_relations, suite_lines
from pytest_jevbench.datagen.states import jaccard, read_draft, shingles
from pytest_jevbench.datagen.verifying import verify_offline

SOURCES = Path(__file__).parents[2] / "suites" / "sources"
CASES = 20
FINISHED = sorted(path.parent.name for path in SOURCES.glob("*/verification.jsonl"))


@pytest.fixture(scope="module")
def assemblies() -> dict[str, Assembly]:
    folders = [DomainFolder(SOURCES / name) for name in FINISHED]
    return {assembly.domain.name: assembly for assembly in assemble(folders, CASES)}


def test_there_are_domains() -> None:
    assert "customer_support" in FINISHED


@pytest.mark.parametrize("name", FINISHED)
def test_every_text_gives_its_facts_by_the_patterns(name: str) -> None:
    folder = DomainFolder(SOURCES / name)
    domain = folder.domain()
    drafts = [(plan, folder.draft(domain, plan)) for plan in folder.planned(domain)]
    rows = [verify_offline(domain, plan, read_draft(path)) for plan, path in drafts if path.exists()]
    assert [problem for row in rows for problem in row.problems] == []


@pytest.mark.parametrize("name", FINISHED)
def test_a_domain_keeps_the_bounds(name: str, assemblies: dict[str, Assembly]) -> None:
    assembly = assemblies[name]
    assert len(assembly.kept) == CASES
    assert len(assembly.domain.questions) >= 16
    assert [bound for bound in balance_of(assembly).bounds if not bound.met] == []


@pytest.mark.parametrize("name", FINISHED)
def test_every_noul_has_both_answers_and_every_relation_a_question(name: str, assemblies: dict[str, Assembly]) -> None:
    golds: dict[str, set[object]] = {}
    for case in assemblies[name].kept:
        for asked in case.plan.questions:
            golds.setdefault(asked.key, set()).add(asked.gold)
    bank = assemblies[name].domain.questions
    assert set(golds) == set(bank)
    assert [key for key, found in golds.items() if len(found) < 2] == []
    require_relations(suite_lines([assemblies[name]]))


def test_no_two_texts_of_all_domains_are_alike(assemblies: dict[str, Assembly]) -> None:
    texts = [(case.plan.id, shingles(case.draft)) for assembly in assemblies.values() for case in assembly.kept]
    assert max((jaccard(a, b), x, y) for (x, a), (y, b) in combinations(texts, 2))[0] <= 0.2
