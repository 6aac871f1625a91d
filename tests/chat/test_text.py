"""What chat models send, and what is left when it is unwrapped."""

from __future__ import annotations

import pytest

from pytest_jevbench.chat.text import Unusable, document, json_object


@pytest.mark.parametrize(
    "content",
    [
        '{"a": {"b": 1}}',
        '```json\n{"a": {"b": 1}}\n```',
        'Here is the record you asked for:\n\n```\n{"a": {"b": 1}}\n```\nTell me if it fits.',
        '<think>First {"a": 2}, no.</think>\n{"a": {"b": 1}}',
        'I would say {"a": 0}... </think>{"a": {"b": 1}}',
        '<|channel|>analysis<|message|>{"x"<|end|><|start|>a<|channel|>final<|message|>{"a": {"b": 1}}<|return|>',
        'Small {"z": 1} and then the whole: {"a": {"b": 1}}',
    ],
)
def test_the_object_in_an_answer(content: str) -> None:
    assert json_object(content) == {"a": {"b": 1}}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "no content"),
        ("", "no JSON object"),
        ("I cannot do that.", "no JSON object"),
        ('{"a": {"b": 1}', "cut or malformed"),
        ('```json\n{"a": "half', "cut or malformed"),
        ('<think>still thinking {"a": 1}', "within its reasoning"),
        ('{"a": 1, "a": 2}', "stands twice"),
        ('{"a": NaN}', "NaN"),
    ],
)
def test_no_object(content: str | None, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        json_object(content)


@pytest.mark.parametrize(
    "content",
    [
        "Dear desk,\nit is late.",
        "```text\nDear desk,\nit is late.\n```",
        "Sure, here is the email:\n\nDear desk,\nit is late.",
        "Here is the email:\n```\nDear desk,\nit is late.\n```",
        "<think>A mail.</think>\n\nDear desk,\nit is late.\n",
    ],
)
def test_the_document_in_an_answer(content: str) -> None:
    assert document(content) == "Dear desk,\nit is late."


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "no content"),
        ("  \n", "empty"),
        ("<think>hm</think>", "empty"),
        ("```\nDear desk", "not closed"),
        ("<thinking>What would a desk", "within its reasoning"),
    ],
)
def test_no_document(content: str | None, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        document(content)
