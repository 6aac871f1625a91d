"""``pytest-jevbench suite freeze``: plan a suite's tests and write them down."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from pytest_jevbench.cli.conftest_option import add_conftest_option

if TYPE_CHECKING:
    from pytest_jevbench.suite_freezing import Frozen

__all__ = ["HELP", "add_arguments", "run"]

HELP = "choose the tests of a suite directory and write tests.jsonl.gz and manifest.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "directory",
        metavar="DIR",
        help="holds cases.jsonl, manifest.json with a name, and where there are any rewrites.jsonl and gold.jsonl",
    )
    add_conftest_option(parser)
    parser.add_argument("--seed", type=int, metavar="N", help="what the draws of trials start from (default: 0)")
    parser.add_argument(
        "--draws", type=int, metavar="N", help="draws of each variant in which something is drawn (default: 1)"
    )
    parser.add_argument(
        "--audited-only",
        action="store_true",
        help="use only rewrites that an audit confirmed (default: all that it did not reject)",
    )
    parser.add_argument(
        "--base", metavar="SUITE", help="draw a small suite from the frozen suite of this name, which lies beside DIR"
    )
    parser.add_argument(
        "--per-domain",
        type=int,
        metavar="N",
        help="with --base: test each relation on N cases of each domain (default: 2)",
    )
    parser.add_argument(
        "--standalone",
        action="store_true",
        help="with --base: copy cases, rewrites and gold answers of the base, which then can be any suite; "
        "tools that look for a base among their own suites load only this form",
    )


def run(args: argparse.Namespace) -> int:
    """Freeze and print what was written."""
    from pathlib import Path

    from pytest_jevbench.relations.own_law_sources import known_relations
    from pytest_jevbench.suite_freezing import freeze_mini, freeze_suite, recorded_base

    _refuse_contradictions(args)
    directory = Path(args.directory)
    planning = {"seed": args.seed, "draws": args.draws, "audited_only": args.audited_only or None}
    given = {name: value for name, value in planning.items() if value is not None}
    base, per_domain = args.base, args.per_domain or 2
    if base is None and not given and (recorded := recorded_base(directory)):
        base, per_domain = recorded
    relations = known_relations(args.conftest)
    if base is None:
        frozen = freeze_suite(directory, **given, relations=relations)
    else:
        frozen = freeze_mini(directory, base, per_domain=per_domain, standalone=args.standalone, relations=relations)
    sys.stdout.write("\n".join(_lines(frozen)) + "\n")
    return 0


def _refuse_contradictions(args: argparse.Namespace) -> None:
    from pytest_jevbench.errors import InputError

    for option, value in (("--draws", args.draws), ("--per-domain", args.per_domain)):
        if value is not None and value < 1:
            raise InputError(f"{option} is {value}", advice="Give at least 1")
    planning = args.seed is not None or args.draws is not None or args.audited_only
    if args.base is not None and planning:
        raise InputError("--base takes the tests of another suite", advice="Leave out --seed, --draws, --audited-only")
    if args.base is None and (args.per_domain is not None or args.standalone):
        raise InputError("--per-domain and --standalone need --base", advice="Name the suite to draw from")


def _lines(frozen: Frozen) -> list[str]:
    from pytest_jevbench.json_text import printable

    plan = frozen.plan
    tests = [0] * len(plan.relations)
    for test in plan.tests:
        tests[plan.relations.index(test.id.relation)] += 1
    few, many = min(tests), max(tests)
    rows = [
        ("suite", f"{frozen.name} in {frozen.directory}"),
        ("cases", f"{len(plan.cases)} of {_counted(len(frozen.domains), 'domain')}, {frozen.questions} questions"),
        (
            "relations",
            f"{len(plan.relations)}, each with {_counted(few, 'test') if few == many else f'{few} to {many} tests'}",
        ),
        ("tests", f"{len(plan.tests)}, with {_counted(sum(len(test.trials) for test in plan.tests), 'trial')}"),
        ("requests", f"{frozen.requests} distinct"),
    ]
    new = _new(frozen)
    longest = max(len(name) for name, _ in new)
    for at, (name, digest) in enumerate(new):
        rows.append(("" if at else "wrote", f"{name:<{longest}}  sha256 {digest[:12]}"))
    width = max(len(label) for label, _ in rows)
    lines = [f"{label:<{width}}  {printable(text)}" for label, text in rows]
    if frozen.unused:
        lines.append(
            f"{_counted(len(frozen.unused), 'relation')} without a case to apply to: {', '.join(frozen.unused)}"
        )
    if not frozen.standalone:
        lines.append("The suite refers to its base; the published tool loads it only when frozen with --standalone.")
    return lines


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _new(frozen: Frozen) -> list[tuple[str, str]]:
    from hashlib import sha256

    from pytest_jevbench.suite_files import MANIFEST
    from pytest_jevbench.suite_finding import PLAN_FILE

    manifest = sha256((frozen.directory / MANIFEST).read_bytes()).hexdigest()
    return [(PLAN_FILE, frozen.files[PLAN_FILE]), (MANIFEST, manifest)]
