"""The card's section and its lines, from reductions of models known by hand."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.errors import Place
from pytest_jevbench.json_text import dumps, loads
from pytest_jevbench.questions import Request, Threshold, case_from_json
from pytest_jevbench.reports.minimized import minimized_text
from pytest_jevbench.rewrite_bank import RewriteBank, rewrite_from_json
from pytest_jevbench.shrinking.curl import CurlTarget, curl_command
from pytest_jevbench.shrinking.reduce import Reduced, reduce_tests
from pytest_jevbench.shrinking.section import case_json, merged_json, minimized_json, rewrites_json
from pytest_jevbench.suite_loading import suite_of_cases
from tests.shrinking.models import PARCEL, model, planned, verdict


def rule(request: Request, key: str) -> float:
    """The negation of ``broken`` beside ``wet``, that of ``late`` always; ``wet`` where it is asked alone."""
    alone = list(request.questions) == ["wet"]
    return float(("broken__neg" in key and "wet" in request.questions) or "late__neg" in key or alone)


def reduced(*tests: tuple[str, str], **kwargs: object) -> Reduced:
    ask = model(rule)
    plans = {test.id: test for test in (planned(*test) for test in tests)}
    results = [verdict(test, PARCEL, ask) for test in plans.values()]
    return reduce_tests(results, results, plans, {"parcel": PARCEL}, ask, **kwargs)  # type: ignore[arg-type]


THREE = (("negation_wrapper", "broken"), ("negation_wrapper", "late"), ("batch_solo", "wet"))


def test_the_share_that_persists_counts_what_was_asked_without_the_batch() -> None:
    section = minimized_json(reduced(*THREE), lambda request: None, lambda request: None)
    assert section["without_batch"] == {
        "share": 0.5,
        "reason": "",
        "persist": 1,
        "judged": 2,
        "no_such_form": 1,
        "not_judged": 0,
    }
    assert [test["without_batch"] for test in section["tests"]] == ["gone", "persists", "no_such_form"]  # type: ignore
    assert (section["violated"], section["chosen"], section["stopped"]) == (3, 3, "")


def test_a_share_of_nothing_is_none_with_a_reason() -> None:
    section = minimized_json(reduced(("batch_solo", "wet")), lambda request: None, lambda request: None)
    assert section["without_batch"]["share"] is None  # type: ignore[index,call-overload]
    assert section["without_batch"]["reason"]  # type: ignore[index,call-overload]
    assert any("persist without the batch: -" in line for line in minimized_text(section, "s"))


def test_two_requests_are_enough_to_know_what_persists() -> None:
    section = minimized_json(reduced(*THREE[:2], requests=2), lambda request: None, lambda request: None)
    assert section["without_batch"]["share"] in (0.5, 1.0)  # type: ignore[index,call-overload]
    assert section["without_batch"]["persist"] == 1  # type: ignore[index,call-overload]


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), RuntimeError("own law")])
def test_what_was_reached_outlives_an_end(problem: BaseException) -> None:
    ask = model(rule)

    def ending(request: Request) -> object:
        if "late__negated" in request.questions and "wet" not in request.questions:
            raise problem
        return ask(request)

    plans = {test.id: test for test in (planned(*test) for test in THREE[:2])}
    results = [verdict(test, PARCEL, ask) for test in plans.values()]
    found = reduce_tests(results, results, plans, {"parcel": PARCEL}, ending)  # type: ignore[arg-type]
    assert (len(found.tests), found.chosen) == (1, 2)
    assert found.stopped == ("interrupted" if isinstance(problem, KeyboardInterrupt) else "RuntimeError: own law")


def test_nothing_is_asked_of_a_model_in_trouble() -> None:
    found = reduced(*THREE, trouble=lambda: "the model is down")
    assert (found.tests, found.chosen, found.stopped) == ((), 3, "the model is down")


def test_sections_of_shards_are_one_after_the_other() -> None:
    whole = minimized_json(reduced(*THREE), lambda request: None, lambda request: None)
    parts = [minimized_json(reduced(test), lambda request: None, lambda request: None) for test in THREE]
    assert merged_json(parts) == whole


def test_the_lines_tell_sizes_deviations_requests_and_the_case_to_keep(tmp_path: Path) -> None:
    answers = {"late": {"type": "noul", "noul": 0.5}}
    section = minimized_json(reduced(THREE[1]), lambda request: answers, lambda request: "curl SOMEWHERE")
    lines = list(minimized_text(section, "suite", full=True, options="--jevbench-url=http://h"))
    assert lines[0] == "suite::parcel::negation_wrapper-late"
    assert lines[1].startswith("  questions 5 -> 1, options 9 -> 0, characters ")
    assert lines[2] == "  deviation 0.5000 -> 0.5000, allowed 0.05"
    assert lines[3].startswith("  nothing more can be left out (")
    assert " ".join(" ".join(lines[3:5]).split()).endswith("; persists without the rest of the batch")
    assert lines.count("  curl SOMEWHERE") == 2
    [command] = [line for line in lines if line.startswith("  pytest ")]
    assert command.endswith(" --jevbench-url=http://h")
    [kept] = [line.strip() for line in lines if line.startswith('  {"id"')]
    (tmp_path / "cases.jsonl").write_text(kept, encoding="utf-8")
    suite = suite_of_cases(tmp_path / "cases.jsonl")
    words = shlex.split(command)
    assert words[1].startswith(f"regressions::{next(iter(suite.cases))}::")
    assert ("negation_wrapper", "late") in {(test.id.relation, test.id.key) for test in suite.plan.tests}
    assert not [line for line in minimized_text(section, "suite") if "curl" in line]


def test_a_case_is_read_again_as_it_was() -> None:
    groupings = {"wish": ({"things": ("cup", "box"), "rest": ("money", "word", "no")},)}
    case = replace(
        PARCEL, domain="d", thresholds=(Threshold("boxes", 4),), hierarchies=groupings, metadata={"by": "Bo"}
    )
    read = case_from_json(loads(dumps(case_json(case))), Place())
    assert read == case
    assert list(read.questions) == list(case.questions)
    assert case_from_json(case_json(PARCEL), Place()) == PARCEL


def test_rewrites_are_read_again_as_they_were() -> None:
    bank = RewriteBank({("paraphrase", "a?"): ("b?", "c?"), ("translate:de", "{}"): ('{"instructions": "x"}',)})
    rows = [rewrite_from_json(loads(dumps(row)), Place()) for row in rewrites_json(bank)]
    assert RewriteBank.of(rows) == bank


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_a_shell_reads_the_body_whatever_is_in_it(state: str) -> None:
    body = json.dumps({"state": state})
    words = shlex.split(curl_command(CurlTarget("$JEVBENCH_URL", "KEY"), body))
    assert words[-2:] == ["--data-raw", body]
    assert words[2] == "$JEVBENCH_URL"
    assert "Authorization: Bearer $KEY" in words
