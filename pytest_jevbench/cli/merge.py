"""The short form of ``card merge``."""

from pytest_jevbench.cli.card_merge import HELP, add_arguments, run

__all__ = ["HELP", "add_arguments", "run"]
