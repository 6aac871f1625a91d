"""``pytest-jevbench judge run``: record what a program or a model says of a fixture's items."""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_jevbench.cli.judge_options import (
    add_data_arguments,
    add_figure_arguments,
    add_output_arguments,
    settings_of,
    show,
)
from pytest_jevbench.cli.model_options import add_model_arguments, spec_from_arguments
from pytest_jevbench.cli.plain_errors import INTERRUPTED, plain_errors
from pytest_jevbench.errors import InputError, Place

if TYPE_CHECKING:
    from pytest_jevbench.judges.asking import Judge, Recording
    from pytest_jevbench.judges.fixture import JudgeFixture

__all__ = ["HELP", "add_arguments", "run"]

HELP = "ask a program or a model about a fixture's items, and keep its answers as one more judge"
MOST_TOLD = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``judge run``."""
    parser.description = (
        "ask judges about every item of a fixture that they have not judged yet, and write the fixture with their "
        "answers; run it again on what it wrote to ask for what failed. Exit status 1: some answers are missing"
    )
    parser.add_argument("fixture", metavar="FIXTURE", help="the items; judgments that stand in it are kept")
    parser.add_argument("--out", metavar="FILE", required=True, help="where the fixture with the answers is written")
    parser.add_argument(
        "--judge-cmd",
        action="append",
        default=[],
        metavar="NAME=CMD",
        help="a program: {question, text} as JSON in, {p_yes} out; can be given again",
    )
    parser.add_argument("--judge-name", metavar="NAME", help="what to call the model (default: its own name)")
    parser.add_argument("--again", action="store_true", help="ask about items that the judge has judged, too")
    add_model_arguments(parser, required=False)
    add_data_arguments(parser)
    add_figure_arguments(parser)
    add_output_arguments(parser)


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Record, write, and show how the judges did. Raises :class:`InputError` before anything is asked."""
    from pytest_jevbench.files import write_whole
    from pytest_jevbench.json_text import dumps
    from pytest_jevbench.judges.asking import record
    from pytest_jevbench.judges.fixture import read_fixture

    fixture = read_fixture(args.fixture, private=args.private, judged=False)
    out = Path(args.out)
    if not out.resolve().parent.is_dir() or out.is_dir():
        raise InputError(
            "there is no such place for a file", place=Place(out), advice="Name one in a folder that is there"
        )
    with ExitStack() as stack:
        judges = _judges(args, stack)
        recording = record(fixture, judges, again=args.again, tell=_tell(sys.stderr.isatty()))
    write_whole(out, dumps(recording.fixture.to_json(), indent=1) + "\n")
    _say(recording, out)
    if recording.interrupted:
        return INTERRUPTED
    if recording.missing:
        return 1
    _show(recording.fixture, args)
    return 0


def _judges(args: argparse.Namespace, stack: ExitStack) -> list[Judge]:
    from pytest_jevbench.judges.asking import ModelJudge, named_command

    if not 0.0 < args.timeout < math.inf:
        raise InputError.unexpected(args.timeout, "a time above 0 s", Place(field="--timeout"))
    judges: list[Judge] = [named_command(text, args.timeout) for text in args.judge_cmd]
    if any((args.url, args.launch, args.command, args.reference, args.runtime)):
        from pytest_jevbench.models.opening import open_replicas

        replicas = stack.enter_context(open_replicas(spec_from_arguments(args), 1))
        judges.append(ModelJudge(replicas[0], args.judge_name))
    if not judges:
        raise InputError(
            "no judge is named",
            place=Place(field="judge"),
            advice="Give --judge-cmd NAME=CMD, or a model such as --url",
        )
    twice = [name for name, count in Counter(judge.name for judge in judges).items() if count > 1]
    if twice:
        raise InputError(f"two judges are called {twice[0]!r}", place=Place(field="judge"), advice="Name them apart")
    return judges


def _tell(shows: bool) -> Callable[[int, int], None]:
    def tell(done: int, planned: int) -> None:
        if shows:
            sys.stderr.write(f"\rasked {done} of {planned}" + ("\n" if done == planned else ""))

    return tell


def _say(recording: Recording, out: Path) -> None:
    from pytest_jevbench.json_text import printable

    lines = [f"{recording.asked} questions asked, {len(recording.failures)} without an answer; written: {out}"]
    for judge, item, why in recording.failures[:MOST_TOLD]:
        lines.append(f"  {judge}, {item}: {why}")
    if len(recording.failures) > MOST_TOLD:
        lines.append(f"  and {len(recording.failures) - MOST_TOLD} more")
    lines += [f"  {judge} was not asked on after several failures in a row" for judge in recording.given_up]
    for judge, count in recording.missing.items():
        lines.append(
            f"{judge} lacks {count} of {len(recording.fixture.items)} items: run again on {out} to ask for them"
        )
    sys.stderr.write(printable("\n".join(lines) + "\n"))


def _show(fixture: JudgeFixture, args: argparse.Namespace) -> None:
    from pytest_jevbench.judges.document import bench_document
    from pytest_jevbench.judges.fixture import fixture_from_json

    complete = fixture_from_json(fixture.to_json(), Place(args.out), private=args.private)
    show(bench_document(complete, settings_of(args)), args)
