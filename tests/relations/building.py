"""Builds trials of the test cases for tests that look at them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_jevbench.questions import Case, Question
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import FOLLOW_UP, SourceCase, Trial
from pytest_jevbench.rewrite_bank import RewriteBank
from tests.oracle.cases import read_cases
from tests.relations.measuring import all_trials, source_case

__all__ = ["CASES", "case_of", "first", "follow_up", "trials"]

CASES = sorted(read_cases())


def trials(*names: str, case_id: str = "pool-log", **how: Any) -> list[Trial]:
    """All trials of the named relations (of all, without names) on a case."""
    relations = [registry.get(name) for name in names] if names else list(registry.RELATIONS.values())
    return list(all_trials(source_case(case_id), relations, **how))


def first(name: str, key: str, variant: int = 0, case_id: str = "pool-log") -> Trial:
    """One trial with seed and draw 0."""
    return registry.get(name).build(source_case(case_id), key, variant, 0, 0)


def follow_up(trial: Trial) -> Mapping[str, Question]:
    """The batch of a scored relation's one request."""
    return trial.edit.batches[FOLLOW_UP]


def case_of(*questions: tuple[str, Question], **more: Any) -> SourceCase:
    """A case of these questions, without rewrites."""
    return SourceCase(Case("c", "state", dict(questions), **more), RewriteBank())
