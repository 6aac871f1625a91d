"""The markers that a test of a plan carries, wherever it is collected."""

from __future__ import annotations

from functools import cache

import pytest

from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.runs.planning import Run

__all__ = ["marks_of"]


def marks_of(run: Run, test: PlannedTest) -> list[pytest.MarkDecorator]:
    """``jevbench``, the dimension's and one for each question type that the test is about."""
    case = run.cases[test.id.case_id]
    relation = run.relations[test.id.relation]
    first = next(iter(case.questions)) == test.id.key
    whole_batch = first and len(test.trials[0].targets) > 1 and "batch" in relation.edits
    kinds = [case.questions[key].type for key in (test.trials[0].targets if whole_batch else [test.id.key])]
    names = ["jevbench", f"jevbench_{relation.dimension.lower()}", *(f"jevbench_{kind}" for kind in kinds)]
    return [_mark(name) for name in dict.fromkeys(names)]


@cache
def _mark(name: str) -> pytest.MarkDecorator:
    """One object for all items: there are thousands."""
    mark: pytest.MarkDecorator = getattr(pytest.mark, name)
    return mark
