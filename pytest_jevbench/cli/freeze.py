"""The short form of ``suite freeze``."""

from pytest_jevbench.cli.suite_freeze import HELP, add_arguments, run

__all__ = ["HELP", "add_arguments", "run"]
