"""A System One server asked over HTTP, a misbehaving one above all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_jevbench.errors import AnswerFormatError, InputError, ModelDown, ModelError, Refused, Unreachable
from pytest_jevbench.models.protocol import Identity, Model
from pytest_jevbench.questions import Choice, Noul, Request
from tests.models.conftest import ONE_NOUL, Connect
from tests.servers.scripted import (
    ScriptedServer,
    Step,
    Talk,
    break_body,
    gzipped,
    hang,
    hang_up,
    raw,
    reply,
    reset,
    right,
)

PASSING: dict[str, Step] = {
    "408": reply({"detail": "slow"}, 408),
    "429": reply({"detail": "too many"}, 429),
    "500": reply("oops", 500, "text/plain"),
    "503 empty": reply("", 503),
    "529": reply({"error": {"message": "overloaded"}}, 529),
    "reset": reset(),
    "hung up": hang_up(),
    "closed mid-body": break_body(),
    "corrupt gzip": gzipped({"answers": {"n": {"type": "noul", "noul": 0.5}}}, cut=20),
    "rubbish": raw(b"SSH-2.0-OpenSSH\r\n\r\n"),
    "200 with HTML": reply("<html><body>Sign in</body></html>", 200, "text/html"),
    "200 empty": reply(""),
    "200 blank": reply("  \n"),
    "200 with an error": reply({"error": {"code": 429, "message": "slow down"}}),
}


@pytest.mark.parametrize("step", PASSING.values(), ids=PASSING.keys())
def test_what_may_pass_is_tried_again(connect: Connect, step: Step) -> None:
    with ScriptedServer([step, step, right(model="m-1")]) as server:
        reply = connect(server.url).ask(ONE_NOUL)
    assert (reply.answers, reply.attempts, reply.model) == ({"n": {"type": "noul", "noul": 0.25}}, 3, "m-1")
    assert len(server.asked) == 3
    assert len({asked.body for asked in server.asked}) == 1
    assert 0.25 <= connect.slept[0] < 0.5 <= connect.slept[1] < 1.0


@pytest.mark.parametrize("step", PASSING.values(), ids=PASSING.keys())
def test_what_does_not_pass_is_unreachable_after_bounded_attempts(connect: Connect, step: Step) -> None:
    with ScriptedServer([step]) as server, pytest.raises(Unreachable, match="after 3 attempts") as caught:
        connect(server.url, retries=2).ask(ONE_NOUL)
    assert (len(server.asked), caught.value.attempts) == (3, 3)


def test_a_silent_server_times_out_and_is_tried_again(connect: Connect) -> None:
    with ScriptedServer([hang(), right()]) as server:
        assert connect(server.url, timeout=0.1).ask(ONE_NOUL).attempts > 1


def test_an_answer_that_drips_times_out_too(connect: Connect) -> None:
    def drip(talk: Talk) -> bool:
        talk.socket.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n")
        while not talk.stopped.wait(0.01):
            talk.socket.sendall(b" ")
        return False

    with ScriptedServer([drip, right()]) as server:
        assert connect(server.url, timeout=0.1).ask(ONE_NOUL).attempts > 1


def test_an_endless_answer_is_no_answer(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_jevbench.models.plain_response.LARGEST_BODY", 1 << 20)

    def flood(talk: Talk) -> bool:
        talk.socket.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n")
        while True:
            talk.socket.sendall(b" " * 65536)

    with ScriptedServer([flood]) as server, pytest.raises(Unreachable, match="longer than 1 MiB"):
        connect(server.url, retries=0).ask(ONE_NOUL)


def test_the_wait_that_the_server_asks_for(connect: Connect) -> None:
    steps = [reply("", 429, retry_after="7"), reply("", 503, retry_after_ms="1500"), reply("", 429, retry_after="²")]
    with ScriptedServer([*steps, right()]) as server:
        connect(server.url).ask(ONE_NOUL)
    assert connect.slept[:2] == [7.0, 1.5]
    assert 1.0 <= connect.slept[2] < 2.0


def test_a_wait_of_a_day_is_capped_and_said(connect: Connect) -> None:
    with ScriptedServer([reply("", 429, retry_after="86400"), right()]) as server:
        connect(server.url).ask(ONE_NOUL)
    assert connect.slept == [60.0]
    assert ["86400" in line for line in connect.told] == [True]


def test_the_total_time_ends_the_waiting(connect: Connect) -> None:
    with (
        ScriptedServer([reply("", 429, retry_after="50")]) as server,
        pytest.raises(Unreachable, match="120 s allowed"),
    ):
        connect(server.url, retries=99, total_timeout=120.0).ask(ONE_NOUL)
    assert connect.slept == [50.0, 50.0]


def test_a_refusal_is_shown_with_the_servers_words_and_not_tried_again(connect: Connect) -> None:
    body = {"detail": [{"loc": ["body", "questions", "n"], "msg": "x" * 400}]}
    with ScriptedServer([reply(body, 422)]) as server, pytest.raises(Refused) as caught:
        connect(server.url).ask(ONE_NOUL)
    words = ("body.questions.n: " + "x" * 400)[:300]
    assert f"HTTP 422: {words}…" in str(caught.value)
    assert (caught.value.status, caught.value.attempts, len(server.asked), connect.slept) == (422, 1, 1, [])


@pytest.mark.parametrize("body", ["null", "[]", {"status": "ok"}, {"answers": []}, {"answers": None}])
def test_json_without_answers_is_a_format_error(connect: Connect, body: Any) -> None:
    with ScriptedServer([reply(body)]) as server, pytest.raises(AnswerFormatError):
        connect(server.url).ask(ONE_NOUL)
    assert len(server.asked) == 1


def test_a_recording_that_says_gzip_and_is_plain(connect: Connect) -> None:
    recorded = reply({"answers": {"n": {"type": "noul", "noul": 0.5}}}, content_encoding="gzip")
    with ScriptedServer([recorded]) as server:
        assert connect(server.url).ask(ONE_NOUL).answers == {"n": {"type": "noul", "noul": 0.5}}


def test_compressed_answers(connect: Connect) -> None:
    with ScriptedServer([gzipped({"answers": {"n": {"type": "noul", "noul": 0.5}}})]) as server:
        assert connect(server.url).ask(ONE_NOUL).answers == {"n": {"type": "noul", "noul": 0.5}}
    assert server.asked[0].headers["accept-encoding"] == "gzip, deflate"


def test_the_request_is_the_wire_form_and_nothing_else(connect: Connect, request_of_all_types: Request) -> None:
    with ScriptedServer([right()]) as server:
        connect(server.url).ask(request_of_all_types)
    asked = server.asked[0]
    assert (asked.method, asked.path) == ("POST", "/v1/systemone")
    assert asked.headers["content-type"] == "application/json"
    assert "authorization" not in asked.headers
    assert asked.body.decode() == json.dumps(
        {
            "model": "m",
            "state": {"text": "The lid is cracked."},
            "questions": {
                "n": {"type": "noul", "instructions": "Is it broken?"},
                "c": {
                    "type": "choice",
                    "instructions": "Which part?",
                    "criteria": {"lid": "The cover", "cup": "The vessel"},
                },
                "s": {"type": "score", "instructions": "How bad?", "criteria": ["not", "somewhat", "very"]},
            },
        },
        separators=(",", ":"),
    )


@pytest.mark.parametrize(
    "state", ["", "ü" * 300_000, [], {"a\u2028b": "\x85"}], ids=["empty", "300000", "array", "separators"]
)
def test_a_state_of_any_size_arrives_whole(connect: Connect, state: Any) -> None:
    with ScriptedServer([right()]) as server:
        connect(server.url).ask(Request(state, ONE_NOUL.questions))
    assert server.asked[0].json["state"] == state


def test_orders_are_kept_on_the_wire(connect: Connect) -> None:
    options = {name: name for name in ("z", "10", "9", "a", "00")}
    with ScriptedServer([right()]) as server:
        connect(server.url).ask(Request("x", {"2": Choice("?", options), "1": Noul("?")}))
    questions = server.asked[0].json["questions"]
    assert list(questions) == ["2", "1"]
    assert list(questions["2"]["criteria"]) == ["z", "10", "9", "a", "00"]


def test_one_connection_serves_many_requests(connect: Connect) -> None:
    with ScriptedServer([right()]) as server:
        model = connect(server.url)
        for _ in range(5):
            model.ask(ONE_NOUL)
    assert (len(server.asked), server.connections) == (5, 1)


def test_an_ipv6_address(connect: Connect) -> None:
    with ScriptedServer([right()], host="::1") as server:
        model = connect(f"{server.url}/v1/")
        model.ask(ONE_NOUL)
    assert server.asked[0].path == "/v1/systemone"
    assert model.identity.address == f"http://[::1]:{server.port}/v1/systemone"


@pytest.mark.parametrize("form", ["", "/", "/v1", "/v1/", "/v1/systemone", "/v1/systemone/"])
def test_all_forms_of_the_url_ask_one_path_under_one_identity(connect: Connect, form: str) -> None:
    with ScriptedServer([right()]) as server:
        model = connect(server.url + form)
        model.ask(ONE_NOUL)
    assert server.asked[0].path == "/v1/systemone"
    assert model.identity == Identity("systemone", "m", address=f"{server.url}/v1/systemone")


def test_it_is_a_model(connect: Connect) -> None:
    assert isinstance(connect("http://127.0.0.1:1"), Model)


def test_a_server_that_never_was_is_said_at_once(connect: Connect) -> None:
    with ScriptedServer([right()]) as server:
        url = server.url
    with pytest.raises(Unreachable, match="nothing listens") as caught:
        connect(url).ask(ONE_NOUL)
    assert f"{url}/v1/systemone" in str(caught.value)
    assert (connect.slept, caught.value.attempts) == ([], 1)


def test_a_host_that_is_not_is_said_at_once(connect: Connect) -> None:
    with pytest.raises(Unreachable, match="no host of this name"):
        connect("http://nothing.invalid").ask(ONE_NOUL)
    assert connect.slept == []


def test_https_to_a_server_without_it_is_said_at_once(connect: Connect) -> None:
    with (
        ScriptedServer([raw(b"HTTP/1.1 400 Bad Request\r\n\r\n")]) as server,
        pytest.raises(Unreachable, match="http://"),
    ):
        connect(server.url.replace("http:", "https:")).ask(ONE_NOUL)
    assert connect.slept == []


def test_a_server_that_goes_away_is_waited_for_and_then_down(connect: Connect) -> None:
    with ScriptedServer([right()]) as server:
        model = connect(server.url, down_after=10)
        model.ask(ONE_NOUL)
    with pytest.raises(Unreachable, match="after 5 attempts; the last: nothing listens"):
        model.ask(ONE_NOUL)
    assert len(connect.slept) == 4
    with pytest.raises(ModelDown, match="10 failures in a row"):
        model.ask(ONE_NOUL)
    connect.slept.clear()
    with pytest.raises(ModelDown):
        model.ask(ONE_NOUL)
    assert connect.slept == []


def test_failures_in_a_row_mean_that_the_model_is_down(connect: Connect) -> None:
    with ScriptedServer([reply("busy", 500, "text/plain")]) as server:
        model = connect(server.url, retries=0, down_after=3)
        raised = []
        for _ in range(4):
            with pytest.raises(ModelError) as caught:
                model.ask(ONE_NOUL)
            raised.append(type(caught.value))
    assert raised == [Unreachable, Unreachable, ModelDown, ModelDown]
    assert len(server.asked) == 3


@pytest.mark.parametrize("between", [right(), reply("no", 400), reply("null")], ids=["answer", "refusal", "format"])
def test_an_answer_or_a_refusal_breaks_the_row(connect: Connect, between: Step) -> None:
    busy = reply("busy", 500)
    with ScriptedServer([busy, busy, between, busy, busy]) as server:
        model = connect(server.url, retries=0, down_after=3)
        for _ in range(5):
            try:
                model.ask(ONE_NOUL)
            except ModelDown:
                pytest.fail("the row was broken")
            except (ModelError, AnswerFormatError):
                pass
    assert len(server.asked) == 5


def test_the_usual_number_of_failures_is_25(connect: Connect) -> None:
    with ScriptedServer([reply("busy", 500)]) as server:
        model = connect(server.url, retries=0)
        for _ in range(24):
            with pytest.raises(Unreachable):
                model.ask(ONE_NOUL)
        with pytest.raises(ModelDown):
            model.ask(ONE_NOUL)


def test_a_server_known_to_be_gone_is_not_waited_for(connect: Connect) -> None:
    gone: list[str] = []
    with ScriptedServer([right()]) as server:
        model = connect(server.url, gone=lambda: gone[0] if gone else None)
        model.ask(ONE_NOUL)
    gone.append("the server ended with status 3")
    with pytest.raises(ModelDown, match="status 3"):
        model.ask(ONE_NOUL)
    assert connect.slept == []


def test_whatever_blocks_the_network_is_named(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    class Blocked(RuntimeError):
        pass

    def refuse(*_: Any, **__: Any) -> Any:
        raise Blocked("A test tried to use socket.socket.")

    monkeypatch.setattr("socket.create_connection", refuse)
    with pytest.raises(Unreachable, match="Blocked: A test tried"):
        connect("http://127.0.0.1:1").ask(ONE_NOUL)


def test_what_is_done_at_closing_is_done_once(connect: Connect) -> None:
    closed: list[int] = []
    model = connect("http://127.0.0.1:1", on_close=lambda: closed.append(1))
    with model:
        pass
    model.close()
    assert closed == [1]


NAMES: dict[str, tuple[Step, str, str]] = {
    "one, by name": (reply({"models": [{"name": "alpha"}]}), "alpha", "listed"),
    "one, by id": (reply({"object": "list", "data": [{"id": "beta"}]}), "beta", "listed"),
    "two": (reply({"models": [{"name": "a"}, {"name": "b"}]}), "default", "assumed"),
    "none": (reply({"models": []}), "default", "assumed"),
    "another body": (reply({"status": "ok", "model": "gamma"}), "default", "assumed"),
    "HTML": (reply("<html>", 200, "text/html"), "default", "assumed"),
    "404": (reply("no", 404), "default", "assumed"),
    "401": (reply("no", 401), "default", "assumed"),
    "501": (reply("no GET", 501), "default", "assumed"),
    "500": (reply("oops", 500), "default", "assumed"),
}


@pytest.mark.parametrize(("get", "name", "source"), NAMES.values(), ids=NAMES.keys())
def test_the_name_is_found_where_none_is_given(connect: Connect, get: Step, name: str, source: str) -> None:
    with ScriptedServer([right()], get=get) as server:
        model = connect(f"{server.url}/api", model=None)
        model.ask(ONE_NOUL)
        model.ask(ONE_NOUL)
    assert [asked.path for asked in server.got] == ["/api/v1/models"]
    assert {asked.json["model"] for asked in server.asked} == {name}
    assert (model.identity.name, model.name_source) == (name, source)


def test_a_given_name_is_not_looked_for(connect: Connect) -> None:
    with ScriptedServer([right()]) as server:
        model = connect(server.url, model="mine")
        model.ask(ONE_NOUL)
    assert server.got == []
    assert (model.identity.name, model.name_source) == ("mine", "given")


def test_a_loading_server_is_asked_for_the_name_again(connect: Connect) -> None:
    steps: Iterator[Step] = iter([reply("loading", 503), reply({"models": [{"name": "alpha"}]})])
    with ScriptedServer([right()], get=lambda talk: next(steps)(talk)) as server:
        assert connect(server.url, model=None).identity.name == "alpha"
    assert len(server.got) == 2


def test_looking_for_the_name_where_nothing_listens_is_the_usual_error(connect: Connect) -> None:
    with ScriptedServer([right()]) as server:
        url = server.url
    with pytest.raises(Unreachable, match="nothing listens"):
        _ = connect(url, model=None).identity


def test_a_refusal_under_an_assumed_name_tells_the_names_there_are(connect: Connect) -> None:
    listed = reply({"models": [{"name": "alpha"}, {"name": "beta"}]})
    with (
        ScriptedServer([reply({"detail": "Unknown model"}, 400)], get=listed) as server,
        pytest.raises(Refused, match=r'Unknown model\. .*"alpha", "beta"'),
    ):
        connect(server.url, model=None).ask(ONE_NOUL)


def test_a_wrong_path_is_said_with_the_url_asked(connect: Connect) -> None:
    with ScriptedServer([reply("", 404)]) as server, pytest.raises(Refused) as caught:
        connect(f"{server.url}/wrong").ask(ONE_NOUL)
    assert f"POST {server.url}/wrong/v1/systemone" in str(caught.value)


def test_identity_carries_what_the_user_says(connect: Connect) -> None:
    model = connect("http://h.test/v1", model="m", revision="r2", launch="serve --port {port}")
    assert model.identity == Identity("systemone", "m", "r2", "serve --port {port}", "http://h.test/v1/systemone")


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(connect: Connect, key: str) -> None:
    with pytest.raises(InputError) as caught:
        connect("http://h.test", api_key=key)
    assert key not in str(caught.value)


def test_a_key_and_a_user_name_in_the_url_contradict(connect: Connect) -> None:
    with pytest.raises(InputError, match="user name"):
        connect("http://me:pw12@h.test", api_key="sk-test-123")


def test_a_user_name_in_the_url_is_sent_as_such(connect: Connect) -> None:
    with ScriptedServer([right()]) as server:
        connect(server.url.replace("//", "//Aladdin:open%20sesame@")).ask(ONE_NOUL)
    assert server.asked[0].headers["authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
