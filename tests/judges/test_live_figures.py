"""What docs/judges.md says that models do on jevbench-judges: the figures that follow from what a model is, and those
that were measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench import evaluate, from_callable, reference
from pytest_jevbench.judges.bias import judge_bias
from pytest_jevbench.judges.card_pairs import pairs_of_card
from pytest_jevbench.relations.judge_laws import JUDGE_LAWS
from pytest_jevbench.scoring.card_reading import read_card
from tests.judges.live_tables import PAGE, rows_of
from tests.servers.published import RunningServer

SUITE = "jevbench-judges"
BY_PLACE = ("judge_swapped_order", "judge_scale_reversed")


def card_of(model: Any, name: str, folder: Path) -> Path:
    path = folder / "card.json"
    evaluate(model, SUITE, name=name, progress=False).save(path)
    return path


def first_option(state: Any, questions: Mapping[str, Any]) -> dict[str, Any]:
    """0.9 for the option that is listed first, whatever it says."""
    share = {"first": 0.9, "second": 0.05, "tie": 0.05}
    return {key: {"type": "choice", "probabilities": share} for key in questions}


def laws_of(card: Path) -> dict[str, float | None]:
    return {row.name: row.score for row in read_card(card).scores.own}


def test_a_uniform_judge_has_no_bias_at_all(tmp_path: Path) -> None:
    card = card_of(reference("uniform"), "uniform", tmp_path)
    assert laws_of(card) == dict.fromkeys(JUDGE_LAWS, 1.0)
    found = judge_bias(pairs_of_card(card))
    assert (found.position.ties, found.position.decisive, found.position.shift.value) == (60, 0, 0.0)
    assert found.position.flip_rate.reason == "every pair has a tie"
    gains = read_card(card).data["judge_gains"]
    assert {len(of) for of in gains.values()} == {60}
    assert {gain for of in gains.values() for gain in of.values()} == {0.0}
    _stands_on_the_page(card)


def test_a_first_option_judge_flips_every_pair(tmp_path: Path) -> None:
    card = card_of(from_callable(first_option), "first-option", tmp_path)
    assert laws_of(card) == {law: 0.0 if law in BY_PLACE else 1.0 for law in JUDGE_LAWS}
    position = judge_bias(pairs_of_card(card)).position
    assert (position.flips, position.flips_to_first, position.decisive) == (60, 60, 60)
    assert (position.flip_rate.value, position.first_rate.value, position.signed_bias.value) == (1.0, 1.0, 1.0)
    assert position.shift.value == pytest.approx(2 * 0.925 - 1)
    _stands_on_the_page(card)


def test_a_model_that_scores_each_option_alone_has_no_place(tmp_path: Path) -> None:
    card = card_of(reference("luce"), "luce", tmp_path)
    assert laws_of(card)["judge_swapped_order"] == 1.0
    assert judge_bias(pairs_of_card(card)).position.flips == 0
    _stands_on_the_page(card)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["random", "luce_biased"])
def test_the_page_has_the_figures_of_reference_models(name: str, tmp_path: Path) -> None:
    _stands_on_the_page(card_of(reference(name), name, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("sparrow-decider", "serve"), "sparrow-decider 0.2.0"),
        (("sparrow-decider", "--model", "nano-robot", "serve"), "sparrow-decider 0.2.0, nano-robot"),
    ],
)
def test_the_page_has_the_figures_of_a_published_server(
    command: tuple[str, ...], name: str, start_server: Callable[..., RunningServer], tmp_path: Path
) -> None:
    server = start_server(*command, "--port", "{port}")
    _stands_on_the_page(card_of(server.url, name, tmp_path))


def _stands_on_the_page(card: Path) -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for row in rows_of(card):
        assert row in lines
