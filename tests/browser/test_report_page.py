"""The report of a real run in Chromium: clicked through, compared with the card, measured at two widths and schemes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.reports.html.page import report_page
from pytest_jevbench.reports.html.section import report_of
from pytest_jevbench.reports.text import percent
from pytest_jevbench.scoring.card_reading import Card
from tests.browser.chromium import Page
from tests.browser.measures import CONTRAST, UNNAMED
from tests.reports.html.hostile import QUOTES, TAGS, hostile_card

pytestmark = pytest.mark.slow

WIDTHS = (1280, 360)
FOUND = "document.querySelector('.found').textContent"
ROWS = "document.querySelectorAll('#browser tbody tr').length"


def choose(page: Page, **values: str | bool) -> str:
    """Set fields of the filter as a person does, and return what was found."""
    for name, value in values.items():
        field = f"document.querySelector('.filters').elements['{name}']"
        page.run(f"{field}.{'checked' if isinstance(value, bool) else 'value'} = {json.dumps(value)}")
        page.run(f"{field}.dispatchEvent(new Event('input', {{bubbles: true}}))")
    return str(page.run(FOUND))


@pytest.fixture
def opened(browser: Page, two_models: Path) -> Page:
    browser.problems.clear()
    browser.requested.clear()
    browser.size(1280)
    browser.scheme("light")
    browser.open(two_models)
    return browser


def test_figures_are_those_of_the_cards(opened: Page, real_data: dict[str, dict[str, Any]]) -> None:
    for number, data in enumerate(real_data.values()):
        hero = f"document.querySelectorAll('.hero')[{number}]"
        shown = opened.run(
            f"Object.fromEntries([...{hero}.querySelectorAll('[data-figure]')]"
            ".map((node) => [node.dataset.figure, node.textContent]))"
        )
        scores = data["scores"]
        expected = {"overall": percent(scores["overall"]["score"])}
        expected |= {mean["name"]: percent(mean["score"]) for mean in scores["dimensions"]}
        expected["ACC"] = percent(data["accuracy"]["accuracy_answered"])
        assert shown == expected
        assert f"{data['counts']['violated']} of {data['counts']['judged']}" in opened.run(f"{hero}.textContent")


def test_filters_find_what_the_cards_have(opened: Page, real_data: dict[str, dict[str, Any]]) -> None:
    tests = [(name, test) for name, data in real_data.items() for test in data["tests"]]
    violated = [(name, test) for name, test in tests if test["verdict"] == "violated"]
    assert opened.run(FOUND) == f"{len(violated):,} of {len(tests):,} tests"
    assert opened.run(ROWS) == 25
    of_model = [test for name, test in violated if name == "nano-robot"]
    assert choose(opened, model="nano-robot") == f"{len(of_model):,} of {len(tests):,} tests"
    relation = of_model[0]["relation"]
    of_relation = [test for test in of_model if test["relation"] == relation]
    assert choose(opened, relation=relation).startswith(f"{len(of_relation)} of")
    assert opened.run(ROWS) == len(of_relation)
    domain = [test for test in of_relation if test["case"].startswith("logistics")]
    assert choose(opened, domain="logistics").startswith(f"{len(domain)} of")
    held = [test for name, test in tests if name == "nano-robot" and test["relation"] == relation]
    held = [test for test in held if test["case"].startswith("logistics") and test["verdict"] == "held"]
    assert choose(opened, verdict="held").startswith(f"{len(held)} of")
    opened.run("document.querySelector('.filters [type=reset]').click()")
    assert opened.run(f"new Promise((done) => setTimeout(() => done({FOUND}), 50))").startswith(f"{len(violated):,} of")
    key = violated[0][1]["key"]
    assert choose(opened, key=key).startswith(f"{sum(test['key'] == key for _, test in violated)} of")
    case = violated[-1][1]["case"]
    assert choose(opened, key="", case=case.upper()).startswith(f"{sum(t['case'] == case for _, t in violated)} of")
    flips = [t for _, t in violated if any(outcome["flip"] for outcome in t["outcomes"])]
    assert choose(opened, case="", flips=True).startswith(f"{len(flips):,} of")
    base = {(t["relation"], t["case"], t["key"]) for n, t in violated if n == "sparrow-decider"}
    new = [t for n, t in violated if n == "nano-robot" and (t["relation"], t["case"], t["key"]) not in base]
    assert choose(opened, flips=False, verdict="new").startswith(f"{len(new):,} of")
    assert choose(opened, verdict="", case="nowhere").startswith("0 of")
    assert "No test fits" in opened.run("document.querySelector('#browser tbody').textContent")
    assert opened.problems == []


def test_rows_sort_and_turn_pages(opened: Page, real_data: dict[str, dict[str, Any]]) -> None:
    deviations = "[...document.querySelectorAll('#browser tbody tr')].map((row) => Number(row.cells[5].textContent))"
    every = sorted(
        (max(outcome["deviation"] for outcome in test["outcomes"]) for data in real_data.values()
         for test in data["tests"] if test["verdict"] == "violated"),
        reverse=True,
    )  # fmt: skip
    assert opened.run(deviations) == pytest.approx(every[:25], abs=5.01e-4)
    opened.run("document.querySelector('[data-page=\"1\"]').click()")
    assert opened.run(deviations) == pytest.approx(every[25:50], abs=5.01e-4)
    opened.run("document.querySelector('[data-by=deviation] button').click()")
    assert opened.run(deviations) == pytest.approx(every[::-1][:25], abs=5.01e-4)
    assert opened.run("document.querySelector('[data-by=deviation]').ariaSort") == "ascending"
    opened.run("document.querySelector('[data-by=relation] button').click()")
    names = opened.run("[...document.querySelectorAll('#browser .open')].map((n) => n.textContent)")
    assert names == sorted(names)


def test_a_violation_in_full(opened: Page, real_data: dict[str, dict[str, Any]]) -> None:
    worst = real_data["nano-robot"]["relations"]
    row = next(row for row in worst if row["name"] == "description_swap")["worst"][0]
    choose(opened, model="nano-robot", relation="description_swap", case=row["case"])
    opened.run("document.querySelector('#browser .open').click()")
    told = " ".join(opened.run("document.querySelector('#browser .full').innerText").split())
    assert "Where two options exchange their descriptions" in told
    assert f"{row['deviation']:.4f}" in told
    for value in (*row["expected"].values(), *row["observed"].values()):
        assert f"{value:.4f}" in told
    command = opened.run("document.querySelector('#browser .full .command code').textContent")
    assert command.startswith(f"pytest jevbench-mini::{row['case']}::description_swap-{row['key']} --jevbench-suite=")
    opened.run("document.querySelector('#browser .copy').click()")
    said = "new Promise((done) => setTimeout(() => done(document.querySelector('#browser .copy').textContent), 200))"
    assert opened.run(said) in ("Copied", "Selected")


def test_a_test_without_requests_says_how_to_see_them(opened: Page, real_data: dict[str, dict[str, Any]]) -> None:
    test = next(test for test in real_data["nano-robot"]["tests"] if test["verdict"] == "held")
    choose(opened, model="nano-robot", verdict="held", relation=test["relation"], case=test["case"])
    opened.run("document.querySelector('#browser .open').click()")
    told = opened.run("document.querySelector('#browser .full').innerText")
    assert f"{max(outcome['deviation'] for outcome in test['outcomes']):.4f}" in told
    name = f"jevbench-mini::{test['case']}::{test['relation']}-{test['key']}"
    assert f"pytest {name} --jevbench-suite=jevbench-mini" in told


def test_relations_sort_and_lead_to_their_tests(opened: Page, real_data: dict[str, dict[str, Any]]) -> None:
    opened.run("document.querySelectorAll('.relations th button')[1].click()")
    shares = opened.run(
        "[...document.querySelectorAll('.relations tbody tr:not(.group)')].map((row) => Number(row.cells[1].dataset.v))"
    )
    expected = [1 - row["violation_rate"] for row in real_data["sparrow-decider"]["relations"]]
    assert shares == pytest.approx(sorted(expected, reverse=True))
    opened.run("document.querySelector('a[data-relation=option_clone]').click()")
    count = sum(test["relation"] == "option_clone" for data in real_data.values() for test in data["tests"])
    assert opened.run(f"new Promise((done) => setTimeout(() => done({FOUND}), 50))").startswith(f"{count} of")


def test_the_keyboard_is_enough(opened: Page) -> None:
    opened.press("Tab", 9)
    assert opened.run("document.activeElement.className") == "skip"
    opened.run("document.querySelector('#browser .open').focus()")
    opened.press("Enter", 13)
    assert opened.run("document.activeElement.getAttribute('aria-expanded')") == "true"
    opened.press("Tab", 9)
    assert opened.run("document.activeElement.closest('.full') !== null")
    assert opened.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read(opened: Page, width: int, scheme: str) -> None:
    opened.size(width)
    opened.scheme(scheme)
    opened.run("document.querySelectorAll('#browser .open')[0].click()")
    opened.run("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    found = opened.run(CONTRAST)
    assert found["measured"] > 500
    assert found["poor"] == []
    assert opened.run("document.documentElement.scrollWidth") <= width
    assert opened.run(UNNAMED) == []
    assert opened.problems == []
    assert [url for url in opened.requested if not url.startswith("file:")] == []


def test_what_is_printed_is_dark_on_light(opened: Page, tmp_path: Path) -> None:
    opened.scheme("dark", media="print")
    assert opened.run(CONTRAST)["poor"] == []
    assert opened.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    opened.pdf(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


def test_without_its_script_everything_is_there(
    browser: Page, two_models: Path, real_data: dict[str, dict[str, Any]]
) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.call("Page.navigate", url=two_models.as_uri())
        while browser._next().get("method") != "Page.loadEventFired":
            pass
        root = browser.call("DOM.getDocument", depth=0)["root"]["nodeId"]
        shown = browser.call("DOM.querySelectorAll", nodeId=root, selector="#kept > details")["nodeIds"]
        kept = sum(len(row["worst"]) for data in real_data.values() for row in data["relations"])
        assert len(shown) == kept
        hidden = browser.call("DOM.querySelectorAll", nodeId=root, selector="#kept[hidden], .more")["nodeIds"]
        assert hidden == []
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_text_shows_as_text(browser: Page, tmp_path: Path, width: int) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(report_page(report_of([hostile_card(), hostile_card()])), encoding="utf-8")
    browser.problems.clear()
    browser.size(width)
    browser.scheme("light")
    browser.open(path)
    browser.run("document.querySelectorAll('#browser .open').forEach((node) => node.click())")
    browser.run("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    assert browser.run("window.pwned") is None
    assert browser.run("document.querySelectorAll('img, iframe').length + document.scripts.length") == 2
    text = browser.run("document.getElementById('browser').textContent")
    assert TAGS in text
    assert QUOTES in text
    assert "\\u202e" in text
    assert "\u202e" not in browser.run("document.documentElement.textContent")
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.problems == []


def test_a_dropped_file_opens_in_the_page(opened: Page, real_cards: dict[str, Path], real_data: dict[str, Any]) -> None:
    def drop(text: str, name: str) -> str:
        opened.run(
            "(() => { const data = new DataTransfer();"
            f"data.items.add(new File([{json.dumps(text)}], {json.dumps(name)}));"
            "const options = {dataTransfer: data, bubbles: true, cancelable: true};"
            "document.body.dispatchEvent(new DragEvent('drop', options)); })()"
        )
        shown = "document.querySelector('.opened').firstElementChild"
        return str(opened.run(f"new Promise((done) => setTimeout(() => done({shown}.textContent), 300))"))

    data = real_data["nano-robot"]
    told = drop(real_cards["nano-robot"].read_text(encoding="utf-8"), "nano.json")
    assert "nano-robot on jevbench-mini" in told
    assert percent(data["scores"]["overall"]["score"]) in told
    assert f"{data['counts']['held']} held, {data['counts']['violated']} violated" in told
    assert all(row["name"] in told for row in data["relations"])
    hostile = json.dumps({**hostile_card().data, "tests": []}, default=list)
    assert TAGS in drop(hostile, f"{TAGS}.json")
    assert "is not JSON" in drop("{", "broken.json")
    assert "neither a coherence card" in drop('{"scores": []}', "other.json")
    result = {"format": "jevbench-judges", "schema_version": "1.0", "agreement": {"alpha": 0.25, "why": TAGS}}
    told = drop(json.dumps(result), "judges.json")
    assert "Judge result" in told
    assert "agreement.alpha0.25" in told
    assert opened.run("window.pwned") is None
    assert opened.problems == []


def test_twelve_thousand_outcomes_open_at_once(
    browser: Page, real_data: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    path, source = tmp_path / "large.html", tmp_path / "large.json"
    source.write_text(json.dumps(times(real_data["sparrow-decider"], 60)), encoding="utf-8")
    assert main(["card", "report", str(source), "--bootstrap", "0", "--html", str(path)]) == 0
    assert path.stat().st_size < 8_000_000
    browser.problems.clear()
    seconds = browser.open(path)
    assert browser.run(FOUND).endswith("of 12,000 tests")
    assert seconds < 2.0
    assert (
        browser.run(f"(() => {{ const began = performance.now(); {CLICK}; return performance.now() - began; }})()")
        < 500
    )
    assert browser.problems == []


CLICK = "document.querySelector('[data-by=case] button').click()"


def times(data: dict[str, Any], count: int) -> dict[str, Any]:
    """A card of so many times the tests, on cases of other names."""
    cases = {f"{case}-{i}": domain for i in range(count) for case, domain in data["cases"].items()}
    tests = [{**test, "case": f"{test['case']}-{i}"} for i in range(count) for test in data["tests"]]
    numbers = ("planned", "judged", "held", "violated")
    relations = [
        {**row, **{name: row[name] * count for name in numbers}, "worst": row["worst"]} for row in data["relations"]
    ]
    for row in relations:
        row["worst"] = [{**worst, "case": f"{worst['case']}-0"} for worst in row["worst"]]
    made = {
        **data,
        "cases": cases,
        "tests": tests,
        "relations": relations,
        "sources": {},
        "deselected": [],
        "elsewhere": [],
    }
    assert isinstance(Card.from_json(made), Card)
    return made
