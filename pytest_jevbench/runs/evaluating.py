"""A run without pytest: a plan's tests asked and judged in their order, in the thread of the caller."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from pytest_jevbench.errors import AnswerFormatError, JevbenchError, Refused, Unreachable
from pytest_jevbench.json_text import JSON
from pytest_jevbench.runs.answered import Answered, Unanswered
from pytest_jevbench.runs.ask_ahead import Stop
from pytest_jevbench.runs.first_request import ask_first, problem_of
from pytest_jevbench.runs.gathering import Results, judge_with
from pytest_jevbench.runs.given_model import GivenModel
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.runs.process_model import ProcessModel
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from pytest_jevbench.scoring.run_card import card_of_run

if TYPE_CHECKING:
    from pytest_jevbench.models.private_store import PrivateStore
    from pytest_jevbench.models.store import AnswerStore

__all__ = ["Evaluated", "Watch", "evaluate_run"]

Watch = Callable[[TestResult], object]
"""Gets each result as soon as it is there."""

_PATIENCE, _AFTER_CTRL_C = 10.0, 0.5
"""Seconds for requests on their way at the end: their answers are paid for and worth keeping."""

_ERRORS: dict[str, type[JevbenchError]] = {"refused": Refused, "invalid": AnswerFormatError}


class Evaluated(NamedTuple):
    """A run's card, as a JSON value and as what is computed with, and the Ctrl-C that ended it, if one did."""

    data: dict[str, JSON]
    card: Card
    interrupt: KeyboardInterrupt | None


def evaluate_run(
    run: Run,
    opener: GivenModel,
    open_store: Callable[[], AnswerStore | PrivateStore],
    how: ScoreSettings,
    *,
    tolerance: float,
    stop: Stop,
    name: str = "",
    watch: Watch = lambda result: None,
    tell: Callable[[str], None],
) -> Evaluated:
    """Ask and judge every test of a run, and make its card.

    Raises what opening the model raises, and where the first request is not answered so that its answers can be read:
    :class:`Unreachable`, :class:`Refused` or :class:`AnswerFormatError`. Later troubles become part of the card.
    """
    began, started = time.monotonic(), time.time()
    model = ProcessModel(opener, open_store, tolerance, stop, identity=opener.identity, tell=tell)
    gathered = Results(run)
    complete: bool | None = False
    try:
        stopped, interrupt = _judge_all(run, model, gathered, tolerance, watch)
        gathered.spend(model.newly_spent())
        results = gathered.results()
        data, card = card_of_run(
            run,
            model,
            gathered,
            results,
            how,
            name=name,
            seconds=time.monotonic() - began,
            started=started,
            stopped=stopped,
        )
        complete = not any(result.verdict == "unjudged" for result in results)
    finally:
        model.close(complete=complete)
    return Evaluated(data, card, interrupt)


def _judge_all(
    run: Run, model: ProcessModel, gathered: Results, tolerance: float, watch: Watch
) -> tuple[str, KeyboardInterrupt | None]:
    """Judge the tests in turn: why that ended early, or nothing, and Ctrl-C if that is why."""
    tests = list(run.by_node_id.items())
    gathered.collected.update(run.by_node_id)
    patience = _PATIENCE
    try:
        _check(ask_first(run, model))
        model.ask_ahead_of([(test, run.cases[test.id.case_id]) for _, test in tests], run.repeats)
        for turn, (name, test) in enumerate(tests):
            case = run.cases[test.id.case_id]
            ask = model.for_test(case, turn)
            result, payload = judge_with(ask, test, case, tolerance, run.relations, run.repeats)
            gathered.take(name, {**payload, "spent": model.newly_spent()})
            watch(result)
            if model.trouble:
                return f"jevbench: {model.trouble}", None
        return "", None
    except KeyboardInterrupt as interrupt:
        patience = _AFTER_CTRL_C
        return "interrupted", interrupt
    finally:
        model.stop_ahead(patience)


def _check(answered: Answered | None) -> None:
    problem = problem_of(answered)
    if not problem:
        return
    if isinstance(answered, Unanswered):
        raise _ERRORS.get(answered.reason, Unreachable)(problem)
    raise AnswerFormatError(problem)
