"""From the bytes of a response to a reply, or to what is wrong with it."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from typing import Any

import pytest

from pytest_jevbench.json_text import DuplicateKeys
from pytest_jevbench.models.protocol import Reply, Usage
from pytest_jevbench.models.reading_replies import Received, Trouble, decoded, model_names, read_response
from pytest_jevbench.models.redaction import Redactor


def read(body: Any, status: int = 200, secrets: tuple[str, ...] = (), **headers: str) -> Reply | Trouble:
    if isinstance(body, str):
        body = body.encode()
    elif not isinstance(body, bytes):
        body = json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return read_response(Received(status, named, body, 0.25), Redactor(secrets), attempt=3)


def trouble(*args: Any, **options: Any) -> Trouble:
    outcome = read(*args, **options)
    assert isinstance(outcome, Trouble)
    return outcome


def test_a_reply() -> None:
    body = {"answers": {"q": {"noul": 0.5}}, "model": "m-1.2", "usage": {"input_tokens": 7, "output_tokens": 2.0}}
    assert read(body) == Reply({"q": {"noul": 0.5}}, "m-1.2", Usage(7, 2), 3, 0.25)


@pytest.mark.parametrize(
    ("usage", "read_as"),
    [
        (None, Usage()),
        ([], Usage()),
        ({"input_tokens": -1, "output_tokens": True}, Usage()),
        ({"input_tokens": "7", "output_tokens": 1.5}, Usage()),
        ({"input_tokens": 1e300}, Usage()),
        ({"output_tokens": 0}, Usage(None, 0)),
    ],
)
def test_usage_that_is_no_count_is_unknown(usage: Any, read_as: Usage) -> None:
    reply = read({"answers": {"q": 1}, "usage": usage})
    assert isinstance(reply, Reply)
    assert reply.usage == read_as


@pytest.mark.parametrize("model", [None, 5, "", ["m"]])
def test_a_model_that_is_no_name_is_none(model: Any) -> None:
    reply = read({"answers": {"q": 1}, "model": model})
    assert isinstance(reply, Reply)
    assert reply.model is None


def test_what_a_terminal_or_a_database_cannot_take_is_escaped_in_the_name() -> None:
    reply = read('{"answers": {"q": 1}, "model": "a\\ud800\\u001b[31m"}')
    assert isinstance(reply, Reply)
    assert reply.model == "a\\ud800\\x1b[31m"


def test_numbers_that_are_no_json_and_keys_that_stand_twice_reach_the_reader_of_answers() -> None:
    reply = read('{"answers": {"a": {"noul": NaN}, "b": {"noul": 1e400}, "c": {"noul": 1, "noul": 0}}}')
    assert isinstance(reply, Reply)
    assert math.isnan(reply.answers["a"]["noul"])
    assert reply.answers["b"]["noul"] == math.inf
    assert isinstance(reply.answers["c"], DuplicateKeys)
    assert reply.answers["c"].repeated == ("noul",)


def test_a_byte_order_mark_is_no_part_of_the_body() -> None:
    assert isinstance(read(b'\xef\xbb\xbf{"answers": {"q": 1}}'), Reply)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<!DOCTYPE html><title>Sign in</title><script>x()</script><p>Please", "Sign in Please"),
        ("", "empty body"),
        (" \r\n\t ", "empty body"),
        ("ok", "not JSON"),
        (')]}\'\n{"answers": {}}', "not JSON"),
        ('{"answers": {"q"', "not JSON"),
        ({"error": {"code": 429, "message": "slow down"}}, "slow down"),
        ({"error": {"code": 429}}, '{"code": 429}'),
        ({"error": "overloaded", "answers": None}, "overloaded"),
        ({"error": "overloaded", "answers": {}}, "overloaded"),
        (b"\xff\xfe\x00", "damaged"),
        ("[" * 100_000, "nested too deeply"),
        ('{"answers": ' + "9" * 5000 + "}", "not JSON that can be read: a whole number has thousands of digits"),
    ],
)
def test_a_200_without_an_answer_may_pass_if_tried_again(body: Any, words: str) -> None:
    found = trouble(body)
    assert (found.kind, found.status) == ("again", 200)
    assert words in found.message


def test_an_empty_body_is_told_with_its_own_status() -> None:
    assert trouble("", 204).message == "the server answered 204 with an empty body"


@pytest.mark.parametrize("body", ["null", "[]", '"text"', "5", {"status": "ok"}, {"answers": []}, {"answers": None}])
def test_json_without_answers_and_without_an_error_is_a_format_error(body: Any) -> None:
    found = trouble(body)
    assert found.kind == "format"
    assert found.body == (body if isinstance(body, str) else json.dumps(body))


def test_an_error_that_is_null_is_none() -> None:
    assert isinstance(read({"answers": {"q": 1}, "error": None}), Reply)
    assert isinstance(read({"answers": {}}), Reply)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529, 599])
def test_statuses_that_may_pass(status: int) -> None:
    assert trouble({"detail": "busy"}, status).message == f"HTTP {status}: busy"
    assert trouble({"detail": "busy"}, status).kind == "again"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 413, 422, 451])
def test_statuses_that_are_a_refusal(status: int) -> None:
    assert trouble({"detail": "no"}, status).kind == "refused"


def test_a_redirect_is_a_refusal_that_names_the_target() -> None:
    found = trouble("", 307, location="http://h/v1/systemone/")
    assert found.kind == "refused"
    assert "http://h/v1/systemone/" in found.message


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            {"detail": [{"loc": ["body", "questions", "q"], "msg": "too many options", "type": "x"}]},
            "body.questions.q: too many options",
        ),
        ({"detail": [{"msg": "a"}, {"msg": "b"}]}, "a; b"),
        ({"detail": {"error_type": "api_usage_error", "message": "Unknown model"}}, "Unknown model"),
        ({"detail": "plain"}, "plain"),
        ({"error": {"message": "unknown model 'x'", "field": "model"}}, "model: unknown model 'x'"),
        ({"error": "text"}, "text"),
        ({"message": "top"}, "top"),
        ({"errors": [{"detail": "deep"}]}, "deep"),
        ({"other": 1}, '{"other": 1}'),
        ("Bad\n  Request", "Bad Request"),
        ("<html><h1>413</h1> Too large</html>", "413 Too large"),
        (b"\xff", "\ufffd"),
    ],
)  # fmt: skip
def test_the_words_of_an_error_body(body: Any, words: str) -> None:
    found = trouble(body, 422)
    assert (found.body, found.message) == (words, f"HTTP 422: {words}")


def test_words_are_cut_after_300_characters_and_never_inside_a_key() -> None:
    assert trouble({"error": "x" * 1000}, 400).body == "x" * 300 + "…"
    assert trouble({"error": "x" * 295 + "sk-test-123"}, 400, secrets=("sk-test-123",)).body == "x" * 295 + "***"
    assert trouble({"answers": "x" * 280 + "hunter2!"}, secrets=("hunter2!",)).body.endswith('x***"}')


def test_a_key_in_an_answer_is_masked() -> None:
    reply = read({"answers": {"q": {"note": "sk-test-123"}}, "model": "sk-test-123"}, secrets=("sk-test-123",))
    assert isinstance(reply, Reply)
    assert (reply.answers["q"]["note"], reply.model) == ("***", "***")


BODY = b'{"answers": {"q": 1}}'

ENCODED: dict[str, tuple[bytes, str]] = {
    "no header": (BODY, ""),
    "identity": (BODY, "identity"),
    "gzip": (gzip.compress(BODY), "gzip"),
    "capitals": (gzip.compress(BODY), "GZIP"),
    "two members": (gzip.compress(BODY[:5]) + gzip.compress(BODY[5:]), "x-gzip"),
    "deflate": (zlib.compress(BODY), "deflate"),
    "bare deflate": (zlib.compress(BODY)[2:-4], "deflate"),
    "twice": (gzip.compress(zlib.compress(BODY)), "deflate, gzip"),
    # a recording keeps the header and not the compression
    "plain said to be gzip": (BODY, "gzip"),
    "plain said to be deflate": (BODY, "deflate"),
    "plain said to be br": (BODY, "br"),
}

DAMAGED: dict[str, bytes] = {
    "cut": gzip.compress(BODY)[:-12],
    "cut early": gzip.compress(BODY)[:12],
    "wrong checksum": gzip.compress(BODY)[:-6] + b"123456",
    "rubbish": b"\x1f\x8b" + b"\xff" * 20,
}


@pytest.mark.parametrize(("sent", "encoding"), ENCODED.values(), ids=ENCODED.keys())
def test_bodies_are_decoded(sent: bytes, encoding: str) -> None:
    assert decoded(sent, encoding) == BODY
    assert isinstance(read(sent, content_encoding=encoding), Reply)


@pytest.mark.parametrize("sent", DAMAGED.values(), ids=DAMAGED.keys())
def test_damaged_compression_may_pass_if_tried_again(sent: bytes) -> None:
    found = trouble(sent, content_encoding="gzip")
    assert found.kind == "again"
    assert "damaged" in found.message


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"models": [{"name": "a"}]}, ("a",)),
        ({"models": [{"name": "a"}, {"name": "b"}, {"name": "a"}]}, ("a", "b")),
        ({"object": "list", "data": [{"id": "x/y", "object": "model"}]}, ("x/y",)),
        ({"data": []}, ()),
        ({"models": ["a"]}, ()),
        ({"models": {"name": "a"}}, ()),
        ({"status": "ok", "model": "a"}, ()),
        ([{"name": "a"}], ()),
        ("<html>", ()),
        ("", ()),
        (b"\xff", ()),
    ],
)
def test_model_names(body: Any, names: tuple[str, ...]) -> None:
    sent = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    assert model_names(Received(200, {}, sent)) == names
    assert model_names(Received(404, {}, sent)) == ()
