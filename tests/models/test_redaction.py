"""Secrets stay out of what is shown."""

from __future__ import annotations

import logging

import pytest

from pytest_jevbench.models.redaction import LogFilter, Redactor, looks_like_a_key, names_a_secret, redact_command


@pytest.mark.parametrize(
    ("secret", "text", "shown"),
    [
        ("hunter2!", "wrong key hunter2!", "wrong key ***"),
        ("a/b+c d", "?k=a%2Fb%2Bc%20d", "?k=***"),
        ("a/b+c d", "?k=a%2Fb%2Bc+d", "?k=***"),
        ("a/b+c", '{"key": "a\\/b+c"}', '{"key": "***"}'),
        ("abcd", "abcdefgh", "***efgh"),
        ("abc", "abc", "abc"),  # too short to be a key: masking it would garble every message
        ("", "text", "text"),
    ],
)
def test_a_known_secret_is_masked_in_each_of_its_forms(secret: str, text: str, shown: str) -> None:
    assert Redactor([secret])(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer ***"),
        ("Incorrect key sk-proj-A1b2C3d4", "Incorrect key ***"),
        ("Missing bearer token", "Missing bearer token"),
        ("Bearer authentication is needed", "Bearer authentication is needed"),
        ("a task-oriented model", "a task-oriented model"),
        ("use sk-learn-contrib", "use sk-learn-contrib"),
    ],
)
def test_what_has_the_form_of_a_key_is_masked_though_unknown(text: str, shown: str) -> None:
    assert Redactor()(text) == shown


def test_in_a_models_answer_only_long_known_secrets_are_masked() -> None:
    redactor = Redactor(["test", "sk-test-123"])
    assert redactor.body(b'{"test": 0.5, "x": "sk-test-123"}') == b'{"test": 0.5, "x": "***"}'


@pytest.mark.parametrize(
    "name", ["key", "api_key", "api-key", "--api-key", "apikey", "access_token", "sig", "MY_SECRET", "pwd"]
)
def test_names_of_secrets(name: str) -> None:
    assert names_a_secret(name)


@pytest.mark.parametrize(
    "name", ["--port", "model", "version", "keyboard", "signal", "--tokenizer", "--max-tokens", "author"]
)
def test_names_that_are_harmless(name: str) -> None:
    assert not names_a_secret(name)


@pytest.mark.parametrize(
    ("text", "key"), [("sk-test-123", True), ("a1" * 16, True), ("jevbench-mini", False), ("a" * 40, False)]
)
def test_the_form_of_a_key(text: str, key: bool) -> None:
    assert looks_like_a_key(text) is key


@pytest.mark.parametrize(
    ("words", "shown", "secrets"),
    [
        (["serve", "--port", "{port}"], "serve --port {port}", ()),
        (["serve", "--api-key", "abcd", "--port", "{port}"], "serve --api-key *** --port {port}", ("abcd",)),
        (["serve", "--api-key=abcd"], "serve --api-key=***", ("abcd",)),
        (["MODEL_TOKEN=abcd", "serve"], "MODEL_TOKEN=*** serve", ("abcd",)),
        (["serve", "--auth", "--port", "1"], "serve --auth --port 1", ()),
        (["serve", "sk-test-123"], "serve ***", ("sk-test-123",)),
        (["serve", "--key", "abcd", "--url=http://h/abcd"], "serve --key *** --url=http://h/***", ("abcd",)),
        (["sh", "-c", "a b"], "sh -c 'a b'", ()),
    ],
)
def test_commands(words: list[str], shown: str, secrets: tuple[str, ...]) -> None:
    assert redact_command(words) == (shown, secrets)


def test_the_log_filter_redacts_message_and_arguments(caplog: pytest.LogCaptureFixture) -> None:
    lines = LogFilter(Redactor(["hunter2!"]))
    lines.install()
    try:
        with caplog.at_level(logging.DEBUG):
            logging.getLogger("httpx").info("GET %s %d", "http://h?k=hunter2!", 200)
            logging.getLogger("httpcore.http11").debug("headers [(b'x-echo', b'hunter2!')]")
    finally:
        lines.remove()
    assert [record.getMessage() for record in caplog.records] == [
        "GET http://h?k=*** 200",
        "headers [(b'x-echo', b'***')]",
    ]
    logging.getLogger("httpx").warning("hunter2!")
    assert caplog.records[-1].getMessage() == "hunter2!"
