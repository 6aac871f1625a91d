"""``pytest-jevbench datagen plan``: fix facts, documents, questions and gold answers of a domain's cases."""

from __future__ import annotations

import argparse

from pytest_jevbench.cli.plain_errors import plain_errors

__all__ = ["HELP", "add_arguments", "run"]

HELP = "check a domain file and plan its cases: facts, mentions, questions and gold answers, balanced"
EXIT = "0 planned, 2 bad input, 130 Ctrl-C"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("folder", metavar="FOLDER", help="the folder that holds domain.yaml")
    parser.add_argument(
        "--cases", type=int, default=20, metavar="N", help="cases to plan, spare ones included (default: 20)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="what the plans are drawn from (default: 0)")
    parser.add_argument(
        "--keep-facts",
        action="store_true",
        help="keep the facts of the plans that are there and choose the questions again, after a change of the bank",
    )
    parser.add_argument("--force", action="store_true", help="also where written texts would no longer fit their plan")


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Plan, write ``plans.jsonl``, print how the plans are balanced."""
    from pytest_jevbench.datagen.folders import DomainFolder, write_text
    from pytest_jevbench.datagen.plan_report import plan_report
    from pytest_jevbench.datagen.planned import write_plans
    from pytest_jevbench.datagen.planning import plan_cases, refuse_orphans, replan_questions
    from pytest_jevbench.errors import InputError

    if args.cases < 1:
        raise InputError(f"--cases is {args.cases}", advice="Give at least 1")
    folder = DomainFolder.find(args.folder)
    domain = folder.domain()
    if args.keep_facts:
        plans = replan_questions(domain, folder.planned(domain, questions=False), args.seed)
    else:
        plans = plan_cases(domain, args.cases, args.seed)
        if not args.force:
            refuse_orphans(folder, plans)
    write_text(folder.plans, write_plans(plans))
    print(plan_report(domain, plans))  # noqa: T201
    return 0
