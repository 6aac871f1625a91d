"""Make a card the baseline of runs to come."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_jevbench.cli.card_report import print_lines
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import read_bytes, write_whole
from pytest_jevbench.reports.changes import changes_text
from pytest_jevbench.reports.numbers import points
from pytest_jevbench.reports.text import line, percent, wrapped
from pytest_jevbench.scoring.card_reading import Card, read_card
from pytest_jevbench.scoring.compare import ScoreChange
from pytest_jevbench.scoring.compared_cards import compare_with
from pytest_jevbench.scoring.promotion import promotion_obstacles

__all__ = ["HELP", "add_arguments", "run"]

HELP = "make a complete card the baseline: refuses one that is incomplete, a subset, of two models or failed its gate"
WIDTH = 80


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``card promote``."""
    parser.add_argument("card", metavar="CARD", help="the card to promote")
    parser.add_argument("baseline", metavar="BASELINE", help="the file that is to hold it")


def run(args: argparse.Namespace) -> int:
    """Check, say what changes, write. Raises :class:`InputError`, and then nothing was written."""
    source, target = Path(args.card), Path(args.baseline)
    data, card = read_bytes(source), read_card(source)
    obstacles = promotion_obstacles(card)
    if obstacles:
        raise InputError(
            f"no baseline: {'; '.join(obstacles)}",
            place=Place(source),
            advice="Promote the card of a whole run without a gate, or of one whose gate passed",
        )
    lines = _what_changes(card, target)
    target.resolve().parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, data)
    print_lines(line(row) for text in lines for row in wrapped(text, WIDTH, "", "  "))
    return 0


def _what_changes(card: Card, target: Path) -> list[str]:
    told = f"{target}: {card.name} on {card.suite}, {card.data['counts']['judged']:,} tests"
    overall = card.scores.overall.score
    first = f"{told}, overall {percent(overall)}" if overall is not None else told
    if not target.exists():
        return [first, "There was no baseline before."]
    before = read_card(target)  # whatever is no card was not meant to be written over
    compared = compare_with(card, before)
    if compared.comparison is None:
        return [first, f"It takes the place of a baseline of another suite ({before.suite})."]
    lines = [first, f"Before: {before.name}; {changes_text(compared.comparison.changes)} since then."]
    change = compared.comparison.scores.get("overall")
    if isinstance(change, ScoreChange):
        lines.append(f"Overall {percent(change.before)} to {percent(change.now)} ({points(change.change)}).")
    return lines + [f"{text[:1].upper()}{text[1:]}." for text in compared.cautions]
