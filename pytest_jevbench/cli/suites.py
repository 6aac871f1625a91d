"""The short form of ``suite list``."""

from pytest_jevbench.cli.suite_list import HELP, add_arguments, run

__all__ = ["HELP", "add_arguments", "run"]
