"""``pytest-jevbench mcp``: the tools for an assistant, over the Model Context Protocol."""

from __future__ import annotations

import argparse

from pytest_jevbench.errors import InputError

__all__ = ["HELP", "add_arguments", "run"]

HELP = "serve evaluations of judges and readings of cards to an assistant over MCP (stdin and stdout)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has no options."""


def run(args: argparse.Namespace) -> int:
    """Serve until the input ends. Raises :class:`InputError` where the SDK is not installed."""
    try:
        import mcp.server  # noqa: F401
    except ImportError:
        raise InputError(
            "the MCP SDK is not installed", advice="Install it with: pip install 'pytest-jevbench[mcp]'"
        ) from None
    from pytest_jevbench.mcp_server.serving import serve

    serve()
    return 0
