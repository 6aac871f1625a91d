"""A card as people in Python see it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench import Card, InputError, compare, describe, evaluate, list_relations, radar, reference
from pytest_jevbench.json_text import dumps
from pytest_jevbench.scoring.compare import ScoreChange

SUITE = "jevbench-examples"


class Tags(HTMLParser):
    """Which tags a text opens, and whether all are closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.seen: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.add(tag)
        if tag not in ("br", "rect", "line", "circle", "polygon", "polyline"):
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.opened and self.opened[-1] == tag:
            self.opened.pop()


@pytest.fixture(scope="module")
def card() -> Card:
    return evaluate(reference("luce_biased"), "jevbench-mini", domains="it_incidents", min_n=1, bootstrap=50)


def test_its_parts_are_those_of_the_file(card: Card) -> None:
    data = card.to_dict()
    scores: Any = data["scores"]
    assert card.overall.score == scores["overall"]["score"]
    assert {name: row.score for name, row in card.dimensions.items()} == {
        r["name"]: r["score"] for r in scores["dimensions"]
    }
    assert list(card.dimensions) == ["REP", "BAT", "MEA", "LOG", "CHO"]
    assert card.groups["CHO.conditioning"].name == "CHO.conditioning"
    relations: Any = data["relations"]
    assert [row.violated for row in card.relations.values()] == [row["violated"] for row in relations]
    assert list(card.domains) == ["it_incidents"]
    assert (card.name, card.suite) == ("luce_biased", "jevbench-mini")
    with pytest.raises(TypeError):
        card.dimensions["REP"] = None  # type: ignore[index]


def test_every_violation_is_there_the_worst_first(card: Card) -> None:
    data: Any = card.to_dict()
    violated = {(row["relation"], row["case"], row["key"]) for row in data["tests"] if row["verdict"] == "violated"}
    found = card.violations
    assert {(v.relation, v.case, v.question) for v in found} == violated
    assert len(found) == data["counts"]["violated"] > 20
    assert [v.graded for v in found] == sorted(v.graded for v in found)
    for violation in found:
        assert violation.deviation is not None
        assert violation.deviation > violation.tolerance
    worst = found[0]
    assert worst.exchanges[0]["label"] == "base"
    assert set(worst.expected) == set(worst.observed) != set()
    assert max(abs(worst.expected[n] - worst.observed[n]) for n in worst.expected) > worst.tolerance
    assert f"deviation {worst.deviation:.4f}" in str(worst)
    assert "exchanges" not in repr(worst)


def test_a_copy_does_not_change_the_card(card: Card) -> None:
    copy: Any = card.to_dict()
    copy["tests"].clear()
    assert card.to_dict()["tests"]


def test_cards_that_differ_are_not_equal(card: Card) -> None:
    other = evaluate(reference("luce"), "jevbench-mini", domains="it_incidents", min_n=1, bootstrap=50)
    assert card != other
    assert card != "card"
    assert "overall" in repr(card)


def test_html_is_whole_and_escaped() -> None:
    data = evaluate(reference("random"), SUITE).to_dict()
    text = dumps(data).replace('"name": "random"', '"name": "<script>alert(1)</script> & \\u0007co"')
    text = text.replace("tenant", "<b onclick=x>tenant")
    shown = Card.from_dict(json.loads(text))
    made = Tags(shown._repr_html_())
    assert made.opened == []
    assert not made.seen & {"script", "b", "img", "a", "iframe"}
    assert {"table", "svg", "details"} <= made.seen
    assert "&lt;script&gt;" in shown._repr_html_()
    assert "<script" not in shown._repr_html_()
    assert "\x07" not in shown._repr_html_()


def test_markdown_and_text_tell_the_scores(card: Card) -> None:
    shown = f"{100 * (card.overall.score or 0):.1f}"
    assert f"| {shown} |" in card._repr_markdown_()
    assert any(line.startswith("overall ") and shown in line for line in str(card).splitlines())
    assert shown in card._repr_html_()


def test_explaining_tells_the_law_of_different_relations(card: Card) -> None:
    told = card.explain(4).split("\n\n")
    assert len(told) == 4
    names = {text.splitlines()[0].rpartition("::")[2].partition("-")[0] for text in told}
    assert len(names) == 4
    for text in told:
        assert describe(text.splitlines()[0].rpartition("::")[2].partition("-")[0]).law.split()[0] in text
        assert "ask again" not in text


def test_a_published_report_is_a_card_too(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.json"):
        Card.load(tmp_path / "nowhere.json")
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="neither a coherence card"):
        Card.load(tmp_path / "x.json")


# Comparisons, radars, relations --------------------------------------------------------------------------------------


def test_comparing_counts_what_changed(card: Card, tmp_path: Path) -> None:
    other = evaluate(reference("luce"), "jevbench-mini", domains="it_incidents", min_n=1, bootstrap=50)
    before = {(v.relation, v.case, v.question) for v in card.violations}
    now = {(v.relation, v.case, v.question) for v in other.violations}
    compared = compare(other, card.save(tmp_path / "card.json"))
    assert {tuple(test) for test in compared.new} == now - before
    assert {tuple(test) for test in compared.known} == now & before
    assert {tuple(test) for test in compared.fixed} == before - now
    change = compared.scores["overall"]
    assert isinstance(change, ScoreChange)
    assert change.change == pytest.approx((other.overall.score or 0) - (card.overall.score or 0))
    assert Tags(compared._repr_html_()).opened == []
    assert "against luce_biased" in str(compared)
    assert "| overall |" in compared._repr_markdown_()


def test_cards_of_different_suites_do_not_compare(card: Card) -> None:
    with pytest.raises(InputError, match="one suite"):
        compare(card, evaluate(reference("luce"), SUITE))


def test_a_radar_of_cards(card: Card) -> None:
    other = evaluate(reference("luce"), SUITE)
    alone = radar(card)
    assert alone._repr_svg_() == alone
    assert "MEA" in alone
    assert "uniform" in alone
    together = radar([card, other], level="group", metric="graded", title="<both>")
    assert "different suites: jevbench-mini, jevbench-examples" in together
    assert "uniform" not in together
    assert "&lt;both&gt;" in together
    assert "LOG.monotonicity" in together
    assert "uniform" not in radar(card, reference=False)
    for wrong in ({"cards": []}, {"cards": card, "level": "relation"}, {"cards": card, "metric": "best"}):
        with pytest.raises(InputError):
            radar(**wrong)  # type: ignore[arg-type]


def test_relations_are_described() -> None:
    known = list_relations()
    assert len(known) == len({relation.name for relation in known}) == 52
    assert sum(relation.scored for relation in known) == 50
    clone = describe("option_clone")
    assert clone in known
    assert (clone.dimension, clone.group) == ("MEA", "MEA.partition")
    assert clone.law in str(clone)
    assert "MEA.partition" in clone._repr_markdown_()
    with pytest.raises(InputError, match="option_clone"):
        describe("option_clones")
