"""Print the hash of a data set and of each split, or pin them in a manifest."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pytest_jevbench.cli.tasks_input import add_task_paths, given_tasks
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import write_whole
from pytest_jevbench.json_text import dumps, printable
from pytest_jevbench.labelled.manifest import manifest_json
from pytest_jevbench.labelled.problems import TaskProblems
from pytest_jevbench.labelled.task_sets import TaskSet

__all__ = ["HELP", "add_arguments", "run"]

HELP = "print the hash of a data set and of its splits, or pin them in a manifest"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tasks hash``."""
    add_task_paths(parser)
    parser.add_argument(
        "--manifest", type=Path, metavar="OUT", help="write the hashes as a manifest (.yaml, .yml or .json)"
    )


def run(args: argparse.Namespace) -> int:
    """Print one line a split. Raises :class:`InputError` for records that cannot be used."""
    tasks, problems = given_tasks(args)
    stale = [p for p in problems if tasks.manifest is not None and p.place.file == tasks.manifest.path]
    if problems and not (args.manifest is not None and len(stale) == len(problems)):
        raise TaskProblems(problems)  # a manifest that is to be written anew may be out of date
    by_split = tasks.split_hashes
    for name, digest in by_split.items():
        members = [task for task in tasks.tasks if task.split == name]
        mark = " (private)" if members[0].private else ""
        sys.stdout.write(f"{digest}  {printable(name)}{mark}, {len(members):,} tasks\n")
    if len(by_split) > 1:
        sys.stdout.write(f"{tasks.dataset_hash}  all, {len(tasks.tasks):,} tasks\n")
    if args.manifest is not None:
        _write(args.manifest, tasks)
        sys.stdout.write(f"pinned in {args.manifest}\n")
    return 0


def _write(path: Path, tasks: TaskSet) -> None:
    value = manifest_json(tasks.tasks)
    suffix = path.suffix.lower()
    if suffix == ".json":
        write_whole(path, dumps(value, indent=1) + "\n")
        return
    if suffix not in (".yaml", ".yml"):
        raise InputError.unexpected(path.name, "a name that ends in .yaml, .yml or .json", Place(field="--manifest"))
    import yaml

    write_whole(path, yaml.safe_dump(value, sort_keys=False, allow_unicode=True))
