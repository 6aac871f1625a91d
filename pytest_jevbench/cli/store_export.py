"""``pytest-jevbench store export``: stored answers in one small file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

__all__ = ["HELP", "add_arguments", "run"]

HELP = "write stored answers to one small file, to commit or to carry: a run replays from it without a model"
EXIT = "0 written, 1 no stored answer fits, 2 bad input"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    from pytest_jevbench.cli.store_options import add_model_choice, add_store_argument

    parser.add_argument(
        "file", metavar="FILE", type=Path, help="the file to write: .jsonl.gz, or .jsonl to see its changes in a diff"
    )
    add_store_argument(parser)
    add_model_choice(parser)


def run(args: argparse.Namespace) -> int:
    """Write the file; nothing to write is a finding."""
    from pytest_jevbench.cli.store_options import chosen_models, open_from_arguments, size_text
    from pytest_jevbench.errors import InputError, Place
    from pytest_jevbench.models.store_export import export_answers

    if args.file.suffix not in (".gz", ".jsonl"):
        raise InputError(
            f"an export is named .jsonl or .jsonl.gz, not {args.file.suffix or 'without an ending'}",
            place=Place(args.file),
            advice=f"Write {args.file.stem}.jsonl.gz",
        )
    with open_from_arguments(args) as store:
        try:
            count = export_answers(store, args.file, wanted=chosen_models(args) or (lambda _: True))
        except OSError as error:
            raise InputError(f"cannot be written ({error.strerror or error})", place=Place(args.file)) from None
    if not count:
        args.file.unlink()
        sys.stdout.write("no stored answer fits, and nothing was written\n")
        return 1
    size = args.file.stat().st_size
    sys.stdout.write(f"{count} answers written to {args.file} ({size_text(size)})\n")
    return 0
