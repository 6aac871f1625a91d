"""``pytest-jevbench judge agreement``: how far judges, or raters, agree beyond chance."""

from __future__ import annotations

import argparse

from pytest_jevbench.cli.judge_options import (
    add_data_arguments,
    add_figure_arguments,
    add_output_arguments,
    fixture_of,
    settings_of,
    show,
)
from pytest_jevbench.cli.plain_errors import plain_errors
from pytest_jevbench.errors import InputError

__all__ = ["HELP", "add_arguments", "run"]

HELP = "agreement beyond chance: Cohen's and Fleiss' kappa, Krippendorff's alpha, with intervals"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``judge agreement``."""
    add_data_arguments(parser, fixture=True)
    parser.add_argument(
        "--ratings",
        metavar="FILE",
        help='ratings instead of a fixture: {"level": "ordinal", "raters": {"a": [1, 2, null], ...}}',
    )
    parser.add_argument("--svg", metavar="FILE", help="write the matrix of kappas as a picture too")
    add_figure_arguments(parser, bins=False)
    add_output_arguments(parser)


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Compute and print. Raises :class:`InputError`."""
    from pytest_jevbench.judges.document import agreement_document

    if args.ratings is not None:
        from pytest_jevbench.judges.ratings import read_ratings

        if args.fixture is not None:
            raise InputError("found --fixture and --ratings", advice="Give one of them")
        document = agreement_document(read_ratings(args.ratings), settings_of(args))
    else:
        document = agreement_document(fixture_of(args), settings_of(args))
    if document["agreement"] is None:
        raise InputError("there is one judge", advice="Agreement takes two")
    if args.svg is not None:
        from pytest_jevbench.reports.judge_pictures import kappa_heatmap

        kappa_heatmap(document).save(args.svg)
    show(document, args)
    return 0
