"""The summary of a CI job: what a person reads first, and every number in it."""

from __future__ import annotations

import re

import pytest

from pytest_jevbench.reports.markdown import Files, job_summary
from pytest_jevbench.scoring.card import AskingFacts, SuiteFacts
from pytest_jevbench.scoring.compared_cards import compare_with
from tests.reports.cards import card, results
from tests.reports.compared import BASELINE, WORSE, gated, run_of, told
from tests.reports.test_markdown_text import HOSTILE, Page
from tests.scoring.by_hand import judged, unjudged

FILES = Files("card.json", "baseline.json")


def rows(summary: str, title: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    below = summary.partition(f"### {title}")[2]
    lines = [line for line in below.partition("\n### ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_a_failed_gate_says_what_failed_before_anything_else() -> None:
    before, now = run_of(BASELINE), run_of(WORSE)
    gate = gated(now, "max_new_violations=3", "min.overall=0.5", baseline=before)
    summary = job_summary(now, gate=gate, compared=compare_with(now, before, draws=200), files=FILES)
    first, _, second, _, third, *_ = summary.splitlines()
    assert first == "## ❌ Coherence gate failed: m on made-up"
    # (100 + 100 + 80 + 90 + 100) / 5 = 94; option_clone falls to 30
    assert second.startswith("Overall 94.0 in the baseline, **84.0 now: -10.0 points** [-")
    assert second.endswith("]; 6 new violations, 2 known, 1 fixed.")
    assert third == "- Not met: max_new_violations"


def test_the_table_of_scores_has_change_interval_and_p() -> None:
    before, now = run_of(BASELINE), run_of(WORSE)
    summary = job_summary(now, compared=compare_with(now, before, draws=200))
    overall, rep, _, mea, log, _ = rows(summary, "Scores")
    name, shown, was, change, p, tests, uniform = mea
    assert (name, was, tests, uniform) == ("MEA  Probability measure coherence", "80.0", "10", "100.0")
    assert re.fullmatch(r"30\.0 \[\d+\.\d, \d+\.\d\]", shown)
    assert re.fullmatch(r"-50\.0 \[-\d+\.\d, [-+]\d+\.\d\]", change)
    # 7 of 10 cases changed, 6 for the worse: (1 + 7) / 2^7 alone, the overall's the same and first among six
    assert float(p) == pytest.approx(min(1, 6 * 8 / 128), abs=1e-4)
    assert (rep[3], rep[4]) == ("0.0 [0.0, 0.0]", "1")
    assert log[1].startswith("90.0 ")
    assert "recorded 2026-03-04" in summary
    assert overall[0] == "overall"


def test_laws_broken_more_often_are_named_with_an_exact_p_of_their_own() -> None:
    before, now = run_of(BASELINE), run_of([*WORSE, ("key_rename", 3)])
    summary = job_summary(now, compared=compare_with(now, before, draws=200))
    found = rows(summary, "2 laws are broken more often than in the baseline")
    assert [row[0] for row in found] == ["`option_clone`", "`key_rename`"]
    clone = found[0]
    assert "clone" in clone[1] or "option" in clone[1].lower()
    assert clone[2:] == ["6", "1", "7 of 10", "0.0625"]  # binomial: P(at least 6 of 7) = 8 / 128
    assert found[1][2:] == ["1", "0", "1 of 10", "0.5000"]


def test_nothing_broken_is_said_too() -> None:
    now = run_of(BASELINE)
    summary = job_summary(now, compared=compare_with(now, run_of(WORSE), draws=200))
    assert "\n\nNo law is broken more often than in the baseline.\n\n" in summary
    assert "+10.0 points" in summary


def test_a_passed_gate_is_short_and_says_how_to_go_on() -> None:
    now = run_of(BASELINE)
    gate = gated(now, "min.overall=0.9", "max_new_violations=0", baseline=now)
    summary = job_summary(now, gate=gate, compared=compare_with(now, now, draws=200), files=FILES)
    assert summary.startswith("## ✅ Coherence gate passed: m on made-up\n")
    assert "All 2 conditions hold." in summary
    assert "`pytest-jevbench card promote card.json baseline.json`" in summary
    assert "### Conditions" not in summary
    assert "The 2 conditions of the gate</summary>" in summary


def test_an_incomplete_run_names_what_is_missing_in_the_servers_words() -> None:
    found = [*results(), unjudged("key_rename", "c77", "unreachable", "HTTP 500 <b>down</b> `now`")]
    now = card(found)
    gate = gated(now, "min.overall=0.1")
    summary = job_summary(now, gate=gate)
    assert summary.startswith("## ⚠️ Coherence gate incomplete: ")
    assert "- Incomplete: 1 of 51 planned tests not judged (unreachable 1)" in summary
    assert "1 not judged (1 unreachable)" in summary
    assert "- 1 unreachable: `` HTTP 500 <b>down</b> `now` ``" in summary
    assert "Nothing is decided" in summary
    ungated = job_summary(now)
    assert ungated.startswith("## ⚠️ Incomplete, 1 of 51 tests not judged: ")


def test_without_a_gate_it_is_a_measurement() -> None:
    summary = job_summary(card(gold=True), files=Files("card.json"))
    assert summary.startswith("## 15 of 50 coherence tests violated: m on made-up\n\nNo gate was asked for")
    assert rows(summary, "Scores")[0][:2] == ["overall", "70.0"]
    assert [row[0] for row in rows(summary, "Laws broken: 5, the most often broken first")] == [
        "`pairwise_iia`",
        "`count_upper`",
        "`option_clone`",
        "`batch_solo`",
        "`key_rename`",
    ]
    assert "- Accuracy on 8 gold answers: 75.0" in summary
    one = card([judged("option_clone", "c0", 0.525)], asking=AskingFacts(requests=1, hits=1))
    assert "\n- 1 test planned on 1 case: 0 held, 1 violated, 0 not judged\n" in job_summary(one)
    assert "\n- 1 request sent, 1 answer reused, 0 s\n" in job_summary(one)
    assert "### Laws broken: 1\n" in job_summary(one)
    held = job_summary(card(results(key_rename=0)))
    assert held.startswith("## ✅ All 50 coherence tests held")
    assert "Laws broken" not in held


def test_a_baseline_of_another_suite_or_other_settings_is_no_silent_comparison() -> None:
    now = run_of(WORSE)
    other = run_of(BASELINE, suite=SuiteFacts("other", version="1"))
    summary = job_summary(now, compared=compare_with(now, other))
    assert "The baseline is of another suite" in summary
    assert "against" not in summary.partition("### Counts")[2]
    assert "| baseline |" not in summary


def test_violations_are_told_in_full_inside_a_fence_and_long_ones_are_cut() -> None:
    now = run_of(WORSE)
    lines = [f"line {i}" for i in range(300)]
    summary = job_summary(
        now, worst=[told("option_clone", "c2", lines), told("option_clone", "c|3", ["```", "</pre> | x"])]
    )
    assert "`option_clone` on case `c2`, question `q`" in summary
    assert "... 241 lines more ..." in summary
    assert "line 299" in summary
    assert "````text\n```\n</pre> | x\n````" in summary
    assert "- Ask the worst one again: `pytest made-up::c2::option_clone-q`" in summary


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_or_message_can_change_the_page(text: str) -> None:
    def summary(name: str) -> Page:
        found = [*results(), unjudged("key_rename", "c77", "refused", name)]
        now = card(found, name=name, suite=SuiteFacts(name, version="1"), stopped=name)
        hostile = [told("key_rename", name, [name])]
        page = job_summary(now, gate=gated(now, "min.overall=0.1"), worst=hostile, files=Files(name, name))
        return Page(page.replace("\r", ""), "h2")

    calm, found = summary("calm"), summary(text)
    assert found.tags == calm.tags
    assert len(found.texts) == 1
