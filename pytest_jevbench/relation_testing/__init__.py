"""Testing a law of one's own before it judges a model: :func:`check_relation`.

What it asks of a law: it applies somewhere; it builds its tests without an answer, the same ones in every process, and
requests that can be sent and frozen; a model without contradictions keeps it; and a defect that it is meant for breaks
it. The model without contradictions gives every answer as a probability under one joint distribution of all that a case
asks (:mod:`pytest_jevbench.oracle`). It reads texts, so a law with wording of its own says in ``means`` what each text
asks, and one that holds only in its domain says in ``given`` which worlds there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_jevbench.oracle.defects import DEFECTS, Defect
from pytest_jevbench.relation_testing.building import build, check_lines, check_other_processes
from pytest_jevbench.relation_testing.material import Material, RelationFault
from pytest_jevbench.relation_testing.measuring import check_broken, check_kept, oracles
from pytest_jevbench.relations.base import Relation
from pytest_jevbench.relations.own_law import OwnLaw
from pytest_jevbench.relations.own_registry import Registry

__all__ = ["DEFECTS", "Checked", "RelationFault", "check_relation"]


@dataclass(frozen=True, slots=True)
class Checked:
    """What a law that passed was checked on.

    ``trials`` were built, ``targets`` are the (case, question) pairs that it applies to, ``kept`` is its largest
    deviation on models without contradictions, ``broken`` its largest on the defect, or None where none was given.
    """

    trials: int
    targets: tuple[tuple[str, str], ...]
    kept: float
    broken: float | None


def check_relation(
    relation: type[OwnLaw] | Relation,
    cases: Path | str | Sequence[Mapping[str, Any]],
    *,
    defect: str | Defect | None = None,
    rewrites: Path | str | Sequence[Mapping[str, Any]] = (),
    seed: int = 0,
    draws: int = 2,
    processes: bool = True,
) -> Checked:
    """Check a law on some cases.

    ``relation`` is the class that is registered (or a built-in relation), ``cases`` a file or folder as
    ``--jevbench-cases`` takes it, or rows of one; ``rewrites`` likewise a bank. ``defect`` is a fault of a model that
    the law has to find: a name in :data:`DEFECTS`, or a function that takes a model ``(state, questions) -> answers``,
    all plain JSON, and returns another. Without ``processes`` the building is not repeated in processes of other hash
    seeds, which takes most of the time.

    Raises :class:`RelationFault` for a law that fails a check, :class:`~pytest_jevbench.errors.InputError` for a
    declaration that no run would take, and for cases that cannot be read.
    """
    law = _made(relation)
    material = Material.read(cases, rewrites)
    trials = {case.id: build(law, case, material.bank, seed, draws) for case in material.cases.values()}
    count = sum(map(len, trials.values()))
    if not count:
        raise RelationFault(f"{law.name} applies to no question of these cases, so nothing was checked")
    check_lines(law, material.cases, trials)
    if processes:
        check_other_processes(law, material, seed, draws)
    models = {case_id: list(oracles(law, material, case_id)) for case_id, of_case in trials.items() if of_case}
    kept = check_kept(law, material.cases, trials, models)
    broken = None if defect is None else check_broken(law, material.cases, trials, models, defect)
    targets = dict.fromkeys((trial.case_id, trial.key) for of_case in trials.values() for trial in of_case)
    return Checked(count, tuple(targets), kept, broken)


def _made(relation: type[OwnLaw] | Relation) -> Relation:
    if isinstance(relation, Relation):
        return relation
    registry = Registry()
    registry.add(relation)
    return registry.relations().own[0]
