"""The server as a client meets it: the SDK's own client over a pipe, and raw lines that no client should send."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from pytest_jevbench import evaluate, reference
from pytest_jevbench.cli import main
from pytest_jevbench.json_text import dumps
from pytest_jevbench.judges.demo_making import demo_fixture_json

COMMAND = [sys.executable, "-m", "pytest_jevbench", "mcp"]
TOOLS = [
    "jevbench_bench",
    "jevbench_calibrate",
    "jevbench_bias_audit",
    "jevbench_agreement",
    "jevbench_list_rubrics",
    "jevbench_explain_card",
    "jevbench_compare_cards",
]


def session(do: Callable[[ClientSession], Awaitable[None]]) -> None:
    async def run() -> None:
        async with (
            stdio_client(StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])) as (read, write),
            ClientSession(read, write) as client,
        ):
            await client.initialize()
            await do(client)

    anyio.run(run)


async def called(client: ClientSession, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    return result.model_dump(by_alias=True)


def text(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


def test_a_session_from_start_to_end() -> None:
    card = evaluate(reference("uniform"), "jevbench-examples", bootstrap=0, progress=False).to_dict()
    packed = b64encode(gzip.compress(dumps(card).encode())).decode()

    async def do(client: ClientSession) -> None:
        await client.send_ping()
        tools = (await client.list_tools()).model_dump(by_alias=True)["tools"]
        assert [tool["name"] for tool in tools] == TOOLS
        assert all(tool["annotations"]["readOnlyHint"] and not tool["annotations"]["openWorldHint"] for tool in tools)

        bench = await called(client, "jevbench_bench")
        assert bench["structuredContent"]["format"] == "jevbench-judges"
        assert "made-up data" in text(bench)

        own = demo_fixture_json()
        own["items"] = own["items"][:20] + own["items"][-20:]
        calibrated = await called(client, "jevbench_calibrate", fixture=own, methods=["platt"], bins=5)
        assert list(calibrated["structuredContent"]["calibration"][0]["methods"]) == ["platt"]
        assert calibrated["structuredContent"]["bias"] is None

        rows = [{"judge": "j", "a": "x", "b": "yy", "forward": 0.9, "swapped": 0.8}] * 4
        bias = await called(client, "jevbench_bias_audit", pairs=rows)
        assert bias["structuredContent"]["bias"][0]["position"]["flip_rate"]["value"] == 1.0

        ratings = {"level": "ordinal", "raters": {"a": [1, 2, None, 3], "b": [1, 2, 2, 3]}}
        agreement = await called(client, "jevbench_agreement", ratings=ratings)
        assert agreement["structuredContent"]["agreement"]["krippendorff"]["ordinal"]["value"] == 1.0

        explained = await called(client, "jevbench_explain_card", card=card)
        assert "uniform" in text(explained)
        assert explained["structuredContent"]["suite"] == "jevbench-examples"
        compared = await called(client, "jevbench_compare_cards", baseline=card, card=packed)
        assert "0 new violations" in text(compared)

        rubrics = await called(client, "jevbench_list_rubrics")
        assert len(rubrics["structuredContent"]["rubrics"]) == 10

    session(do)


def test_mistakes_are_results_that_say_what_to_change() -> None:
    bad = demo_fixture_json()
    bad["items"][0]["truth"] = "yes"
    bad["items"][1]["judgments"]["judge-steady"] = 2
    many = {**demo_fixture_json(), "items": demo_fixture_json()["items"] * 4}
    bomb = b64encode(gzip.compress(b" " * 20_000_000)).decode()

    async def do(client: ClientSession) -> None:
        for arguments, told in (
            ({"fixture": bad}, "items[1].judgments.judge-steady: found 2. Give a number between 0 and 1"),
            ({"fixture": many}, "1,200 items, and a message may have 1,000"),
            ({"fixture": "/etc/passwd"}, "fixture: "),
            ({"path": "x"}, "Additional properties are not allowed"),
            ({"bins": 0}, "bins: 0 is less than the minimum of 1"),
        ):
            result = await called(client, "jevbench_bench", **arguments)
            assert result["isError"]
            assert told in text(result)
        cards = ((bomb, "more than 16,777,216 bytes"), ("%%%", "no gzip in base64"), ({}, "neither a coherence"))
        for card, told in cards:
            result = await called(client, "jevbench_explain_card", card=card)
            assert result["isError"]
            assert told in text(result)
        result = await called(client, "jevbench_bias_audit", pairs=[{"judge": f"j{i}"} for i in range(17)])
        assert "17 judges, and a message may have 16" in text(result)
        assert not (await called(client, "jevbench_bench"))["isError"]

    session(do)


def raw(*lines: bytes, expected: int) -> list[dict[str, Any]]:
    """What the server answers to lines, after a proper start; tools are run side by side, and may be overtaken."""
    start = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "0"},
        },
    }
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(start).encode() + b"\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline())]
        for line in (json.dumps(ready).encode(), *lines, b'{"jsonrpc": "2.0", "id": "last", "method": "ping"}'):
            process.stdin.write(line + b"\n")
        process.stdin.flush()
        while len(answers) < 2 + expected:
            answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.wait(20) == 0
        assert process.stdout.read() == b""
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()  # type: ignore[union-attr]
    assert answers[0]["result"]["serverInfo"]["name"] == "pytest-jevbench"
    return [answer for answer in answers[1:] if answer.get("id") != "last"]


def call(identifier: int, name: str, arguments: dict[str, Any]) -> bytes:
    params = {"name": name, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": identifier, "method": "tools/call", "params": params}).encode()


def test_lines_that_are_no_messages_are_answered() -> None:
    answers = raw(
        b"{not json",
        b"\xff\xfe",
        b"[1, 2]",
        b'{"jsonrpc": "1.0", "id": 5, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 6}',
        b'{"jsonrpc": "2.0", "id": true, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": NaN}',
        b"[" * 100_000,
        b"",
        b"   ",
        expected=8,
    )
    assert [(a["id"], a["error"]["code"]) for a in answers] == [
        (None, -32700),
        (None, -32700),
        (None, -32600),
        (5, -32600),
        (6, -32600),
        (None, -32600),
        (None, -32700),
        (None, -32700),
    ]


def test_a_message_of_more_than_one_mebibyte_is_refused_and_the_next_one_served() -> None:
    fits = call(1, "jevbench_bench", {"fixture": {"text": "x" * 1_000_000}})
    too_long = call(2, "jevbench_bench", {"fixture": {"text": "x" * 1_048_576}})
    huge = b'{"a": "' + b"x" * 5_000_000 + b'"}'
    answers = raw(too_long, huge, fits, expected=3)
    refused = [a["error"] for a in answers if "error" in a]
    assert [error["code"] for error in refused] == [-32600, -32600]
    assert [a["id"] for a in answers if "error" in a] == [2, None]
    assert "more than 1,048,576 bytes" in refused[0]["message"]
    assert [a["result"]["isError"] for a in answers if a.get("id") == 1] == [True]


def test_unknown_tools_methods_and_notifications() -> None:
    answers = {
        a["id"]: a
        for a in raw(
            call(1, "run_command", {"command": "id"}),
            b'{"jsonrpc": "2.0", "id": 2, "method": "resources/list"}',
            b'{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "jevbench_bench"}}',
            expected=2,
        )
    }
    assert set(answers) == {1, 2}
    assert answers[1]["result"]["isError"]
    assert "there is no tool 'run_command'" in answers[1]["result"]["content"][0]["text"]
    assert answers[2]["error"]["code"] == -32601


def test_an_oversized_message_of_the_sdks_own_client_comes_back_as_an_error() -> None:
    async def do(client: ClientSession) -> None:
        with pytest.raises(Exception, match="more than 1,048,576 bytes"):
            await client.call_tool("jevbench_bench", {"fixture": {"text": "x" * 2_000_000}})
        assert not (await called(client, "jevbench_bench"))["isError"]

    session(do)


def test_without_the_sdk_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    assert main(["mcp"]) == 2
    assert "pip install 'pytest-jevbench[mcp]'" in capsys.readouterr().err
