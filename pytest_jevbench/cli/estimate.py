"""``pytest-jevbench estimate SUITE``: what a run would need, before it is run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_jevbench.cli.conftest_option import add_conftest_option
from pytest_jevbench.cli.model_options import add_model_arguments
from pytest_jevbench.errors import InputError

if TYPE_CHECKING:
    from pytest_jevbench.models.money import Prices
    from pytest_jevbench.runs.planning import Run

__all__ = ["HELP", "add_arguments", "run"]

HELP = "say how many requests, tokens, dollars and minutes a run would need"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command: those of a run, without the prefix."""
    from pathlib import Path

    parser.epilog = (
        "Distinct requests are counted, and those that are stored already apart. Nothing is asked, unless a model is "
        "named: it is then asked a few requests to measure time and tokens."
    )
    parser.add_argument("suite", nargs="?", metavar="SUITE", help="as in --jevbench-suite")
    parser.add_argument("--cases", type=Path, metavar="PATH", help="cases of your own, as in --jevbench-cases")
    parser.add_argument("--seed", type=_whole, metavar="N", help="with --cases: what draws start from (default: 0)")
    parser.add_argument("--draws", type=_positive, metavar="N", help="with --cases: draws of a variant (default: 1)")
    parser.add_argument("--rewrites", type=Path, metavar="BANK", help="with --cases: their rewrite bank")
    parser.add_argument("--audited-only", action="store_true", help="with --cases: only audited rewrites")
    for kind, metavar in (
        ("dimension", "ID"),
        ("group", "ID"),
        ("relation", "NAME"),
        ("domain", "NAME"),
        ("case", "ID"),
    ):
        parser.add_argument(
            f"--{kind}", action="append", default=[], metavar=metavar, help=f"as in --jevbench-{kind}; may be repeated"
        )
    add_conftest_option(parser)
    parser.add_argument("--shard", type=_shard, default=(1, 1), metavar="K/N", help="only part K of N (default: 1/1)")
    parser.add_argument(
        "--repeats", type=_positive, metavar="N", help="times that each base request is asked (default: 1)"
    )
    parser.add_argument(
        "--replicas", type=_positive, metavar="N", help="replicas of the model (default: 1, or one for each URL)"
    )
    parser.add_argument(
        "--per-replica", type=_positive, default=1, metavar="N", help="requests in flight at one replica (default: 1)"
    )
    parser.add_argument("--seconds", type=_amount, metavar="SECONDS", help="how long the model takes for one request")
    parser.add_argument(
        "--min-interval",
        type=_amount,
        default=Decimal(0),
        metavar="SECONDS",
        help="between the starts of any two requests (default: 0)",
    )
    parser.add_argument("--price-in", type=_amount, metavar="USD", help="for a million tokens that the model reads")
    parser.add_argument("--price-out", type=_amount, metavar="USD", help="for a million tokens that the model writes")
    parser.add_argument("--tokens-from", metavar="CARD", help="take the tokens a byte from the run of this card")
    parser.add_argument(
        "--store",
        type=Path,
        metavar="PATH",
        help="the store; off: none (default: .jevbench/answers.sqlite in this directory or the nearest above it)",
    )
    parser.add_argument("--revision", metavar="TEXT", help="the model's revision, as in --jevbench-revision")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_model_arguments(parser, required=False)


def run(args: argparse.Namespace) -> int:
    """Print the estimate."""
    from pytest_jevbench.cli.estimate_measuring import measure_model, rule_of_card
    from pytest_jevbench.cli.estimate_store import look_into_store
    from pytest_jevbench.json_text import dumps
    from pytest_jevbench.reports.estimate_text import estimate_rows
    from pytest_jevbench.runs.run_estimate import estimate_run

    planned = _plan(args)
    prices = _prices(args)
    from_card = (
        rule_of_card(args.tokens_from, args.suite or str(args.cases), planned.suite.digest)
        if args.tokens_from
        else None
    )
    measured = measure_model(args, planned)
    told = estimate_run(
        planned,
        look_into_store(args, planned, measured),
        measured,
        rule=from_card,
        prices=prices,
        seconds=None if args.seconds is None else float(args.seconds),
        replicas=args.replicas,
        per_replica=args.per_replica,
        min_interval=float(args.min_interval),
    )
    if args.json:
        sys.stdout.write(dumps(told.to_json(), indent=2) + "\n")
        return 0
    rows = estimate_rows(
        told,
        shard="" if args.shard[1] == 1 else f"part {args.shard[0]} of {args.shard[1]}, ",
        without_prices="not known without --price-in and --price-out",
        without_time="not known without --seconds, or a model to be timed (--url, --launch, --command)",
    )
    sys.stdout.write("".join(f"{label:<9} {text}\n" for label, text in rows))
    return 0


def _plan(args: argparse.Namespace) -> Run:
    """The run that the arguments select. Raises :class:`InputError`."""
    from pathlib import Path

    from pytest_jevbench.case_settings import PLANNING, read_case_settings
    from pytest_jevbench.relations.own_law_sources import known_relations
    from pytest_jevbench.runs.planning import plan_run
    from pytest_jevbench.runs.selection import Filters
    from pytest_jevbench.suite_loading import load_suite, suite_of_cases

    def names(kind: str) -> tuple[str, ...]:
        parts = [part.strip() for text in getattr(args, kind) for part in text.split(",")]
        if getattr(args, kind) and not any(parts):
            raise InputError(f"--{kind}: no name is given", advice="Give one, or leave the option out")
        return tuple(part for part in parts if part)

    filters = Filters(names("dimension"), names("group"), names("relation"), names("domain"), names("case"))
    relations = known_relations(args.conftest)
    made = {name: getattr(args, name) for name in PLANNING if getattr(args, name)}
    if (args.suite is None) == (args.cases is None):
        found = "neither a suite nor --cases is named" if args.cases is None else "a suite and --cases are two runs"
        raise InputError(found, advice="Name one of them")
    repeats = args.repeats
    if args.cases is not None:
        beside = read_case_settings(args.cases, relations)
        kept = {name: beside.values[name] for name in PLANNING if name in beside.values}
        if "rewrites" in kept:
            kept["rewrites"] = Path(kept["rewrites"])
        suite = suite_of_cases(args.cases, relations=relations, **{**kept, **made})
        if beside.relations and not (filters.dimensions or filters.groups or filters.relations):
            filters = replace(filters, relations=beside.relations)
        repeats = repeats or beside.values.get("repeats")
    elif made:
        raise InputError(
            f"--{next(iter(made)).replace('_', '-')} says how tests are made, and those of a suite are frozen",
            advice="Give it with --cases",
        )
    else:
        suite = load_suite(args.suite, relations)
    return plan_run(suite, filters, shard=args.shard, repeats=repeats or 1, checked=True, prefix="--")


def _prices(args: argparse.Namespace) -> Prices | None:
    from pytest_jevbench.models.money import Prices

    if (args.price_in is None) != (args.price_out is None):
        raise InputError("one price alone says nothing of the cost", advice="Give --price-in and --price-out")
    return None if args.price_in is None else Prices(args.price_in, args.price_out)


def _wanted(what: str, is_right: Callable[[Any], bool], parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """A parser for argparse whose error says what is wanted."""

    def parsed(text: str) -> Any:
        try:
            value = parse(text)
        except (ValueError, ArithmeticError):
            value = None
        if value is None or not is_right(value):
            raise argparse.ArgumentTypeError(f"found {text!r}; give {what}")
        return value

    return parsed


def _two(text: str) -> tuple[int, int]:
    index, _, count = text.partition("/")
    return int(index), int(count)


_positive = _wanted("a whole number of at least 1", lambda n: n >= 1, int)
_whole = _wanted("a whole number of at least 0", lambda n: n >= 0, int)
_amount = _wanted("a number of at least 0", lambda n: n.is_finite() and n >= 0, Decimal)
_shard = _wanted("which part of how many, such as 2/8", lambda two: 1 <= two[0] <= two[1], _two)
