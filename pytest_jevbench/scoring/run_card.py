"""From the results of a run to its card, whoever drove the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.json_text import JSON
from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.plans.plan import PlannedTest, TestId
from pytest_jevbench.runs.answered import Answers
from pytest_jevbench.runs.asking import answers_of
from pytest_jevbench.runs.gathering import Results
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.runs.process_model import ProcessModel
from pytest_jevbench.runs.repeats import mean_of, noise_of
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.card import build_card, complete_results, score_run, worst_tests
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.judge_facts import judge_gains, judge_pairs
from pytest_jevbench.scoring.run_facts import (
    AskingFacts,
    Exchange,
    ModelFacts,
    PlanFacts,
    RunFacts,
    SuiteFacts,
)
from pytest_jevbench.scoring.scores import Scores, ScoreSettings
from pytest_jevbench.scoring.suite_sections import suite_sections

__all__ = ["card_of_run"]


def card_of_run(
    run: Run,
    model: ProcessModel,
    gathered: Results,
    results: Sequence[TestResult],
    how: ScoreSettings,
    *,
    name: str = "",
    seconds: float,
    started: float,
    stopped: str = "",
    details: Mapping[str, JSON] | None = None,
) -> tuple[dict[str, JSON], Card]:
    """The card of a run, as a JSON value and as what is computed with.

    ``name`` is the model's in reports where its own does not do, ``seconds`` the wall time, ``started`` the beginning
    in seconds since 1970, ``stopped`` why the run ended before its last test. The model's store must still be open.
    """
    asked = gathered.asked
    answered = _base_answers(run, model)
    sources = _sources(answered)
    facts = RunFacts(
        model=_model_facts(model, asked.answered, name),
        suite=_suite_facts(run),
        planned=[test.id for test in run.tests],
        cases={case_id: run.cases[case_id].domain for case_id in dict.fromkeys(t.id.case_id for t in run.tests)},
        plan=PlanFacts(
            file=str(run.suite.manifest.get("plan", {}).get("file", "")),
            selection=run.suite.plan.selection,
            seed=run.suite.plan.seed,
            draws=run.suite.plan.draws,
        ),
        deselected=[test.id for test in gathered.deselected()],
        elsewhere=run.elsewhere,
        selection=run.filters.to_json(),
        own_laws=_own_laws(run),
        judge_pairs=judge_pairs(run, model, sources),
        judge_gains=judge_gains(run, model, sources),
        repeats=run.repeats,
        sources=sources,
        noise={case_id: noise_of(repeats) for case_id, repeats in answered.items()} if run.repeats > 1 else {},
        notes=asked.notes,
        stopped=stopped,
        asking=AskingFacts(
            requests=gathered.spent.requests,
            hits=gathered.spent.hits,
            seconds=round(max(0.0, seconds), 3),
            model_seconds=round(gathered.spent.seconds, 3),
            input_tokens=asked.input_tokens,
            output_tokens=asked.output_tokens,
            workers=gathered.workers,
            details=dict(details or {}),
            started=datetime.fromtimestamp(started, timezone.utc).isoformat(timespec="seconds"),
        ),
    )
    complete = complete_results(facts, results)
    scores = score_run(facts, complete, how)
    whole = suite_sections(run, facts, how, sources)
    data = build_card(
        facts,
        complete,
        scores=scores,
        evidence=dict(_evidence(run, model, worst_tests(complete, how))),
        accuracy=whole.accuracy,
        reference=whole.reference,
        rows_when_read=True,
    )
    return data, _as_read(data, facts, complete, scores)


def _as_read(data: dict[str, JSON], facts: RunFacts, results: list[TestResult], scores: Scores) -> Card:
    """The card as reading it would give it, without reading it again."""
    rows = (*scores.relations, *scores.diagnostics)
    return Card(
        data=data,
        settings=scores.settings,
        groups={row.name: row.group for row in rows},
        planned={row.name: row.planned for row in rows},
        cases=facts.cases,
        results=tuple(results),
        not_run=(*facts.deselected, *facts.elsewhere),
    ).with_scores(scores)


def _model_facts(model: ProcessModel, answered: set[str], name: str) -> ModelFacts:
    identity = model.identity
    if identity is None:
        return ModelFacts(name=name or "no model", answered=tuple(sorted(answered)))
    if identity.launch:
        identity = replace(identity, address="")  # the port of a server that was started for the run alone
    told = identity.name if identity.name not in ("", "default") else identity.launch or identity.address
    return ModelFacts.of(identity, answered, name or told)


def _suite_facts(run: Run) -> SuiteFacts:
    suite = run.suite
    return SuiteFacts(
        name=suite.name,
        version=suite.version,
        digest=suite.digest,
        files=dict(suite.manifest.get("files", {})),
        description=suite.description,
        demonstration=suite.min_n == 1,
    )


def _own_laws(run: Run) -> dict[str, dict[str, str | None]]:
    """What the card tells of laws that are not in the taxonomy and have a test: the user's own, and those of judges."""
    used = {test.id.relation for test in run.tests}
    return {
        law.name: {
            "group": law.group,
            "law": law.law,
            "formula": law.formula,
            "check": law.check,
            "counts_in": law.dimension if law.counted else None,
        }
        for law in run.relations.beside
        if law.name in used
    }


def _base_answers(run: Run, model: ProcessModel) -> dict[str, list[Answers]]:
    """The answers to the base request of every planned case, of each repeat, where the store has them all."""
    found: dict[str, list[Answers]] = {}
    for case_id in dict.fromkeys(test.id.case_id for test in run.tests):
        requests = run.cases[case_id].request().repeats(run.repeats)
        replies = [(request, reply) for request in requests if (reply := model.stored(request)) is not None]
        if len(replies) == len(requests):
            found[case_id] = [answers_of(request, reply) for request, reply in replies]
    return found


def _sources(answered: Mapping[str, Sequence[Answers]]) -> dict[str, Mapping[str, Distribution]]:
    """The base distributions by case and question, of repeats their mean."""
    means = {case_id: mean_of(repeats) for case_id, repeats in answered.items()}
    return {case_id: mean.distributions for case_id, mean in means.items() if isinstance(mean, Answers)}


def _evidence(
    run: Run, model: ProcessModel, worst: Mapping[str, Sequence[TestResult]]
) -> Iterator[tuple[TestId, list[Exchange]]]:
    """The requests of the worst tests and what was answered, from the store."""
    tests = {test.id: test for test in run.tests}
    for results in worst.values():
        for result in results:
            yield result.id, list(_exchanges(run, model, tests[result.id]))


def _exchanges(run: Run, model: ProcessModel, test: PlannedTest) -> Iterator[Exchange]:
    case = run.cases[test.id.case_id]
    requests = [("base", case.request())]
    for trial in test.trials:
        requests += [(label, case.follow_up(batch)) for label, batch in trial.edit.batches.items()]
    for label, request in requests:
        reply = model.stored(request)
        yield Exchange(label, request.body(), _answers(reply))


def _answers(reply: Reply | None) -> Any:
    return None if reply is None else dict(reply.answers)
