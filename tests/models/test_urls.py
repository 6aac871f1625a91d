"""From the URL typed to the URL asked."""

from __future__ import annotations

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.models.urls import endpoint, split_urls


@pytest.mark.parametrize(
    ("typed", "asked", "models"),
    [
        ("http://h", "http://h/v1/systemone", "http://h/v1/models"),
        ("http://h/", "http://h/v1/systemone", "http://h/v1/models"),
        ("http://h/v1", "http://h/v1/systemone", "http://h/v1/models"),
        ("http://h/v1/", "http://h/v1/systemone", "http://h/v1/models"),
        ("http://h/v1/systemone", "http://h/v1/systemone", "http://h/v1/models"),
        ("http://h/v1/systemone///", "http://h/v1/systemone", "http://h/v1/models"),
        ("http://[::1]:8000/v1/", "http://[::1]:8000/v1/systemone", "http://[::1]:8000/v1/models"),
        ("https://host/api", "https://host/api/v1/systemone", "https://host/api/v1/models"),
        ("https://host/inference", "https://host/inference/v1/systemone", "https://host/inference/v1/models"),
        ("https://host/v3/compat", "https://host/v3/compat/v1/systemone", "https://host/v3/compat/v1/models"),
        ("https://host/zen/", "https://host/zen/v1/systemone", "https://host/zen/v1/models"),
        ("https://host/api/decisions", "https://host/api/decisions", "https://host/api/v1/models"),
        ("https://host/v1/decisions/", "https://host/v1/decisions", "https://host/v1/models"),
        ("http://HOST:80", "http://host/v1/systemone", "http://host/v1/models"),
        ("https://host:443/", "https://host/v1/systemone", "https://host/v1/models"),
        ("http://host:443/", "http://host:443/v1/systemone", "http://host:443/v1/models"),
        (" http://h/v1?x=1#part ", "http://h/v1/systemone?x=1", "http://h/v1/models?x=1"),
    ],
)
def test_every_form_of_a_url_has_one_path(typed: str, asked: str, models: str) -> None:
    found = endpoint(typed)
    assert (found.ask, found.models, found.address) == (asked, models, asked)


def test_all_forms_of_one_server_are_equal() -> None:
    forms = [
        "http://h",
        "http://h/",
        "http://h/v1",
        "http://h/v1/",
        "http://h/v1/systemone",
        "http://h:80/v1/systemone/",
    ]
    assert {endpoint(form) for form in forms} == {endpoint("http://h")}


@pytest.mark.parametrize(
    "typed",
    ["", "127.0.0.1:8000", "localhost:8000/v1", "ftp://h", "http://", "http://:80", "http://h:99999", "http://h:x/", "http://[::1",
     "http://a b/", "http://h,b:2"],
)  # fmt: skip
def test_what_is_no_url_is_refused_with_advice(typed: str) -> None:
    with pytest.raises(InputError, match=r"http://127\.0\.0\.1:8000"):
        endpoint(typed)


@pytest.mark.parametrize(
    "typed",
    [
        "ftp://user:sk-test-123@h",
        "user:sk-test-123@h",
        "http://user:sk-test-123@[::1",
        "http://h:x/?api_key=sk-test-123",
        "sk-test-123@h?token=sk-test-123",
    ],
)
def test_a_refused_url_does_not_show_its_key(typed: str) -> None:
    with pytest.raises(InputError) as caught:
        endpoint(typed)
    assert "sk-test-123" not in str(caught.value)


@pytest.mark.parametrize(
    ("typed", "address", "secret"),
    [
        ("http://user:pa%2Fss@h/v1", "http://h/v1/systemone", "pa/ss"),
        ("http://only-a-token@h", "http://h/v1/systemone", "only-a-token"),
        ("http://h?api_key=abcd1", "http://h/v1/systemone?api_key=***", "abcd1"),
        ("http://h?api-version=2&sig=abcd1", "http://h/v1/systemone?api-version=2&sig=***", "abcd1"),
        ("http://h?x=sk-test-123", "http://h/v1/systemone?x=***", "sk-test-123"),
        ("http://h?sk-test-123", "http://h/v1/systemone?***", "sk-test-123"),
        ("http://h/sk-test-123/v1", "http://h/***/v1/systemone", "sk-test-123"),
    ],
)
def test_the_address_has_no_secrets(typed: str, address: str, secret: str) -> None:
    found = endpoint(typed)
    assert found.address == address
    assert secret in found.secrets
    assert secret not in repr(found)


def test_a_user_name_and_password_become_a_header() -> None:
    found = endpoint("http://Aladdin:open%20sesame@h")
    assert found.authorization == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="  # the example of RFC 7617
    assert "@" not in found.ask


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.1:1", True),
        ("http://127.9.9.9", True),
        ("http://localhost", True),
        ("http://a.localhost", True),
        ("http://[::1]:8000", True),
        ("http://0.0.0.0:1", True),
        ("http://10.0.0.1", False),
        ("http://localhost.example", False),
    ],
)
def test_loopback(url: str, loopback: bool) -> None:
    assert endpoint(url).loopback is loopback


def test_a_list_of_urls_is_split_at_commas_before_a_scheme() -> None:
    assert split_urls("http://a:1,http://b:2/v1 , https://c?x=1,2") == (
        "http://a:1",
        "http://b:2/v1",
        "https://c?x=1,2",
    )
    assert split_urls(" http://a:1, ") == ("http://a:1",)
