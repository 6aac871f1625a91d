"""The files of a suite, written from the sources of its domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pytest_jevbench.datagen.assembling import (
    Assembly,
    case_line,
    facts_line,
    gold_line,
    rewrite_lines,
)
from pytest_jevbench.datagen.balance import DomainBalance, balance_json
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import read_json, write_whole
from pytest_jevbench.json_text import JSON, dumps, shown
from pytest_jevbench.questions import case_from_json
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import SourceCase
from pytest_jevbench.rewrite_bank import RewriteBank, rewrite_from_json

__all__ = ["SuiteHead", "refuse_other_files", "require_relations", "suite_lines", "write_suite"]

MIN_N = 5


@dataclass(frozen=True, slots=True)
class SuiteHead:
    """What the manifest says of a suite."""

    name: str
    version: str
    description: str


def refuse_other_files(out: Path, name: str) -> None:
    """Refuse a folder that holds anything but the suite of this name. Raises :class:`InputError`."""
    if not out.is_dir() or not any(out.iterdir()):
        return
    manifest = out / "manifest.json"
    found = read_json(manifest) if manifest.exists() else None
    there = found.get("name") if isinstance(found, dict) else None
    if there != name:
        raise InputError(
            f"the folder holds {f'the suite {shown(there)}' if there else 'other files'}",
            place=Place(out),
            advice=f"Name an empty folder, or that of the suite {name} (--name says what it is called)",
        )


def suite_lines(assemblies: Sequence[Assembly]) -> dict[str, list[dict[str, JSON]]]:
    """The lines of the suite's files by file name, domains in the order given."""
    lines: dict[str, list[dict[str, JSON]]] = {
        "cases.jsonl": [],
        "rewrites.jsonl": [],
        "gold.jsonl": [],
        "facts.jsonl": [],
    }
    for assembly in assemblies:
        for case in assembly.kept:
            lines["cases.jsonl"].append(case_line(assembly.domain, case))
            lines["gold.jsonl"].append(gold_line(assembly, case))
            lines["facts.jsonl"].append(facts_line(case))
        for line in rewrite_lines(assembly):
            if line not in lines["rewrites.jsonl"]:
                lines["rewrites.jsonl"].append(line)
    return lines


def require_relations(lines: dict[str, list[dict[str, JSON]]]) -> None:
    """Refuse cases to which some relation does not apply. Raises :class:`InputError` naming case and relation."""
    bank = RewriteBank.of(rewrite_from_json(row, Place("rewrites.jsonl")) for row in lines["rewrites.jsonl"])
    for number, row in enumerate(lines["cases.jsonl"], start=1):
        case = case_from_json(row, Place("cases.jsonl", number))
        source = SourceCase(case, bank)
        for relation in registry.scored():
            if next(iter(relation.transformation.targets(source)), None) is None:
                raise InputError(
                    f"the relation {relation.name} applies to no question of {case.id}",
                    advice="A rejected rewrite may be missing: mend it in the domain file and have it read again",
                )


def write_suite(
    out: Path, head: SuiteHead, lines: dict[str, list[dict[str, JSON]]], balances: Sequence[DomainBalance]
) -> None:
    """Write cases, rewrites, gold answers, facts, the balance report and a manifest without a plan."""
    out.mkdir(parents=True, exist_ok=True)
    digests: dict[str, JSON] = {}
    for name, rows in lines.items():
        data = "".join(dumps(row) + "\n" for row in rows).encode()
        write_whole(out / name, data)
        digests[name] = sha256(data).hexdigest()
    write_whole(out / "balance.json", dumps(balance_json(balances), indent=1) + "\n")
    manifest = {
        "name": head.name,
        "version": head.version,
        "description": head.description,
        "files": digests,
        "min_n": MIN_N,
    }
    write_whole(out / "manifest.json", dumps(manifest, indent=1) + "\n")
