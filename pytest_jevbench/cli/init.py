"""Set up a repository: which model and suite, what a run has to keep, and a workflow that gates changes."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from urllib.parse import urlsplit

from pytest_jevbench.cli.init_files import Choice, Written, files_of
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import write_whole
from pytest_jevbench.models.reference import REFERENCE_NAMES
from pytest_jevbench.suite_finding import find_suite

__all__ = ["HELP", "add_arguments", "run"]

HELP = "set up a repository: settings, a gate and a workflow, after three questions or by options"

SUITE = "jevbench-mini"
CI = ("github", "gitlab", "none")


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
    tests.add_argument("--cases", metavar="PATH", help="a file or folder of your own cases, in the place of a suite")
    parser.add_argument(
        "--ci", choices=CI, help="whose workflow is written (default: what the repository has, or github)"
    )
    parser.add_argument(
        "--dir", type=Path, default=Path(), metavar="DIR", help="the repository (default: this directory)"
    )
    parser.add_argument("--yes", action="store_true", help="ask nothing: take the default of what no option says")
    parser.add_argument("--force", action="store_true", help="replace files that are there")


def run(args: argparse.Namespace) -> int:
    """Ask what is not said, write, and say what comes next. Raises :class:`InputError`, then with nothing written."""
    folder: Path = args.dir
    if not folder.is_dir():
        raise InputError("there is no such folder", place=Place(folder))
    asking = not args.yes and sys.stdin.isatty() and sys.stdout.isatty()
    model, value = _model(args, asking)
    _check_model(model, value)
    tests, named = _tests(args, asking, folder)
    choice = Choice(model, value, tests, named, args.ci or _ci(folder, asking))
    made = files_of(choice, folder, force=args.force)
    for one in made:
        one.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(one.path, one.text)
    _tell(made, folder, choice)
    return 0


def _model(args: argparse.Namespace, asking: bool) -> tuple[str, str]:
    if args.fixture:
        return "fixture", ""
    for name in ("url", "launch", "command", "reference"):
        if getattr(args, name):
            return name, str(getattr(args, name))
    if not asking:
        raise InputError("no model is named", advice="Give one of --url, --launch, --command, --reference, --fixture")
    _say("1 Where is the model? A URL, or a command that starts a server (with {port} in it).")
    answer = _ask("  Nothing for a function in conftest.py")
    if not answer:
        return "fixture", ""
    if answer.startswith(("http://", "https://")):
        return "url", answer
    return ("launch" if "{port}" in answer else "command"), answer


def _check_model(model: str, value: str) -> None:
    if model == "url":
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError.unexpected(
                value.rpartition("@")[2], "a URL such as http://127.0.0.1:8000", Place(field="--url")
            )
        if parts.username or parts.password or parts.query:
            raise InputError(
                "a URL with a password or a key would lie in the repository",
                place=Place(field="--url"),
                advice="Leave it out and set JEVBENCH_API_KEY",
            )
    if model in ("launch", "command"):
        try:
            words = shlex.split(value)
        except ValueError as error:
            raise InputError(f"this is no command ({error})", place=Place(field=f"--{model}")) from None
        if not words or "\n" in value:
            raise InputError.unexpected(value, "one line: a program and its arguments", Place(field=f"--{model}"))
    if model == "launch" and "{port}" not in value:
        raise InputError.unexpected(value, "a command with {port} where the port goes", Place(field="--launch"))


def _tests(args: argparse.Namespace, asking: bool, folder: Path) -> tuple[str, str]:
    if args.cases is not None:
        if not (folder / args.cases).exists():
            raise InputError("there is no such file or folder", place=Place(folder / args.cases))
        return "cases", args.cases
    suite = args.suite
    if suite is None and asking:
        suite = _ask(f"2 Which suite? A bundled one, a folder, or distribution:name [{SUITE}]")
    suite = suite or SUITE
    find_suite(suite)
    return "suite", suite


def _ci(folder: Path, asking: bool) -> str:
    usual = "gitlab" if (folder / ".gitlab-ci.yml").exists() and not (folder / ".github").exists() else "github"
    if not asking:
        return usual
    answer = _ask(f"3 Which CI gates changes? {', '.join(CI)} [{usual}]") or usual
    if answer not in CI:
        raise InputError.unexpected(answer, f"one of {', '.join(CI)}", Place(field="--ci"))
    return answer


def _ask(question: str) -> str:
    try:
        return input(f"{question}: ").strip()
    except EOFError:
        raise InputError("the answers ended", advice="Nothing was written") from None


def _tell(made: list[Written], folder: Path, choice: Choice) -> None:
    for one in made:
        what = "lines added" if one.added else "written"
        _say(f"{one.path.relative_to(folder)}: {what}; {one.note}")
    _say("")
    _say("Next:")
    if choice.model == "fixture":
        _say("  put your model into conftest.py")
    _say("  pytest --jevbench --jevbench-fail-on=never")
    if choice.ci != "none":
        _say("  pytest-jevbench card promote jevbench-card.json coherence/baseline.json")
        _say("  and commit these files: from then on each change is compared with that baseline")


def _say(text: str) -> None:
    print(text)  # noqa: T201
