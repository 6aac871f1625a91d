"""Runs of models that are no System One servers: asked in their dialect, kept apart, marked where verbalised."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.models.dialect_names import ALL_DIALECTS
from pytest_jevbench.plugin.options import DIALECTS
from tests.servers import dialects
from tests.servers.scripted import ScriptedServer, Step

Run = Callable[..., pytest.RunResult]
SUITE = ("--jevbench-suite=jevbench-examples", "--jevbench-fail-on=never")
CHAT = ("--jevbench-dialect=openai", "--jevbench-model=talker")


@pytest.fixture
def run_jevbench(run_here: Run) -> Run:
    return run_here


def test_every_dialect_is_a_choice() -> None:
    assert DIALECTS == ALL_DIALECTS


@pytest.fixture
def chat_server() -> Iterator[ScriptedServer]:
    with ScriptedServer([dialects.chat()]) as server:
        yield server


def card_of(pytester: pytest.Pytester) -> Any:
    return json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))


def scores_of(card: Any) -> Any:
    return [(row["name"], row["score"], row["judged"]) for row in card["relations"]]


@pytest.mark.parametrize(
    ("dialect", "step"),
    [
        ("list", dialects.list_form()),
        ("decisions", dialects.decisions()),
        ("openai-decisions", dialects.openai_decisions()),
    ],
    ids=["list", "decisions", "openai-decisions"],
)
def test_a_suite_is_run_in_every_dialect(
    run_jevbench: Run, pytester: pytest.Pytester, dialect: str, step: Step
) -> None:
    """Every server gives the same answers, and so every card has the same scores."""
    with ScriptedServer([step]) as server:
        result = run_jevbench(
            *SUITE, "--jevbench-store=off", f"--jevbench-url={server.url}", f"--jevbench-dialect={dialect}"
        )
    assert result.ret == 0
    card = card_of(pytester)
    assert card["identity"]["model"]["dialect"] == dialect
    assert card["counts"]["judged"] == 50
    assert {row["score"] for row in card["relations"] if row["group"].startswith("CHO")} == {1.0}
    assert card["counts"]["violated"] == 14
    assert len(server.asked) == card["run"]["requests"]


def test_verbalised_scores_are_marked_everywhere(
    run_jevbench: Run, pytester: pytest.Pytester, chat_server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    result = run_jevbench(
        *SUITE, *CHAT, f"--jevbench-url={chat_server.url}", "--jevbench-badge=badge.json", "--jevbench-markdown=job.md"
    )
    result.stdout.fnmatch_lines(
        [
            f"*model by url *: {chat_server.url}/v1/chat/completions, dialect openai: verbalised probabilities",
            "talker (verbalised) · jevbench-examples",
            "[*] The probabilities are verbalised: a chat model wrote them down as numbers",
        ]
    )
    card = card_of(pytester)
    details = card["identity"]["model"]["details"]
    assert card["identity"]["model"]["dialect"] == "openai"
    assert (card["counts"]["judged"], card["counts"]["violated"]) == (50, 14)
    assert (details["probs_source"], details["request_options"]) == ("verbalised", '{"temperature":0}')
    assert "verbalised" in [flag["name"] for flag in card["flags"]]
    assert json.loads((pytester.path / "badge.json").read_text(encoding="utf-8"))["label"] == "coherence (verbalised)"
    assert "talker (verbalised) on jevbench-examples" in (pytester.path / "job.md").read_text(encoding="utf-8")
    assert run_jevbench(*SUITE, "--jevbench-reference=uniform", "--jevbench-card=uniform.json").ret == 0
    capsys.readouterr()
    told = {name: told_by(capsys, name, pytester.path) for name in COMMANDS}
    assert told["report"].startswith("talker (verbalised) · jevbench-examples")
    assert "talker" in told["side by side"].splitlines()[0]
    assert "verbalised" in told["side by side"].splitlines()[1]
    assert told["gate"].startswith("The probabilities of talker (verbalised) were written down by a chat model.")
    assert json.loads((pytester.path / "out.json").read_text(encoding="utf-8"))["name"] == "talker (verbalised)"
    assert told["compare"].startswith("talker (verbalised) · jevbench-examples, against uniform")
    assert "This run's probabilities are verbalised, written down by a chat model" in told["compare"]


COMMANDS = {
    "report": "report CARD",
    "side by side": "report CARD CARD",
    "gate": "gate CARD --require min.overall=0.5",
    "published": "report CARD --published FOLDER/out.json",
    "compare": "compare FOLDER/uniform.json CARD",
}


def told_by(capsys: pytest.CaptureFixture[str], what: str, folder: Path) -> str:
    words = COMMANDS[what].replace("CARD", str(folder / "jevbench-card.json")).replace("FOLDER", str(folder)).split()
    assert main(["card", *words]) == 0
    return capsys.readouterr().out


def test_stored_answers_are_of_one_dialect_and_its_options(
    run_jevbench: Run, pytester: pytest.Pytester, chat_server: ScriptedServer
) -> None:
    where = (*SUITE, *CHAT, f"--jevbench-url={chat_server.url}")
    warmer = '--jevbench-request-options={"temperature": 1}'
    asked = []
    for options in ((), (warmer,), (warmer,)):
        assert run_jevbench(*where, *options).ret == 0
        asked.append(len(chat_server.asked))
    first = asked[0]
    assert first > 40
    # a run on stored answers asks one request again, to see whether it is still the same model
    assert asked == [first, 2 * first, 2 * first + 1]
    assert card_of(pytester)["identity"]["model"]["details"]["request_options"] == '{"temperature":1}'
    offline = ("--jevbench-offline", "--jevbench-url=http://127.0.0.1:1")
    assert run_jevbench(*SUITE, *CHAT, *offline, warmer).ret == 0
    other = run_jevbench(*SUITE, *offline, "--jevbench-dialect=list", "--jevbench-model=talker")
    assert other.ret == 17
    assert "no answer to any of the suite's cases is stored" in other.stdout.str() + other.stderr.str()


def test_two_workers_and_ini_keys_give_the_same_card(
    run_jevbench: Run, pytester: pytest.Pytester, chat_server: ScriptedServer
) -> None:
    serial = run_jevbench(*SUITE, *CHAT, f"--jevbench-url={chat_server.url}", "--jevbench-store=off")
    assert serial.ret == 0
    one = card_of(pytester)
    pytester.makeini(
        f"[pytest]\njevbench_dialect = openai\njevbench_model = talker\njevbench_url = {chat_server.url}\n"
        'jevbench_request_options = {"temperature": 0}\n'
    )
    assert run_jevbench(*SUITE, "-n2", "--jevbench-store=off").ret == 0
    other = card_of(pytester)
    reference = run_jevbench(*SUITE, "--jevbench-reference=uniform")  # the ini keys are about the ini key's server
    assert reference.ret == 0
    assert {**one, "run": None} == {**other, "run": None}


def test_a_budget_without_a_limit_is_refused_before_anything_is_asked(
    run_jevbench: Run, chat_server: ScriptedServer
) -> None:
    budget = ("--jevbench-max-usd=1", "--jevbench-price-in=1", "--jevbench-price-out=1")
    result = run_jevbench(*SUITE, f"--jevbench-url={chat_server.url}", *CHAT, *budget)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*needs a limit for what a chat model writes*max_completion_tokens*"])
    assert chat_server.asked == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dialect", "openrouter"], "invalid choice: 'openrouter'"),
        (["--dialect", "openai", "--request-options", "7"], "--request-options: found 7. Give a JSON object"),
        (["--request-options", '{"seed": 1}'], "the dialect systemone has no further fields"),
    ],
)
def test_what_was_typed_wrong_is_told_before_anything_is_asked(
    chat_server: ScriptedServer, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    try:
        status: object = main(["check", "--url", chat_server.url, *arguments])
    except SystemExit as left:
        status = left.code
    assert status == 2
    assert message in capsys.readouterr().err
    assert chat_server.asked == []


def test_a_dialect_is_not_for_a_conftests_model(run_jevbench: Run, conftest_model: Callable[[str], None]) -> None:
    conftest_model("return uniform")
    result = run_jevbench(*SUITE, "--jevbench-dialect=openai")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--jevbench-dialect is about a server, and the model comes from a conftest*"])


def test_check_and_estimate_speak_it(chat_server: ScriptedServer, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--url", chat_server.url, "--model", "talker", "--dialect", "openai"]
    assert main(["check", *where, "--request-options", '{"seed": 7}']) == 0
    told = capsys.readouterr().out
    assert "all 3 answers can be used" in told
    assert "verbalised" in told
    assert chat_server.asked[0].json["seed"] == 7
    assert main(["estimate", "jevbench-examples", *where, "--store", "off"]) == 0
    assert "tokens" in capsys.readouterr().out
