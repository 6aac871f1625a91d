"""The server as a client meets it: the SDK's own client over a pipe, and raw lines that no client should send."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TextIO

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from pytest_jevbench import evaluate, reference
from pytest_jevbench.cli import main
from pytest_jevbench.json_text import dumps
from pytest_jevbench.judges.demo_making import demo_fixture_json
from tests.judges.worked_example import worked_fixture

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


def session(
    do: Callable[[ClientSession], Awaitable[None]], command: list[str] = COMMAND, errors: TextIO = sys.stderr
) -> None:
    """A session of the SDK's client with the server, which is started for it and ended with it."""

    async def run() -> None:
        parameters = StdioServerParameters(command=command[0], args=command[1:])
        async with stdio_client(parameters, errlog=errors) as (read, write), ClientSession(read, write) as client:
            await client.initialize()
            await do(client)

    anyio.run(run)


async def called(client: ClientSession, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    return result.model_dump(by_alias=True)


def text(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


@pytest.fixture(scope="module")
def card() -> dict[str, Any]:
    return evaluate(reference("uniform"), "jevbench-examples", bootstrap=0, progress=False).to_dict()


def test_a_session_from_start_to_end(card: dict[str, Any]) -> None:
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
        assert not (await called(client, "jevbench_bench"))["isError"]

    session(do)


def test_the_limits_are_those_that_are_named_and_what_keeps_them_is_served() -> None:
    row = {"judge": "j", "a": "x", "b": "yy", "forward": 0.9, "swapped": 0.8}
    whole = demo_fixture_json()
    whole["items"] = [{**whole["items"][i % 300], "id": f"i{i}"} for i in range(1000)]
    whole.pop("judge_costs")
    for item in whole["items"]:
        item["text"] = ""
        item["judgments"] = {f"j{k}": 0.25 for k in range(16)}
    too_many = {**whole, "items": [{**item, "judgments": {**item["judgments"], "j16": 0.5}} for item in whole["items"]]}

    async def do(client: ClientSession) -> None:
        for tool, arguments, told in (
            ("jevbench_bench", {"fixture": too_many}, "17 judges, and a message may have 16"),
            ("jevbench_bench", {"fixture": {**whole, "items": whole["items"] + [{}]}}, "1,001 items"),
            ("jevbench_bias_audit", {"pairs": [row] * 1001}, "1,001 pairs, and a message may have 1,000"),
            ("jevbench_bias_audit", {"pairs": [{**row, "judge": f"j{i}"} for i in range(17)]}, "17 judges"),
            ("jevbench_calibrate", {"pairs": {"pairs": [row] * 1001}}, "1,001 pairs"),
            ("jevbench_agreement", {"ratings": {"raters": {"a": [1] * 1001, "b": [1]}}}, "1,001 ratings"),
            ("jevbench_agreement", {"ratings": {"raters": {f"r{i}": [1] for i in range(17)}}}, "17 raters"),
        ):
            result = await called(client, tool, **arguments)
            assert result["isError"]
            assert told in text(result)
        largest = await called(client, "jevbench_bench", fixture=whole)
        assert len(largest["structuredContent"]["judges"]) == 16
        assert largest["structuredContent"]["fixture"]["items"] == 1000
        most = await called(client, "jevbench_bias_audit", pairs=[row] * 1000)
        assert most["structuredContent"]["bias"][0]["position"]["flips"] == 1000

    session(do)


WATCHED = """
import os, sys
from pytest_jevbench.cli import main
from pytest_jevbench.judges import rubrics
import mcp.server.stdio

ours = tuple(map(os.path.realpath, (sys.prefix, sys.base_prefix, {root!r})))
told = os.fdopen(os.dup(2), "w")

def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        reads = not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if isinstance(path, int) or (reads and os.path.realpath(path).startswith(ours)):
            return
    elif not event.startswith(("socket.", "subprocess.", "os.", "shutil.", "urllib.", "tempfile.", "ctypes.dl")):
        return
    elif event in ("socket.__new__", "os.listdir", "os.scandir", "os.putenv", "os.unsetenv"):
        return  # how a loop wakes up, how modules are found and set themselves up
    elif (event, arguments) == ("ctypes.dlopen", (None,)):  # this program itself
        return
    print("SEEN", event, arguments, file=told, flush=True)

sys.addaudithook(watch)
main(["mcp"])
"""


@pytest.mark.slow
def test_nothing_is_opened_run_or_connected_to(card: dict[str, Any], tmp_path: Path) -> None:
    """The interpreter itself tells of files, programs and connections: there are none but its own modules."""
    target = tmp_path / "fixture.json"
    target.write_text(dumps(worked_fixture()), "utf-8")
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-B", "-c", WATCHED.format(root=root)]

    async def do(client: ClientSession) -> None:
        for tool in ("jevbench_bench", "jevbench_calibrate", "jevbench_bias_audit", "jevbench_agreement"):
            assert not (await called(client, tool))["isError"]
        assert not (await called(client, "jevbench_list_rubrics"))["isError"]
        assert not (await called(client, "jevbench_explain_card", card=card))["isError"]
        assert not (await called(client, "jevbench_compare_cards", baseline=card, card=card))["isError"]
        path = str(target)
        for tool, arguments in (
            ("jevbench_bench", {"fixture": path}),
            ("jevbench_bench", {"fixture": {"path": path, "items": path}}),
            ("jevbench_bias_audit", {"pairs": path}),
            ("jevbench_explain_card", {"card": path}),
            ("jevbench_explain_card", {"card": f"file://{path}"}),
            ("jevbench_explain_card", {"card": {**card, "suite_path": path}, "level": "dimension", "cmd": "id"}),
        ):
            assert (await called(client, tool, **arguments))["isError"]

    with (tmp_path / "errors").open("w+", encoding="utf-8") as errors:
        session(do, command, errors)
        errors.seek(0)
        assert [line for line in errors if line.startswith("SEEN")] == []
    check = subprocess.run(
        [sys.executable, "-c", WATCHED.format(root=root).replace('main(["mcp"])', f"open({str(target)!r})")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert check.stderr.startswith("SEEN open"), "what watches does see"


def test_the_worked_example_by_a_client() -> None:
    async def do(client: ClientSession) -> None:
        found = await called(client, "jevbench_calibrate", fixture=worked_fixture(), platt_targets="plain")
        methods = found["structuredContent"]["calibration"][0]["methods"]
        for name, ece, brier in (("platt", 0.037181, 0.222829), ("histogram", 0.066667, 0.226667)):
            assert methods[name]["before"]["ece_positive"] == pytest.approx(0.303333, abs=5e-7)
            assert methods[name]["after"]["ece_positive"] == pytest.approx(ece, abs=5e-7)
            assert methods[name]["after"]["brier"] == pytest.approx(brier, abs=5e-7)
        assert methods["temperature"]["fitted"]["parameters"]["T"] == pytest.approx(6.62936, abs=5e-6)

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
        b'{"jsonrpc": "2.0", "id": null, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 8, "method": "ping", "params": 5}',
        b'{"jsonrpc": "2.0", "id": 9, "method": "ping", "params": {"_meta": {"a": "\\ud800"}}}',
        b'{"jsonrpc": "2.0", "id": 10, "method": "ping", "params": {"a": ' + b"[" * 300 + b"]" * 300 + b"}}",
        b'{"jsonrpc": "2.0", "id": 11, "method": "ping", "params": {"a": ' + b"[" * 9000 + b"]" * 9000 + b"}}",
        b'{"jsonrpc": "2.0", "id": 12, "method": "ping", "params": {"a": ' + b"9" * 9000 + b"}}",
        b'{"jsonrpc": "2.0", "result": 5}',
        b'{"jsonrpc": "2.0", "id": 77, "error": {}}',
        expected=14,
    )
    deep = next(a for a in answers if a["id"] == 11)
    assert deep["error"]["code"] in (-32700, -32600), "some Pythons parse so much nesting; it is refused all the same"
    assert [(a["id"], a["error"]["code"]) for a in answers if a is not deep] == [
        (None, -32700),
        (None, -32700),
        (None, -32600),
        (5, -32600),
        (6, -32600),
        (None, -32600),
        (7, -32700),
        (None, -32700),
        (None, -32600),
        (8, -32600),
        (9, -32600),
        (10, -32600),
        (12, -32700),
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
