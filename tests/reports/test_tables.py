"""The summary of a card, line by line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_jevbench.reports.side_by_side import side_by_side
from pytest_jevbench.reports.tables import LEVELS, METRICS, Level, Metric, note_texts, summary
from pytest_jevbench.reports.text import columns, plain
from pytest_jevbench.scoring.card_reading import Card
from tests.reports.cards import card, results
from tests.scoring.by_hand import FIVE, held_and_violated, judged, unjudged


def printed(of: Card, **options: Any) -> list[str]:
    return [plain(line) for line in summary(of, **options)]


def row(lines: list[str], start: str) -> list[str]:
    """The words of the first line that starts so, blanks before it aside, without its name."""
    found = next(line.strip() for line in lines if line.strip().startswith(start))
    return found.removeprefix(start).replace("[ ", "[").replace(",  ", ", ").split()


def test_counts_scores_intervals_and_the_uniform_model_stand_side_by_side() -> None:
    lines = printed(card())
    assert lines[0] == "m · made-up"
    assert lines[1] == "50 tests planned: 35 held, 15 violated"
    score, low, high, tests, uniform = row(lines, "overall ")
    assert (score, tests, uniform) == ("70.0", "50", "100.0")
    assert float(low[1:-1]) < 70.0 < float(high[:-1])
    assert row(lines, "overall, graded")[0] == "85.0"
    assert [row(lines, d)[0] for d in ("REP  Representation consistency", "CHO  Choice-set coherence")] == [
        "90.0",
        "50.0",
    ]
    assert any(line.startswith("* Uniform: a model that reads nothing") for line in lines)


def test_one_test_has_no_plural() -> None:
    assert printed(card([judged("option_clone", "c0", 0.525)]))[1] == "1 test planned: 0 held, 1 violated"


def test_groups_and_relations_are_indented_under_their_dimension() -> None:
    groups = printed(card(), level="group")
    assert row(groups, "Partition")[0] == "70.0"
    assert not any("Complement" in line for line in groups)  # no relation of it is planned
    relations = printed(card(), level="relation")
    score, low, high, tests, deviation, uniform = row(relations, "option_clone")
    assert (score, tests, deviation, uniform) == ("70.0", "10", "0.158", "100.0")
    assert (low, high) == ("[39.7,", "89.2]")  # Wilson's interval of 3 of 10, turned round
    order = [line.strip().split()[0] for line in relations if line.startswith("    ")]
    assert order == list(FIVE)


def test_graded_scores_on_request() -> None:
    lines = printed(card(), metric="graded")
    assert row(lines, "overall ")[0] == "85.0"
    assert row(lines, "overall, binary")[0] == "70.0"
    assert row(lines, "CHO  Choice-set coherence")[0] == "75.0"


def test_domain_rows_and_why_they_have_no_score() -> None:
    lines = printed(card(), level="domain")
    assert row(lines, "shop")[:2] == ["5", "25"]
    assert row(lines, "shop")[2] == "40.0"  # cases 0 to 4 hold the violated tests: mean of .8 .6 .4 .2 0
    assert row(lines, "bank")[2] == "100.0"
    small = card().rescored(replace(card().settings, min_n=6))
    assert row(printed(small, level="domain"), "shop")[2] == "-"
    assert any("No domain has a full score" in line for line in printed(small, level="domain"))


def test_what_was_not_judged_is_counted_by_reason() -> None:
    found = [*results()[2:], unjudged("key_rename", "c0"), unjudged("key_rename", "c1", "over_budget")]
    lines = printed(card(found))
    assert lines[1] == "50 tests planned: 34 held, 14 violated, 2 not judged (1 refused, 1 over budget)"
    assert row(lines, "overall ") == ["-", "100.0"]
    text = " ".join(" ".join(lines).split())
    assert "* 2 of 50 tests were not judged" in text
    assert (
        "* The overall is not reported: REP has no score: key_rename is incomplete (8 of 10 planned tests judged"
        in text
    )


def test_relations_under_the_minimum_are_said_to_be_listed_alone() -> None:
    found = [*results(), *held_and_violated("de_morgan", 2, 0)]
    assert "1 relation has at most 2 tests and is listed, not scored (min-n 5)" in note_texts(card(found))


def test_accuracy_stands_beside_the_score() -> None:
    lines = printed(card(gold=True))
    score, low, high, n, uniform = row(lines, "accuracy on gold answers")
    assert (score, n, uniform) == ("75.0", "8", "50.0")
    assert (low, high) == ("[40.9,", "92.9]")
    assert row(lines, "with the unanswered as wrong")[0] == "60.0"
    assert row(lines, "most frequent answer")[:3] == ["60.0,", "guessing", "50.0"]
    assert "Brier score 0.375" in " ".join(lines)


def test_the_worst_violations_are_of_different_relations() -> None:
    found = [judged(name, f"c{i}", 0.9 - 0.1 * i) for name in FIVE for i in range(6)]
    lines = printed(card(found), worst=7)
    start = lines.index("worst violations: relation, case and question, deviation") + 1
    shown = [line.split() for line in lines[start : start + 7]]
    assert [words[0] for words in shown] == [*FIVE, "key_rename", "batch_solo"]
    assert shown[0][1:] == ["c0", "·", "q", "0.900"]
    assert shown[5][1:] == ["c1", "·", "q", "0.800"]
    held = card(found).rescored(replace(card().settings, tolerance=1.0))
    assert not any("worst violations" in line for line in printed(held, worst=7))


def test_flags_and_missing_intervals_are_noted() -> None:
    one_case = [judged(name, "c0", 0.0) for name in FIVE]
    notes = note_texts(card(one_case).rescored(replace(card().settings, min_n=1)))
    assert "No interval: there is one case, and the interval is over cases" in notes
    assert any("an interval of one point" in note.lower() for note in note_texts(card(results(key_rename=0))))
    assert any("stopped here" in note for note in note_texts(card(stopped="stopped here")))
    told, own = (note for note in note_texts(card(repeats=3, noise={"c0": {"q": 0.1}})) if "noise" in note)
    assert "asked 3 times: mean 0.1000, largest 0.1000" in told
    assert "is 0.2000. Scores are judged by 0.05 all the same; `card report --tolerance 0.2000`" in own
    (told,) = (note for note in note_texts(card(repeats=3, noise={"c0": {"q": 0.02}})) if "noise" in note)
    assert "mean 0.0200" in told


def test_the_uniform_model_is_left_out_where_it_was_judged_otherwise() -> None:
    other = card().rescored(replace(card().settings, tolerance=0.2))
    assert len(row(printed(other), "overall ")) == 4
    assert not any("niform" in line for line in printed(other))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("metric", METRICS)
def test_everything_fits_80_columns(level: Level, metric: Metric) -> None:
    hostile = [judged(name, f"日本語{'x' * 60}{i}", 0.9, key="k" * 50) for name in FIVE for i in range(6)]
    cards = [card(gold=True), card(hostile, name="a model with a very long name " * 4), card(name="\x1b[31mred\n")]
    for of in cards:
        lines = printed(of, level=level, metric=metric, worst=9)
        assert max(map(columns, lines)) <= 80
        assert all(line.isprintable() for line in lines)
    together = [plain(line) for line in side_by_side([*cards, *cards], level=level, metric=metric)]
    assert max(map(columns, together)) <= 80


def test_cards_side_by_side_in_blocks_of_three() -> None:
    cards = [
        card(name="one", gold=True),
        card(results(key_rename=0), name="two"),
        card(name="three"),
        card(name="four"),
    ]
    lines = [plain(line) for line in side_by_side(cards, level="relation")]
    assert lines[0].split() == ["one", "two", "three"]
    assert "four" in [line.strip() for line in lines]
    clone = next(line for line in lines if line.strip().startswith("option_clone"))
    assert clone.split()[1:] == ["70.0", "100.0", "70.0"]
    overall = next(line for line in lines if line.startswith("overall "))
    assert "100.0 [100-100]" in overall
    accuracy = next(line for line in lines if line.startswith("accuracy"))
    assert accuracy.split()[-1] == "75.0"


def test_what_is_true_of_all_cards_is_said_once() -> None:
    point = "An interval of one point says that no case differed from the others; it is no certainty"
    one, two = (card(results(**dict.fromkeys(FIVE, 0)), name=name) for name in ("one", "two"))
    assert point in note_texts(one)
    assert point not in note_texts(card())
    alike = " ".join(plain(line) for line in side_by_side([one, two]))
    assert " ".join(alike.split()).count(f"* {point}") == 1
    mixed = " ".join(plain(line) for line in side_by_side([one, card(), two]))
    assert " ".join(mixed.split()).count(f"* one, two: {point}") == 1
    assert "niform" not in alike + mixed  # there is no such column


def test_cards_of_different_suites_are_said_to_be() -> None:
    from pytest_jevbench.scoring.card import SuiteFacts

    other = card(suite=SuiteFacts("another"))
    lines = [plain(line) for line in side_by_side([card(), other])]
    assert "the cards are of different suites: made-up, another" in lines
