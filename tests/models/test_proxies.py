"""Which proxy the environment asks for."""

from __future__ import annotations

import pytest

from pytest_jevbench.errors import InputError, JevbenchError
from pytest_jevbench.models.proxies import bypassed, proxy_for
from pytest_jevbench.models.urls import endpoint
from tests.models.conftest import ONE_NOUL, Connect
from tests.servers.scripted import ScriptedServer, right

FAR = endpoint("http://model.test")


def test_the_scheme_decides_before_the_proxy_for_all() -> None:
    environ = {"HTTP_PROXY": "http://p:1", "HTTPS_PROXY": "http://s:2", "ALL_PROXY": "http://a:3"}
    found = [proxy_for(endpoint(url), environ) for url in ("http://h.test", "https://h.test")]
    assert [(proxy.variable, proxy.url) for proxy in found if proxy] == [
        ("HTTP_PROXY", "http://p:1"),
        ("HTTPS_PROXY", "http://s:2"),
    ]


def test_small_letters_come_before_capitals_and_an_empty_value_means_none() -> None:
    found = proxy_for(FAR, {"http_proxy": "p:1", "HTTP_PROXY": "http://q:1"})
    assert found is not None
    assert (found.variable, found.url) == ("http_proxy", "http://p:1")
    assert proxy_for(FAR, {"http_proxy": "", "HTTP_PROXY": "http://q:1"}) is None


def test_capitals_from_a_request_header_are_not_believed_under_cgi() -> None:
    assert proxy_for(FAR, {"HTTP_PROXY": "http://evil:1", "REQUEST_METHOD": "GET"}) is None


@pytest.mark.parametrize(
    ("no_proxy", "host", "taken_out"),
    [
        ("*", "model.test", True),
        ("model.test", "model.test", True),
        ("test", "model.test", True),
        (".model.test", "a.model.test", True),
        ("*.model.test", "a.model.test", True),
        ("odel.test", "model.test", False),
        ("localhost,[::1]", "model.test", False),
        ("fe11::/16", "model.test", False),
        ("fe11::/16", "fe11::5", True),
        ("10.0.0.0/8, other", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("model.test:8000", "model.test", True),
        ("model.test:8001", "model.test", False),
        ("[2001:db8::1]:8000", "2001:db8::1", True),
        ("http://model.test", "model.test", True),
        (",, ,", "model.test", False),
        ("10.0.0.0/99,::::", "model.test", False),
    ],
)
def test_no_proxy(no_proxy: str, host: str, taken_out: bool) -> None:
    assert bypassed(host, 8000, no_proxy) is taken_out


@pytest.mark.parametrize("value", ["foo://p:1", "http://", "http://p:x", "://"])
def test_a_value_that_is_no_proxy_is_one_error_that_names_the_variable(value: str) -> None:
    with pytest.raises(InputError, match="HTTP_PROXY"):
        proxy_for(FAR, {"HTTP_PROXY": value})


@pytest.mark.parametrize(
    "environ",
    [
        {"NO_PROXY": "localhost,[::1]"},
        {"NO_PROXY": "fe11::/16"},
        {"ALL_PROXY": "socks5://127.0.0.1:1"},
        {"ALL_PROXY": "socks5://127.0.0.1:1", "NO_PROXY": "localhost,[::1],fe11::/16"},
        {"HTTP_PROXY": "not a proxy"},
    ],
)
def test_a_server_on_this_machine_works_whatever_the_proxy_variables(connect: Connect, environ: dict[str, str]) -> None:
    with ScriptedServer([right()]) as server:
        assert connect(server.url, environ=environ).ask(ONE_NOUL).attempts == 1


def test_a_request_goes_through_the_proxy(connect: Connect) -> None:
    with ScriptedServer([right()]) as proxy:
        connect("http://model.test/api", environ={"HTTP_PROXY": proxy.url}).ask(ONE_NOUL)
        assert proxy.asked[0].path == "http://model.test/api/v1/systemone"
        assert proxy.asked[0].headers["host"] == "model.test"


def test_a_socks_proxy_that_cannot_be_used_is_one_error_that_names_the_variable(connect: Connect) -> None:
    # without the package for SOCKS the options are wrong; with it, nothing listens there
    with pytest.raises(JevbenchError, match="ALL_PROXY"):
        connect("http://model.test", environ={"ALL_PROXY": "socks5://127.0.0.1:1"}).ask(ONE_NOUL)


def test_a_proxy_that_does_not_listen_is_named_and_its_password_is_not(connect: Connect) -> None:
    model = connect("http://model.test", environ={"http_proxy": "http://me:sk-test-123@127.0.0.1:1"})
    with pytest.raises(JevbenchError, match="http_proxy") as caught:
        model.ask(ONE_NOUL)
    assert "sk-test-123" not in str(caught.value) + repr(model)
    assert connect.slept == []
