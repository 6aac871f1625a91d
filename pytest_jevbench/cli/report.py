"""The short form of ``card report``."""

from pytest_jevbench.cli.card_report import HELP, add_arguments, run

__all__ = ["HELP", "add_arguments", "run"]
