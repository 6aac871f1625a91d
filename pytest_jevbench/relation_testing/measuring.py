"""A model without contradictions keeps a law, and a defect breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from pytest_jevbench.answers import read_answer
from pytest_jevbench.distributions import Distribution
from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import dumps
from pytest_jevbench.oracle.defects import DEFECTS, Defect
from pytest_jevbench.oracle.joint import Joint
from pytest_jevbench.oracle.oracle import Asker, Oracle
from pytest_jevbench.oracle.propositions import Propositions
from pytest_jevbench.oracle.table import AmbiguousText, CaseTable, UnknownText
from pytest_jevbench.oracle.worlds import Worlds
from pytest_jevbench.questions import Case, Question
from pytest_jevbench.relation_testing.material import Material, RelationFault
from pytest_jevbench.relations.base import TOLERANCE, Edit, Measurement, Reading, Relation, Trial
from pytest_jevbench.relations.own_law import OwnLaw, declared_at, in_words

__all__ = ["check_broken", "check_kept", "oracles"]

EXACT = 1e-9
"""Float noise: a model without contradictions has no larger deviation."""


def _joints() -> Iterator[Joint]:
    """Broad, narrow, all but certain, of few worlds, of one, and ordinary ones."""
    yield Joint(1)
    yield Joint(2, worlds=400, sharpness=0.3)
    yield Joint(3, worlds=200, sharpness=3.0)
    yield Joint(4, worlds=6)
    yield Joint(5, worlds=1)
    for seed, sharpness in enumerate((0.4, 0.8, 1.2, 1.6), 6):
        yield Joint(seed, 200, sharpness)


def oracles(law: Relation, material: Material, case_id: str) -> Iterator[Oracle]:
    """Models without contradictions, each under another joint distribution that the law's domain allows."""
    table = CaseTable(material.rows[case_id], [{"audited": None, **row} for row in material.rewrites])
    some = False
    for joint in _joints():
        read = Propositions(table, joint)
        worlds = Worlds(read)
        allowed = _told(law, "given", lambda w=worlds: law.given(w) if isinstance(law, OwnLaw) else None)  # type: ignore[misc]
        if allowed is not None:
            try:
                joint.restrict(np.asarray(allowed, dtype=float))
            except ValueError:
                continue
        some = True
        yield Oracle(table, joint, _meaning(law, worlds), read)
    if not some:
        raise RelationFault(f"{law.name} ({declared_at(law)}): `given` allows no world of case {case_id!r}")


def _meaning(law: Relation, worlds: Worlds) -> Callable[[str], Any]:
    def meaning(text: str) -> Any:
        if not isinstance(law, OwnLaw):
            return None
        told = _told(law, "means", lambda: law.means(text, worlds))
        if told is None or isinstance(told, str):
            if told is not None and told not in worlds:
                raise RelationFault(f"{law.name} ({declared_at(law)}): `means` names {told!r}, which is no question")
            return told
        return np.asarray(told, dtype=float)

    return meaning


def _told(law: Relation, method: str, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        raise RelationFault(in_words(law, f"`{method}` fails", error)) from error


def check_kept(
    law: Relation,
    cases: Mapping[str, Case],
    trials: Mapping[str, Sequence[Trial]],
    models: Mapping[str, Sequence[Oracle]],
) -> float:
    largest = 0.0
    for case_id, of_case in models.items():
        for model in of_case:
            for trial, reduced, measured in _measured(law, cases[case_id], trials[case_id], model):
                if not measured.deviation <= EXACT:
                    part = " on the batch of its targets alone" if reduced else ""
                    raise RelationFault(
                        f"a model without contradictions breaks {law.name} ({declared_at(law)}) by "
                        f"{measured.deviation:.4f} on case {case_id!r}, question {trial.key!r}, variant "
                        f"{trial.variant}{part}: expected {_numbers(measured.expected)}, observed "
                        f"{_numbers(measured.observed)}. The law does not follow from what `means` and `given` say"
                    )
                largest = max(largest, measured.deviation)
    return largest


def check_broken(
    law: Relation,
    cases: Mapping[str, Case],
    trials: Mapping[str, Sequence[Trial]],
    models: Mapping[str, Sequence[Oracle]],
    defect: str | Defect,
) -> float:
    name = defect if isinstance(defect, str) else getattr(defect, "__name__", "the defect")
    if isinstance(defect, str):
        if defect not in DEFECTS:
            raise InputError(f"there is no defect {defect!r}", advice=f"There are: {', '.join(DEFECTS)}")
        defect = DEFECTS[defect]

    def largest_under(fault: Defect) -> float:
        return max(
            measured.deviation
            for case_id, of_case in models.items()
            for model in of_case
            for _, _, measured in _measured(law, cases[case_id], trials[case_id], fault(model))
        )

    largest = largest_under(defect)
    allowed = TOLERANCE if law.tolerance is None else law.tolerance
    if not largest > allowed:
        raise RelationFault(
            f"{law.name} ({declared_at(law)}) does not find {name}: its largest deviation is {largest:.4f}, and "
            f"{allowed:g} is allowed. {_what_it_finds(largest_under, allowed)}"
        )
    return largest


def _what_it_finds(largest_under: Callable[[Defect], float], allowed: float) -> str:
    """Advice for a law whose defect is too weak: the named defects that it does find."""
    found = []
    for name, defect in DEFECTS.items():
        with suppress(RelationFault):  # one that its texts do not fit
            if largest_under(defect) > allowed:
                found.append(name)
    if found:
        return f"Make the defect stronger, or name one that it finds here: {', '.join(found)}"
    return "None of the named defects is found either: compare more, allow less, or give cases where answers can differ"


def _measured(
    law: Relation, case: Case, trials: Iterable[Trial], model: Asker
) -> Iterator[tuple[Trial, bool, Measurement]]:
    """What the law measures of a model's answers, each trial whole and on its targets alone."""
    known: dict[str, dict[str, Distribution]] = {}

    def asked(batch: Mapping[str, Question]) -> Mapping[str, Distribution]:
        questions = {key: question.to_json() for key, question in batch.items()}
        request = dumps(list(map(list, questions.items())))
        if request not in known:
            known[request] = _answers(law, batch, questions, case, model)
        return known[request]

    def reading(trial: Trial, edit: Edit, questions: Mapping[str, Question]) -> Iterator[Measurement]:
        answered = Reading(
            key=trial.key,
            targets=edit.targets,
            params=edit.params,
            questions=questions,
            source=asked(questions),
            follow_ups={label: asked(batch) for label, batch in edit.batches.items()},
        )
        try:
            measured = law.measure(answered)
        except Exception as error:
            alone = len(questions) < len(case.questions)
            what = f"`measure` fails on case {case.id!r}, question {trial.key!r}"
            raise RelationFault(
                in_words(law, f"{what}, asked without the case's other questions" if alone else what, error)
                + (". Let `about` name every question that `measure` reads" if alone else "")
            ) from error
        yield from [measured] if isinstance(measured, Measurement) else measured

    for trial in trials:
        for measured in reading(trial, trial.edit, case.questions):
            yield trial, False, measured
        if trial.reduced is not None:
            alone = {key: case.questions[key] for key in trial.reduced.targets}
            for measured in reading(trial, trial.reduced, alone):
                yield trial, True, measured


def _answers(
    law: Relation, batch: Mapping[str, Question], questions: Mapping[str, Any], case: Case, model: Asker
) -> dict[str, Distribution]:
    try:
        answers = model(case.state, questions)
    except (UnknownText, AmbiguousText) as error:
        what = "is not known to" if isinstance(error, UnknownText) else "means two things to"
        raise RelationFault(
            f"a text that {law.name} ({declared_at(law)}) asks {what} a model without contradictions: {error}. Let "
            "`means` say which event of the case it asks about"
        ) from error
    read = {key: read_answer(question, answers.get(key)) for key, question in batch.items()}
    for key, answer in read.items():
        if answer.distribution is None:
            raise RelationFault(f"the answer to {key!r} cannot be read: {answer.problem}")
    return {key: answer.distribution for key, answer in read.items() if answer.distribution is not None}


def _numbers(values: Distribution) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in values.items())
