"""Freezing: from cases, rewrites and gold answers to a suite that is the same tests for everyone.

What is written loads here and in the published tool. Its loader is stricter on a few points than ours, and what it
would refuse is refused when freezing, with the line to mend.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pytest_jevbench import __version__
from pytest_jevbench.errors import InputError, Place, SuiteError
from pytest_jevbench.files import BOM, read_bytes, write_whole
from pytest_jevbench.gold_answers import read_gold
from pytest_jevbench.json_text import JSON, dumps, shown
from pytest_jevbench.plans.codec import read_plan, write_plan
from pytest_jevbench.plans.mini import select_mini
from pytest_jevbench.plans.plan import Plan, count_requests
from pytest_jevbench.plans.select import select_one_per_case
from pytest_jevbench.plans.stored import check_tests
from pytest_jevbench.questions import Case
from pytest_jevbench.relations.known import BUILT_IN, Relations
from pytest_jevbench.suite_files import (
    CASES,
    GOLD,
    MANIFEST,
    REWRITES,
    Manifest,
    data_files,
    parse_lines,
    read_cases,
    read_manifest,
    read_rewrites,
)
from pytest_jevbench.suite_finding import PLAN_FILE, Found, find_base, locate_suite
from pytest_jevbench.suite_loading import load_suite

__all__ = ["Frozen", "freeze_mini", "freeze_suite", "recorded_base"]

SPLITS_LINES = {"\x85": "U+0085", "\u2028": "U+2028", "\u2029": "U+2029"}


@dataclass(frozen=True, slots=True)
class Frozen:
    """What was written. ``unused`` are the scored relations that apply to no case, ``standalone`` whether the suite has
    its own cases, ``questions`` and ``domains`` are counted over its cases."""

    directory: Path
    name: str
    plan: Plan
    questions: int
    domains: Mapping[str, int]
    requests: int
    unused: tuple[str, ...]
    standalone: bool
    files: Mapping[str, str]


def freeze_suite(
    directory: Path,
    *,
    seed: int = 0,
    draws: int = 1,
    audited_only: bool = False,
    relations: Relations = BUILT_IN,
) -> Frozen:
    """Plan the cases of a directory and write ``tests.jsonl.gz`` and ``manifest.json``, the same bytes every time.

    The directory holds ``cases.jsonl``, a ``manifest.json`` with at least a name, and where there are any
    ``rewrites.jsonl`` and ``gold.jsonl``. ``relations`` hold laws of the user's own. Raises :class:`InputError`.
    """
    manifest = _stub(directory)
    _refuse_drawn(manifest)
    cases_path = directory / CASES
    _require_cases(cases_path)
    cases_data = read_bytes(cases_path)
    _refuse_unportable(cases_data, cases_path)
    cases = read_cases(_without_colons(parse_lines(cases_data, cases_path)), cases_path)
    rewrites = _optional(directory / REWRITES)
    _refuse_unportable(rewrites, directory / REWRITES)
    bank = read_rewrites(parse_lines(rewrites, directory / REWRITES), audited_only=audited_only)
    read_gold(parse_lines(_optional(directory / GOLD), directory / GOLD), cases)
    plan, built = select_one_per_case(cases.values(), bank, relations.scored(), seed=seed, draws=draws)
    if not plan.tests:
        raise InputError("no relation applies to any case", place=Place(cases_path))
    return _write(directory, manifest, plan, cases, relations, plan_fields={"chosen_from_trials": built})


def recorded_base(directory: Path) -> tuple[str, int] | None:
    """The base and the cases a domain that a derived suite was drawn with before; None for another suite."""
    fields = _stub(directory).fields
    base, per_domain = fields.get("base"), fields.get("per_domain", 2)
    return (base, per_domain) if isinstance(base, str) and type(per_domain) is int else None


def freeze_mini(
    directory: Path, base: str, *, per_domain: int, standalone: bool = False, relations: Relations = BUILT_IN
) -> Frozen:
    """Draw a small suite from a frozen one: each relation on ``per_domain`` cases of each domain.

    It refers to the cases of its base, which lies beside it; ``standalone`` copies them, and then the base can be
    any suite. Raises :class:`InputError`.
    """
    manifest = _stub(directory)
    found = _locate_base(directory, base, standalone)
    _refuse_own_cases(directory, manifest, found)
    parent = load_suite(str(found.path.resolve()), relations)
    if parent.manifest.get("base") is not None:
        raise SuiteError(f"the base {shown(base)} is drawn from another suite itself", advice="Draw from that one")
    plan = select_mini(parent.plan, parent.cases, per_domain=per_domain, relations=relations)
    origin = f"{parent.manifest['name']} v{parent.version}"
    if standalone:
        for name in (CASES, REWRITES, GOLD):
            if name in parent.manifest["files"]:
                write_whole(directory / name, read_bytes(found.path / name))
        fields: dict[str, JSON] = {"per_domain": per_domain}
        references: dict[str, JSON] = {}
    else:
        fields = {"base": parent.manifest["name"], "per_domain": per_domain}
        references = {"base_files": dict(parent.manifest["files"])}
    return _write(
        directory,
        manifest,
        plan,
        parent.cases,
        relations,
        plan_fields={"drawn_from": origin},
        first=fields,
        last=references,
    )


def _refuse_own_cases(directory: Path, manifest: Manifest, base: Found) -> None:
    """Drawing writes the cases of the base, or leaves these out: what a person wrote here must not go that way."""
    if base.path.resolve() == directory.resolve():
        raise SuiteError("a suite cannot be its own base", place=Place(directory), advice="Name another suite")
    if recorded_base(directory) is not None or "drawn_from" in (manifest.fields.get("plan") or {}):
        return
    for name in (CASES, REWRITES, GOLD):
        path = directory / name
        if path.exists() and read_bytes(path) != _optional(base.path / name):
            raise SuiteError(
                f"the directory has a {name} of its own, and a suite that is drawn from another has none",
                place=Place(path),
                advice="Draw into another directory, or freeze this one without --base",
            )


def _locate_base(directory: Path, base: str, standalone: bool) -> Found:
    beside = Found(directory.resolve())
    if not standalone:
        found = find_base(base, beside)
        name = read_manifest(found.path).name
        if name != base:
            raise SuiteError(f"the directory {base} holds the suite {shown(name)}", advice="Name both the same")
        return found
    try:
        return find_base(base, beside)
    except SuiteError:
        return locate_suite(base)


def _stub(directory: Path) -> Manifest:
    path = directory / MANIFEST
    if directory.is_file():
        raise InputError(
            "this is a file", place=Place(directory), advice="Give the directory that holds cases.jsonl and a manifest"
        )
    if not directory.exists():
        raise InputError("there is no such directory", place=Place(directory), advice="Make it, with cases.jsonl in it")
    if not path.exists():
        raise InputError(
            f"there is no {MANIFEST}",
            place=Place(directory),
            advice='Write one with {"name": ..., "version": "1", "description": ...}; the rest is filled in',
        )
    return read_manifest(directory)


def _require_cases(path: Path) -> None:
    if not path.exists():
        others = sorted(file.name for file in path.parent.iterdir() if file.suffix.lower() in (".yaml", ".yml"))
        advice = (
            f"{shown(others[0])} is not frozen as it is: write its cases over as JSON, one a line" if others else ""
        )
        raise InputError(
            "there is no such file", place=Place(path), advice=advice or "Put the cases into it, one a line"
        )


def _refuse_drawn(manifest: Manifest) -> None:
    """A standalone small suite looks like one to plan; planning all of it must not happen by a slip."""
    plan = manifest.fields.get("plan")
    if isinstance(plan, dict) and "drawn_from" in plan:
        raise SuiteError(
            f"the tests of this suite were drawn from {shown(plan['drawn_from'])}",
            place=manifest.place.at("plan"),
            advice="Give --base to draw them again, or take plan out of the manifest to plan all its cases",
        )


def _optional(path: Path) -> bytes:
    return read_bytes(path) if path.exists() else b""


def _refuse_unportable(data: bytes, path: Path) -> None:
    """A byte-order mark, and characters at which the published loader ends a line."""
    if data.startswith(BOM):
        raise SuiteError(
            "the file starts with a byte-order mark, which other readers of suites refuse",
            place=Place(path, 1),
            advice="Save it as UTF-8 without one",
        )
    for character, name in SPLITS_LINES.items():
        at = data.find(character.encode())
        if at >= 0:
            raise SuiteError(
                f"there is a raw {name}, at which other readers of suites end the line",
                place=Place(path, data.count(b"\n", 0, at) + 1),
                advice=f"Write it as \\u{ord(character):04x}",
            )


def _without_colons(rows: Iterable[tuple[Place, Any]]) -> Iterator[tuple[Place, Any]]:
    for place, row in rows:
        yield place, row  # whatever else is wrong with the row is said first
        for key in row["questions"]:
            if ":" in key:
                raise SuiteError(
                    f"the question key {shown(key)} has a colon, at which other scorers cut it",
                    place=place.at("questions"),
                    advice="Rename the question",
                )


def _write(
    directory: Path,
    manifest: Manifest,
    plan: Plan,
    cases: Mapping[str, Case],
    relations: Relations,
    *,
    plan_fields: Mapping[str, JSON],
    first: Mapping[str, JSON] | None = None,
    last: Mapping[str, JSON] | None = None,
) -> Frozen:
    data = write_plan(plan, cases)
    # What is written can be read and measured.
    check_tests(read_plan(data, cases, directory / PLAN_FILE, relations).tests)
    write_whole(directory / PLAN_FILE, data)
    requests = count_requests(plan, cases)
    questions = sum(len(case.questions) for case in cases.values())
    domains = dict(Counter(case.domain for case in cases.values()))
    files = {name: sha256(read_bytes(directory / name)).hexdigest() for name in data_files(directory)}
    written: dict[str, JSON] = {
        "name": manifest.name,
        "version": manifest.version or "1",
        "description": manifest.description,
        "min_n": manifest.min_n,
        **(first or {}),
        "cases": len(cases),
        "questions": questions,
        "domains": dict(domains),
        "files": dict(files),
    }
    derived = ("base", "base_files", "per_domain", "plan", "built_with")
    written |= {field: v for field, v in manifest.fields.items() if field not in (*written, *derived)}
    written["plan"] = {
        "file": PLAN_FILE,
        "selection": plan.selection,
        "trials": sum(len(test.trials) for test in plan.tests),
        "tests": len(plan.tests),
        "relations": len(plan.relations),
        "seed": plan.seed,
        "trials_per_target": plan.draws,
        **plan_fields,
        **_own_laws(plan, relations),
        "requests": requests,
    }
    written |= last or {}
    written["built_with"] = f"pytest-jevbench {__version__}"
    write_whole(directory / MANIFEST, dumps(written, indent=1) + "\n")
    return Frozen(
        directory=directory,
        name=manifest.name,
        plan=plan,
        questions=questions,
        domains=domains,
        requests=requests,
        unused=_unused(plan, relations),
        standalone="base" not in written,
        files=files,
    )


def _own_laws(plan: Plan, relations: Relations) -> dict[str, JSON]:
    """The laws of the user's own that the plan has tests of: it loads only where they are registered."""
    used: dict[str, JSON] = {law.name: law.law for law in relations.beside if law.name in plan.relations}
    return {"own_laws": used} if used else {}


def _unused(plan: Plan, relations: Relations) -> tuple[str, ...]:
    names: Sequence[str] = [relation.name for relation in relations.scored()]
    return tuple(name for name in names if name not in plan.relations)
