"""The command ``pytest-jevbench``: one file a command, commands of one subject in a group."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from pytest_jevbench import __version__
from pytest_jevbench.errors import JevbenchError
from pytest_jevbench.json_text import printable

__all__ = ["COMMANDS", "Command", "main"]

COMMANDS: tuple[str, ...] = (
    "relations",
    "check",
    "estimate",
    "serve",
    "suite.freeze",
    "suite.list",
    "freeze",
    "suites",
    "rewrite",
    "audit",
    "datagen.plan",
    "datagen.write",
    "datagen.verify",
    "datagen.review",
    "datagen.freeze",
    "report",
    "merge",
    "card.report",
    "board",
    "explain",
    "init",
    "completion",
    "card.merge",
    "gate",
    "card.gate",
    "card.compare",
    "card.promote",
    "judge.bench",
    "judge.calibrate",
    "judge.bias",
    "judge.pairs",
    "judge.agreement",
    "judge.run",
    "judge.validate",
    "judge.template",
    "mcp",
    "rubrics.list",
    "rubrics.show",
    "rubrics.suite",
    "tasks.validate",
    "tasks.hash",
    "tasks.summarize",
    "tasks.export",
    "store.export",
    "store.import",
    "store.stats",
    "store.prune",
)
"""The commands, by module of this package; a dotted name ``suite.freeze`` is command ``freeze`` of group ``suite``,
in module ``suite_freeze``."""

GROUP_HELP: dict[str, str] = {
    "datagen": "make cases for a domain of your own: plan, write, verify, freeze",
    "suite": "freeze suites and look into them",
    "judge": "evaluate judges: calibration, thresholds, biases, agreement",
    "rubrics": "rubrics for judges of answers: list, show, and make a suite of your own answers",
    "store": "look after the stored answers: export, import, stats, prune",
    "tasks": "labelled tasks: check and hash their files, print and export results",
    "card": "print, compare, gate and merge cards",
}

SHORT_FOR: dict[str, str] = {
    "freeze": "suite freeze",
    "suites": "suite list",
    "report": "card report",
    "merge": "card merge",
    "gate": "card gate",
}
"""Commands that are another one under a shorter name."""


class Command(Protocol):
    """What a command's module offers; ``EXIT`` beside it, where there are more exit statuses than 0 and 2."""

    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="pytest-jevbench", description="coherence tests for typed decision models: the commands beside pytest"
    )
    parser.add_argument("--version", action="version", version=f"pytest-jevbench {__version__}")
    top = _commands_of(parser)
    groups: dict[str, argparse._SubParsersAction[argparse.ArgumentParser]] = {}
    for dotted in COMMANDS:
        group, _, name = dotted.rpartition(".")
        if group and group not in groups:
            holder = top.add_parser(group, help=GROUP_HELP[group], description=GROUP_HELP[group])
            groups[group] = _commands_of(holder)
        module = cast(Command, import_module(f"pytest_jevbench.cli.{_module(dotted)}"))
        place = groups[group] if group else top
        short = f"short for {SHORT_FOR[dotted]}: " if dotted in SHORT_FOR else ""
        command = place.add_parser(name, help=short + module.HELP, description=short + module.HELP)
        module.add_arguments(command)
        exit_statuses = getattr(module, "EXIT", "")
        if exit_statuses:
            command.epilog = f"{command.epilog or ''} Exit status: {exit_statuses}.".strip()
        command.set_defaults(run=module.run)
    return parser


def _commands_of(parser: argparse.ArgumentParser) -> argparse._SubParsersAction[argparse.ArgumentParser]:
    """Commands below a parser, which shows all of them where none is named."""

    def tell(args: argparse.Namespace) -> int:
        parser.print_help(sys.stderr)
        return 2

    parser.set_defaults(run=tell)
    return parser.add_subparsers(metavar="COMMAND")


def _module(dotted: str) -> str:
    return SHORT_FOR.get(dotted, dotted).replace(".", "_").replace(" ", "_")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 done, 1 a finding, 2 bad input or usage, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # an ASCII terminal shows what it cannot print, and nothing ends
            stream.reconfigure(errors="backslashreplace")
    args = build_parser().parse_args(argv)
    try:
        status: int = args.run(args)
    except JevbenchError as error:
        print(f"pytest-jevbench: {printable(str(error))}", file=sys.stderr)  # noqa: T201
        return 2
    except BrokenPipeError:  # the reader of our output went away, as `| head` does
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        print("pytest-jevbench: interrupted", file=sys.stderr)  # noqa: T201
        return 130
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        print(f"pytest-jevbench: {where}{error.strerror or error}", file=sys.stderr)  # noqa: T201
        return 2
    return status
