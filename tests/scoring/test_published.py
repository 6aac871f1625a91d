"""The published report layout, with the published package as the judge of it."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.scoring.card import build_card, read_card, write_card
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.published import published_report, rescued_by_slack, write_published
from tests.scoring.by_hand import FIVE, facts_for, judged, outcome, unjudged
from tests.scoring.published_tool import assert_scores_agree, published_scores, published_table

Reports = Callable[[str, str], Path]

SUITES = [
    ("fake:biased", "jevbench-mini"),
    pytest.param("fake:coherent", "jevbench-mini", marks=pytest.mark.slow),
    pytest.param("fake:biased", "jevbench-240", marks=pytest.mark.slow),
    pytest.param("fake:coherent", "jevbench-240", marks=pytest.mark.slow),
]


@pytest.fixture(scope="session")
def mini(published_report: Reports) -> Path:
    return published_report("fake:biased", "jevbench-mini")


@pytest.fixture(scope="session")
def mini_value(mini: Path) -> dict[str, Any]:
    return json.loads(mini.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def saved(folder: Path, value: dict[str, Any]) -> Path:
    path = folder / "report.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def without_slack(card: Card, **settings: Any) -> Card:
    return card.rescored(replace(card.settings, slack=0.0, bootstrap=0, **settings))


# Theirs, scored here -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "suite"), SUITES)
def test_scores_of_their_report_are_theirs(model: str, suite: str, published_report: Reports) -> None:
    path = published_report(model, suite)
    theirs = json.loads(path.read_text(encoding="utf-8"))["scores"]
    assert_scores_agree(without_slack(read_card(path)).scores, theirs)


@pytest.mark.parametrize(
    "options", [{"min_n": 25}, {"min_n": 1}, {"tolerance": 0.1}, {"tolerance": 0.0}, {"tolerance": 1.0}]
)
def test_other_settings_give_their_scores(options: dict[str, Any], mini: Path) -> None:
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    assert_scores_agree(without_slack(read_card(mini), **options).scores, published_scores(mini, *words))


def test_our_interval_is_theirs_within_monte_carlo_error(mini: Path, mini_value: dict[str, Any]) -> None:
    scores = read_card(mini).scores
    for name, interval in (("overall", scores.overall.interval), ("graded_overall", scores.overall.graded_interval)):
        low, high = mini_value["scores"]["ci"][name]
        assert interval is not None
        # The standard error of a 2.5 % quantile of 1,000 draws is about a twelfth of the half width.
        error = (high - low) / 2 / 12
        assert interval.low == pytest.approx(low, abs=4 * error)
        assert interval.high == pytest.approx(high, abs=4 * error)


def test_domain_scores_are_theirs(mini: Path) -> None:
    printed = published_table(mini, "--level", "domain", "--min-n", "2")
    for domain in without_slack(read_card(mini), min_n=2).scores.domains:
        row = next(line.split() for line in printed.splitlines() if line.split()[:1] == [domain.name])
        scores = [domain.overall, *domain.dimensions]
        shown = [float(word) for word in row[1:] if word.replace(".", "").isdecimal()]
        assert shown == pytest.approx([100 * mean.score for mean in scores if mean.score is not None], abs=0.0500001)


@pytest.mark.parametrize("count", [1, 2, 24])
def test_tests_that_were_not_judged_cost_what_they_cost_there(
    count: int, mini_value: dict[str, Any], tmp_path: Path
) -> None:
    value = copy.deepcopy(mini_value)
    outcomes = value["result"]["outcomes"]
    gone = [o["trial_id"] for o in outcomes if o["relation"] == "de_morgan"][:count]
    value["result"]["outcomes"] = [o for o in outcomes if o["trial_id"] not in gone]
    case, relation, target = gone[0].split(":")[1], "de_morgan", gone[0].split(":")[2]
    value["result"]["errors"] = [
        {"case": case, "relation": relation, "target": target, "error": "AnswerFormatError('no')"}
    ]
    path = saved(tmp_path, value)
    card = read_card(path)
    assert_scores_agree(without_slack(card).scores, published_scores(path))
    counts = card.data["counts"]
    assert (counts["planned"], counts["judged"], counts["unjudged"]["invalid"], counts["unlisted"]) == (
        1200,
        1200 - count,
        1,
        count - 1,
    )


def test_one_case_suites(published_report: Reports) -> None:
    path = published_report("fake:biased", "examples")
    card = read_card(path)
    assert_scores_agree(without_slack(card).scores, published_scores(path, "--min-n", "1"))
    assert card.scores.overall.interval is None


def test_deviation_figures_of_their_card(mini: Path) -> None:
    """Their printed card: violation rate, mean deviation and flips of each relation, over outcomes."""
    printed = published_table(mini, "--card").splitlines()
    for row in without_slack(read_card(mini)).scores.relations:
        found = next(line for line in printed if f"{row.name} / " in line).split("/ ")[1].split()
        assert row.deviations is not None
        assert int(found[1]) == row.outcomes
        assert float(found[-3]) == pytest.approx(row.deviations.mean, abs=0.00050001)
        flips = None if found[-2] == "-" else float(found[-2])
        assert (flips is None) == (row.flip_rate is None)
        assert flips is None or flips == pytest.approx(100 * (row.flip_rate or 0.0), abs=0.50001)


# Ours, scored there --------------------------------------------------------------------------------------------------


def test_a_report_read_and_written_scores_the_same_there(mini: Path, tmp_path: Path) -> None:
    card = read_card(mini)
    out = tmp_path / "exported.json.gz"
    written = write_published(out, card)
    assert (written.tests, written.rescued) == (1200, rescued_by_slack(card))
    assert_scores_agree(without_slack(card).scores, published_scores(out))
    assert published_table(out, "--card").count("\n") > 50
    again = read_card(out)
    assert again.results == card.results
    assert again.data["sources"] == card.data["sources"]


def test_an_exported_card_of_ours_loads_there(tmp_path: Path) -> None:
    results = [
        judged(
            name, f"case:{i}", outcome(0.05 + 1e-12 if i == 0 else 0.6 * (i == 1), key="q1", variant=i % 3), key="q1"
        )
        for name in FIVE
        for i in range(6)
    ]
    results += [
        judged("key_rename", "case:9", None, key="q1"),
        unjudged("pairwise_iia", "case:9", message="HTTP 400: no"),
    ]
    facts = facts_for(
        results, {f"case:{i}": "shop" for i in range(10)}, sources={"case:0": {"q1": {"false": 0.4, "true": 0.6}}}
    )
    path = tmp_path / "card.json"
    write_card(path, build_card(facts, results))
    card = read_card(path)
    out = tmp_path / "exported.json"
    assert write_published(out, card).rescued == 5
    theirs = published_scores(out)
    assert_scores_agree(without_slack(card).scores, theirs)
    assert theirs["checks"]["batch_solo/tv"]["score"] == pytest.approx(4 / 6)
    assert card.scores.relation("batch_solo").score == pytest.approx(5 / 6)  # type: ignore[union-attr]
    assert theirs["incomplete"] == ["pairwise_iia"]
    settings = json.loads(out.read_text(encoding="utf-8"))["settings"]
    assert set(settings) == {"tolerance", "min_n", "bootstrap", "min_coverage"}
    assert read_card(out).scores.relation("key_rename").deviations.not_finite == 1  # type: ignore[union-attr]


def test_the_scores_we_write_are_those_they_compute(mini: Path, tmp_path: Path) -> None:
    written = published_report(read_card(mini))
    path = saved(tmp_path, written)
    theirs = published_scores(path)
    for name in ("overall", "pillars", "groups", "relations"):
        assert written["scores"][name] == pytest.approx(theirs[name], abs=1e-12)
        assert written["scores"]["graded"][name] == pytest.approx(theirs["graded"][name], abs=1e-12)
    for name in ("n_cases", "n_checks", "n_outcomes", "incomplete", "min_n", "tolerance"):
        assert written["scores"][name] == theirs[name]


def test_two_exports_are_equal_bytes(mini: Path, tmp_path: Path) -> None:
    card = read_card(mini)
    for name in ("a.json.gz", "b.json.gz"):
        write_published(tmp_path / name, card)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()


# What is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        (("jevbench_report",), 2, "found 2"),
        (("result",), [], "result: found []"),
        (("result", "outcomes", 0, "deviation"), "0.1", 'result.outcomes[0].deviation: found "0.1"'),
        (("result", "outcomes", 0, "trial_id"), "x:y", "trial_id"),
        (("result", "outcomes", 0, "tolerance_kind"), "other", "one of noise, own"),
        (("result", "planned_tests"), {"tv": -1}, "an integer of at least 0"),
        (("settings",), {"min_n": "5"}, "settings.min_n"),
    ],
)
def test_a_wrong_field_is_named(
    field: tuple[str | int, ...], value: object, said: str, mini_value: dict[str, Any], tmp_path: Path
) -> None:
    report = copy.deepcopy(mini_value)
    inside: Any = report
    for step in field[:-1]:
        inside = inside[step]
    inside[field[-1]] = value
    with pytest.raises(InputError, match=r"report\.json") as raised:
        read_card(saved(tmp_path, report))
    assert said in str(raised.value)


def test_a_damaged_gzip_file_is_refused(mini: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.json.gz"
    path.write_bytes(gzip.compress(mini.read_bytes())[:-200])
    with pytest.raises(InputError, match="gzip data is damaged"):
        read_card(path)
