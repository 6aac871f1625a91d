"""Asking labelled tasks one after another: what is kept, what ends a run, what is paid."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.labelled.results import TaskResult
from pytest_jevbench.labelled.runner import DERIVED, LOCAL, LabelledRun, Tariff, beside
from pytest_jevbench.models.callable import named
from pytest_jevbench.models.dialects import dialect_of
from pytest_jevbench.models.http_model import HttpModel
from pytest_jevbench.models.ledger import Ledger
from pytest_jevbench.models.runtime_model import RuntimeModel
from pytest_jevbench.questions import Choice
from tests.labelled.runs import PRICES, run_in
from tests.labelled.tasks import TEAM, YES, many
from tests.servers.scripted import ScriptedServer, Step, hang_up, reply, right

Made = Callable[..., LabelledRun]
USAGE = {"input_tokens": 10, "output_tokens": 5}


def says(p: Any, **more: Any) -> Step:
    return reply({"answers": {"q": {"type": "noul", "noul": p}}, "model": "m-1", **more})


def error(status: int, **headers: str) -> Step:
    return reply({"detail": "words of the server"}, status, **headers)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    """A run against a server, with all that was opened closed at the end."""
    opened: list[LabelledRun] = []

    def make(server: ScriptedServer, tasks: Any, dialect: str = "systemone", **more: Any) -> LabelledRun:
        spoken = dialect_of(dialect)
        model = HttpModel(server.url, model="m", dialect=spoken, retries=0, environ={})
        opened.append(run_in(tmp_path, model, tasks, dialect=spoken, **more))
        return opened[-1]

    yield make
    for run in opened:
        run.close()


def asked_all(run: LabelledRun) -> list[TaskResult]:
    for task in run.tasks:
        run.result(task)
    return run.results()


def short(results: list[TaskResult]) -> list[tuple[str, str]]:
    return [(result.verdict, result.reason) for result in results]


def test_each_task_is_one_request_in_order(made: Made, tmp_path: Path) -> None:
    tasks = many(3)
    now = datetime(2024, 6, 1, 12, tzinfo=timezone.utc)
    with ScriptedServer([says(0.75), says(0.25), says(0.5)]) as server:
        run = made(server, tasks, now=lambda: now)
        results = asked_all(run)
        run.close()
    assert short(results) == [("correct", ""), ("wrong", ""), ("wrong", "tied")]
    assert [asked.json for asked in server.asked] == [
        {
            "model": "m",
            "state": f"State {i}.",
            "questions": {"q": {"type": "noul", "instructions": "Is it?"}},
        }
        for i in range(3)
    ]
    first = results[0]
    assert (first.model_asked, first.model_answered, first.http_status) == ("m", "m-1", 200)
    assert (first.probs_source, first.time) == ("native", "2024-06-01T12:00:00+00:00")
    assert first.latency_s is not None
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    assert [json.loads(line).get("id") for line in lines] == [None, "t0", "t1", "t2"]


def test_request_and_response_are_kept_word_for_word(made: Made, tmp_path: Path) -> None:
    with ScriptedServer([reply('{"answers": {"q": {"noul": 0.750}} , "odd": 1}')]) as server:
        asked_all(made(server, many(1)))
        body = server.asked[0].body.decode()
    raw = json.loads((tmp_path / "raw" / "t0.json").read_text())
    assert raw["exchanges"][0]["sent"] == body
    assert raw["exchanges"][0]["received"] == '{"answers": {"q": {"noul": 0.750}} , "odd": 1}'
    assert raw["exchanges"][0]["status"] == 200


@pytest.mark.parametrize(
    ("step", "verdict", "status"),
    [
        (says(True), ("wrong", "invalid"), 200),
        (says(1.5), ("wrong", "invalid"), 200),
        (reply('{"answers": {"q": {"noul": NaN}}}'), ("wrong", "invalid"), 200),
        (reply({"answers": {"other": {"noul": 0.5}}}), ("wrong", "invalid"), 200),
        (reply({"answers": []}), ("wrong", "invalid"), 200),
        (reply({"answers": {"q": {"type": "refusal", "refusal": "no"}}}), ("unjudged", "refused"), 200),
        (error(400), ("unjudged", "refused"), 400),
        (error(422), ("unjudged", "refused"), 422),
        (error(500), ("unjudged", "unreachable"), 500),
        (error(503, retry_after="1"), ("unjudged", "unreachable"), 503),
        (reply("<html>busy</html>"), ("unjudged", "unreachable"), 200),
        (hang_up(), ("unjudged", "unreachable"), None),
    ],
    ids=["true", "1.5", "NaN", "other key", "a list", "refusal", "400", "422", "500", "503", "html", "hung up"],
)
def test_nothing_is_asked_twice_or_mended(made: Made, step: Step, verdict: tuple[str, str], status: int | None) -> None:
    with ScriptedServer([step, says(0.75)]) as server:
        results = asked_all(made(server, many(2)))
    assert short(results) == [verdict, ("correct", "")]
    assert results[0].http_status == status
    assert len(server.asked) == 2


@pytest.mark.parametrize("status", [401, 403, 429])
def test_who_is_not_let_in_or_told_to_wait_stops(made: Made, tmp_path: Path, status: int) -> None:
    with ScriptedServer([says(0.75), error(status, retry_after="1"), says(0.25)]) as server:
        run = made(server, many(4))
        results = asked_all(run)
        assert f"HTTP {status}" in run.stopped
        assert short(results) == [("correct", ""), *[("unjudged", "unattempted")] * 3]
        assert len(server.asked) == 2
        assert json.loads((tmp_path / "raw" / "t1.stopped-1.json").read_text())["outcome"]
        run.close()
        again = made(server, many(4))  # what was answered is not asked again; the others are
        assert short(asked_all(again)) == [("correct", ""), *[("wrong", "")] * 3]
        assert len(server.asked) == 5


def test_three_requests_in_a_row_without_an_answer_stop_a_run(made: Made) -> None:
    steps = [error(500), error(500), says(0.75), error(500), hang_up(), error(502), says(0.75)]
    with ScriptedServer(steps) as server:
        run = made(server, many(8))
        results = asked_all(run)
    assert [result.reason for result in results] == [
        *("unreachable", "unreachable", ""),
        *("unreachable", "unreachable", "unreachable"),
        *("unattempted", "unattempted"),
    ]
    assert "3 requests in a row" in run.stopped
    assert len(server.asked) == 6


def test_a_refusal_in_between_breaks_the_row(made: Made) -> None:
    with ScriptedServer([error(500), error(500), error(422), error(500), error(500), says(0.75)]) as server:
        run = made(server, many(6))
        assert [result.reason for result in asked_all(run)][-1] == ""
    assert not run.stopped


def test_a_pause_before_every_request_but_the_first(made: Made) -> None:
    slept: list[float] = []
    with ScriptedServer([right()]) as server:
        run = made(server, many(3), delay=1.5, sleep=slept.append)
        asked_all(run)
        assert slept == [1.5, 1.5]
        run.close()
        asked_all(made(server, many(3), delay=1.5, sleep=slept.append))
    assert slept == [1.5, 1.5]


def test_a_pause_that_is_broken_off_has_reserved_nothing(made: Made, tmp_path: Path) -> None:
    def broken_off(seconds: float) -> None:
        raise KeyboardInterrupt

    ledger = Ledger(tmp_path / "ledger.jsonl", max_usd="100")
    with ScriptedServer([says(0.75, usage=USAGE)]) as server:
        run = made(server, many(2), ledger=ledger, tariff=Tariff(PRICES), delay=60.0, sleep=broken_off)
        run.result(run.tasks[0])
        with pytest.raises(KeyboardInterrupt):
            run.result(run.tasks[1])
    assert (ledger.spent().charged, ledger.spent().open) == (Decimal("0.02"), 0)


def test_a_cost_is_derived_where_tariff_and_usage_are_known(made: Made, tmp_path: Path) -> None:
    """10 tokens at 1000 dollars and 5 at 2000 dollars a million are 2 cents."""
    ledger = Ledger(tmp_path / "ledger.jsonl", max_usd="100")
    with ScriptedServer([says(0.75, usage=USAGE), says(0.75), error(500)]) as server:
        told, untold, failed = asked_all(made(server, many(3), ledger=ledger, tariff=Tariff(PRICES, LOCAL)))
    assert (told.cost_usd, told.cost_basis, told.reserved_usd) == (0.02, DERIVED, None)
    assert (untold.cost_usd, untold.cost_basis) == (failed.cost_usd, failed.cost_basis) == (None, LOCAL)
    held = Decimal(str(untold.reserved_usd)) + Decimal(str(failed.reserved_usd))
    spent = ledger.spent()
    assert (spent.known, spent.held, spent.open) == (Decimal("0.02"), held, 0)


def test_without_a_tariff_nothing_is_known(made: Made) -> None:
    with ScriptedServer([says(0.75, usage=USAGE)]) as server:
        result = asked_all(made(server, many(1)))[0]
    assert (result.cost_usd, result.cost_basis, result.reserved_usd) == (None, None, None)
    assert (result.usage.input_tokens, result.usage.output_tokens) == (10, 5)


def test_a_budget_ends_a_run(made: Made, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl", max_requests=2)
    with ScriptedServer([right()]) as server:
        run = made(server, many(4), ledger=ledger)
        reasons = [result.reason for result in asked_all(run)]
    assert reasons == ["", "", "over_budget", "unattempted"]
    assert len(server.asked) == 2
    assert "2 requests" in run.stopped


def test_a_request_that_cost_more_than_was_reserved_is_kept_and_the_last(made: Made, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl", max_usd="1000")
    huge = {"input_tokens": 10**6, "output_tokens": 0}
    with ScriptedServer([says(0.75, usage=huge)]) as server:
        run = made(server, many(2), ledger=ledger, tariff=Tariff(PRICES))
        results = asked_all(run)
    assert (results[0].verdict, results[0].cost_usd) == ("correct", 1000.0)
    assert results[1].reason == "unattempted"
    assert "was reserved" in run.stopped


def test_a_budget_that_covers_nothing_is_told_before_anything_is_asked(made: Made, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl", max_usd="0.01")
    with ScriptedServer([right()]) as server:
        with pytest.raises(InputError, match="covers no request more"):
            made(server, many(1), ledger=ledger, tariff=Tariff(PRICES))
        assert server.asked == []


def test_what_a_dialect_cannot_ask_is_told_before_anything_is_asked(made: Made) -> None:
    wide = [Task(f"w{i}", "f", "s", Choice("Which?", {"a,b": "", "c": ""}), ("a,b", "c"), "c") for i in range(12)]
    with ScriptedServer([right()]) as server:
        with pytest.raises(InputError) as told:
            made(server, [YES, *wide], dialect="gradio_space")
        assert server.asked == []
    lines = str(told.value).splitlines()
    assert "12 of the tasks cannot be asked in the dialect gradio_space" in lines[0]
    assert lines[1].strip().startswith("w0: the form takes its options as one text")
    assert lines[-1].strip() == "... and 2 more"


def test_tools_that_an_option_cannot_name_are_told_before_anything_is_asked(tmp_path: Path) -> None:
    dialect = dialect_of("needle", {"choice_mode": "tools"})
    task = Task("w", "f", "s", Choice("Which?", {"a b": "", "c": ""}), ("a b", "c"), "c", split="p", private=True)
    with pytest.raises(InputError, match=r"w: \(not told: private\)"):
        run_in(tmp_path, RuntimeModel(lambda **_: None, dialect), [task], dialect=dialect)


def test_a_label_without_a_distribution(tmp_path: Path) -> None:
    class Agent:
        def complete(self, text: str) -> Any:
            calls = [] if text == "nothing" else [{"name": "answer", "arguments": {"answer": text}}]
            return {"function_calls": calls, "confidence": 0.9}

    tasks = [Task(state, "f", state, TEAM.question, ("a", "b", "c"), "b") for state in ("b", "a", "d", "nothing")]
    dialect = dialect_of("needle")
    with closing(run_in(tmp_path, RuntimeModel(lambda tools: Agent(), dialect), tasks, dialect=dialect)) as run:
        results = asked_all(run)
    assert short(results) == [("correct", ""), ("wrong", ""), ("wrong", "invalid"), ("wrong", "abstained")]
    assert {result.probs_source for result in results} == {"label_only"}
    assert {result.probabilities for result in results} == {None}
    assert (tmp_path / "raw" / "b.json").exists()


def test_a_function_is_asked_too(tmp_path: Path) -> None:
    def model(state: Any, questions: Any) -> Any:
        if state == "State 1.":
            raise ValueError("trouble")
        return {"q": {"type": "noul", "noul": 0.75}}

    with closing(run_in(tmp_path, named(model, "mine"), many(3))) as run:
        assert short(asked_all(run)) == [("correct", ""), ("unjudged", "unreachable"), ("correct", "")]
    raw = json.loads((tmp_path / "raw" / "t1.json").read_text())
    assert "raised ValueError" in raw["exchanges"][0]["problem"]


# What lies in the way ------------------------------------------------------------------------------------------------


def uniform(tmp_path: Path, tasks: Any = None, name: str = "m") -> LabelledRun:
    return run_in(tmp_path, named(lambda state, questions: {"q": {"noul": 0.75}}, name), tasks or many(2))


def test_a_raw_file_of_another_run_is_not_written_over(tmp_path: Path) -> None:
    with closing(uniform(tmp_path)) as run:
        asked_all(run)
    (tmp_path / "results.jsonl").unlink()
    before = (tmp_path / "raw" / "t1.json").read_bytes()
    with pytest.raises(InputError, match="this raw file is of another run"):
        uniform(tmp_path, name="other")
    (tmp_path / "results.jsonl").unlink()
    with pytest.raises(InputError, match="this raw file is of another run"):
        uniform(tmp_path, many(3))
    assert (tmp_path / "raw" / "t1.json").read_bytes() == before


def test_a_raw_file_of_this_run_is_read_instead_of_asking(tmp_path: Path) -> None:
    with closing(uniform(tmp_path)) as run:
        wanted = asked_all(run)
    (tmp_path / "results.jsonl").unlink()
    with closing(uniform(tmp_path)) as run:
        assert asked_all(run) == wanted
        assert run.asked == 0


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": "x"}', b"\xff"])
def test_a_raw_file_that_cannot_be_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "t0.json").write_bytes(content)
    with pytest.raises(InputError, match=r"this raw file is (damaged .* Remove it: its request|of another run)"):
        uniform(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
def test_an_answer_that_does_not_fit_on_the_disk_leaves_no_half_file(tmp_path: Path) -> None:
    """The run ends with what was reserved; with room again it goes on, and asks that task again."""
    import resource

    ledger = Ledger(tmp_path / "ledger.jsonl", max_requests=10)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    with closing(
        run_in(tmp_path, named(lambda state, questions: {"q": {"noul": 0.75}}, "m"), many(2), ledger=ledger)
    ) as run:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400, limit[1]))
        try:
            with pytest.raises(OSError, match="too large"):
                run.result(run.tasks[0])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        assert list((tmp_path / "raw").iterdir()) == []
        assert (ledger.spent().requests, ledger.spent().open) == (1, 1)
    with closing(uniform(tmp_path)) as run:
        assert short(asked_all(run)) == [("correct", "")] * 2


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "raw").write_text("x")
    with pytest.raises(InputError, match="no file can be made there"):
        uniform(tmp_path)


def test_results_of_another_run_are_not_added_to(tmp_path: Path) -> None:
    with closing(uniform(tmp_path)):
        pass
    with pytest.raises(InputError, match='model was "m" and is "n"'):
        uniform(tmp_path, name="n")
    with pytest.raises(InputError, match="dataset_hash was"):
        uniform(tmp_path, many(3))
    (tmp_path / "results.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(InputError, match="no file of results"):
        uniform(tmp_path)


def test_a_line_that_a_killed_process_began_is_cut_off(tmp_path: Path) -> None:
    with closing(uniform(tmp_path)) as run:
        asked_all(run)
    log = tmp_path / "results.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole[:-20])
    with closing(uniform(tmp_path)) as run:
        assert list(run.log.results) == ["t0"]
        asked_all(run)
        assert run.asked == 0  # its raw file is there
    assert log.read_bytes() == whole


@pytest.mark.parametrize("content", [b"my own notes", b"my own notes\nof two lines", b'{"a": 1}', b"[]\n", b"\xff"])
def test_a_file_that_is_none_of_ours_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "results.jsonl").write_bytes(content)
    with pytest.raises(InputError):
        uniform(tmp_path)
    assert (tmp_path / "results.jsonl").read_bytes() == content


def test_a_run_that_was_killed_at_its_first_line(tmp_path: Path) -> None:
    with closing(uniform(tmp_path)) as run:
        wanted = asked_all(run)
    log = tmp_path / "results.jsonl"
    header = log.read_bytes().split(b"\n")[0]
    for cut in (0, 1, len(header)):
        log.write_bytes(header[:cut])
        with closing(uniform(tmp_path)) as run:
            assert asked_all(run) == wanted


def test_a_damaged_or_doubled_line_is_told(tmp_path: Path) -> None:
    with closing(uniform(tmp_path)) as run:
        asked_all(run)
    log = tmp_path / "results.jsonl"
    lines = log.read_text().splitlines()
    log.write_text("\n".join([*lines, lines[-1], ""]))
    with pytest.raises(InputError, match=r"line 4.*stands on an earlier line"):
        uniform(tmp_path)
    log.write_text("\n".join([lines[0], "garbage", *lines[1:], ""]))
    with pytest.raises(InputError, match=r"line 2.*not JSON"):
        uniform(tmp_path)


def test_two_runs_on_one_file(tmp_path: Path) -> None:
    with closing(uniform(tmp_path)), pytest.raises(InputError, match="another run is writing this file"):
        uniform(tmp_path)
    with closing(uniform(tmp_path)):
        pass


def test_where_things_lie() -> None:
    assert beside(Path("a/x.json")) == (Path("a/x.results.jsonl"), Path("a/x.raw"))
    assert beside(Path("x")) == (Path("x.results.jsonl"), Path("x.raw"))
