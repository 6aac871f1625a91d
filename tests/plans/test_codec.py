"""Plan files: what is written, what is read, what is refused."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import Place, SuiteError
from pytest_jevbench.files import read_jsonl
from pytest_jevbench.plans.build import build_plan
from pytest_jevbench.plans.codec import plan_text, read_plan, write_plan
from pytest_jevbench.plans.plan import Plan, TestId, count_requests
from pytest_jevbench.plans.stored import check_tests
from pytest_jevbench.questions import Case, case_from_json
from pytest_jevbench.relations import registry
from pytest_jevbench.rewrite_bank import RewriteBank
from tests.suite_writing import MARKET, published_suite

Rows = list[dict[str, Any]]


@pytest.fixture
def market() -> dict[str, Case]:
    return {"market": case_from_json(MARKET, Place())}


def plan_of(cases: dict[str, Case], *names: str) -> Plan:
    return build_plan(cases.values(), RewriteBank(), [registry.get(name) for name in names], seed=7, draws=1)


def read_rows(data: bytes) -> Rows:
    return [json.loads(line) for line in gzip.decompress(data).decode().splitlines()]


def packed(rows: Rows) -> bytes:
    return gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode(), mtime=0)


def test_the_lines_of_a_small_plan(market: dict[str, Case]) -> None:
    header, first, *_ = plan_text(plan_of(market, "negation_wrapper", "batch_solo"), market)
    assert header == (
        '{"format": 1, "seed": 7, "trials": 1, "relations": ["negation_wrapper", "batch_solo"], "cases": ["market"], '
        '"selection": "every variant of every relation on every question"}\n'
    )
    row = json.loads(first)
    assert list(row) == ["case", "relation", "key", "v", "t", "targets", "requests", "params", "reduced"]
    assert row["requests"]["variant"][:3] == [
        ["open", {"@": "open"}],
        ["busy", {"@": "busy"}],
        ["goods", {"@": "goods"}],
    ]
    probe, question = row["requests"]["variant"][3]
    assert list(question) == ["type", "instructions"]
    assert row["params"] == {"negated": probe}
    assert row["reduced"]["requests"]["variant"] == [["open", {"@": "open"}], [probe, question]]


def test_a_batch_edit_has_no_reduced_form(market: dict[str, Case]) -> None:
    rows = [json.loads(line) for line in plan_text(plan_of(market, "batch_solo"), market)][1:]
    assert [row["requests"] for row in rows] == [{"variant": [[key, {"@": key}]]} for key in ("open", "busy", "goods")]
    assert [row["reduced"] for row in rows] == [None, None, None]


def test_the_order_of_options_tells_questions_apart(market: dict[str, Case]) -> None:
    """A permuted Choice is not the case's own, though Python's dicts call the two equal."""
    (row,) = [json.loads(line) for line in plan_text(plan_of(market, "option_permutation"), market)][1:]
    sent = dict(map(tuple, row["requests"]["variant"]))["goods"]
    assert list(sent["criteria"]) == ["fish", "bread"]


def test_the_same_question_under_another_key_is_referred_to(market: dict[str, Case]) -> None:
    rows = [json.loads(line) for line in plan_text(plan_of(market, "duplicate_question"), market)][1:]
    assert [row["requests"]["variant"][-1] for row in rows] == [
        [row["params"]["duplicate"], {"@": key}] for row, key in zip(rows, ("open", "busy", "goods"), strict=True)
    ]


def test_reading_gives_back_what_was_written(market: dict[str, Case]) -> None:
    plan = plan_of(market, "negation_wrapper", "option_permutation", "de_morgan", "option_clone", "clone_symmetry")
    again = read_plan(write_plan(plan, market), market, "plan")
    assert again.relations == plan.relations
    assert (again.cases, again.seed, again.draws, again.selection) == (("market",), 7, 1, plan.selection)
    assert [test.id for test in again.tests] == [test.id for test in plan.tests]
    assert [list(test.trials) for test in again.tests] == [list(test.trials) for test in plan.tests]
    assert write_plan(again, market) == write_plan(plan, market)


def test_what_is_equal_is_one_object(market: dict[str, Case]) -> None:
    plan = plan_of(market, "option_clone", "clone_symmetry")
    again = read_plan(write_plan(plan, market), market, "plan")
    clone, symmetry = (test.trials[0].edit.batches["variant"] for test in again.tests)
    assert clone is symmetry
    assert clone["open"] is market["market"].questions["open"]


def without_null_criteria(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {k: without_null_criteria(v) for k, v in value.items() if not (k == "criteria" and v is None)}
        return {"type": kept["type"], "instructions": kept["instructions"], **kept} if "type" in kept else kept
    return [without_null_criteria(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("name", "base", "requests"),
    [
        ("examples", "examples", 43),
        ("jevbench-mini", "jevbench-240", 1248),
        pytest.param("jevbench-240", "jevbench-240", 10320, marks=pytest.mark.slow),
    ],
)
def test_published_plans_come_back_line_for_line(name: str, base: str, requests: int) -> None:
    """Order included, for the two freedoms of the format apart: a null where a Noul has no criteria, and the order of
    a question's own three fields."""
    cases_file = published_suite(base) / "cases.jsonl"
    cases = {case.id: case for case in (case_from_json(value, place) for place, value in read_jsonl(cases_file))}
    data = (published_suite(name) / "tests.jsonl.gz").read_bytes()
    plan = read_plan(data, cases, name)
    written = [json.loads(line) for line in plan_text(plan, cases)]
    expected = [without_null_criteria(row) for row in read_rows(data)]
    assert len(written) == len(expected)
    for ours, theirs in zip(written, expected, strict=True):
        assert json.dumps(ours) == json.dumps(theirs)
    assert count_requests(plan, cases) == requests


def test_rows_may_be_written_otherwise(market: dict[str, Case]) -> None:
    """Another order of fields, other spacing, a blank line, CRLF, a byte-order mark and null criteria read the same."""
    plan = plan_of(market, "negation_wrapper", "batch_solo")
    header, *rows = read_rows(write_plan(plan, market))
    for row in rows:
        for _, question in row["requests"]["variant"]:
            if question.get("type") == "noul":
                question["criteria"] = None
    lines = [json.dumps(header), "", *(json.dumps(dict(reversed(row.items())), separators=(",", ":")) for row in rows)]
    data = gzip.compress(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    again = read_plan(data, market, "plan")
    assert [list(test.trials) for test in again.tests] == [list(test.trials) for test in plan.tests]


def test_trials_are_read_when_they_are_used(market: dict[str, Case]) -> None:
    header, *rows = read_rows(write_plan(plan_of(market, "negation_wrapper"), market))
    rows[3]["requests"]["variant"][0][1] = {"@": "closed"}
    plan = read_plan(packed([header, *rows]), market, "plan")
    first, second = plan.tests
    assert len(second.trials) == 3
    assert first.trials[1].variant == 1
    check_tests([first])
    with pytest.raises(
        SuiteError, match=r'plan, line 5, requests\.variant\.open: case "market" has no question "closed"'
    ):
        check_tests(plan.tests)
    assert second.id == TestId("negation_wrapper", "market", "busy")


def header_field(field: str, value: Any) -> Callable[[Rows], None]:
    def change(rows: Rows) -> None:
        rows[0][field] = value

    return change


def row_field(field: str, value: Any) -> Callable[[Rows], None]:
    def change(rows: Rows) -> None:
        rows[1][field] = value

    return change


def request_pair(value: Any) -> Callable[[Rows], None]:
    def change(rows: Rows) -> None:
        rows[1]["requests"]["variant"][1] = value

    return change


def without(field: str) -> Callable[[Rows], None]:
    def change(rows: Rows) -> None:
        del rows[1][field]

    return change


def twice(rows: Rows) -> None:
    rows.insert(2, rows[1])


REFUSED: dict[str, tuple[Callable[[Rows], None], str]] = {
    "format 2": (header_field("format", 2), "line 1, format: found 2"),
    "format true": (header_field("format", True), "line 1, format: found true"),
    "seed as text": (header_field("seed", "0"), 'line 1, seed: found "0"'),
    "no draws": (header_field("trials", 0), "line 1, trials: found 0"),
    "relations as text": (header_field("relations", "batch_solo"), "line 1, relations: found"),
    "unknown relation": (header_field("relations", ["batch_sol"]), "line 1, relations: .*Did you mean batch_solo"),
    "relation twice": (header_field("relations", ["batch_solo"] * 2), "line 1, relations: a name stands twice"),
    "unknown case": (header_field("cases", ["fair"]), 'line 1, cases: there is no case "fair"'),
    "row of another case": (row_field("case", "fair"), 'line 2, case: the case "fair" is not in the header'),
    "row of another relation": (row_field("relation", "verbosity"), 'line 2, relation: .*"verbosity" is not in'),
    "case as a list": (row_field("case", ["market"]), "line 2, case: the case"),
    "unknown key": (row_field("key", "price"), 'line 2, key: case "market" has no question "price"'),
    "key as a number": (row_field("key", 1), "line 2, key: "),
    "negative variant": (row_field("v", -1), "line 2, v: found -1"),
    "draw true": (row_field("t", True), "line 2, t: found true"),
    "no targets": (row_field("targets", []), "line 2, targets: found"),
    "unknown target": (row_field("targets", ["price"]), 'line 2, targets: case "market" has no question "price"'),
    "requests as a list": (row_field("requests", []), "line 2, requests: found"),
    "no usual request": (row_field("requests", {}), 'line 2, requests: there is no request "variant"'),
    "empty request": (row_field("requests", {"variant": []}), "line 2, requests.variant: found"),
    "params as null": (row_field("params", None), "line 2, params: found null"),
    "no params": (without("params"), "line 2: the row has no params"),
    "a pair of three": (request_pair(["busy", {"@": "busy"}, 1]), "line 2, requests.variant: found"),
    "a key of no text": (request_pair(["", {"@": "busy"}]), "line 2, requests.variant: found"),
    "a key twice": (request_pair(["open", {"@": "open"}]), "line 2, requests.variant: a question key stands twice"),
    "reference to nothing": (request_pair(["busy", {"@": "price"}]), 'line 2, requests.variant.busy: .*"price"'),
    "reference to a list": (request_pair(["busy", {"@": ["busy"]}]), "line 2, requests.variant.busy: "),
    "type unknown": (request_pair(["busy", {"type": "rank", "instructions": "Q?"}]), "variant.busy.type: found"),
    "no instructions": (request_pair(["busy", {"type": "noul"}]), "line 2, requests.variant.busy.instructions: "),
    "one option": (
        request_pair(["busy", {"type": "choice", "instructions": "Q?", "criteria": {"a": "A"}}]),
        "line 2, requests.variant.busy.criteria: ",
    ),
    "wrong params": (row_field("params", {"negation": "x"}), "line 2: negation_wrapper cannot be measured"),
    "probe that is not asked": (row_field("params", {"negated": "x"}), "line 2: negation_wrapper cannot be measured"),
    "reduced without params": (row_field("reduced", {"targets": ["open"]}), "line 2, reduced: found"),
    "the same trial twice": (twice, "line 3: the trial stands on an earlier line"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_plan_that_is_wrong_is_refused_with_line_and_field(what: str, market: dict[str, Case]) -> None:
    change, message = REFUSED[what]
    rows = read_rows(write_plan(plan_of(market, "negation_wrapper"), market))
    change(rows)
    with pytest.raises(SuiteError, match=message) as caught:
        check_tests(read_plan(packed(rows), market, "plan").tests)
    assert re.match(r"plan, line \d", str(caught.value))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "line 1"),
        (gzip.compress(b"", mtime=0), "line 1"),
        (b"plain text", "not a whole gzip file"),
        (gzip.compress(b"{}", mtime=0)[:-4], "not a whole gzip file"),
        (gzip.compress(b'{"format": 1, "format": 1}', mtime=0), 'key "format" stands twice'),
        (gzip.compress(b"[1]", mtime=0), "line 1, format: found"),
    ],
)
def test_what_is_no_plan_file_is_refused(data: bytes, message: str, market: dict[str, Case]) -> None:
    with pytest.raises(SuiteError, match=message):
        read_plan(data, market, Path("tests.jsonl.gz"))


def test_a_plan_without_tests_is_refused(market: dict[str, Case]) -> None:
    header = {"format": 1, "seed": 0, "trials": 1, "relations": ["verbosity"], "cases": ["market"]}
    with pytest.raises(SuiteError, match="the plan has no test"):
        read_plan(packed([header]), market, "plan")


def test_a_lone_surrogate_in_a_row_is_refused_with_its_field(market: dict[str, Case]) -> None:
    rows = read_rows(write_plan(plan_of(market, "negation_wrapper"), market))
    rows[1]["requests"]["variant"][3][1]["instructions"] = "half \ud800"
    with pytest.raises(SuiteError, match=r"line 2, requests.variant\[3\]\[1\].instructions: .*surrogate"):
        check_tests(read_plan(packed(rows), market, "plan").tests)
