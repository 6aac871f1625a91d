"""``pytest-jevbench datagen write``: the texts of planned cases, by a chat model or by hand."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_jevbench.chat.trouble import KEY_VARIABLE
from pytest_jevbench.cli.plain_errors import INTERRUPTED, plain_errors
from pytest_jevbench.counting import counted

if TYPE_CHECKING:
    from pytest_jevbench.datagen.domain import Domain
    from pytest_jevbench.datagen.folders import DomainFolder
    from pytest_jevbench.datagen.planned import CasePlan
    from pytest_jevbench.datagen.writing import Outcome

__all__ = ["HELP", "add_arguments", "add_chat_arguments", "chat_key", "run"]

HELP = (
    "write the texts of planned cases with a chat model, or take those written by hand; no question is shown to either"
)
EXIT = "0 every text that is there has its form, 1 some have not, 2 bad input or no model, 130 Ctrl-C"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("folder", metavar="FOLDER", help="the folder that holds domain.yaml and plans.jsonl")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--briefs", metavar="DIR", help="write one brief a case into DIR, for people who write the texts")
    way.add_argument("--drafts", metavar="DIR", help="take the texts from DIR: CASE.txt, or CASE.json for records")
    add_chat_arguments(parser)
    parser.add_argument(
        "--redo",
        action="store_true",
        help="also replace drafts that failed their check or `verify`; a copy of each stays in replaced/",
    )
    parser.add_argument(
        "--tries", type=int, default=3, metavar="N", help="tries for a text of the wrong form (default: 3)"
    )


def add_chat_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that name a chat model."""
    parser.add_argument("--url", dest="chat_url", metavar="URL", help="an OpenAI-compatible chat endpoint")
    parser.add_argument("--model", metavar="NAME", help="the chat model's name")
    parser.add_argument("--jobs", type=int, default=4, metavar="N", help="texts worked on at once (default: 4)")
    parser.add_argument(
        "--timeout", type=float, default=300.0, metavar="SECONDS", help="seconds to wait for one answer (default: 300)"
    )
    for earlier, dest, parse in (("--chat-url", "chat_url", str), ("--concurrency", "jobs", int)):
        parser.add_argument(earlier, dest=dest, type=parse, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    parser.epilog = f"A key for the chat model is read from the environment variable {KEY_VARIABLE}."


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Write briefs, take drafts, have drafts written, or look at those that are there."""
    from pathlib import Path

    from pytest_jevbench.datagen.briefs import brief_for_people
    from pytest_jevbench.datagen.folders import DomainFolder, write_text
    from pytest_jevbench.datagen.writing import check_drafts, take_drafts
    from pytest_jevbench.errors import InputError, ModelDown

    folder = DomainFolder.find(args.folder)
    domain = folder.domain()
    plans = folder.planned(domain)
    if args.redo and not (args.drafts or args.chat_url or args.model):
        raise InputError(
            "--redo has nobody to write the texts again",
            advice="Name a chat model (--url, --model) or --drafts DIR",
        )
    if args.briefs:
        for plan in plans:
            write_text(Path(args.briefs) / f"{plan.id}.txt", brief_for_people(domain, plan))
        print(f"{len(plans)} briefs in {args.briefs}")  # noqa: T201
        return 0
    if args.drafts:
        outcomes = take_drafts(folder, domain, plans, Path(args.drafts), args.redo)
    else:
        try:
            written = _ask_chat(args, folder, domain, plans) if args.chat_url or args.model else {}
        except KeyboardInterrupt:
            kept = counted(_there(folder, domain, plans), "text")
            print(f"stopped; {kept} kept, run again to go on", file=sys.stderr)  # noqa: T201
            return INTERRUPTED
        except ModelDown as error:
            there = _there(folder, domain, plans)
            print(f"{counted(there, 'text')} kept, {len(plans) - there} missing")  # noqa: T201
            raise error from None
        outcomes = [written.get(outcome.case, outcome) for outcome in check_drafts(folder, domain, plans)]
    for outcome in outcomes:
        for problem in outcome.problems:
            print(f"{outcome.case}: {problem}")  # noqa: T201
    counts = Counter(outcome.status for outcome in outcomes)
    print(", ".join(f"{counts[status]} {status}" for status in ("written", "kept", "rejected", "missing")))  # noqa: T201
    return 1 if any(outcome.problems for outcome in outcomes) else 0


def _there(folder: DomainFolder, domain: Domain, plans: Sequence[CasePlan]) -> int:
    return sum(folder.draft(domain, plan).exists() for plan in plans)


def _ask_chat(
    args: argparse.Namespace, folder: DomainFolder, domain: Domain, plans: Sequence[CasePlan]
) -> dict[str, Outcome]:
    from pytest_jevbench.chat.roles import ChatWriter, open_chats
    from pytest_jevbench.datagen.folders import write_text
    from pytest_jevbench.datagen.verification import read_verification
    from pytest_jevbench.datagen.writing import due, write_drafts
    from pytest_jevbench.json_text import dumps

    work = due(folder, domain, plans, read_verification(folder.verification), args.redo)
    lines = folder.writing.read_text("utf-8").splitlines() if folder.writing.exists() else []

    def tell(outcome: Outcome) -> None:
        lines.append(dumps(outcome.to_json(args.model)))
        write_text(folder.writing, "\n".join(lines) + "\n")

    count = min(args.jobs, max(1, len(work)))
    with open_chats(args.chat_url, args.model, count=count, timeout=args.timeout, api_key=chat_key()) as chats:
        outcomes = write_drafts(folder, domain, work, [ChatWriter(chat) for chat in chats], args.tries, tell)
    return {outcome.case: outcome for outcome in outcomes}


def chat_key() -> str | None:
    """The chat model's key from the environment."""
    return os.environ.get(KEY_VARIABLE)
