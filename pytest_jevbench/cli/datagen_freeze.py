"""``pytest-jevbench datagen freeze``: a suite from the verified texts of one or more domains."""

from __future__ import annotations

import argparse

from pytest_jevbench.cli.plain_errors import plain_errors

__all__ = ["HELP", "add_arguments", "run"]

HELP = "write a suite from verified texts: cases, rewrites, gold answers, facts, a balance report, the frozen plan"
EXIT = "0 every domain is balanced, 1 written, and some are not, 2 bad input, 130 Ctrl-C"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="the folder of a domain; several make one suite")
    parser.add_argument("--out", metavar="DIR", help="the suite's folder")
    parser.add_argument(
        "--cases", type=int, metavar="N", help="cases of each domain; spare plans fill in (default: all)"
    )
    parser.add_argument("--name", metavar="NAME", help="the suite's name (default: the folder's)")
    parser.add_argument("--suite-version", default="1", metavar="TEXT", help="the suite's version (default: 1)")
    parser.add_argument(
        "--description", metavar="TEXT", help="what the suite is about (default: the domains' descriptions)"
    )
    parser.add_argument(
        "--report-only", action="store_true", help="print the balance of the texts there are, write nothing"
    )


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Assemble, report, write."""
    from pathlib import Path

    from pytest_jevbench.datagen.assembling import assemble
    from pytest_jevbench.datagen.balance import balance_of, balance_text
    from pytest_jevbench.datagen.folders import DomainFolder
    from pytest_jevbench.datagen.freezing import (
        SuiteHead,
        refuse_other_files,
        require_relations,
        suite_lines,
        write_suite,
    )
    from pytest_jevbench.errors import InputError
    from pytest_jevbench.suite_freezing import freeze_suite

    if not args.out and not args.report_only:
        raise InputError("--out is missing", advice="Name the suite's folder, or ask for --report-only")
    if args.cases is not None and args.cases < 1:
        raise InputError(f"--cases is {args.cases}", advice="Give at least 1")
    if not args.report_only:
        refuse_other_files(Path(args.out), args.name or Path(args.out).name)
    folders = [DomainFolder.find(folder) for folder in args.folders]
    assemblies = assemble(folders, args.cases, verified=not args.report_only)
    for assembly in assemblies:
        for dropped in assembly.dropped if len(assembly.kept) < (args.cases or 1) else ():
            print(f"{dropped.case}: {dropped.reason}")  # noqa: T201
        if len(assembly.kept) < (1 if args.report_only else args.cases or 1):
            raise InputError(
                f"{assembly.domain.name} has {len(assembly.kept)} usable cases",
                advice="Write or mend texts, verify them, or ask for fewer with --cases",
            )
    balances = [balance_of(assembly) for assembly in assemblies]
    print(balance_text(balances))  # noqa: T201
    lines = suite_lines(assemblies)
    require_relations(lines)
    if not args.report_only:
        out = Path(args.out)
        description = args.description or "; ".join(assembly.domain.description for assembly in assemblies)
        write_suite(out, SuiteHead(args.name or out.name, args.suite_version, description), lines, balances)
        frozen = freeze_suite(out)
        print(f"{len(frozen.plan.tests)} tests of {len(frozen.plan.relations)} relations in {out}")  # noqa: T201
    return 0 if all(balance.met for balance in balances) else 1
