"""``pytest-jevbench judge pairs``: what live judges preferred, as a file for ``judge bias``."""

from __future__ import annotations

import argparse
import sys

from pytest_jevbench.cli.plain_errors import plain_errors

__all__ = ["HELP", "add_arguments", "run"]

HELP = "write what the models of cards preferred, on a suite of judged answers, as a file of pairs for judge bias"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``judge pairs``."""
    parser.add_argument("cards", metavar="CARD", nargs="+", help="a card of jevbench-judges, or of pairs of your own")
    parser.add_argument("--out", metavar="FILE", required=True, help="where the pairs are written")
    parser.add_argument("--suite", metavar="SUITE", help="the suite of the cards (default: by the name in the card)")
    parser.add_argument(
        "--private",
        action="store_true",
        help="leave out the declaration that the texts are synthetic and under Apache-2.0 (as the bundled suite's are)",
    )


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Write the file and say what to do with it. Raises :class:`InputError`."""
    from pathlib import Path

    from pytest_jevbench.errors import InputError, Place
    from pytest_jevbench.files import refuse_input, write_whole
    from pytest_jevbench.json_text import dumps, printable
    from pytest_jevbench.judges.card_pairs import pairs_of_card
    from pytest_jevbench.judges.pairs import PairFile, judged_pairs
    from pytest_jevbench.suite_finding import bundled_suites

    refuse_input(args.out, [*args.cards])
    if not args.private and args.suite is not None and args.suite not in bundled_suites():
        raise InputError(
            "the pairs would be declared as synthetic and under Apache-2.0, which those of the bundled suite are",
            place=Place(field="--suite"),
            advice="Give --private for answers of your own",
        )
    pairs = [pair for card in args.cards for pair in pairs_of_card(Path(card), args.suite)]
    file = PairFile(tuple(judged_pairs(pairs)), private=args.private)
    write_whole(Path(args.out), dumps(file.to_json(), indent=1) + "\n")
    private = " --private" if args.private else ""
    sys.stdout.write(
        f"{len(pairs)} pairs of {', '.join(printable(judge) for judge in file.judges)} in {args.out}\n"
        f"pytest-jevbench judge bias --pairs {args.out}{private}\n"
    )
    return 0
