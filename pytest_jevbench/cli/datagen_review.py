"""``pytest-jevbench datagen review``: sheets for readers, and their verdicts."""

from __future__ import annotations

import argparse

from pytest_jevbench.cli.plain_errors import plain_errors

__all__ = ["HELP", "add_arguments", "run"]

HELP = "make a sheet for a reader of rewrites, texts and answers, or take in a filled one"
EXIT = "0 written, or nothing was rejected, 1 a reader rejected something, 2 bad input, 130 Ctrl-C"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("folder", metavar="FOLDER", help="the folder that holds domain.yaml, plans.jsonl and drafts/")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--sheet", metavar="FILE", help="write what nobody has read yet, without the gold answers")
    way.add_argument("--read", metavar="FILE", help="take in a filled sheet")
    parser.add_argument("--again", action="store_true", help="put into the sheet also what was read before")


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Write a sheet, or compare a filled one with the plans and keep the verdicts."""
    from pathlib import Path

    from pytest_jevbench.datagen.folders import DomainFolder, write_text
    from pytest_jevbench.datagen.reviewing import read_sheet, sheet
    from pytest_jevbench.datagen.reviews import read_reviews, reviews_text
    from pytest_jevbench.datagen.states import read_draft
    from pytest_jevbench.files import read_jsonl
    from pytest_jevbench.json_text import dumps

    folder = DomainFolder.find(args.folder)
    domain = folder.domain()
    paths = [(plan, folder.draft(domain, plan)) for plan in folder.planned(domain)]
    texts = [(plan, read_draft(path)) for plan, path in paths if path.exists()]
    reviews = read_reviews(folder.review)
    if args.sheet:
        lines = [dumps(line) for line in sheet(domain, texts, reviews, args.again)]
        write_text(Path(args.sheet), "".join(line + "\n" for line in lines))
        print(f"{len(lines)} lines in {args.sheet}")  # noqa: T201
        return 0
    returned = read_sheet(domain, texts, read_jsonl(args.read))
    write_text(folder.review, reviews_text(reviews.with_rows(returned.rows)))
    rejected = [row for row in returned.rows.values() if row.verdict == "reject"]
    for row in rejected:
        print(f"{row.id}: {row.reason}")  # noqa: T201
    print(  # noqa: T201
        f"{len(returned.rows) - len(rejected)} confirmed, {len(rejected)} rejected, "
        f"{returned.blank} not read, {returned.stale} of other words than now"
    )
    return 1 if rejected else 0
