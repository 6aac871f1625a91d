"""A suite, found, checked against its hashes and loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import InputError, Place, SuiteError
from pytest_jevbench.files import read_bytes
from pytest_jevbench.gold_answers import Gold, read_gold
from pytest_jevbench.json_text import dumps
from pytest_jevbench.own_cases import read_own_cases
from pytest_jevbench.plans.build import build_plan
from pytest_jevbench.plans.codec import read_plan
from pytest_jevbench.plans.plan import Plan
from pytest_jevbench.plans.rows import RowWriter
from pytest_jevbench.plans.stored import MOST_TRIALS
from pytest_jevbench.questions import Case, Choice
from pytest_jevbench.relations.known import BUILT_IN, Relations
from pytest_jevbench.rewrite_bank import RewriteBank, translation_source
from pytest_jevbench.suite_files import (
    CASES,
    GOLD,
    MANIFEST,
    MIN_N,
    REWRITES,
    Manifest,
    parse_lines,
    read_cases,
    read_manifest,
    read_rewrites,
    verified_files,
)
from pytest_jevbench.suite_finding import Found, find_base, find_suite, known_suites, locate_suite

__all__ = ["Suite", "SuiteSummary", "find_suite", "list_suites", "load_suite", "suite_of_cases"]


@dataclass(frozen=True)
class Suite:
    """Cases, rewrites, gold answers and the frozen plan of a suite.

    ``name`` is how node ids, cards and tables call it (``jevbench.jevbench-mini`` for a suite of another distribution),
    ``path`` its directory, ``manifest`` all that the manifest says, ``digest`` a SHA-256 over the hashes of all files
    that the tests depend on: equal digests are equal tests.
    """

    name: str
    version: str
    description: str
    min_n: int
    path: Path
    cases: Mapping[str, Case]
    bank: RewriteBank
    plan: Plan
    gold: Gold
    manifest: Mapping[str, Any]
    digest: str
    relations: Relations = BUILT_IN

    @property
    def file(self) -> Path:
        """A file that stands for the suite: its manifest, or that of the user's own cases."""
        return self.path / MANIFEST if (self.path / MANIFEST).is_file() else self.path

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains of the cases, in order of appearance."""
        return tuple(dict.fromkeys(case.domain for case in self.cases.values()))


@dataclass(frozen=True, slots=True)
class SuiteSummary:
    """What a manifest says about a suite, for a listing; None where it does not say."""

    spec: str
    version: str
    description: str
    cases: int | None
    domains: int | None
    tests: int | None
    requests: int | None


def load_suite(spec: str, relations: Relations = BUILT_IN, *, most_plain: int = MOST_TRIALS) -> Suite:
    """A suite by bundled name, path, or ``distribution:name``, every file checked against its hash.

    Trials are read when they are used; :func:`~.plans.stored.check_tests` reads those of a selection, and a run does so
    before it asks anything. A plan of the user's own laws needs them in ``relations``. The lines of a plan of more than
    ``most_plain`` trials are kept compressed, which suits a process that needs a part of them once. Raises
    :class:`SuiteError`.
    """
    found = locate_suite(spec)
    try:
        return _load(found, relations, most_plain)
    except SuiteError:
        raise
    except InputError as error:
        raise SuiteError(error.problem, place=error.place, advice=error.advice) from None


def _load(found: Found, relations: Relations, most_plain: int) -> Suite:
    manifest = read_manifest(found.path)
    plan_file = _plan_file(manifest)
    contents = verified_files(found.path, manifest, (CASES, REWRITES, GOLD, plan_file))
    source = found.path
    sources = contents
    if manifest.base is not None:
        source, sources = _base_files(found, manifest)
    if CASES not in sources:
        raise SuiteError(f"the manifest lists no {CASES}", place=manifest.place.at("files"))
    if plan_file not in contents:
        raise SuiteError(f"the manifest lists no {plan_file}", place=manifest.place.at("files"))
    cases = read_cases(parse_lines(sources[CASES], source / CASES), source / CASES)
    bank = read_rewrites(parse_lines(sources.get(REWRITES, b""), source / REWRITES))
    gold = read_gold(parse_lines(sources.get(GOLD, b""), source / GOLD), cases)
    plan = read_plan(contents[plan_file], cases, found.path / plan_file, relations, most_plain=most_plain)
    _check_counts(plan, manifest)
    return Suite(
        name=found.named(manifest.name),
        version=manifest.version,
        description=manifest.description,
        min_n=manifest.min_n,
        path=found.path,
        cases={case_id: cases[case_id] for case_id in plan.cases},
        bank=bank,
        plan=plan,
        gold=gold,
        manifest=manifest.fields,
        digest=_digest({"files": manifest.files, "base_files": manifest.base_files}),
        relations=relations,
    )


def _plan_file(manifest: Manifest) -> str:
    plan = manifest.fields.get("plan")
    if not isinstance(plan, dict) or not isinstance(plan.get("file"), str):
        raise SuiteError(
            "the suite has no frozen plan",
            place=manifest.place.at("plan"),
            advice="Freeze it with `pytest-jevbench suite freeze DIR`",
        )
    name: str = plan["file"]
    return name


def _base_files(found: Found, manifest: Manifest) -> tuple[Path, dict[str, bytes]]:
    """The directory and files of the suite that a derived suite is drawn from, as they were when it was drawn."""
    base = find_base(manifest.base, found)
    base_manifest = read_manifest(base.path)
    if base_manifest.base is not None:
        raise SuiteError("the base is a derived suite itself", place=manifest.place.at("base"))
    recorded = manifest.base_files
    if CASES not in recorded:
        raise SuiteError(f"no hash of {CASES} is recorded", place=manifest.place.at("base_files"))
    contents = verified_files(base.path, base_manifest, (CASES, REWRITES, GOLD))
    for name, digest in recorded.items():
        if base_manifest.files.get(name, "").lower() != digest.lower():
            raise SuiteError(
                f"{name} of the base suite {base.path} is not the one this suite was drawn from",
                place=manifest.place.at("base_files"),
                advice="Restore the base, or freeze this suite again",
            )
    return base.path, contents


def _check_counts(plan: Plan, manifest: Manifest) -> None:
    counted = {
        "tests": len(plan.tests),
        "trials": sum(len(test.trials) for test in plan.tests),
        "relations": len(plan.relations),
    }
    for field, count in counted.items():
        said = manifest.fields["plan"].get(field, count)
        if said != count:
            raise SuiteError(
                f"the manifest says {said} {field}, the plan has {count}",
                place=manifest.place.at("plan").at(field),
                advice="Freeze the suite again",
            )


def _digest(value: Mapping[str, Mapping[str, str]]) -> str:
    ordered = {field: dict(sorted(digests.items())) for field, digests in value.items()}
    return sha256(dumps(ordered, compact=True).encode()).hexdigest()


def suite_of_cases(
    path: Path | str,
    *,
    rewrites: Path | None = None,
    seed: int = 0,
    draws: int = 1,
    audited_only: bool = False,
    relations: Relations = BUILT_IN,
) -> Suite:
    """A suite of the user's own cases, planned here and now: every variant of every scored relation on every question.

    ``path`` is what :func:`~pytest_jevbench.own_cases.read_own_cases` reads, ``rewrites`` a bank in the place of one
    that lies beside the cases; ``relations`` hold the user's own laws. Raises :class:`InputError` naming file,
    line and field.
    """
    own = read_own_cases(Path(path))
    cases = read_cases(own.cases, own.path)
    files = dict(own.files)
    bank = RewriteBank()
    if (found := rewrites or own.rewrites) is not None:
        data = read_bytes(found)
        files[REWRITES] = sha256(data).hexdigest()
        bank = read_rewrites(parse_lines(data, found), audited_only=audited_only)
        if rewrites is not None:
            _check_fits(bank, cases, Place(found), audited_only)
    elif audited_only:
        raise InputError("there is no rewrite bank of which audited rewrites could be used", place=Place(own.path))
    plan = build_plan(cases.values(), bank, relations.scored(), seed=seed, draws=draws)
    settings = {"seed": str(seed), "draws": str(draws), "audited_only": str(audited_only)}
    digested = {"files": files, "settings": settings}
    if relations.own:
        digested["own_laws"] = _own_law_digests(plan, relations, cases)
    return Suite(
        name=own.name,
        version="",
        description=f"the cases of {own.path.name}",
        min_n=MIN_N,
        path=own.path,
        cases=cases,
        bank=bank,
        plan=plan,
        gold=read_gold(own.gold, cases),
        manifest={"files": files},
        digest=_digest(digested),
        relations=relations,
    )


def _check_fits(bank: RewriteBank, cases: Mapping[str, Case], place: Place, audited_only: bool) -> None:
    """Refuse a bank that was named and of which nothing can be meant: its relations would be missing in silence."""
    if not bank.texts:
        if audited_only:
            advice = "`pytest-jevbench audit` confirms them"
            raise InputError("none of its rewrites was confirmed by an audit", place=place, advice=advice)
        return
    for case in cases.values():
        for question in case.questions.values():
            texts = {question.instructions, translation_source(question)}
            if isinstance(question, Choice):
                texts.update(question.options.values())
            if any(source in texts for _, source in bank.texts):
                return
    raise InputError(
        f"none of its {len(bank.texts)} texts stands in these cases",
        place=place,
        advice="Name the bank of these cases, or make one with `pytest-jevbench rewrite`",
    )


def _own_law_digests(plan: Plan, relations: Relations, cases: Mapping[str, Case]) -> dict[str, str]:
    """A hash of each own law: what it says, and every request that it makes of these cases."""
    digests = {law.name: sha256(dumps([law.law, law.formula, law.tolerance]).encode()) for law in relations.own}
    writers = {case_id: RowWriter(case) for case_id, case in cases.items()}
    for test in plan.tests:
        if test.id.relation in digests:
            for trial in test.trials:
                digests[test.id.relation].update(dumps(writers[test.id.case_id].row(trial)).encode())
    return {name: digest.hexdigest() for name, digest in digests.items()}


def list_suites() -> list[SuiteSummary]:
    """The suites that can be named: the bundled ones, then those of installed distributions.

    What a damaged manifest does not say is None; :func:`load_suite` says what is wrong with it.
    """
    return [_summary(spec, found) for spec, found in known_suites().items()]


def _summary(spec: str, found: Found) -> SuiteSummary:
    try:
        manifest = read_manifest(found.path)
        fields = manifest.fields
        if manifest.base is not None:
            base = read_manifest(find_base(manifest.base, found).path).fields
            fields = {"cases": base.get("cases"), "domains": base.get("domains"), **fields}
    except InputError as error:
        return SuiteSummary(spec, "", str(error), None, None, None, None)
    plan = fields.get("plan") if isinstance(fields.get("plan"), dict) else {}
    domains = fields.get("domains")
    return SuiteSummary(
        spec=spec,
        version=manifest.version,
        description=manifest.description,
        cases=_number(fields.get("cases")),
        domains=len(domains) if isinstance(domains, (dict, list)) else None,
        tests=_number(plan.get("tests")) if plan else None,
        requests=_number(plan.get("requests")) if plan else None,
    )


def _number(value: Any) -> int | None:
    return value if type(value) is int else None
