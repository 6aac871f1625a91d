"""Builds every trial of a case and measures it on the answers of any function (state, questions) -> answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pytest_jevbench.answers import read_answer
from pytest_jevbench.distributions import Distribution
from pytest_jevbench.errors import Place
from pytest_jevbench.oracle.joint import Joint
from pytest_jevbench.oracle.oracle import Asker, Oracle
from pytest_jevbench.oracle.table import CaseTable
from pytest_jevbench.questions import Case, Question, case_from_json
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import Measurement, Reading, Relation, SourceCase, Trial
from pytest_jevbench.rewrite_bank import RewriteBank, rewrite_from_json
from tests.oracle.cases import HERE, read_cases, read_rewrites

__all__ = ["Measured", "all_trials", "measure", "oracle", "source_case", "worst"]


class Measured(NamedTuple):
    """One outcome of one trial."""

    trial: Trial
    measurement: Measurement


@cache
def source_case(case_id: str, folder: Path = HERE) -> SourceCase:
    """A case of a suite directory with the directory's rewrites."""
    rows = read_rewrites(folder)
    bank = RewriteBank.of([rewrite_from_json(row, Place("rewrites.jsonl", n)) for n, row in enumerate(rows, 1)])
    return SourceCase(case_from_json(read_cases(folder)[case_id], Place("cases.jsonl")), bank)


def oracle(case_id: str, joint: Joint, folder: Path = HERE) -> Oracle:
    """The oracle for a case of a suite directory."""
    return Oracle(CaseTable(read_cases(folder)[case_id], read_rewrites(folder)), joint)


def all_trials(
    source: SourceCase, relations: Iterable[Relation] | None = None, *, seeds: Iterable[int] = (0,), draws: int = 1
) -> Iterator[Trial]:
    """Every target and variant of the relations (all scored ones), each random one drawn ``draws`` times a seed."""
    for relation in registry.scored() if relations is None else relations:
        how = relation.transformation
        for key in how.targets(source):
            for variant in how.variants(source, key):
                for seed in seeds if how.randomised else (0,):
                    for draw in range(draws if how.randomised else 1):
                        yield relation.build(source, key, variant, draw, seed)


class _Read(dict[str, Distribution]):
    """Answers read when a law looks at them."""

    def __init__(self, batch: Mapping[str, Question], answers: Mapping[str, Any]) -> None:
        super().__init__()
        self._batch = batch
        self._answers = answers

    def __missing__(self, key: str) -> Distribution:
        answer = read_answer(self._batch[key], self._answers[key])
        assert answer.distribution is not None, answer.problem
        self[key] = answer.distribution
        return answer.distribution


def measure(case: Case, trials: Iterable[Trial], ask: Asker) -> Iterator[Measured]:
    """What the relations measure of a model's answers, in the order of the trials."""
    wire: dict[int, tuple[Question, dict[str, Any]]] = {}

    def asked(batch: Mapping[str, Question]) -> _Read:
        for question in batch.values():
            if id(question) not in wire:
                wire[id(question)] = (question, question.to_json())
        return _Read(batch, ask(case.state, {key: wire[id(question)][1] for key, question in batch.items()}))

    base = asked(case.questions)
    for trial in trials:
        reading = Reading(
            key=trial.key,
            targets=trial.targets,
            params=trial.params,
            questions=case.questions,
            source=base,
            follow_ups={label: asked(batch) for label, batch in trial.edit.batches.items()},
        )
        measured = registry.get(trial.relation).measure(reading)
        for measurement in [measured] if isinstance(measured, Measurement) else measured:
            yield Measured(trial, measurement)


def worst(measured: Iterable[Measured]) -> dict[str, float]:
    """The largest deviation of each relation."""
    largest: dict[str, float] = {}
    for trial, measurement in measured:
        largest[trial.relation] = max(largest.get(trial.relation, 0.0), measurement.deviation)
    return largest
