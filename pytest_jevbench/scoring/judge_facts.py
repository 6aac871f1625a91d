"""What a live judge preferred: between two answers in both orders, and after one answer got what it did not deserve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import NamedTuple

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.relations.base import FOLLOW_UP, Trial
from pytest_jevbench.relations.judge_laws import JUDGE_LAWS, SIDE, SWAPPED, favour, first_share
from pytest_jevbench.runs.asking import answers_of
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.runs.process_model import ProcessModel
from pytest_jevbench.scoring.run_facts import JudgePair

__all__ = ["judge_gains", "judge_pairs"]

Sources = Mapping[str, Mapping[str, Distribution]]


class _Asked(NamedTuple):
    """A trial with what was answered about its target before and after the edit."""

    trial: Trial
    before: Distribution
    after: Distribution


def judge_pairs(run: Run, model: ProcessModel, sources: Sources) -> dict[str, JudgePair]:
    """P(the answer shown first is better) in both orders, a tie shared out, of pairs that were answered in both."""
    return {
        asked.trial.case_id: (min(1.0, first_share(asked.before)), min(1.0, first_share(asked.after)))
        for asked in _asked(run, model, sources)
        if asked.trial.relation == SWAPPED
    }


def judge_gains(run: Run, model: ProcessModel, sources: Sources) -> dict[str, dict[str, float]]:
    """By relation and case: how much more an answer is favoured, in [-1, 1], once it is padded, marked up or noted.

    Of several questions and variants of a case the mean.
    """
    gains: dict[str, dict[str, list[float]]] = {}
    for trial, before, after in _asked(run, model, sources):
        side = trial.params.get(SIDE)
        if isinstance(side, int):
            question = run.cases[trial.case_id].questions[trial.key]
            gain = favour(question, after, side) - favour(question, before, side)
            gains.setdefault(trial.relation, {}).setdefault(trial.case_id, []).append(max(-1.0, min(1.0, gain)))
    return {relation: {case: fmean(of) for case, of in by_case.items()} for relation, by_case in gains.items()}


def _asked(run: Run, model: ProcessModel, sources: Sources) -> Iterator[_Asked]:
    for test in run.here:
        before = sources.get(test.id.case_id, {}).get(test.id.key)
        if test.id.relation not in JUDGE_LAWS or before is None:
            continue
        for trial in test.trials:
            request = run.cases[trial.case_id].follow_up(trial.edit.batches[FOLLOW_UP])
            reply = model.stored(request)
            after = None if reply is None else answers_of(request, reply).distributions.get(trial.key)
            if after is not None:
                yield _Asked(trial, before, after)
