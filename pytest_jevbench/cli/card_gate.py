"""Decide a gate on a saved card: the lines, the decision and the exit status of the run that would be gated so."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from pytest_jevbench.cli.card_report import print_lines
from pytest_jevbench.errors import InputError
from pytest_jevbench.files import append_text, write_whole
from pytest_jevbench.json_text import dumps
from pytest_jevbench.reports.markdown import JOB_SUMMARY, Files, job_summary
from pytest_jevbench.reports.text import line, wrapped
from pytest_jevbench.reports.worst_of_card import worst_of_card
from pytest_jevbench.scoring.card_reading import read_card
from pytest_jevbench.scoring.compared_cards import compare_with
from pytest_jevbench.scoring.gate_card import forecast_card, gate_card
from pytest_jevbench.scoring.gate_source import SETTINGS_FILE, find_gate

__all__ = ["HELP", "add_arguments", "run"]

HELP = "decide a gate on a saved card"
WIDTH = 80
EXIT = "0 passed, 1 failed, 16 incomplete, 2 bad input"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``card gate``."""
    parser.add_argument("card", metavar="CARD", help="a card, or a report in the published layout (.json, .gz)")
    parser.add_argument("--baseline", metavar="CARD", help="the card to compare with")
    parser.add_argument(
        "--gate", metavar="FILE", help=f"conditions (default: the gate: section of {SETTINGS_FILE} where there is one)"
    )
    parser.add_argument(
        "--require", action="append", default=[], metavar="CONDITION=VALUE", help="one condition, e.g. min.overall=0.9"
    )
    parser.add_argument(
        "--markdown", metavar="OUT", help="write a summary in Markdown (in GitHub Actions also to the job summary)"
    )
    parser.add_argument("--json", action="store_true", help="print the decision as JSON instead")


def run(args: argparse.Namespace) -> int:
    """Decide and print. Returns 0, 1 or 16. Raises :class:`InputError`."""
    card = read_card(args.card)
    baseline = read_card(args.baseline) if args.baseline is not None else None
    required = [part.strip() for text in args.require for part in text.split(",") if part.strip()]
    file = Path(args.gate) if args.gate is not None else None
    conditions = find_gate(Path.cwd(), required=required, file=file, has_baseline=baseline is not None)
    if conditions.config is None:
        raise InputError("there is no gate to decide", advice="Give --gate=FILE, --require or --baseline=CARD")
    result = gate_card(conditions.config, card, baseline)
    job = os.environ.get(JOB_SUMMARY)
    if args.markdown is not None or job:
        compared = None if baseline is None else compare_with(card, baseline)
        text = job_summary(
            card,
            gate=result,
            compared=compared,
            forecast=forecast_card(conditions.config, card),
            worst=worst_of_card(card, compared),
            files=Files(args.card, args.baseline or ""),
        )
        if args.markdown is not None:
            write_whole(args.markdown, text)
        if job:
            append_text(Path(job), text)
    if args.json:
        print(dumps(result.to_json(), indent=1))  # noqa: T201
    else:
        marked = [f"The probabilities of {card.name} were written down by a chat model."] if card.verbalised else []
        print_lines(line(row) for text in (*marked, *result.lines) for row in wrapped(text, WIDTH, "", "  "))
    return result.exit_status
