"""Which models share their stored answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_jevbench.models.identity_key import model_key, plain_address
from pytest_jevbench.models.protocol import Identity

SERVED = Identity("systemone", "m", revision="r1", launch="serve --port {port}", address="http://h:8001/v1/systemone")


def test_equal_models_on_other_ports_share_a_key() -> None:
    elsewhere = replace(SERVED, address="http://other:9/v1/systemone")
    assert model_key(SERVED, "m-2") == model_key(elsewhere, "m-2")


@pytest.mark.parametrize(
    "other",
    [
        replace(SERVED, dialect="command"),
        replace(SERVED, name="n"),
        replace(SERVED, revision="r2"),
        replace(SERVED, launch="serve --big --port {port}"),
    ],
)
def test_each_part_tells_models_apart(other: Identity) -> None:
    assert model_key(SERVED, "m-2").digest != model_key(other, "m-2").digest
    assert model_key(SERVED, "m-2").base != model_key(other, "m-2").base


def test_the_answered_name_tells_versions_of_one_model_apart() -> None:
    first, second, unnamed = model_key(SERVED, "m-1"), model_key(SERVED, "m-2"), model_key(SERVED, None)
    assert len({first.digest, second.digest, unnamed.digest}) == 3
    assert first.base == second.base == unnamed.base


def test_parts_do_not_run_into_each_other() -> None:
    first, second = Identity("systemone", "ab", revision="c"), Identity("systemone", "a", revision="bc")
    assert model_key(first, None).digest != model_key(second, None).digest


@pytest.mark.parametrize(("name", "answered"), [("default", None), ("", None), ("default", "default"), ("", "")])
def test_the_address_counts_where_nothing_else_tells_models_apart(name: str, answered: str | None) -> None:
    here = Identity("systemone", name, address="http://h:8001/v1/systemone")
    there = replace(here, address="http://h:8002/v1/systemone")
    assert model_key(here, answered).digest != model_key(there, answered).digest
    assert model_key(here, "m-2") == model_key(there, "m-2")
    told = (replace(here, revision="r"), replace(there, revision="r"))
    assert model_key(told[0], answered) == model_key(told[1], answered)


@pytest.mark.parametrize(
    "url",
    ["http://h", "http://h/", "http://h/v1", "http://h/v1/", "http://h/v1/systemone", "http://H:80/v1/systemone/"],
)
def test_all_ways_to_write_an_address_are_one(url: str) -> None:
    assert plain_address(url) == "h:80"


def test_prefixes_ports_and_queries_are_kept_in_an_address() -> None:
    assert plain_address("https://h/zen/v1") == "h:443/zen"
    assert plain_address("http://[::1]:8000/v1/") == "[::1]:8000"
    assert plain_address("http://h:81/decide?m=2") == "h:81/decide?m=2"


def test_a_model_without_a_name_of_its_own_is_shared_within_a_run_only() -> None:
    unnamed = Identity("callable", "my_function", stable=False)
    assert model_key(unnamed, None, run="a").digest == model_key(unnamed, None, run="a").digest
    assert model_key(unnamed, None, run="a").digest != model_key(unnamed, None, run="b").digest
    named = replace(unnamed, stable=True)
    assert model_key(named, None, run="a").digest == model_key(named, None, run="b").digest


def test_a_lone_surrogate_in_a_name_is_a_name() -> None:
    assert model_key(SERVED, "\ud800").digest != model_key(SERVED, "\ud801").digest


def test_no_key_is_shown() -> None:
    launched = replace(SERVED, launch="serve --port {port} sk-test-123456")
    assert "sk-test-123456" not in str(model_key(launched, None))
    assert "serve --port {port}" in str(model_key(launched, None))
