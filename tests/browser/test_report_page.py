"""The report of a real run in Chromium: clicked through, compared with the card, measured at two widths and schemes."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.reports.html.page import report_page
from pytest_jevbench.reports.html.section import report_of
from pytest_jevbench.reports.text import percent
from pytest_jevbench.scoring.card_reading import Card
from tests.browser.chromium import Page
from tests.browser.measures import CLIPPED, CONTRAST, UNNAMED
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
def test_it_can_be_read(opened: Page, everything: Path, width: int, scheme: str) -> None:
    opened.size(width)
    opened.open(everything)
    sections = opened.run("[...document.querySelectorAll('main > section')].map((node) => node.id)")
    assert {"summary", "changes", "judging", "coherence-accuracy", "labelled", "judges"} <= set(sections)
    opened.scheme(scheme)
    opened.run("document.querySelectorAll('#browser .open')[0].click()")
    opened.run("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    found = opened.run(CONTRAST)
    assert found["measured"] > 500
    assert found["poor"] == []
    assert opened.run("document.documentElement.scrollWidth") <= width
    assert opened.run(CLIPPED) == []
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


def drop(page: Page, content: bytes | str, name: str) -> str:
    """Drop a file on the page as a person does, and return what is shown first."""
    data = content.encode() if isinstance(content, str) else content
    before = page.run("document.querySelector('.opened').children.length")
    page.run(f"window.dropped = {json.dumps(base64.b64encode(data).decode())}")
    page.run(
        "(() => { const data = new DataTransfer();"
        "const bytes = Uint8Array.from(atob(window.dropped), (c) => c.charCodeAt(0));"
        f"data.items.add(new File([bytes], {json.dumps(name)}));"
        "const options = {dataTransfer: data, bubbles: true, cancelable: true};"
        "document.body.dispatchEvent(new DragEvent('drop', options)); })()"
    )
    return shown_first(page, before)


def shown_first(page: Page, before: int) -> str:
    """Wait until there is one more than before, at most a while."""
    return str(
        page.run(
            "(async () => { const place = document.querySelector('.opened');"
            f"for (let i = 0; i < 1000 && place.children.length === {before}; i += 1)"
            " await new Promise((done) => setTimeout(done, 20));"
            "return place.children.length ? place.firstElementChild.textContent : ''; })()"
        )
    )


def test_a_dropped_card_opens_in_the_page(
    opened: Page, real_cards: dict[str, Path], real_data: dict[str, Any], results: dict[str, Path]
) -> None:
    data = real_data["nano-robot"]
    content = real_cards["nano-robot"].read_bytes()
    for told in (drop(opened, content, "nano.json"), drop(opened, gzip.compress(content), "nano.json.gz")):
        assert "nano-robot on jevbench-mini" in told
        assert percent(data["scores"]["overall"]["score"]) in told
        assert f"{data['counts']['held']} held, {data['counts']['violated']} violated" in told
        assert all(row["name"] in told for row in data["relations"])
    told = drop(opened, results["judge-card"].read_bytes(), "judge-card.json")
    groups = json.loads(results["judge-card"].read_text(encoding="utf-8"))["scores"]["groups"]
    bias = next(group["score"] for group in groups if group["name"] == "JUDGE.bias")
    assert f"JUDGE.bias{percent(bias)}" in told
    opened.run("document.querySelector('.opened .close').click()")
    assert opened.run("document.querySelectorAll('.opened > article').length") == 2
    assert opened.problems == []


def test_a_dropped_result_opens_in_the_page(opened: Page, results: dict[str, Path]) -> None:
    data = json.loads(results["labelled"].read_text(encoding="utf-8"))
    told = drop(opened, results["labelled"].read_bytes(), "labelled.json")
    accuracy = data["figures"]["accuracy"]
    assert f"{data['figures']['counts']['correct']} correct" in told
    assert f"accuracy, %{percent(accuracy['accuracy_strict'])}" in told
    assert f"{data['figures']['calibration']['brier']['value']:.3f}" in told
    data = json.loads(results["judges"].read_text(encoding="utf-8"))
    told = drop(opened, results["judges"].read_bytes(), "judges.json")
    for row in data["bench"]:
        assert f"{row['judge']}{percent(row['holdout']['accuracy'])}" in told
    for pair in data["agreement"]["cohen"]:
        assert f"{pair['a']}, {pair['b']}{pair['value']:.3f}" in told
    for width in WIDTHS:
        opened.size(width)
        assert opened.run("document.documentElement.scrollWidth") <= width
    assert opened.run(CONTRAST)["poor"] == []
    assert opened.run(UNNAMED) == []
    assert opened.problems == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        (b"\x1f\x8bno gzip", "cannot be read"),
        (b"\xff\xfe\x00", "is not JSON"),
        ("[]", "neither a coherence card nor"),
        ("null", "neither a coherence card nor"),
        ('{"scores": [], "schema_version": "1.0"}', "neither a coherence card nor"),
        ('{"format": "constructor", "schema_version": "1.0"}', "neither a coherence card nor"),
        ('{"format": "jevbench-judges", "schema_version": "2.0"}', 'its version is "2.0"'),
        ('{"format": "jevbench-labelled"}', "its version is null"),
        ("[" * 100_000, "is not JSON"),
    ],
    ids=["empty", "open", "no-gzip", "bytes", "list", "null", "list-of-scores", "prototype", "newer", "unversioned",
         "deep"],
)  # fmt: skip
def test_a_dropped_file_that_is_none_is_named(opened: Page, content: bytes | str, told: str) -> None:
    found = drop(opened, content, f"{TAGS}.json")
    assert told in found
    assert TAGS in found
    assert opened.run("document.querySelectorAll('.opened > article').length") == 0
    assert opened.run("window.pwned") is None
    assert opened.problems == []


def test_a_dropped_file_of_too_much_is_named(opened: Page) -> None:
    """Three hundred thousand bytes that are three hundred million once they are unpacked."""
    packing = zlib.compressobj(1, wbits=31)
    packed = b"".join(packing.compress(b" " * 1_000_000) for _ in range(300)) + packing.flush()
    assert "larger than 256 MB" in drop(opened, packed, "bomb.json.gz")
    assert opened.problems == []


def test_a_dropped_file_is_text_whatever_it_holds(opened: Page, results: dict[str, Path]) -> None:
    """Every text of each kind of document is hostile, and then every value is of another type."""
    hostile = json.loads(json.dumps({**hostile_card().data, "tests": []}, default=list))
    documents = [hostile] + [json.loads(path.read_text(encoding="utf-8")) for path in results.values()]
    for number, document in enumerate(documents):
        told = drop(opened, json.dumps(hostile_texts(document)), f"{number}.json")
        assert TAGS[:40] in told
        for other in (None, [], {}, "x", -1, 1e308, True, [[]], {"__proto__": {"a": 1}}):
            drop(opened, json.dumps(other_values(document, other)), f"{number}.json")
            opened.run("document.querySelector('.opened').replaceChildren()")
    assert opened.run("window.pwned") is None
    assert opened.run("document.querySelectorAll('img, iframe').length") == 0
    assert opened.problems == []


def hostile_texts(value: Any, at: str = "") -> Any:
    """The value with every text but the format and version replaced."""
    if isinstance(value, dict):
        return {key: hostile_texts(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [hostile_texts(inner) for inner in value]
    return TAGS if isinstance(value, str) and at not in ("format", "schema_version") else value


def other_values(value: Any, other: Any, depth: int = 0) -> Any:
    """The value with everything below its third level replaced, but what says which kind of document it is."""
    if depth == 3:
        return other
    if isinstance(value, dict):
        kept = ("format", "schema_version")
        return {key: inner if key in kept else other_values(inner, other, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [other_values(inner, other, depth + 1) for inner in value[:3]]
    return value if depth == 0 else other


def test_a_huge_card_is_opened(opened: Page, real_data: dict[str, dict[str, Any]]) -> None:
    """Thirty megabytes, ten thousand relations: opened within seconds, cut where nobody reads on."""
    data = real_data["nano-robot"]
    relations = [{**data["relations"][0], "name": f"r{i}", "worst": []} for i in range(10_000)]
    content = json.dumps({**data, "relations": relations, "tests": [], "padding": "x" * 20_000_000})
    told = drop(opened, gzip.compress(content.encode(), 1), "huge.json.gz")
    assert "r499" in told
    assert "r500" not in told
    assert "more rows" in told
    assert opened.problems == []


def test_what_is_printed_are_the_worst_violations(opened: Page, tmp_path: Path, real_data: dict[str, Any]) -> None:
    opened.pdf(tmp_path / "report.pdf")
    opened.run("dispatchEvent(new Event('beforeprint'))")
    shown = opened.run(
        "[...document.querySelectorAll('#kept > details[open] > summary > .n')].map((n) => n.textContent)"
    )
    opened.run("dispatchEvent(new Event('afterprint'))")
    expected: list[str] = []
    for data in real_data.values():
        worst = sorted((w["deviation"] for row in data["relations"] for w in row["worst"]), reverse=True)
        expected += [f"{deviation:.3f}" for deviation in worst[:3]]
    assert sorted(shown) == sorted(expected)
    assert opened.run("document.querySelectorAll('#kept > details[open]').length") == 0
    assert opened.run("document.getElementById('kept').hidden") is True


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
