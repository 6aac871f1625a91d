"""``pytest-jevbench audit``: a person walks through a rewrite bank."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_jevbench.cli.plain_errors import INTERRUPTED, plain_errors

if TYPE_CHECKING:
    from pytest_jevbench.rewrites.bank_file import BankFile

__all__ = ["HELP", "add_arguments", "run"]

HELP = "walk through a bank of rewrites and confirm or reject each"
EXIT = "0 done, 2 bad input or no terminal, 130 Ctrl-C"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        "Each rewrite is shown beside its source, and one key is taken: a accept, r reject with a reason, s skip, b "
        "back, q quit. Each verdict is kept at once; the next audit begins with what has none. --jevbench-audited-only "
        "runs only what was accepted here; what was rejected is never run. Without a terminal: --list, --accept, "
        "--reject."
    )
    parser.add_argument("bank", metavar="BANK", help="a rewrite bank, or the folder whose rewrites.jsonl is meant")
    parser.add_argument("--list", action="store_true", help="print the rewrites with their ids, and ask nothing")
    parser.add_argument("--accept", nargs="+", metavar="ID", default=[], help="confirm these")
    parser.add_argument("--reject", nargs="+", metavar="ID", default=[], help="reject these; needs --reason")
    parser.add_argument("--reason", default="", metavar="TEXT", help="why, for --reject")
    parser.add_argument(
        "--kinds",
        default="",
        metavar="KINDS",
        help="only these kinds, separated by commas; translate means any language",
    )
    parser.add_argument("--refused", action="store_true", help="also what the judge refused or has not judged")
    parser.add_argument("--again", action="store_true", help="also what was audited before")
    parser.add_argument("--by", default="", metavar="NAME", help="a name to keep with each verdict")


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Show, take verdicts, say what there is."""
    from pytest_jevbench.errors import InputError
    from pytest_jevbench.rewrites.audit_text import candidate_text, listed
    from pytest_jevbench.rewrites.auditing import chosen, told, walk
    from pytest_jevbench.rewrites.bank_file import BankFile, bank_path, open_bank, read_bank
    from pytest_jevbench.rewrites.terminal import Terminal

    path = bank_path(args.bank)
    kinds = [kind.strip() for kind in args.kinds.split(",") if kind.strip()]
    if bool(args.reject) != bool(args.reason.strip()):
        raise InputError("--reject and --reason go together", advice="Say why: the reason is kept with the rewrite")
    if args.list:
        bank = BankFile(path, *read_bank(path))
        for row in chosen(bank, kinds, refused=args.refused, again=args.again):
            sys.stdout.write(listed(row))
        sys.stdout.write(told(bank, None))
        return 0
    if args.accept or args.reject:
        with open_bank(path) as bank:
            _decide(bank, args)
            sys.stdout.write(told(bank, None))
        _mind_the_manifest(path)
        return 0
    if not Terminal.there():
        raise InputError(
            "there is no terminal to ask a person in",
            advice="Use --list, then --accept ID... and --reject ID... --reason TEXT",
        )
    terminal = Terminal()
    with open_bank(path) as bank:
        rows = chosen(bank, kinds, refused=args.refused, again=args.again)
        try:
            walked = walk(
                bank, rows, terminal, lambda row, where: candidate_text(row, where, terminal.width), by=args.by
            )
        except KeyboardInterrupt:
            sys.stdout.write("\n")
            walked = None
        sys.stdout.write(told(bank, walked))
    _mind_the_manifest(path)
    return INTERRUPTED if walked is None else 0


def _decide(bank: BankFile, args: argparse.Namespace) -> None:
    """Keep the verdicts of the command line, all or none."""
    from pytest_jevbench.errors import InputError
    from pytest_jevbench.rewrites.auditing import find, verdict

    rows = {item: find(bank, item) for item in (*args.accept, *args.reject)}
    both = {rows[item].id for item in args.accept} & {rows[item].id for item in args.reject}
    if both:
        raise InputError(f"{both.pop()} is accepted and rejected", advice="Decide for one")
    decided = [verdict(rows[item], True, by=args.by) for item in args.accept]
    decided += [verdict(rows[item], False, reason=args.reason, by=args.by) for item in args.reject]
    for row in decided:
        bank.change(row)


def _mind_the_manifest(path: Path) -> None:
    """Say what a changed bank means for a suite that was frozen with it."""
    manifest = path.with_name("manifest.json")
    if path.name == "rewrites.jsonl" and manifest.is_file():
        sys.stdout.write(f"{manifest} has the hash of the bank as it was: freeze the suite again where it changed\n")
