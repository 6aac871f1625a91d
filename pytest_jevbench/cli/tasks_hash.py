"""Print the hash of a data set and of each split, or pin them in a manifest."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pytest_jevbench.cli.tasks_input import add_task_paths, given_tasks
from pytest_jevbench.counting import counted
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import refuse_input, write_whole
from pytest_jevbench.json_text import dumps, printable
from pytest_jevbench.labelled.manifest import MANIFESTS, manifest_json
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
    if args.manifest is not None:
        refuse_input(args.manifest, args.paths)
        _check_name(args.manifest, args.paths)
    tasks, problems = given_tasks(args)
    stale = [p for p in problems if tasks.manifest is not None and p.place.file == tasks.manifest.path]
    if problems and not (args.manifest is not None and len(stale) == len(problems)):
        raise TaskProblems(problems)  # a manifest that is to be written anew may be out of date
    by_split = tasks.split_hashes
    for name, digest in by_split.items():
        members = [task for task in tasks.tasks if task.split == name]
        mark = " (private)" if members[0].private else ""
        sys.stdout.write(f"{digest}  {printable(name)}{mark}, {counted(len(members), 'task')}\n")
    if len(by_split) > 1:
        sys.stdout.write(f"{tasks.dataset_hash}  all, {counted(len(tasks.tasks), 'task')}\n")
    if args.manifest is not None:
        _write(args.manifest, tasks)
        sys.stdout.write(f"pinned in {args.manifest}\n")
    return 0


def _check_name(path: Path, folders: Sequence[Path]) -> None:
    """Refuse a manifest that cannot be written, or that a folder of tasks would take for records."""
    place = Place(field="--manifest")
    if path.suffix.lower() not in (".json", ".yaml", ".yml"):
        raise InputError.unexpected(path.name, "a name that ends in .yaml, .yml or .json", place)
    inside = any(folder.is_dir() and folder.resolve() in path.resolve().parents for folder in folders)
    if inside and path.name not in MANIFESTS:
        problem = f"{path.name} lies among the records and would be read as some"
        raise InputError(problem, place=place, advice=f"Call it {' or '.join(MANIFESTS)}, or put it elsewhere")


def _write(path: Path, tasks: TaskSet) -> None:
    value = manifest_json(tasks.tasks)
    if path.suffix.lower() == ".json":
        write_whole(path, dumps(value, indent=1) + "\n")
        return
    import yaml

    write_whole(path, yaml.safe_dump(value, sort_keys=False, allow_unicode=True))
