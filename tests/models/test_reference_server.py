"""A reference model behind a System One server."""

from __future__ import annotations

import http.client
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from pytest_jevbench.errors import InputError, Refused
from pytest_jevbench.models.reference import REFERENCE_NAMES, reference_model
from pytest_jevbench.models.reference_server import ReferenceServer, respond
from pytest_jevbench.questions import Request
from tests.models.conftest import ONE_NOUL, Connect
from tests.servers.published import program

KEY = "sk-test-123"


@pytest.fixture
def serve() -> Iterator[Callable[..., ReferenceServer]]:
    with ExitStack() as stack:

        def start(name: str, **options: Any) -> ReferenceServer:
            server = stack.enter_context(ReferenceServer(name, **options))
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            return server

        yield start


@pytest.mark.parametrize("name", REFERENCE_NAMES)
def test_over_http_the_answers_are_those_of_the_model(
    serve: Callable[..., ReferenceServer], connect: Connect, request_of_all_types: Request, name: str
) -> None:
    model = connect(serve(name).url, model=None)
    reply = model.ask(request_of_all_types)
    assert reply.answers == reference_model(name).ask(request_of_all_types).answers
    assert (reply.model, model.name, model.name_source) == (name, name, "listed")
    assert reply.usage.input_tokens
    assert reply.usage.output_tokens == 1 + 2 + 3


def test_a_connection_is_kept(serve: Callable[..., ReferenceServer]) -> None:
    server = serve("uniform")
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1])
    body = json.dumps({"model": "uniform", **ONE_NOUL.body()})
    sockets = set()
    for _ in range(3):
        connection.request("POST", "/v1/systemone", body)
        assert connection.getresponse().read()
        sockets.add(connection.sock)
    connection.close()
    assert len(sockets) == 1
    assert None not in sockets


def test_the_key_is_asked_for(serve: Callable[..., ReferenceServer], connect: Connect) -> None:
    url = serve("luce", key=KEY).url
    assert connect(url, api_key=KEY, model=None).ask(ONE_NOUL).model == "luce"
    with pytest.raises(Refused, match="none is set"):
        connect(url).ask(ONE_NOUL)
    with pytest.raises(Refused, match="does not accept the key"):
        connect(url, api_key="sk-wrong-9").ask(ONE_NOUL)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["uniform", "random"])
def test_the_published_conformance_suite_calls_each_conformant(
    serve: Callable[..., ReferenceServer], name: str
) -> None:
    check_conformance(serve, name)


def test_the_published_conformance_suite_calls_it_conformant(serve: Callable[..., ReferenceServer]) -> None:
    check_conformance(serve, "luce")


def check_conformance(serve: Callable[..., ReferenceServer], name: str) -> None:
    url = serve(name, key=KEY).url
    done = subprocess.run(
        [program("jevcompat"), "test", url, "--model", name, "--key", KEY], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout
    assert "\nconformant to spec" in done.stdout
    assert "SHOULD 15/15" in done.stdout


def test_the_published_conformance_suite_finds_the_defects_of_luce_biased(
    serve: Callable[..., ReferenceServer],
) -> None:
    url = serve("luce_biased").url
    done = subprocess.run([program("jevcompat"), "test", url, "--model", "luce_biased"], capture_output=True, text=True)
    failed = [line.split()[2] for line in done.stdout.splitlines() if line.lstrip().startswith("✗")]
    assert failed == ["semantics.question-id", "semantics.batching"]


def answered(body: Any, **options: Any) -> tuple[int, dict[str, Any]]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    facts: dict[str, Any] = {"method": "POST", "path": "/v1/systemone", "headers": {}, **options}
    result = respond("luce", body=data, **facts)
    return result.status, result.body


GOOD: dict[str, Any] = {"model": "luce", "state": "x", "questions": {"n": {"type": "noul", "instructions": "?"}}}


@pytest.mark.parametrize("model", ["luce", "default", "jev-latest"])
def test_the_names_it_answers_to(model: str) -> None:
    assert answered({**GOOD, "model": model})[0] == 200


def test_another_model_is_refused_by_name() -> None:
    status, body = answered({**GOOD, "model": "other"})
    assert (status, body["detail"]["error_type"]) == (400, "api_usage_error")
    assert "'luce'" in body["detail"]["message"]


def choice(criteria: Any) -> dict[str, Any]:
    return {"c": {"type": "choice", "instructions": "?", "criteria": criteria}}


def score(criteria: Any) -> dict[str, Any]:
    return {"s": {"type": "score", "instructions": "?", "criteria": criteria}}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"model": 5}, "model"),
        ({"state": None}, "state"),
        ({"state": 5}, "state"),
        ({"questions": {}}, "questions"),
        ({"questions": []}, "questions"),
        ({"questions": {"n": "?"}}, "n"),
        ({"questions": {"": {"type": "noul"}}}, ""),
        ({"questions": {"n": {"type": "boolean", "instructions": "?"}}}, "type"),
        ({"questions": {"n": {"type": ["noul"], "instructions": "?"}}}, "type"),
        ({"questions": {"n": {"type": "noul", "instructions": 5}}}, "instructions"),
        ({"questions": {"n": {"type": "noul", "criteria": {"maybe": "x"}}}}, "criteria"),
        ({"questions": {"c": {"type": "choice", "criteria": {"a": "x", "b": "y"}}}}, "instructions"),
        ({"questions": choice(None)}, "criteria"),
        ({"questions": choice({"a": "x"})}, "criteria"),
        ({"questions": choice(["a", "b"])}, "criteria"),
        ({"questions": choice({"a": 1, "b": 2})}, "criteria"),
        ({"questions": choice({"": "x", "b": "y"})}, "criteria"),
        ({"questions": choice({str(i): "x" for i in range(256)})}, "criteria"),
        ({"questions": score(["a"])}, "criteria"),
        ({"questions": score({"0": "a", "1": "b"})}, "criteria"),
        ({"questions": score([str(i) for i in range(11)])}, "criteria"),
        ({"questions": score(["a", None])}, "criteria"),
    ],
)
def test_what_cannot_be_answered_is_422_with_its_place(change: dict[str, Any], place: str) -> None:
    status, body = answered({**GOOD, **change})
    assert status == 422
    assert [detail["loc"][-1] for detail in body["detail"]] == [place]
    assert body["detail"][0]["loc"][0] == "body"


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[]", b'{"a": NaN}', b'{"state": "x", "state": "y"}'])
def test_what_is_no_request_is_422(body: bytes) -> None:
    assert answered(body)[0] == 422


def test_all_that_is_wrong_is_said_at_once() -> None:
    assert len(answered({"questions": {"n": {"type": "x"}, "m": {"type": "noul", "criteria": 5}}})[1]["detail"]) == 4


def test_largest_menus_are_answered() -> None:
    status, body = answered({**GOOD, "questions": {**choice({str(i): "x" for i in range(255)}), **score(["a"] * 10)}})
    assert status == 200
    assert len(body["answers"]["c"]["probabilities"]) == 255


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/v1/models", 200), ("GET", "/", 404), ("POST", "/v1/evaluate", 404), ("GET", "/v1/systemone", 405),
     ("POST", "/v1/models", 405), ("POST", "/v1/systemone?x=1", 200), ("POST", "/v1/systemone/", 404)],
)  # fmt: skip
def test_routes(method: str, path: str, status: int) -> None:
    assert answered(GOOD, method=method, path=path)[0] == status


def test_methods_and_lengths_over_http(serve: Callable[..., ReferenceServer]) -> None:
    server = serve("uniform")

    def status(method: str, headers: dict[str, str], body: bytes | None = None) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1])
        connection.putrequest(method, "/v1/systemone")
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        with connection.getresponse() as response:
            response.read()
        connection.close()
        return response.status

    assert status("PUT", {"content-length": "2"}, b"{}") == 405
    assert status("HEAD", {}) == 405
    assert status("POST", {}) == 411
    assert status("POST", {"content-length": "²".encode().decode("latin-1")}) == 411
    assert status("POST", {"content-length": str(10**9)}) == 413
    assert status("POST", {"content-length": "9" * 5000}) == 413


def test_a_port_that_is_taken_is_one_clear_error(serve: Callable[..., ReferenceServer]) -> None:
    port = serve("uniform").server_address[1]
    with pytest.raises(InputError, match=f"port {port} of 127.0.0.1 cannot be listened on"):
        ReferenceServer("uniform", port=port)
    with pytest.raises(InputError, match="65535"):
        ReferenceServer("uniform", port=70_000)
    with pytest.raises(InputError, match="luce"):
        ReferenceServer("lucy")


def test_an_ipv6_address(serve: Callable[..., ReferenceServer], connect: Connect) -> None:
    server = serve("uniform", host="::1")
    assert server.url == f"http://[::1]:{server.server_address[1]}"
    assert connect(server.url).ask  # the name m is not one it has
    with pytest.raises(Refused, match="no model 'm'"):
        connect(server.url).ask(ONE_NOUL)
