"""``pytest-jevbench datagen verify``: each planned fact against the text."""

from __future__ import annotations

import argparse

from pytest_jevbench.cli.datagen_write import add_chat_arguments, chat_key
from pytest_jevbench.cli.plain_errors import plain_errors

__all__ = ["HELP", "add_arguments", "run"]

HELP = "check every planned fact against its text, by the domain's patterns and, if given, by a chat model"
EXIT = "0 every text was accepted, 1 some were rejected or not read, 2 bad input or no model, 130 Ctrl-C"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("folder", metavar="FOLDER", help="the folder that holds domain.yaml, plans.jsonl and drafts/")
    add_chat_arguments(parser)


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Check the drafts, write ``verification.jsonl``, print every mismatch by name."""
    from collections import Counter
    from collections.abc import Sequence

    from pytest_jevbench.datagen.folders import DomainFolder, write_text
    from pytest_jevbench.datagen.states import read_draft
    from pytest_jevbench.datagen.verification import Verification, read_verification, verification_text
    from pytest_jevbench.datagen.verifying import unreadable, verify_all, verify_offline
    from pytest_jevbench.datagen.writing import wrong_suffix
    from pytest_jevbench.errors import InputError

    folder = DomainFolder.find(args.folder)
    domain = folder.domain()
    plans = folder.planned(domain)
    work, bad = [], []
    for plan in plans:
        path = folder.draft(domain, plan)
        other = folder.other_draft(domain, plan)
        try:
            if path.exists():
                work.append((plan, read_draft(path)))
            elif other.exists():
                bad.append(unreadable(plan, wrong_suffix(plan, path, other)))
        except InputError as error:
            bad.append(unreadable(plan, str(error)))

    def save(rows: Sequence[Verification]) -> None:
        write_text(folder.verification, verification_text([*rows, *bad]))

    if args.chat_url or args.model:
        from pytest_jevbench.chat.roles import ChatReader, open_chats

        before = read_verification(folder.verification)
        count = min(args.jobs, max(1, len(work)))
        with open_chats(args.chat_url, args.model, count=count, timeout=args.timeout, api_key=chat_key()) as chats:
            rows = verify_all(domain, work, [ChatReader(chat) for chat in chats], before, save)
    else:
        rows = [verify_offline(domain, plan, draft) for plan, draft in work]
    save(rows)
    rows = [*rows, *bad]
    for row in rows:
        for problem in row.problems:
            print(f"{row.case}: {problem}")  # noqa: T201
    counts = Counter(row.verdict for row in rows)
    unchecked = sum(len(row.unchecked) for row in rows)
    waiting = f"; {unchecked} facts have no pattern and wait for a reader" if unchecked else ""
    print(  # noqa: T201
        f"{counts['accepted']} accepted, {counts['rejected']} rejected, {counts['unread']} unread, "
        f"{len(plans) - len(rows)} without a draft{waiting}"
    )
    return 1 if counts["rejected"] or counts["unread"] else 0
