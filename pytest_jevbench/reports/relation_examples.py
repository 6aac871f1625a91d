"""An example request pair of each relation: what the test of the bundled demonstration case sends."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.questions import Choice, Question, Score
from pytest_jevbench.reports.request_difference import request_difference
from pytest_jevbench.suite_loading import load_suite

__all__ = ["SUITE", "base_request", "example_pairs"]

SUITE = "jevbench-examples"
WIDTH = 118


def base_request() -> list[str]:
    """The questions of the case, a line each, with the options or levels below."""
    (case,) = load_suite(SUITE).cases.values()
    lines: list[str] = []
    for key, question in case.questions.items():
        lines += _folded(f"{key} ({question.type}): {question.instructions}")
        lines += [line for text in _criteria(question) for line in _folded(f"  {text}")]
    return lines


def example_pairs() -> dict[str, list[str]]:
    """By relation: the target's key, and how each follow-up request differs from the base request."""
    suite = load_suite(SUITE)
    (case,) = suite.cases.values()
    return {test.id.relation: _pair(test, case.questions) for test in suite.plan.tests}


def _pair(test: PlannedTest, base: Mapping[str, Question]) -> list[str]:
    batches = test.trials[0].edit.batches
    lines: list[str] = []
    for label, batch in batches.items():
        if len(batches) > 1:
            lines.append(f"{label}:")
        for line in request_difference(base, batch) or ["the same request once more"]:
            lines += _folded(line)
    return lines


def _criteria(question: Question) -> list[str]:
    if isinstance(question, Choice):
        return [f"{option}: {text}" for option, text in question.options.items()]
    if isinstance(question, Score):
        return [f"{level}: {text}" for level, text in enumerate(question.levels)]
    return []


def _folded(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(line, WIDTH, subsequent_indent=f"{indent}    ", break_long_words=False) or [line]
