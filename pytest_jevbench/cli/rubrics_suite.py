"""``pytest-jevbench rubrics suite``: answers of one's own as a suite that any model can be tested on as their judge."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

__all__ = ["HELP", "add_arguments", "run"]

HELP = "freeze pairs of answers of your own as a suite that tests a judge by a rubric"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "rubric",
        metavar="ID",
        help="a rubric that comes with the package, a YAML file of your own, or `all` the rubrics",
    )
    parser.add_argument("directory", metavar="DIR", help="where the suite is written")
    parser.add_argument(
        "--pairs",
        metavar="FILE",
        required=True,
        help="pairs as JSON lines or a YAML list: id, task, material, first, second, better, fails; "
        "for `all` a folder with a file ID.yaml for each rubric",
    )
    parser.add_argument(
        "--graded",
        action="store_true",
        help="grade each answer by a Score and three yes/no questions (default: compare two answers by a Choice)",
    )
    parser.add_argument("--description", metavar="TEXT", help="what listings say of the suite (default: what is in it)")
    parser.add_argument(
        "--judge-name", metavar="NAME", help="the judge's name, shown as the author of an answer (default: no name)"
    )


def run(args: argparse.Namespace) -> int:
    """Freeze and print what was written."""
    from pytest_jevbench.errors import InputError, Place
    from pytest_jevbench.json_text import printable
    from pytest_jevbench.judges.live_pairs import read_answer_pairs
    from pytest_jevbench.judges.live_suite import freeze_judged
    from pytest_jevbench.judges.rubrics import find_rubric, rubrics

    if args.judge_name is not None and not args.judge_name.strip():
        raise InputError.unexpected(args.judge_name, "the judge's name", Place(field="--judge-name"))
    given, directory = Path(args.pairs), Path(args.directory)
    if args.rubric == "all":
        of_rubrics = [(one, read_answer_pairs(given / f"{one.id}.yaml", one)) for one in rubrics()]
        which = f"{len(of_rubrics)} rubrics"
    else:
        of_rubrics = [(one, read_answer_pairs(given, one)) for one in [find_rubric(args.rubric)]]
        which = of_rubrics[0][0].id
    pairs = [pair for _, of_rubric in of_rubrics for pair in of_rubric]
    what = f"{len(pairs)} pairs of answers, {'graded' if args.graded else 'compared'} by {which}"
    frozen = freeze_judged(
        directory,
        of_rubrics,
        "graded" if args.graded else "pairs",
        name=directory.resolve().name,
        description=args.description or what,
        min_n=min(5, len(pairs)),
        judge_name=args.judge_name,
    )
    plan = frozen.plan
    rows = (
        ("suite", f"{frozen.name} in {directory}"),
        ("pairs", f"{len(pairs)}, {sum(pair.better is not None for pair in pairs)} with a label"),
        ("relations", f"{len(plan.relations)}: {', '.join(plan.relations)}"),
        ("tests", f"{len(plan.tests)}"),
        ("requests", f"{frozen.requests} distinct"),
        ("run", f"pytest --jevbench-suite={_as_path(directory)} --jevbench-url=URL"),
    )
    sys.stdout.write("".join(f"{label:<11}{printable(text)}\n" for label, text in rows))
    return 0


def _as_path(directory: Path) -> str:
    """A directory as ``--jevbench-suite`` takes it for one."""
    return str(directory) if directory.is_absolute() or directory.parts[:1] == ("..",) else f"./{directory}"
