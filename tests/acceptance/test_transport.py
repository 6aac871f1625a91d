"""A misbehaving server, and its key, through a whole run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.scripted import ScriptedServer, Step, Talk, answers_for, reply, right

Run = Callable[..., pytest.RunResult]
KEY = "sk-test-123"
SUITE = "--jevbench-suite=jevbench-examples"


def echoing(talk: Talk) -> bool:
    """Right answers that repeat the key wherever a server could; every fourth question is refused with it."""
    body = talk.asked.json
    if len(body["questions"]) % 4 == 1 and len(body["questions"]) > 4:
        return reply({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401)(talk)
    answers = answers_for(body)
    for answer in answers.values():
        answer["note"] = KEY
    return reply({"answers": answers, "model": f"m {KEY}"}, x_echo=KEY)(talk)


def files_with(folder: Path, text: str) -> list[str]:
    """The files below a folder that hold a text."""
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and text.encode() in path.read_bytes()
    ]


@pytest.mark.parametrize(
    ("where", "workers"), [("header", ()), ("query", ()), ("user name", ()), ("header", ("-n", "2"))]
)
def test_a_key_is_found_in_no_file_and_no_output(
    run_jevbench: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, where: str, workers: tuple[str, ...]
) -> None:
    listed = reply({"models": [{"name": "m"}]})
    with ScriptedServer([echoing], get=listed) as server:
        urls = {
            "header": server.url,
            "query": f"{server.url}?api_key={KEY}",
            "user name": server.url.replace("//", f"//{KEY}@"),
        }
        if where == "header":
            monkeypatch.setenv("JEVBENCH_API_KEY", KEY)
        logs = ("--junitxml=out.xml", "--log-level=DEBUG", "--log-file=run.log", "--showlocals")
        result = run_jevbench(SUITE, f"--jevbench-url={urls[where]}", "-vv", *logs, *workers)
    assert len(server.asked) > 10
    assert result.parseoutcomes().get("passed")
    assert KEY not in result.stdout.str() + result.stderr.str()
    assert files_with(pytester.path, KEY) == []


def test_a_server_that_stumbles_costs_requests_and_no_verdict(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    stumbles: dict[bytes, Iterator[Step]] = {}

    def step(talk: Talk) -> bool:
        kinds = iter([reply({"error": {"code": 429}}, retry_after_ms="1"), reply("<html>", retry_after="0"), right()])
        return next(stumbles.setdefault(talk.asked.body, kinds))(talk)

    with ScriptedServer([step]) as server:
        run_jevbench(SUITE, f"--jevbench-url={server.url}", "--jevbench-model=m", "--jevbench-card=stumbling.json")
        asked = len(server.asked)
    with ScriptedServer([right()]) as server:
        store = "--jevbench-store=other.sqlite"
        run_jevbench(SUITE, f"--jevbench-url={server.url}", "--jevbench-model=m", "--jevbench-card=steady.json", store)
    distinct = len({request.body for request in server.asked})
    assert asked == 3 * len(stumbles) == 3 * distinct
    assert counts(pytester, "stumbling.json") == counts(pytester, "steady.json")


def counts(pytester: pytest.Pytester, name: str) -> dict[str, Any]:
    card = json.loads((pytester.path / name).read_text(encoding="utf-8"))
    return {key: card["counts"][key] for key in ("planned", "judged", "held", "violated")}


def test_nothing_at_the_url_ends_the_run_with_one_message_and_status_17(run_jevbench: Run) -> None:
    with ScriptedServer([right()]) as server:
        url = server.url
    result = run_jevbench(SUITE, f"--jevbench-url={url}")
    assert result.ret == 17
    assert (result.stdout.str() + result.stderr.str()).count("nothing listens there") == 1
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
