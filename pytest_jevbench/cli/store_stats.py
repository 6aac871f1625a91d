"""``pytest-jevbench store stats``: what a store holds."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_jevbench.models.store_upkeep import ModelStats

__all__ = ["HELP", "add_arguments", "run"]

HELP = "print which models the store has answers of, how many, and how large it is"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    from pytest_jevbench.cli.store_options import add_store_argument

    add_store_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Print one paragraph a model."""
    from pytest_jevbench.cli.store_options import open_from_arguments, size_text
    from pytest_jevbench.models.store_upkeep import stats

    with open_from_arguments(args) as store:
        found = stats(store)
    total = sum(model.answers for model in found.models)
    models = f"{len(found.models)} model{'' if len(found.models) == 1 else 's'}"
    lines = [f"{total} answers of {models}, {size_text(found.bytes)}"]
    if found.in_flight:
        lines.append(f"{found.in_flight} requests are being asked now")
    for model in found.models:
        lines += ["", *_lines(model)]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _lines(model: ModelStats) -> list[str]:
    from pytest_jevbench.cli.store_options import described
    from pytest_jevbench.json_text import printable

    lines = [
        described(model.key),
        f"  {model.answers} answers to {model.distinct} distinct requests, last used {_date(model.last_used)}",
    ]
    if model.refused:
        lines.append(f"  {model.refused} of them refusals, asked again in every run that is not a replay")
    if model.malformed:
        lines.append(f"  {model.malformed} of them without usable answers")
    for name, count in model.other_names.items():
        lines.append(f"  {count} of them were answered under another name: {printable(name)}")
    return lines


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")
