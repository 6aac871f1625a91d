"""Check files of labelled tasks and print everything that is wrong with them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pytest_jevbench.cli.tasks_input import add_task_paths, given_tasks
from pytest_jevbench.counting import counted
from pytest_jevbench.json_text import printable
from pytest_jevbench.labelled.task_sets import TaskSet
from pytest_jevbench.reports.text import pad, representable

__all__ = ["EXIT", "HELP", "add_arguments", "run"]

HELP = "check files of labelled tasks and print every problem with its file and line"
EXIT = "0 all can be used, 1 there are problems, 2 bad usage"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tasks validate``."""
    add_task_paths(parser)
    parser.add_argument(
        "--manifest", type=Path, metavar="FILE", help="pinned hashes to hold against (default: a folder's manifest)"
    )
    parser.add_argument(
        "--show-private", action="store_true", help="print the words of private records where something is wrong"
    )


def run(args: argparse.Namespace) -> int:
    """Print the problems, or what there is."""
    tasks, problems = given_tasks(args, manifest=args.manifest, show_private=args.show_private)
    for problem in problems:
        _print(str(problem))
    if problems:
        _print(f"{counted(len(problems), 'problem')}; {counted(len(tasks.tasks), 'record')} can be used")
        return 1
    for text in _summary(tasks):
        _print(text)
    return 0


def _summary(tasks: TaskSet) -> Iterator[str]:
    groups = Counter(task.group for task in tasks.tasks if task.group is not None)
    states = len({task.case for task in tasks.tasks})
    yield f"{counted(len(tasks.tasks), 'task')} about {counted(states, 'state')}, no problem"
    for title, counts in (
        ("split", Counter(task.split + (" (private)" if task.private else "") for task in tasks.tasks)),
        ("family", Counter(task.family for task in tasks.tasks)),
        ("type", Counter(task.question.type for task in tasks.tasks)),
    ):
        yield ""
        yield f"{pad(title, 40)}{'tasks':>7}"
        yield from (f"{pad(name, 40)}{number:>7,}" for name, number in counts.items())
    yield ""
    unlabelled = sum(task.expected is None for task in tasks.tasks)
    alone = sum(number == 1 for number in groups.values())
    yield f"{counted(len(groups), 'paraphrase group')}" + (f", {alone} of one task alone" if alone else "")
    yield f"{counted(unlabelled, 'task')} without an expected label" if unlabelled else "every task has its label"
    if tasks.manifest is not None:
        yield f"the hashes are those of {tasks.manifest.path}"
        away = [n for n, pin in tasks.manifest.splits.items() if n not in tasks.split_hashes and pin.private]
        if away:
            yield f"pinned and not here: {', '.join(away)} (private)"


def _print(text: str) -> None:
    sys.stdout.write(representable(printable(text), sys.stdout.encoding) + "\n")
