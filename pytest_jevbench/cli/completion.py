"""Print what makes a shell complete this command's words."""

from __future__ import annotations

import argparse
import sys

from pytest_jevbench.cli.command_tree import places
from pytest_jevbench.cli.completion_scripts import SCRIPTS, script

__all__ = ["HELP", "add_arguments", "run"]

HELP = "print a completion script for bash, zsh or fish"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The shell."""
    parser.add_argument("shell", choices=tuple(SCRIPTS), help="the shell that is to complete; its script says how")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    from pytest_jevbench.cli import build_parser

    sys.stdout.write(script(args.shell, places(build_parser())))
    return 0
