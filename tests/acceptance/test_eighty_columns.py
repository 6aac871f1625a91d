"""Everything that a run says of itself fits 80 columns, whatever models, cases and options are called."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pytest_jevbench.reports.text import columns

NAME = "とても長い名前のモデル-" * 6 + "a model with a very long name indeed " * 3
CASE = {
    "id": "配達の遅れ" * 20 + "-with-a-long-tail" * 5,
    "domain": "通信販売" * 15,
    "state": "荷物がまだ届いていません。" * 30,
    "questions": {
        "この苦情はどの担当者に回すべきでしょうか" * 4: {
            "type": "choice",
            "instructions": "この苦情はどの担当者に回すべきですか。" * 8,
            "criteria": {"返品係" * 15: "返品に関すること。" * 9, "配送係": "配送のこと", "x" * 90: "y" * 200},
        },
        "urgency": {"type": "score", "instructions": "How urgent is it? " * 9, "criteria": ["low " * 30, "急ぎ" * 50]},
        "angry": {"type": "noul", "instructions": "怒っていますか。"},
    },
}
WHOLE = ("ask again ", "____ ", "card: ", "cases::", "  curl ", "  pytest ", "  {")
"""What is copied as a whole: commands, node ids, requests and paths, of any length."""
MODEL = """
def answers(state, questions):
    made = {}
    for number, (key, question) in enumerate(questions.items()):
        ids = list(question.get("criteria", "x"))
        if question["type"] != "noul":
            ids = ids if question["type"] == "choice" else [str(level) for level in range(len(ids))]
            share = [len(key) + len(questions) + 7 * place for place in range(len(ids))]
            made[key] = {"type": question["type"], "probabilities": {i: s / sum(share) for i, s in zip(ids, share)}}
        else:
            made[key] = {"type": "noul", "noul": 1 / (1 + len(questions) + number)}
    return made

return answers
"""

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(
    run_jevbench: Run, conftest_model: Callable[[str], None], pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Runs the cases on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    conftest_model(MODEL)
    (pytester.path / "cases.json").write_text(json.dumps([CASE], ensure_ascii=False), encoding="utf-8")

    def typed(*words: str) -> pytest.RunResult:
        name = f"--jevbench-name={NAME}"
        return run_jevbench("--jevbench-cases=cases.json", name, "--jevbench-store=off", "--jevbench-min-n=1", *words)

    return typed


def assert_fits(result: pytest.RunResult) -> int:
    """Every line from the first of ours on; gives their number."""
    lines = result.outlines
    ours = lines[next(i for i, line in enumerate(lines) if "= jevbench" in line) :]
    wide = [line for line in ours if columns(line) > 80 and not line.startswith(WHOLE)]
    assert wide == []
    head = [line for line in lines if line.startswith("jevbench: ")]
    assert head
    return len(ours)


@pytest.mark.slow
def test_the_end_of_a_run(run: Run) -> None:
    first = run("--jevbench-fail-on=never", "--jevbench-card=base.json")
    assert assert_fits(first) > 60
    assert any("モデル" in line for line in first.outlines)
    compared = run(
        "-vv", "--jevbench-baseline=base.json", "--jevbench-require=max_drop.overall=0.02", "--jevbench-domains-table",
        "--jevbench-minimize=1", "--jevbench-minimize-requests=20", "-p", "no:terminalprogress",
    )  # fmt: skip
    assert assert_fits(compared) > 200
