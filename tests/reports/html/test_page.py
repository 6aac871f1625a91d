"""The page as text: its structure, its figures, and that nothing of what it shows becomes markup."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest

from pytest_jevbench.json_text import printable
from pytest_jevbench.reports.html import registry
from pytest_jevbench.reports.html.page import report_page
from pytest_jevbench.reports.html.rendering import page_json
from pytest_jevbench.reports.html.section import report_of
from pytest_jevbench.reports.html.summary import verdict_of
from pytest_jevbench.scoring.card_reading import Card
from tests.reports.cards import card, results
from tests.reports.compared import run_of
from tests.reports.html.hostile import DIRECTION, LONG, QUOTES, TAGS, hostile_card
from tests.reports.html.parsing import Parsed
from tests.scoring.by_hand import FIVE, unjudged


def page(*cards: Card, baseline: Card | None = None) -> Parsed:
    return Parsed(report_page(report_of(cards, baseline=baseline)))


def test_figures_of_a_card_made_by_hand() -> None:
    found = page(card(gold=True))
    text = " ".join(found.text.split())
    assert "70.0 of 100, overall coherence" in text  # the mean of 90, 80, 70, 60 and 50 %
    assert "15 of 50 tests break their law. No gate was asked for." in text
    assert "100.0 for a model that reads nothing" in text
    for name, score in zip(("REP", "BAT", "MEA", "LOG", "CHO"), ("90.0", "80.0", "70.0", "60.0", "50.0"), strict=True):
        assert re.search(rf"{name} [A-Z][a-z -]+ {score} \[", text), name
    assert "Accuracy on 8 of 10 gold answers." in text


def test_the_page_is_well_formed_and_can_be_found_through() -> None:
    found = page(card(gold=True), card(results(key_rename=0), name="other"), baseline=card())
    assert (found.open, found.misplaced) == ([], [])
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {str(a["href"]).removeprefix("#") for a in found.all("a")}
    assert links <= set(ids)
    assert [tag for tag in ("header", "nav", "main", "footer") if len(found.all(tag)) != 1] == []
    assert len(found.all("caption")) == len(found.all("table"))
    assert all("scope" in th for th in found.all("th"))
    assert [a["lang"] for a in found.all("html")] == ["en"]


def test_nothing_is_loaded_and_the_browser_is_told_so() -> None:
    found = page(card())
    policy = next(str(a["content"]) for a in found.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    digest = b64encode(sha256(found.scripts[-1].encode()).digest()).decode()
    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{digest}';" in policy
    assert "connect-src" not in policy  # falls back to none
    for tag, attributes in found.elements:
        assert "src" not in attributes, tag
        assert tag not in ("link", "iframe", "object", "embed", "form") or "action" not in attributes
        assert not any(name.startswith("on") for name in attributes), tag


def test_hostile_text_is_text() -> None:
    found = page(hostile_card())
    assert (found.open, found.misplaced) == ([], [])
    assert len(found.all("script")) == 2
    assert found.all("img") == []
    assert not any(name.startswith("on") for _, attributes in found.elements for name in attributes)
    for text in (TAGS, QUOTES, LONG):
        assert text in found.text
    assert printable(DIRECTION) in found.text
    assert not set(found.text) & set("\u202e\u2066\u200f\x00\x1b")
    assert "49" not in [piece.strip() for piece in found.texts]  # a template would have multiplied


def test_data_for_the_script_ends_no_element_and_is_what_it_was() -> None:
    value = {"<!--": ["</script>", "&amp;", "\u2028\u2029", "\ud800", "é"]}
    text = str(page_json(value))  # type: ignore[arg-type]
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == {"<!--": ["</script>", "&amp;", "\u2028\u2029", "?", "é"]}


def test_rows_for_the_browser_of_tests() -> None:
    data = json.loads(page(card()).scripts[0])
    (of,) = data["cards"]
    assert len(of["rows"]) == 50
    assert sum(row[3] == 0 for row in of["rows"]) == 15
    relation, case, key, verdict, graded, outcomes = next(row for row in of["rows"] if row[3] == 0)
    assert (of["relations"][relation], of["cases"][case], of["keys"][key]) == ("key_rename", "c0", "q")
    assert (verdict, graded, outcomes) == (0, 0.5, [[0.525, 0.05, None, 1, 0, 0]])
    assert of["ask"][0].startswith("pytest ")


def test_what_changed_stands_on_the_first_screen() -> None:
    before = run_of({("key_rename", 0), ("key_rename", 1)})
    now = run_of({("key_rename", 0), *(("option_clone", i) for i in range(10))})
    found = page(now, baseline=before)
    text = " ".join(found.text.split())
    assert "-18.0 points" in text  # 0.9 + 4 against 0.8 + 3 of five: (4.9 - 1) / 5 against 4.8 / 5
    assert "10 new violations, 1 known, 1 fixed" in text
    assert [row[7] for row in json.loads(found.scripts[0])["cards"][0]["rows"] if len(row) > 6].count(1) == 10


def test_verdicts_in_words() -> None:
    whole = card()
    assert verdict_of(whole).word == "Complete"
    part = card([*results(), unjudged("key_rename", "c99", message="no")])
    assert verdict_of(part)[:2] == ("Incomplete", "1 of 51 tests were not judged. 15 of 50 tests break their law.")
    gate = {"decision": "failed", "reasons": ["overall is 70.0, at least 90.0 asked"], "conditions": []}
    failed = Card.from_json({**whole.data, "gate": {**gate, "decided_early": None}})
    told = "Overall is 70.0, at least 90.0 asked. 15 of 50 tests break their law."
    assert verdict_of(failed)[:2] == ("Gate failed", told)
    assert "The gate failed." in " ".join(page(failed).text.split())


def test_the_cost_of_a_run_is_that_of_its_tokens() -> None:
    whole = card()
    asked = {**whole.data["run"], "input_tokens": 2_000_000, "output_tokens": 500_000}

    def told(**details: float) -> str:
        return page(Card.from_json({**whole.data, "run": {**asked, "details": details}})).text

    assert "$0.6000 for these tokens, at $0.15 and $0.6 a million" in told(price_in=0.15, price_out=0.6)
    assert "for these tokens" not in told(price_in=0.15)


def test_cards_of_one_name_are_told_apart() -> None:
    shown = [one.name for one in report_of([card(), card(), card(name="n")]).cards]
    assert shown == ["m · made-up", "m · made-up (2)", "n"]


def test_many_cards_share_a_page() -> None:
    cards = [card(name=f"m{number}") for number in range(40)]
    found = page(*cards)
    assert (found.open, found.misplaced) == ([], [])
    assert "The pictures show the first 6 models; 34 more stand in the tables." in found.text


def test_a_card_of_nothing_judged_has_a_page() -> None:
    lost = [unjudged(name, "c0", reason="lost") for name in FIVE]
    text = " ".join(page(card(lost)).text.split())
    assert "5 of 5 tests were not judged" in text
    assert "Not reported:" in text


def test_two_sections_of_one_id_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "SECTIONS", ("summary", "summary"))
    with pytest.raises(ValueError, match="summary"):
        page(card())
