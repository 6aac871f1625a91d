"""Published servers, asked as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from pytest_jevbench.errors import ModelError, Refused, Unreachable
from pytest_jevbench.models.checking import check_model
from pytest_jevbench.questions import Choice, Request
from tests.models.conftest import ONE_NOUL, Connect
from tests.servers.published import RunningServer

KEY = "sk-test-123"


def test_sparrow_answers_200_to_any_get_and_has_no_list_of_models(sparrow: RunningServer, connect: Connect) -> None:
    model = connect(sparrow.url, model=None)
    check = check_model(model)
    assert check.ok
    assert (model.name, model.name_source) == ("default", "assumed")
    assert check.reply is not None
    assert check.reply.model == "sparrow-nano-general-v1.1"


def test_the_mock_of_the_conformance_suite(jevcompat_mock: RunningServer, connect: Connect) -> None:
    assert check_model(connect(jevcompat_mock.url, model="mock")).ok
    with pytest.raises(Refused, match='"jev-latest", "mock"'):
        connect(jevcompat_mock.url, model=None).ask(ONE_NOUL)


def test_256_options_are_refused_with_the_servers_words_once(jevcompat_mock: RunningServer, connect: Connect) -> None:
    options = {str(index): f"option {index}" for index in range(256)}
    with pytest.raises(Refused, match=r"HTTP 422: .*criteria") as caught:
        connect(jevcompat_mock.url, model="mock").ask(Request("x", {"c": Choice("?", options)}))
    assert (caught.value.attempts, connect.slept) == (1, [])


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        ("xssi-200", Unreachable, "not JSON"),
        ("wrong-route", Refused, "HTTP 404"),
        ("auth-rejects-header", Refused, "HTTP 4"),
    ],
)
def test_faults(
    start_server: Callable[..., RunningServer], connect: Connect, fault: str, kind: type[ModelError], words: str
) -> None:
    url = start_server("jevcompat", "mock", "--port", "{port}", "--fault", fault).url
    with pytest.raises(kind, match=words):
        connect(url, model="mock", api_key=KEY, retries=1).ask(ONE_NOUL)


@pytest.mark.parametrize(
    "fault", ["nan", "extra-answer", "no-usage", "float-usage", "plain-content-type", "models-404"]
)
def test_faults_that_do_no_harm(start_server: Callable[..., RunningServer], connect: Connect, fault: str) -> None:
    url = start_server("jevcompat", "mock", "--port", "{port}", "--fault", fault).url
    assert check_model(connect(url, model="mock")).ok


def test_laya_with_a_key_and_a_rate_limit(laya_limited: RunningServer, connect: Connect) -> None:
    with pytest.raises(Refused, match="HTTP 401: Missing or invalid API key"):
        connect(laya_limited.url).ask(ONE_NOUL)
    with pytest.raises(Refused, match="does not accept the key"):
        connect(laya_limited.url, api_key="sk-wrong-9").ask(ONE_NOUL)
    model = connect(laya_limited.url, api_key=KEY, model="laya-english", retries=2)

    def all_answers() -> Iterator[float]:
        while True:
            yield model.ask(ONE_NOUL).answers["n"]["noul"]

    answers = []
    with pytest.raises(Unreachable, match="HTTP 429"):
        answers.extend(all_answers())
    assert set(answers) == {0.5}
    assert len(connect.slept) == 2
    assert all(0 < wait <= 60 for wait in connect.slept)
