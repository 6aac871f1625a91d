"""The dimension JUDGE: beside the scores and in none of them, and gated and compared by its names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from pytest_jevbench import evaluate, from_callable, reference, scoring
from pytest_jevbench.cli import main
from pytest_jevbench.relations.judge_laws import JUDGE_LAWS
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from pytest_jevbench.scoring.scores import score
from tests.judges.honest_judge import first_option
from tests.scoring.by_hand import FIVE, held_and_violated

SCHEMA = Path(scoring.__file__).parent / "card.schema.json"
JUDGES = {name: law.group for name, law in JUDGE_LAWS.items()}
Gate = Callable[..., int]


def test_judge_laws_change_no_coherence_score() -> None:
    coherence = [result for name in FIVE for result in held_and_violated(name, 7, 3)]
    biased = [result for name in JUDGES for result in held_and_violated(name, 2, 8)]
    groups, settings = {**FIVE, **JUDGES}, ScoreSettings(bootstrap=200)

    def scored(results: list[TestResult]):  # type: ignore[no-untyped-def]
        domains = {result.id.case_id: "d" for result in results}
        return score(results, Counter(result.id.relation for result in results), groups, settings, domains=domains)

    without, beside = scored(coherence), scored([*coherence, *biased])
    assert beside.overall == without.overall
    assert beside.overall.score == pytest.approx(0.7)
    assert beside.dimensions == without.dimensions
    assert beside.cases == without.cases
    assert "JUDGE" not in {mean.name for mean in beside.dimensions}
    judge = beside.mean("JUDGE")
    assert judge is not None
    assert (judge.score, judge.tests) == (pytest.approx(0.2), 70)
    assert without.mean("JUDGE") is None or without.mean("JUDGE").score is None
    (alone,), (both,) = without.domains, beside.domains
    assert (both.overall, both.tests, both.violated) == (alone.overall, alone.tests, alone.violated)
    assert alone.judge is None
    assert both.judge is not None
    assert both.judge.score == pytest.approx(0.2)


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cards of a uniform judge and of one that names the first option, which keeps five of the seven laws."""
    folder = tmp_path_factory.mktemp("cards")
    evaluate(reference("uniform"), "jevbench-judges", name="uniform", progress=False).save(folder / "uniform.json")
    evaluate(from_callable(first_option), "jevbench-judges", name="first", progress=False).save(folder / "first.json")
    return folder


@pytest.fixture
def gate(cards: Path) -> Gate:
    def decide(*required: str, card: str = "first", baseline: str = "") -> int:
        options = [option for one in required for option in ("--require", one)]
        against = ["--baseline", str(cards / f"{baseline}.json")] if baseline else []
        return main(["card", "gate", str(cards / f"{card}.json"), *options, *against])

    return decide


@pytest.mark.parametrize(
    ("required", "status"),
    [
        ("min.JUDGE=0.714", 0),  # 5 of 7
        ("min.JUDGE=0.715", 1),
        ("min.JUDGE.bias=0.7", 0),
        ("min.judge_markup=1", 0),
        ("min.judge_swapped_order=0.01", 1),
        ("max_violations=120", 0),  # 2 laws, 60 pairs
        ("max_violations.JUDGE=119", 1),
        ("max_violation_rate.judge_scale_reversed=0.99", 1),
        ("min.judge_markdown=0.5", 2),
        ("min.overall=0.1", 16),  # it has none
    ],
)
def test_judges_are_gated_by_their_names(required: str, status: int, gate: Gate) -> None:
    assert gate(required) == status


def test_a_drop_of_judges_is_found_against_a_baseline(gate: Gate, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate("no_significant_drop=0.05", baseline="uniform") == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "not met: no_significant_drop JUDGE" in told
    assert "change -0.2857" in told  # 2 of 7
    assert "60 of 60 cases changed" in told
    assert gate("no_significant_drop=0.05", card="uniform", baseline="first") == 0
    assert gate("max_drop.JUDGE=0.2", baseline="uniform") == 1
    assert gate("max_drop.JUDGE=0.3", baseline="uniform") == 0
    assert gate("max_new_violations=119", baseline="uniform") == 1


def test_reports_show_judges_and_no_empty_dimensions(cards: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, uniform = str(cards / "first.json"), str(cards / "uniform.json")

    def printed(*command: str) -> str:
        main([*command])
        return capsys.readouterr().out

    shown = {
        "alone": printed("card", "report", first),
        "by rubric": printed("card", "report", first, "--level", "domain"),
        "side by side": printed("card", "report", first, uniform),
        "compared": printed("card", "compare", uniform, first),
    }
    for how, text in shown.items():
        assert "judge bias" in text, how
        assert "Representation" not in text, how
        assert "71.4" in text, how
        assert max(map(len, text.splitlines())) <= 80, how
    assert "the winner changes with the order     100.0  [ 94.0, 100.0]     60" in shown["alone"]
    assert sum("  71.4  [" in line for line in shown["by rubric"].splitlines()) == 11  # ten rubrics and all
    assert printed("card", "gate", first, "--require", "min.JUDGE=0.9", "--markdown", str(cards / "m.md"))
    markdown = (cards / "m.md").read_text(encoding="utf-8")
    assert "| judge bias | 71.4 " in markdown
    assert "| `judge_swapped_order` | " in markdown
    assert "| overall |" not in markdown
    explained = printed("explain", "sql-count::judge_swapped_order-better", "--card", first)
    assert "judge_swapped_order, a law of judges (JUDGE.bias)" in explained


def test_a_card_of_judges_fits_the_schema_and_has_its_means_by_domain(cards: Path) -> None:
    card = json.loads((cards / "first.json").read_text(encoding="utf-8"))
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(card)
    domains = card["scores"]["domains"]
    assert [domain["judge"]["score"] for domain in domains] == pytest.approx([5 / 7] * 10)
    assert {domain["tests"] for domain in domains} == {0}
    card["judge_gains"]["judge_markup"]["sql-count"] = 1.5
    assert not jsonschema.Draft202012Validator(schema).is_valid(card)


def test_a_board_ranks_no_judges_and_says_so(cards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", str(cards / "first.json"), str(cards / "uniform.json"), "-o", str(tmp_path / "b")]) == 2
    assert "jevbench-judges: no dimension is tested" in capsys.readouterr().err
    assert not (tmp_path / "b").exists()
