"""Labelled tasks as commands take them: files, folders, or a suite's gold answers."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_jevbench.errors import InputError
from pytest_jevbench.labelled.task_sets import TaskSet, check_tasks

__all__ = ["add_task_paths", "given_tasks"]


def add_task_paths(parser: argparse.ArgumentParser) -> None:
    """The options that name tasks."""
    parser.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="files of records (.jsonl, .json, .yaml) or folders of them"
    )
    parser.add_argument(
        "--suite", metavar="SUITE", help="take the gold answers of this suite instead, one task a question"
    )


def given_tasks(
    args: argparse.Namespace, *, manifest: Path | None = None, show_private: bool = False
) -> tuple[TaskSet, list[InputError]]:
    """The tasks, and all that is wrong with them. Raises :class:`InputError` where nothing or two things are named."""
    if (args.suite is None) == (not args.paths):
        raise InputError(
            "found nothing to read" if args.suite is None else "found paths and --suite",
            advice="Give PATH, or --suite=SUITE",
        )
    if args.suite is None:
        return check_tasks(args.paths, manifest=manifest, show_private=show_private)
    from pytest_jevbench.labelled.suite_tasks import tasks_of_suite
    from pytest_jevbench.suite_loading import load_suite

    return tasks_of_suite(load_suite(args.suite)), []
