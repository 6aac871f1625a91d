"""The server itself, on the official SDK, in its first and its second major version."""

from __future__ import annotations

import os
import sys
from inspect import signature
from typing import Any

import anyio
import anyio.to_thread
import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from pytest_jevbench import __version__
from pytest_jevbench.errors import JevbenchError
from pytest_jevbench.json_text import dumps, printable
from pytest_jevbench.mcp_server.lines import IncomingLines, OutgoingLines
from pytest_jevbench.mcp_server.tools import TOOLS, call

__all__ = ["build_server", "serve"]

NAME = "pytest-jevbench"
INSTRUCTIONS = (
    "Evaluates recorded judges (calibration, thresholds, biases, agreement) and reads coherence cards of decision "
    "models. All data go into the call; nothing is read from disk, sent anywhere or changed. Without data a tool shows "
    "a bundled demonstration, which its result says."
)


def serve() -> None:
    """Serve on standard input and output until the input ends."""
    anyio.run(_serve)


async def _serve() -> None:
    source = sys.stdin.buffer
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever else is printed does not get between messages
    outgoing = OutgoingLines(out)
    server = build_server()
    streams: Any = {"stdin": IncomingLines(source, outgoing, _understood), "stdout": outgoing}
    async with stdio_server(**streams) as (incoming, answers):
        await server.run(incoming, answers, server.create_initialization_options())


def _understood(text: str) -> bool:
    """Whether the SDK reads a message from it: each version has its own reader."""
    adapter = getattr(types, "jsonrpc_message_adapter", None)
    message: Any = types.JSONRPCMessage
    try:
        if adapter is not None:
            adapter.validate_json(text, by_name=False)
        else:
            message.model_validate_json(text)
    except ValueError:
        return False
    return True


def build_server() -> Any:
    """The server with its tools, as the SDK that is installed wants it."""
    facts: dict[str, Any] = {"version": __version__, "instructions": INSTRUCTIONS}
    if "on_call_tool" in signature(Server.__init__).parameters:

        async def on_list(context: Any, params: Any) -> Any:
            return _listed()

        async def on_call(context: Any, params: Any) -> Any:
            return await _called(params.name, params.arguments)

        return Server(NAME, on_list_tools=on_list, on_call_tool=on_call, **facts)
    return _first_version(facts)


def _first_version(facts: dict[str, Any]) -> Any:
    server: Any = Server(NAME, **facts)
    wrapped: Any = types.ServerResult

    async def on_list(request: Any) -> Any:
        return wrapped(_listed())

    async def on_call(request: Any) -> Any:
        return wrapped(await _called(request.params.name, request.params.arguments))

    server.request_handlers[types.ListToolsRequest] = on_list
    server.request_handlers[types.CallToolRequest] = on_call
    return server


def _listed() -> types.ListToolsResult:
    hints = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
    return types.ListToolsResult.model_validate(
        {
            "tools": [
                {
                    "name": tool.name,
                    "title": tool.title,
                    "description": tool.description,
                    "inputSchema": tool.schema,
                    "annotations": {"title": tool.title, **hints},
                }
                for tool in TOOLS
            ]
        }
    )


async def _called(name: str, arguments: dict[str, Any] | None) -> types.CallToolResult:
    """The result of a tool. A mistake in the data is the result's own error, in words that say what to change."""
    try:
        found = await anyio.to_thread.run_sync(call, name, arguments or {})
        dumps(found.value)  # strict JSON, or an error here
    except JevbenchError as error:
        return _answer(printable(str(error)), None)
    except Exception as error:  # a tool that fails ends no session, and tells no more than its kind
        return _answer(f"the tool failed ({type(error).__name__})", None)
    return _answer(found.text, found.value)


def _answer(text: str, value: dict[str, Any] | None) -> types.CallToolResult:
    content = [{"type": "text", "text": text}]
    return types.CallToolResult.model_validate(
        {"content": content, "isError": value is None, **({} if value is None else {"structuredContent": value})}
    )
