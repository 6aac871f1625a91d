"""A key appears in no message, no log line, no recorded identity, whoever repeats it."""

from __future__ import annotations

import logging
import traceback

import pytest

from pytest_jevbench.errors import JevbenchError
from tests.models.conftest import ONE_NOUL, Connect
from tests.servers.scripted import ScriptedServer, Step, reply, right

KEY = "sk-test-123"

ECHOES: dict[str, Step] = {
    "401": reply({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401),
    "401 in a header": reply({"detail": "no"}, 401, x_echo=KEY),
    "500": reply(f"Traceback: Authorization: Bearer {KEY}", 500, "text/plain"),
    "200 with an error": reply({"error": f"bad key {KEY}"}),
    "200 without answers": reply({"key": KEY}),
    "HTML": reply(f"<html>{KEY}</html>"),
    "a redirect": reply("", 302, location=f"http://h/?key={KEY}"),
}


@pytest.mark.parametrize("where", ["header", "query", "user name", "path"])
@pytest.mark.parametrize("step", ECHOES.values(), ids=ECHOES.keys())
def test_a_key_is_found_nowhere(connect: Connect, caplog: pytest.LogCaptureFixture, step: Step, where: str) -> None:
    with caplog.at_level(logging.DEBUG), ScriptedServer([step], get=step) as server:
        urls = {
            "header": server.url,
            "query": f"{server.url}?api_key={KEY}",
            "user name": server.url.replace("//", f"//{KEY}@"),
            "path": f"{server.url}/{KEY}",
        }
        model = connect(urls[where], model=None, retries=1, api_key=KEY if where == "header" else None)
        with pytest.raises(JevbenchError) as caught:
            model.ask(ONE_NOUL)
    shown = [
        *(record.getMessage() for record in caplog.records),
        "".join(traceback.format_exception(caught.value)),
        repr(model),
        repr(vars(caught.value)),
        repr(model.identity),
        *connect.told,
    ]
    assert server.asked
    assert not [text for text in shown if KEY in text]


def test_the_key_was_sent(connect: Connect) -> None:
    with ScriptedServer([right()]) as server:
        connect(server.url, api_key=f" {KEY}\n").ask(ONE_NOUL)
        connect(f"{server.url}?api_key={KEY}").ask(ONE_NOUL)
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.asked[1].path == f"/v1/systemone?api_key={KEY}"


def test_an_answer_that_repeats_the_key_is_masked(connect: Connect) -> None:
    echo = reply({"answers": {"n": {"type": "noul", "noul": 0.5, "note": KEY}}, "model": KEY})
    with ScriptedServer([echo]) as server:
        answered = connect(server.url, api_key=KEY).ask(ONE_NOUL)
    assert KEY not in repr(answered)


def test_local_variables_of_a_shown_traceback_do_not_have_the_key(connect: Connect) -> None:
    with ScriptedServer([reply({"detail": KEY}, 401)]) as server, pytest.raises(JevbenchError) as caught:
        connect(f"{server.url}?api_key={KEY}").ask(ONE_NOUL)
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    ours = [frame for frame in shown.stack if "pytest_jevbench" in frame.filename]
    assert ours
    assert not [frame for frame in ours if KEY in str(frame.locals)]


def test_filters_are_taken_away_with_the_model(connect: Connect) -> None:
    before = list(logging.getLogger("httpx").filters)
    model = connect("http://127.0.0.1:1", api_key=KEY)
    assert len(logging.getLogger("httpx").filters) == len(before) + 1
    model.close()
    assert logging.getLogger("httpx").filters == before
