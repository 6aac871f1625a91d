"""Set up a repository: which model and suite, what a run has to keep, and a workflow that gates changes."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pytest_jevbench.cli.init_choices import (
    CI,
    SUITE,
    is_local,
    named_cases,
    named_ci,
    named_model,
    named_suite,
    usual_ci,
)
from pytest_jevbench.cli.init_files import BASELINE, Choice, Written, files_of
from pytest_jevbench.cli.init_writing import write_all
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.reference import REFERENCE_NAMES

__all__ = ["HELP", "add_arguments", "run"]

HELP = "set up a repository: settings, a gate and a workflow, after three questions or by options"

T = TypeVar("T")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``init``."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--url", metavar="URL", help="the model answers at this URL")
    which.add_argument("--launch", metavar="COMMAND", help='a server to start, e.g. "my-server --port {port}"')
    which.add_argument("--command", metavar="COMMAND", help="a program: request JSON in, answers JSON out")
    which.add_argument("--reference", choices=REFERENCE_NAMES, help="a reference model, to try things out")
    which.add_argument(
        "--fixture", action="store_true", help="a function in conftest.py, which is written as an example"
    )
    tests = parser.add_mutually_exclusive_group()
    tests.add_argument("--suite", metavar="SUITE", help=f"the suite to run (default: {SUITE})")
    tests.add_argument(
        "--cases", metavar="PATH", help="a file or folder of your own cases, in the place of a suite; from DIR"
    )
    parser.add_argument(
        "--ci", choices=CI, help="whose workflow is written (default: what the repository has, or github)"
    )
    parser.add_argument(
        "--dir", type=Path, default=Path(), metavar="DIR", help="the repository (default: this directory)"
    )
    parser.add_argument("--yes", action="store_true", help="ask nothing, take what the options say")
    parser.add_argument("--force", action="store_true", help="replace files that are there")


def run(args: argparse.Namespace) -> int:
    """Ask what is not said, write, and say what comes next. Raises :class:`InputError`, then with nothing written."""
    folder: Path = args.dir
    if not folder.is_dir():
        what = "this is a file, not a folder" if folder.exists() else "there is no such folder"
        raise InputError(what, place=Place(folder, field="--dir"))
    choice = _choice(args, folder, asking=not args.yes and sys.stdin.isatty() and sys.stdout.isatty())
    made = files_of(choice, folder, force=args.force)
    changed = write_all(made)
    for one in made:
        what = "as it was" if one not in changed else "lines added" if one.added else "written"
        _say(f"{one.path.relative_to(folder).as_posix()}: {what}; {one.note}")
    _next(made, changed, folder, choice)
    return 0


def _choice(args: argparse.Namespace, folder: Path, asking: bool) -> Choice:
    """What the options say, and where they say nothing a person or the defaults."""
    given = next((name for name in ("url", "launch", "command", "reference") if getattr(args, name) is not None), None)
    if args.fixture:
        model = named_model("fixture", "")
    elif given is not None:
        model = named_model(given, str(getattr(args, given)))
    elif asking:
        _say("1 Where is the model? A URL, a program, or a command that starts a server, with")
        model = _asked("  {port} in it. Nothing for a function in conftest.py", _model_of)
    else:
        raise InputError("no model is named", advice="Give one of --url, --launch, --command, --reference, --fixture")
    if args.cases is not None:
        tests = named_cases(args.cases, folder)
    elif args.suite is not None or not asking:
        tests = named_suite(SUITE if args.suite is None else args.suite, folder)
    else:
        question = f"2 Which suite? A bundled one, a folder, or distribution:name [{SUITE}]"
        tests = _asked(question, lambda text: named_suite(text or SUITE, folder))
    ci = args.ci or usual_ci(folder)
    if args.ci is None and asking:
        usual = ci
        ci = _asked(f"3 Which CI gates changes? {', '.join(CI)} [{usual}]", lambda text: named_ci(text or usual))
    return Choice(*model, *tests, ci)


def _model_of(answer: str) -> tuple[str, str, str]:
    if not answer:
        return named_model("fixture", "")
    if "://" in answer.partition(" ")[0]:
        return named_model("url", answer)
    return named_model("launch" if "{port}" in answer else "command", answer)


def _asked(question: str, meant: Callable[[str], T]) -> T:
    """What a person answers, asked again until it can be used."""
    while True:
        try:
            answer = input(f"{question}: ").strip()
        except KeyboardInterrupt:
            _say("")
            raise
        except EOFError:
            _say("")
            raise InputError("the answers ended", advice="Nothing was written") from None
        except UnicodeDecodeError:
            _say("  this is not in the terminal's encoding")
            continue
        try:
            return meant(answer)
        except InputError as error:
            _say(f"  {error}")


def _next(made: list[Written], changed: list[Written], folder: Path, choice: Choice) -> None:
    _say("")
    _say("Next:")
    if folder.resolve() != Path.cwd().resolve():
        _say(f"  cd {shlex.quote(str(folder))}")
    if any(one.path.name == "conftest.py" for one in changed):
        _say("  put your model into conftest.py")
    _say("  pytest --jevbench --jevbench-fail-on=never")
    if choice.ci == "none":
        return
    _say(f"  pytest-jevbench card promote jevbench-card.json {BASELINE}")
    paths = list(dict.fromkeys(one.path.relative_to(folder).parts[0] for one in made))
    _say(f"  git add {shlex.join(paths)}")
    _say("and commit: from then on each change is compared with that baseline.")
    for note in _notes(choice):
        _say(note)


def _notes(choice: Choice) -> list[str]:
    notes = []
    if choice.model == "url" and is_local(choice.value):
        notes.append("A server on this machine is not there in CI: start it in a step, or name it with --launch.")
    if choice.ci != "none":
        notes.append("coherence/requirements.txt has to name where CI gets pytest-jevbench from.")
        if choice.model in ("launch", "command", "fixture"):
            notes.append("It has to name what your model needs, too.")
    return notes


def _say(text: str) -> None:
    print(text)  # noqa: T201
