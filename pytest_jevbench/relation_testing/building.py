"""The tests of a law are built without an answer, can be frozen, and are the same in every process."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.errors import InputError, JevbenchError, Place
from pytest_jevbench.files import parse_line
from pytest_jevbench.json_text import dumps, shown
from pytest_jevbench.plans.rehearsal import Rehearsal
from pytest_jevbench.plans.rows import RowReader, RowWriter
from pytest_jevbench.questions import Case
from pytest_jevbench.relation_testing.material import Material, RelationFault
from pytest_jevbench.relations.base import Relation, SourceCase, Trial
from pytest_jevbench.relations.own_law import declared_at
from pytest_jevbench.rewrite_bank import RewriteBank

__all__ = ["build", "build_digest", "check_lines", "check_other_processes"]

HASH_SEEDS = ("1", "2")
SECONDS = 120.0
"""What a process that builds the same tests may take."""


def build(law: Relation, case: Case, bank: RewriteBank, seed: int, draws: int) -> list[Trial]:
    looked: list[str] = []

    class Watched(SourceCase):
        """Tells of a look at the answers even where the law goes on as though nothing had happened."""

        @property
        def answers(self) -> Mapping[str, Distribution]:
            looked.append(self.id)
            return super().answers

    try:
        trials = list(_trials(law, Watched(case, bank), seed, draws))
    except JevbenchError as error:
        raise RelationFault(f"{law.name} cannot be built: {error}") from error
    finally:
        if looked:
            raise RelationFault(
                f"{law.name} ({declared_at(law)}) reads the answers of case {case.id!r} while it builds its tests. "
                "They are made before a model is asked; use answers in `measure` alone"
            )
    return trials


def _trials(law: Relation, source: SourceCase, seed: int, draws: int) -> Iterator[Trial]:
    how = law.transformation
    for key in how.targets(source):
        for variant in how.variants(source, key):
            for draw in range(draws if how.randomised else 1):
                yield law.build(source, key, variant, draw, seed)


def build_digest(law: Relation, cases: Iterable[Case], bank: RewriteBank, seed: int, draws: int) -> str:
    """SHA-256 over the plan lines of all trials of the cases."""
    total = sha256()
    for case in cases:
        writer = RowWriter(case)
        for trial in _trials(law, SourceCase(case, bank), seed, draws):
            total.update(dumps(writer.row(trial)).encode())
    return total.hexdigest()


def check_lines(law: Relation, cases: Mapping[str, Case], trials: Mapping[str, Sequence[Trial]]) -> None:
    """Every trial can be frozen: its line gives it again, and it can be measured."""
    rehearsal = Rehearsal()
    for case_id, of_case in trials.items():
        writer, reader = RowWriter(cases[case_id]), RowReader(cases[case_id])
        for trial in of_case:
            place = Place(f"case {shown(case_id)}, question {shown(trial.key)}, variant {trial.variant}")
            line = dumps(writer.row(trial))
            try:
                again = reader.trial(parse_line(line.encode(), place), law.name, place)
                rehearsal.measure(law, trial, cases[case_id], place)
            except InputError as error:
                raise RelationFault(f"{law.name} cannot be frozen: {error}") from error
            if dumps(writer.row(again)) != line:
                raise RelationFault(f"{law.name} cannot be frozen: read again, {place} is another test")


def check_other_processes(law: Relation, material: Material, seed: int, draws: int) -> None:
    """Processes of other hash seeds, as workers are, build the same."""
    cls = type(law)
    if "<locals>" in cls.__qualname__:
        raise RelationFault(
            f"{law.name} ({declared_at(law)}) is declared inside a function, where other processes cannot find it. "
            "Declare the class on the top level of its file, or check with processes=False"
        )
    told = {
        "module": cls.__module__,
        "file": inspect.getfile(cls),
        "name": cls.__qualname__,
        "path": sys.path,
        "cases": list(material.rows.values()),
        "rewrites": list(material.rewrites),
        "seed": seed,
        "draws": draws,
    }
    digests = {"this process": build_digest(law, material.cases.values(), material.bank, seed, draws)}
    for hash_seed in HASH_SEEDS:
        ran = subprocess.run(
            [sys.executable, "-m", "pytest_jevbench.relation_testing.child"],
            input=json.dumps(told),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        if ran.returncode:
            last = ran.stderr.strip().splitlines()[-1:] or ["it ended without a word"]
            raise RelationFault(f"{law.name} cannot be built in another process: {last[0]}")
        digests[f"a process with PYTHONHASHSEED={hash_seed}"] = ran.stdout.strip()
    if len(set(digests.values())) > 1:
        here, *others = digests.items()
        other = next(name for name, digest in others if digest != here[1])
        raise RelationFault(
            f"{law.name} ({declared_at(law)}) builds other tests in {other} than here. Take whatever is random from "
            "`draw`, and no order from a set, a hash or the time"
        )
