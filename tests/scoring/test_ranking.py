"""Rank ranges: from hand-made runs whose order is plain, and against the comparison of two cards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.scoring.card import ModelFacts
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.compare import ScoreChange
from pytest_jevbench.scoring.gate_card import compare_cards
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.ranking import Ranking, rank_cards
from tests.reports.cards import card, results
from tests.reports.compared import run_of
from tests.scoring.by_hand import FIVE, unjudged

BEST = [("option_clone", 0)]
NEXT = [("option_clone", 1), ("count_upper", 2)]
WORST = [(name, i) for name in FIVE for i in range(9)]


def model(name: str, violated: list[tuple[str, int]]) -> Card:
    return run_of(violated, model=ModelFacts(name))


def ranks(ranking: Ranking) -> dict[str, tuple[int, int] | None]:
    return {standing.card.name: standing.ranks for standing in ranking.standings}


def test_models_that_the_tests_cannot_tell_apart_share_a_range() -> None:
    ranking = rank_cards([model("worst", WORST), model("next", NEXT), model("best", BEST)], draws=500)
    assert ranks(ranking) == {"best": (1, 2), "next": (1, 2), "worst": (3, 3)}
    assert [standing.score for standing in ranking.standings] == pytest.approx([0.98, 0.96, 0.1])
    assert [(pair.first, pair.second, pair.better) for pair in ranking.pairs] == [(0, 1, None), (0, 2, 0), (1, 2, 1)]


@pytest.mark.parametrize(("by", "graded"), [("overall", False), ("overall", True), ("MEA", False)])
def test_a_pair_is_what_a_comparison_of_the_two_says(by: str, graded: bool) -> None:
    cards = [model("a", BEST + NEXT), model("b", [*WORST, ("batch_solo", 9)]), model("c", NEXT)]
    ranking = rank_cards(cards, by=by, graded=graded, draws=400)
    for pair in ranking.pairs:
        first, second = ranking.standings[pair.first].card, ranking.standings[pair.second].card
        wanted = compare_cards(second, first, graded=graded, draws=400).scores[by]
        assert isinstance(wanted, ScoreChange)
        assert isinstance(wanted.interval, Interval)
        assert isinstance(pair.interval, Interval)
        assert pair.difference == pytest.approx(wanted.change, abs=1e-12)
        assert pair.interval.low == pytest.approx(wanted.interval.low, abs=1e-12)
        assert pair.interval.high == pytest.approx(wanted.interval.high, abs=1e-12)


def test_equal_models_are_never_told_apart() -> None:
    cards = [model(f"m{i}", NEXT) for i in range(5)]
    ranking = rank_cards(cards, draws=200)
    assert set(ranks(ranking).values()) == {(1, 5)}
    assert list(ranks(ranking)) == ["m0", "m1", "m2", "m3", "m4"]  # as given


def test_one_model_alone_is_first_and_last() -> None:
    assert ranks(rank_cards([model("m", NEXT)])) == {"m": (1, 1)}


def test_an_incomplete_run_has_no_rank_and_counts_for_nobody() -> None:
    lost = [r for r in results() if r.id.case_id != "c0" or r.id.relation != "key_rename"]
    part = card([*lost, unjudged("key_rename", "c0", "refused")], "part")
    ranking = rank_cards([part, model("worst", WORST), model("best", BEST)], draws=200)
    assert ranks(ranking) == {"best": (1, 1), "worst": (2, 2), "part": None}
    assert ranking.standings[-1].reason == "incomplete: 1 of 50 planned tests not judged (refused 1)"
    assert ranking.ranked == 2


def test_a_run_without_the_score_has_no_rank_and_the_reason() -> None:
    reps = [r for r in results() if r.id.relation != "pairwise_iia"]
    ranking = rank_cards([card(reps, "a"), card(reps, "b")])
    assert set(ranks(ranking).values()) == {None}
    assert "no overall score" in ranking.standings[0].reason
    assert ranks(rank_cards([card(reps, "a"), card(reps, "b")], by="REP", draws=100)) == {"a": (1, 2), "b": (1, 2)}


def test_other_tests_or_another_judge_are_refused() -> None:
    first = model("a", NEXT)
    looser = first.rescored(replace(first.settings, tolerance=0.1))
    with pytest.raises(InputError, match=r"tolerance is 0\.1 here and 0\.05 in a\. Judge all alike with --tolerance"):
        rank_cards([first, looser])
    fewer = card([r for r in results() if r.id.case_id != "c9"], "b")
    with pytest.raises(InputError, match=r"plan is 45 tests \(5 not in both\) here and 50 tests in a"):
        rank_cards([first, fewer])
    identity = {**first.data["identity"], "suite": {**first.data["identity"]["suite"], "name": "x", "digest": "f" * 64}}
    other = replace(first, data={**first.data, "identity": identity})
    with pytest.raises(InputError, match="suite is"):
        rank_cards([first, other])
    with pytest.raises(InputError, match="found no card"):
        rank_cards([])
    with pytest.raises(InputError, match='--by: found "LOGG"'):
        rank_cards([first], by="LOGG")
