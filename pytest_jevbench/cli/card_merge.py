"""``pytest-jevbench card merge``: one card from the cards of shards."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_jevbench.cli.conftest_option import add_conftest_option
from pytest_jevbench.errors import InputError, Place

if TYPE_CHECKING:
    from pytest_jevbench.runs.planning import Run
    from pytest_jevbench.scoring.card_reading import Card
    from pytest_jevbench.scoring.run_facts import RunFacts
    from pytest_jevbench.scoring.suite_sections import SuiteSections

HELP = "make the card of the whole from the cards of its shards"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "The card is the one that a single run would have made. Shards are runs with --jevbench-shard=K/N. Cards of "
        "different suites, models or settings and cards that share a test are refused."
    )
    parser.add_argument("cards", nargs="+", metavar="CARD", help="the card of each shard")
    parser.add_argument("-o", "--output", required=True, metavar="PATH", help="where to write the card")
    add_conftest_option(parser)
    parser.add_argument("--suite", metavar="SUITE", help="the suite (default: where the shards found it)")


def run(args: argparse.Namespace) -> int:
    from pytest_jevbench.scoring.card import read_card, write_card
    from pytest_jevbench.scoring.merging import merge_cards

    cards = [read_card(path) for path in args.cards]
    planned = plan_of_card(cards[0], args.suite, args.conftest)

    def sections(facts: RunFacts, card: Card) -> SuiteSections:
        from pytest_jevbench.scoring.suite_sections import suite_sections

        return suite_sections(planned, facts, card.settings, facts.sources)

    merged = merge_cards(cards, sections)
    write_card(Path(args.output), merged)
    counts: dict[str, int] = merged["counts"]  # type: ignore[assignment]
    sys.stdout.write(
        f"{args.output}: {len(cards)} cards, {counts['judged']} of {counts['planned']} planned tests judged\n"
    )
    if counts["elsewhere"]:
        sys.stdout.write(f"{counts['elsewhere']} planned tests are in shards that were not given\n")
    return 0


def plan_of_card(card: Card, suite: str | None, conftest: str | None = None) -> Run:
    """The plan that a card's run had, of the suite that the card names if ``suite`` is None.

    ``conftest`` is the file that registers laws of the user's own.
    Raises :class:`InputError` where it cannot be found as it was.
    """
    from pytest_jevbench.relations.own_law_sources import known_relations
    from pytest_jevbench.runs.planning import plan_run
    from pytest_jevbench.runs.selection import Filters
    from pytest_jevbench.suite_loading import load_suite, suite_of_cases

    relations = known_relations(conftest)
    identity, details = card.data["identity"], card.data["run"]["details"]
    spec = suite or details.get("suite") or identity["suite"]["name"]
    if suite is None and "cases" in details:
        how = dict(details["cases"])
        spec = how.pop("path")
        rewrites = how.pop("rewrites", None)
        loaded = suite_of_cases(spec, rewrites=None if rewrites is None else Path(rewrites), relations=relations, **how)
    else:
        loaded = load_suite(str(spec), relations)
    if loaded.digest != identity["suite"]["digest"]:
        raise InputError(
            f"suite {spec} is not the one that was run ({identity['suite']['name']} {identity['suite']['version']}, "
            f"digest {identity['suite']['digest'][:12]})",
            place=Place(card.path),
            advice="Name the suite with --suite",
        )
    selection = {kind: tuple(names) for kind, names in identity["selection"].items()}
    return plan_run(loaded, Filters(**selection), checked=True)
