"""Print cards again: at any level and metric, under another tolerance or minimum, side by side."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import TextIO

from pytest_jevbench.cli.card_html import add_page_arguments, write_page
from pytest_jevbench.cli.card_options import add_card_arguments, cards_of, whole
from pytest_jevbench.cli.card_pictures import add_picture_arguments, pictures_wanted, write_pictures
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, dumps
from pytest_jevbench.reports.coherence_accuracy_text import coherence_accuracy_text
from pytest_jevbench.reports.minimized import minimized_text
from pytest_jevbench.reports.question_table import question_table
from pytest_jevbench.reports.side_by_side import side_by_side
from pytest_jevbench.reports.tables import LEVELS, METRICS, summary
from pytest_jevbench.reports.text import Line, Segment, ansi, line, plain, representable
from pytest_jevbench.scoring.card_reading import Card

__all__ = ["HELP", "add_arguments", "print_lines", "run"]

HELP = "print cards or published reports again: other levels, tolerance or minimum, several side by side"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``card report``."""
    parser.add_argument(
        "cards", nargs="+", metavar="CARD", help="a card, or a report in the published layout (.json, .gz)"
    )
    parser.add_argument(
        "--level", choices=(*LEVELS, "question"), default="dimension", help="rows of the table (default: dimension)"
    )
    parser.add_argument(
        "--metric", choices=METRICS, default="binary", help="share of tests held, or how far laws are broken"
    )
    add_card_arguments(parser)
    parser.add_argument("--worst", type=whole, default=3, metavar="N", help="worst violations to list (default: 3)")
    parser.add_argument(
        "--minimized", action="store_true", help="print instead what --jevbench-minimize found, requests and all"
    )
    parser.add_argument(
        "--accuracy",
        action="store_true",
        help="print instead whether incoherent questions are answered wrong more often",
    )
    parser.add_argument("--json", action="store_true", help="print scores and relation rows as JSON instead")
    parser.add_argument("--published", metavar="OUT", help="write one card in the published report layout (.json, .gz)")
    add_page_arguments(parser)
    add_picture_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Read, score again where asked to, and print. Raises :class:`InputError`."""
    if args.html is not None:
        write_page(args)
        return 0
    if args.baseline is not None:
        raise InputError("--baseline goes with --html", advice="`pytest-jevbench card compare` prints what changed")
    cards = cards_of(args)
    if args.published is not None:
        return _write_published(cards, args.published)
    if pictures_wanted(args):
        write_pictures(cards, args)
        return 0
    if args.accuracy:
        _refuse_other_tables(args)
    if args.minimized:
        _print_minimized(cards, args)
    elif args.json:
        print(dumps([_accuracy(card) if args.accuracy else _scores(card) for card in cards], indent=1))  # noqa: T201
    elif args.accuracy:
        print_lines(coherence_accuracy_text(cards))
    elif args.level == "question":
        for card in cards:
            print_lines([line(Segment(f"{card.name} · {card.suite}", "title")), *question_table(card)])
    elif len(cards) == 1:
        print_lines(summary(cards[0], level=args.level, metric=args.metric, worst=args.worst))
    else:
        print_lines(side_by_side(cards, level=args.level, metric=args.metric))
    return 0


def _refuse_other_tables(args: argparse.Namespace) -> None:
    """Raise :class:`InputError` for options that ``--accuracy`` would pass over in silence."""
    others = {
        "--minimized": args.minimized,
        "--level": args.level != "dimension",
        "--metric": args.metric != "binary",
    }
    for option, given in others.items():
        if given:
            raise InputError(f"--accuracy and {option} print different tables", advice="Leave out one of both")


def _print_minimized(cards: list[Card], args: argparse.Namespace) -> None:
    """What was made smaller, of each card under its name. Raises :class:`InputError` for options about scores."""
    about_scores = {
        "--level": args.level != "dimension",
        "--metric": args.metric != "binary",
        "--tolerance": args.tolerance is not None,
        "--min-n": args.min_n is not None,
        "--bootstrap": args.bootstrap is not None,
    }
    for option, given in about_scores.items():
        if given:
            raise InputError(f"{option} is about scores, and --minimized prints none", advice="Leave out one of both")
    sections = [_minimized(card) for card in cards]
    if args.json:
        named = [{"name": c.name, "suite": c.suite, **section} for c, section in zip(cards, sections, strict=True)]
        print(dumps(named, indent=1))  # noqa: T201
        return
    for number, (card, section) in enumerate(zip(cards, sections, strict=True)):
        print_lines([*([line("")] if number else []), line(Segment(f"{card.name} · {card.suite}", "title"))])
        print_lines(line(text) for text in minimized_text(section, card.suite, full=True, options=_model_words(card)))


def _minimized(card: Card) -> dict[str, JSON]:
    section = card.data.get("minimized")
    if section is None:
        raise InputError(
            "nothing was minimized", place=Place(card.path, field="minimized"), advice="Run it with --jevbench-minimize"
        )
    found: dict[str, JSON] = section
    return found


def _model_words(card: Card) -> str:
    """The option that names the card's model again, as far as the card tells."""
    model = card.data["identity"]["model"]
    kind, value = ("launch", model.get("launch")) if model.get("launch") else ("url", model.get("address"))
    return shlex.join([f"--jevbench-{kind}={value}"]) if value else ""


def _scores(card: Card) -> dict[str, JSON]:
    from pytest_jevbench.scoring.scores_json import relation_json, scores_json, settings_json

    return {
        "name": card.name,
        "suite": card.suite,
        "settings": settings_json(card.settings),
        **scores_json(card.scores),
        "relations": [relation_json(row) for row in card.scores.relations],
        "diagnostics": [relation_json(row) for row in card.scores.diagnostics],
    }


def _accuracy(card: Card) -> dict[str, JSON]:
    from pytest_jevbench.scoring.coherence_accuracy import card_points, compare_accuracy

    found = compare_accuracy(card)
    return {**asdict(card_points([card])[0]), "within": None if found is None else found.to_json()}


def _write_published(cards: list[Card], path: str) -> int:
    from pytest_jevbench.scoring.published import write_published

    if len(cards) != 1:
        raise InputError(f"--published was given {len(cards)} cards", advice="Give it one")
    written = write_published(path, cards[0])
    said = f"{path}: {written.tests} tests in the published layout"
    if written.rescued:
        said += f"; {written.rescued} held here by float noise at the tolerance read as violated there"
    print(said)  # noqa: T201
    return 0


def print_lines(lines: Iterable[Line], stream: TextIO | None = None) -> None:
    """Lines on a terminal, in colour where it shows it, in what its encoding can hold."""
    out = stream or sys.stdout
    coloured = out.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    for of in lines:
        out.write(representable(ansi(of) if coloured else plain(of), out.encoding) + "\n")
