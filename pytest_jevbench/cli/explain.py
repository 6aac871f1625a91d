"""Explain one test: its law, its case, what it changes, what came of it, what to do."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_jevbench.cli.card_report import print_lines
from pytest_jevbench.errors import InputError, JevbenchError, Place
from pytest_jevbench.plans.plan import PlannedTest, TestId
from pytest_jevbench.questions import Case, Request
from pytest_jevbench.relations.known import Relations
from pytest_jevbench.relations.own_law_sources import add_installed
from pytest_jevbench.relations.own_registry import Registry
from pytest_jevbench.reports.explaining import Explained, explanation
from pytest_jevbench.reports.worst_of_card import ask_again
from pytest_jevbench.runs.answered import Answered, Unanswered
from pytest_jevbench.runs.naming_tests import NamedTest, find_test, named_test
from pytest_jevbench.runs.planning import node_id
from pytest_jevbench.runs.results import Outcome, TestResult
from pytest_jevbench.scoring.card_reading import Card, read_card
from pytest_jevbench.suite_loading import Suite, load_suite, suite_of_cases

__all__ = ["HELP", "add_arguments", "run"]

HELP = "explain one test by its node id: the law, the case, the requests' difference, the outcome, what to do"

CARD = "jevbench-card.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``explain``."""
    parser.add_argument("test", metavar="NODEID", help="the test as pytest prints it, or case::relation-question")
    parser.add_argument(
        "--card", metavar="CARD", help=f"the card of a run with this test (default: {CARD}, where it lies here)"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--suite", metavar="SUITE", help="the test's suite (default: the card's, or that of the node id)"
    )
    where.add_argument("--cases", metavar="PATH", help="the file or folder of your own cases that the test is of")
    parser.add_argument(
        "--store", type=Path, metavar="PATH", help="an answer store: the test is judged again from its answers"
    )
    parser.add_argument("--full", action="store_true", help="show the whole state and every variant")


def run(args: argparse.Namespace) -> int:
    """Explain and print. Raises :class:`InputError`."""
    name = named_test(args.test)
    registry = Registry()
    add_installed(registry)
    relations = registry.relations()
    given = _given(args, relations)
    card = _card(args, name, given)
    suite, missing = (given, ()) if given is not None else _suite(name, card, relations)
    tests = [t.id for t in suite.plan.tests] if suite is not None else []
    if card is not None:
        tests = list(dict.fromkeys([*(result.id for result in card.results), *card.not_run, *tests]))
    test = find_test(name, tests)
    of = _explained(test, card, suite, missing, f"--jevbench-cases={args.cases}" if args.cases is not None else "")
    if args.store is not None:
        of = _judged_again(of, args)
    print_lines(explanation(of, full=args.full))
    return 0


def _given(args: argparse.Namespace, relations: Relations) -> Suite | None:
    """The suite that was named, or the cases."""
    if args.cases is not None:
        return suite_of_cases(args.cases, relations=relations)
    return load_suite(args.suite, relations) if args.suite is not None else None


def _card(args: argparse.Namespace, name: NamedTest, given: Suite | None) -> Card | None:
    """The card that was named, or the one that lies here if it is of this suite.

    That is the suite that was ``given``, else that of the node id, or one that has the test.
    """
    if args.card is not None:
        return read_card(args.card)
    if not Path(CARD).is_file():
        return None
    card = read_card(CARD)
    if given is not None:
        return card if card.data["identity"]["suite"].get("digest") == given.digest else None
    if name.suite in ("", card.suite):
        return card
    try:
        find_test(name, (result.id for result in card.results))
    except InputError:
        return None
    return card


def _suite(name: NamedTest, card: Card | None, relations: Relations) -> tuple[Suite | None, tuple[str, ...]]:
    """The suite where none was given, or with a card alone also why there is none."""
    if card is None and not name.suite:
        raise InputError(
            "this name has no suite",
            place=Place(field="NODEID"),
            advice="Give --card CARD, --suite SUITE or --cases PATH",
        )
    details = {} if card is None else card.data["run"].get("details") or {}
    option, _, place = str(details.get("tests", "")).partition("=")
    try:
        if option == "--jevbench-cases":
            suite = suite_of_cases(place, relations=relations)
        else:
            named = name.suite if card is None else str(details.get("suite") or card.suite)
            suite = load_suite(place or _spec(named), relations)
    except JevbenchError as error:
        if card is None:
            raise
        return None, (f"the case and the requests are not shown: {error}. --suite or --cases names where they are",)
    if card is not None and suite.digest != (card.data["identity"]["suite"].get("digest") or suite.digest):
        return None, (f"the case and the requests are not shown: suite {suite.name} is not the one that was run",)
    return suite, ()


def _spec(name: str) -> str:
    """A suite's name in node ids as --jevbench-suite takes it: ``jevbench.jevbench-mini`` is of a distribution."""
    distribution, dot, rest = name.partition(".")
    return f"{distribution}:{rest}" if dot and "/" not in name and not Path(name).exists() else name


def _explained(
    test: TestId, card: Card | None, suite: Suite | None, missing: tuple[str, ...], asked: str = ""
) -> Explained:
    """What is known of the test. ``asked`` is the option that names cases, where the suite is of cases."""
    of = Explained(
        node_id(card.suite if card is not None else suite.name if suite else "", test), test, missing=missing
    )
    if suite is not None:
        planned = next((one for one in suite.plan.tests if one.id == test), None)
        again = (
            shlex.join(["pytest", of.name, asked or f"--jevbench-suite={_spec(suite.name)}"]) + " --jevbench-url=URL"
        )
        of = replace(of, case=suite.cases.get(test.case_id), planned=planned, relations=suite.relations, again=again)
    if card is None:
        return of
    result = next((result for result in card.results if result.id == test), None)
    why = () if result is not None else ("this test was not run: it was deselected, or is in another shard",)
    return replace(
        of,
        card=card,
        result=result,
        outcomes=_with_numbers(card, test, result),
        base=(card.data.get("sources") or {}).get(test.case_id),
        again=ask_again(card, of.name),
        missing=(*missing, *why),
    )


def _with_numbers(card: Card, test: TestId, result: TestResult | None) -> tuple[Outcome, ...]:
    """The outcomes, the worst with the numbers that were compared where the card keeps them."""
    if result is None:
        return ()
    for relation in (*card.data["relations"], *card.data["diagnostics"]):
        for row in relation["worst"] if relation["name"] == test.relation else ():
            if (row["case"], row["key"]) == (test.case_id, test.key) and "deviation" in row:
                return tuple(_numbered(outcome, row) for outcome in result.outcomes)
    return result.outcomes


def _numbered(outcome: Outcome, row: dict[str, Any]) -> Outcome:
    same = ("variant", outcome.variant), ("draw", outcome.draw), ("targets", list(outcome.targets))
    if any(row.get(name, value) != value for name, value in same):
        return outcome
    return replace(outcome, expected=_numbers(row.get("expected")), observed=_numbers(row.get("observed")))


def _numbers(values: dict[str, Any] | None) -> dict[str, float]:
    return {name: value for name, value in (values or {}).items() if isinstance(value, (int, float))}


def _judged_again(of: Explained, args: argparse.Namespace) -> Explained:
    """The same with the outcome as the answers of a store have it: those of the model last used."""
    from pytest_jevbench.cli.store_options import described, open_from_arguments
    from pytest_jevbench.models.protocol import Reply
    from pytest_jevbench.runs.asking import answers_of
    from pytest_jevbench.runs.judge import judge

    if of.case is None or of.planned is None:
        raise InputError("the test cannot be judged again without its suite", advice="Give --suite or --cases")
    case: Case = of.case
    planned: PlannedTest = of.planned
    with open_from_arguments(args) as store:
        for model in store.models():
            answers = store.answers_under(model.key)

            def stored(request: Request, answers: Any = answers) -> Answered:
                recorded = answers.get(request)
                if isinstance(recorded, Reply):
                    return answers_of(request, recorded)
                return Unanswered("lost", "the store has no answer to this request")

            source = stored(case.request())
            result = judge(planned, case, source, stored, relations=of.relations)
            if result.verdict != "unjudged":
                base = getattr(source, "distributions", None)
                note = f"judged from stored answers of {described(model.key)}"
                return replace(of, result=result, outcomes=result.outcomes, base=base, missing=(*of.missing, note))
    return replace(of, missing=(*of.missing, "the store has not all answers that this test needs"))
