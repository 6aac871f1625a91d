"""Faults of a published conformance server, each found by the relations that are about it and not without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pytest_jevbench.errors import Place
from pytest_jevbench.models.systemone import SystemOne
from pytest_jevbench.oracle.oracle import Answers
from pytest_jevbench.questions import Request, question_from_json
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import TOLERANCE
from tests.relations.measuring import all_trials, measure, source_case, worst
from tests.servers.published import RunningServer

ISOLATION = ("key_rename", "duplicate_question", "batch_solo", "batch_order", "batch_content", "batch_size_sweep")

FOUND_BY = {
    "id-leaks": {"key_rename", "duplicate_question"},
    "batch-leaks": {"batch_solo", "batch_size_sweep"},
    "order-leaks": {"batch_order", "batch_solo", "duplicate_question"},
}
"""The fault to what it violates: the key, the number of questions, the place among them reach the answer there."""


def _worst(server: RunningServer) -> dict[str, float]:
    model = SystemOne(server.url, model="mock")

    def ask(state: Any, questions: Mapping[str, Any]) -> Answers:
        batch = {key: question_from_json(question, Place()) for key, question in questions.items()}
        return dict(model.ask(Request(state, batch)).answers)

    source = source_case("pool-log")
    relations = [registry.get(name) for name in ISOLATION]
    try:
        return worst(measure(source.case, all_trials(source, relations), ask))
    finally:
        model.close()


def test_without_a_fault_the_server_keeps_every_law_of_isolation(jevcompat_mock: RunningServer) -> None:
    assert max(_worst(jevcompat_mock).values()) <= 1e-9


@pytest.mark.parametrize("fault", FOUND_BY)
def test_a_fault_newly_violates_the_relations_about_it(fault: str, start_server: Callable[..., RunningServer]) -> None:
    found = _worst(start_server("jevcompat", "mock", "--port", "{port}", "--fault", fault, model="mock"))
    assert {name for name, deviation in found.items() if deviation > TOLERANCE} == FOUND_BY[fault]
