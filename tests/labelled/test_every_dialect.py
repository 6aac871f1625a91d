"""The same answers in every dialect come to the same results: nothing is tried again, filled in or mended in any."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.labelled.results import TaskResult
from pytest_jevbench.models.dialect_names import ALL_DIALECTS, RUNTIMES
from pytest_jevbench.models.dialects import dialect_of
from pytest_jevbench.models.http_model import HttpModel
from pytest_jevbench.models.runtime_model import RuntimeModel
from tests.labelled.runs import run_in
from tests.labelled.tasks import TEAM
from tests.servers.chat import completion
from tests.servers.scripted import ScriptedServer, reply

DISTRIBUTIONS = [name for name in ALL_DIALECTS if name != "needle"]


def body(dialect: str, probabilities: dict[str, Any]) -> Any:
    """A response with these probabilities of the task's Choice, in the form of the dialect."""
    answer = {"type": "choice", "probabilities": probabilities}
    if dialect == "list":
        return {"answers": [{"id": "q", **answer}]}
    if dialect == "openai-decisions":
        rows = [{"value": label, "probability": p} for label, p in probabilities.items()]
        return {"answers": [{"type": "choice", "name": "q", "choice": "a", "probabilities": rows}]}
    if dialect == "openai":
        return completion(json.dumps({"answers": {"q": {"probabilities": probabilities}}}))
    return {"answers": {"q": answer}}


def asked(dialect: str, probabilities: dict[str, Any], folder: Path) -> tuple[TaskResult, int]:
    """The result of the one task, and how many requests were sent for it."""
    spoken = dialect_of(dialect)
    if dialect in RUNTIMES:
        calls: list[Any] = []

        def decide(**given: Any) -> Any:
            calls.append(given)
            return {"probabilities": probabilities}

        with closing(run_in(folder, RuntimeModel(decide, spoken), [TEAM], dialect=spoken)) as run:
            return run.result(TEAM), len(calls)
    stream = f"event: complete\ndata: {json.dumps([{'probabilities': probabilities}])}\n\n"
    step = reply({"event_id": "e1"} if dialect == "gradio_space" else body(dialect, probabilities))
    with ScriptedServer([step], get=reply(stream, content_type="text/event-stream")) as server:
        model = HttpModel(server.url, model="m", dialect=spoken, retries=0, environ={})
        with closing(run_in(folder, model, [TEAM], dialect=spoken)) as run:
            return run.result(TEAM), len(server.asked)


@pytest.mark.parametrize("dialect", DISTRIBUTIONS)
@pytest.mark.parametrize(
    ("probabilities", "verdict", "flags"),
    [
        ({"a": 0.2, "b": 0.5, "c": 0.3}, ("correct", ""), ()),
        ({"a": 0.5, "b": 0.2, "c": 0.3}, ("wrong", ""), ()),
        ({"a": 0.4, "b": 0.4, "c": 0.2}, ("wrong", "tied"), ()),
        ({"a": 0.2, "b": 0.5, "c": 0.31}, ("correct", ""), ("renormalised",)),
        ({"a": 0.2, "b": 0.5, "c": 0.33}, ("wrong", "invalid"), ()),
        ({"a": 20, "b": 50, "c": 30}, ("wrong", "invalid"), ()),
        ({"a": False, "b": True, "c": False}, ("wrong", "invalid"), ()),
        ({"a": "0.2", "b": "0.5", "c": "0.3"}, ("wrong", "invalid"), ()),
        ({"a": 0.2, "b": 0.8}, ("wrong", "invalid"), ()),
        ({"a": 0.2, "b": 0.5, "c": 0.3, "d": 0.0}, ("wrong", "invalid"), ()),
        ({"a": None, "b": 1.0, "c": 0.0}, ("wrong", "invalid"), ()),
        ({}, ("wrong", "invalid"), ()),
    ],
    ids=str,
)
def test_one_answer_in_every_dialect(
    tmp_path: Path, dialect: str, probabilities: Any, verdict: tuple[str, str], flags: tuple[str, ...]
) -> None:
    result, requests = asked(dialect, probabilities, tmp_path)
    assert (result.verdict, result.reason, result.flags) == (*verdict, flags)
    assert requests == 1
    assert result.probs_source == ("verbalised" if dialect == "openai" else "native")
    if flags:
        assert result.returned == probabilities
        assert sum((result.probabilities or {}).values()) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("dialect", [name for name in DISTRIBUTIONS if name not in RUNTIMES])
@pytest.mark.parametrize("status", [429, 500, 422])
def test_a_failure_in_every_dialect(tmp_path: Path, dialect: str, status: int) -> None:
    spoken = dialect_of(dialect)
    with ScriptedServer([reply({"detail": "no"}, status)]) as server:
        model = HttpModel(server.url, model="m", dialect=spoken, retries=0, environ={})
        with closing(run_in(tmp_path, model, [TEAM], dialect=spoken)) as run:
            reason = run.result(TEAM).reason
    assert reason == {429: "unattempted", 500: "unreachable", 422: "refused"}[status]
    assert len(server.asked) == 1
