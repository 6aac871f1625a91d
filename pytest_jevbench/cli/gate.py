"""The short form of ``card gate``."""

from pytest_jevbench.cli.card_gate import HELP, add_arguments, run

__all__ = ["HELP", "add_arguments", "run"]
