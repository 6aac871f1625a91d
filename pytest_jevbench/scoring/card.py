"""The coherence card: the JSON result of a run, built whole from what was planned and what came back.

A card has everything that scores are made of, so that it can be scored again, merged, gated, compared and exported
without the suite or the model. Two runs of the same answers have equal cards apart from the section ``run``.
docs/card.md describes it field by field, card.schema.json is its JSON Schema.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import cast

from pytest_jevbench import __version__
from pytest_jevbench.json_text import JSON
from pytest_jevbench.models.dialects.base import VERBALISED
from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.relations.base import TOLERANCE
from pytest_jevbench.runs.results import REASONS, TestResult
from pytest_jevbench.scoring.card_reading import SCHEMA_VERSION, Card, read_card
from pytest_jevbench.scoring.card_rows import TestRows, errors_of, outcome_row, strict
from pytest_jevbench.scoring.card_text import card_text, write_card
from pytest_jevbench.scoring.relation_scores import (
    Judged,
    RelationScore,
    ScoreSettings,
    graded_score,
    judge_again,
)
from pytest_jevbench.scoring.run_facts import (
    AskingFacts,
    Exchange,
    ModelFacts,
    PlanFacts,
    RunFacts,
    SuiteFacts,
    installed_versions,
)
from pytest_jevbench.scoring.scores import Scores, score
from pytest_jevbench.scoring.scores_json import relation_json, scores_json, settings_json

__all__ = [
    "WORST",
    "AskingFacts",
    "Card",
    "Exchange",
    "ModelFacts",
    "PlanFacts",
    "RunFacts",
    "SuiteFacts",
    "build_card",
    "card_text",
    "complete_results",
    "groups_of",
    "known_checks",
    "known_groups",
    "read_card",
    "score_run",
    "worst_tests",
    "write_card",
]

WORST = 3
"""How many violated tests of a relation are shown with their requests and answers."""


def known_groups() -> dict[str, str]:
    """Every registered relation's group, in taxonomy order."""
    import pytest_jevbench.relations  # noqa: F401  (importing it registers them)
    from pytest_jevbench.relations.registry import RELATIONS

    return {relation.name: relation.group for relation in RELATIONS.values()}


def known_checks() -> dict[str, str]:
    """What every registered relation measures."""
    import pytest_jevbench.relations  # noqa: F401  (importing it registers them)
    from pytest_jevbench.relations.registry import RELATIONS

    return {relation.name: relation.check for relation in RELATIONS.values()}


def groups_of(facts: RunFacts) -> dict[str, str]:
    """The group of every relation that the run can have tests of: the built-in ones, then the user's own."""
    return {**known_groups(), **{name: str(own["group"]) for name, own in facts.own_laws.items()}}


def complete_results(
    facts: RunFacts, results: Iterable[TestResult], groups: Mapping[str, str] | None = None
) -> list[TestResult]:
    """One result for each test that should have run, in the card's order: by case, then by relation.

    The last result of a test counts. A test that was planned here, not deselected, and has no result is lost.
    """
    by_id = {result.id: result for result in results}
    left_out = {*facts.deselected, *facts.elsewhere}
    checks = {**known_checks(), **{name: str(own["check"]) for name, own in facts.own_laws.items()}}
    complete = []
    for test in _in_card_order(facts, groups or groups_of(facts)):
        result = by_id.get(test)
        if result is None and test not in left_out:
            why = facts.stopped or "no result came back"
            result = TestResult(test, checks.get(test.relation, ""), "unjudged", reason="lost", message=why)
        if result is not None:
            complete.append(result)
    return complete


def planned_counts(facts: RunFacts) -> dict[str, int]:
    """The planned tests of each relation."""
    return dict(Counter(test.relation for test in dict.fromkeys(facts.planned)) + Counter(facts.unlisted))


def _in_card_order(facts: RunFacts, groups: Mapping[str, str]) -> list[TestId]:
    cases = {case: i for i, case in enumerate(facts.cases)}
    relations = {name: i for i, name in enumerate(groups)}
    last = len(cases), len(relations)
    return sorted(
        dict.fromkeys(facts.planned),
        key=lambda test: (cases.get(test.case_id, last[0]), relations.get(test.relation, last[1])),
    )


def score_run(
    facts: RunFacts,
    results: Sequence[TestResult],
    settings: ScoreSettings | None = None,
    groups: Mapping[str, str] | None = None,
) -> Scores:
    """The scores of a run. ``results`` as :func:`complete_results` gives them."""
    planned_in_domains: dict[str, Counter[str]] = {}
    for test in dict.fromkeys(facts.planned):
        planned_in_domains.setdefault(facts.cases.get(test.case_id, ""), Counter())[test.relation] += 1
    return score(
        results,
        planned_counts(facts),
        groups or groups_of(facts),
        settings,
        domains=facts.cases,
        planned_in_domains=planned_in_domains,
    )


def worst_tests(
    results: Iterable[TestResult], settings: ScoreSettings | None = None, count: int = WORST
) -> dict[str, list[TestResult]]:
    """Each relation's violated tests that are furthest past the tolerance, worst first, at most ``count``.

    Equal ones stay in the order of ``results``.
    """
    settings = settings or ScoreSettings()
    return _worst_of([judge_again(result, settings) for result in results], count)


def _worst_of(judged: Iterable[Judged], count: int = WORST) -> dict[str, list[TestResult]]:
    ranked: dict[str, list[tuple[float, float, TestResult]]] = {}
    for result, verdict, graded in judged:
        if verdict == "violated":
            deviations = [math.inf if o.deviation is None else o.deviation for o in result.outcomes]
            ranked.setdefault(result.id.relation, []).append((graded, -max(deviations, default=0.0), result))
    for of_relation in ranked.values():
        of_relation.sort(key=lambda row: row[:2])
    return {name: [result for _, _, result in rows[:count]] for name, rows in ranked.items()}


def build_card(
    facts: RunFacts,
    results: Sequence[TestResult],
    *,
    settings: ScoreSettings | None = None,
    scores: Scores | None = None,
    evidence: Mapping[TestId, Sequence[Exchange]] | None = None,
    accuracy: Mapping[str, JSON] | None = None,
    reference: Mapping[str, JSON] | None = None,
    groups: Mapping[str, str] | None = None,
    rows_when_read: bool = False,
) -> dict[str, JSON]:
    """The card of a run, as a JSON value.

    With ``rows_when_read`` the section ``tests``, most of a card, is a :class:`TestRows` that :func:`write_card` and
    :func:`card_text` take; it is no list.

    ``results`` may come in any order and may lack tests: see :func:`complete_results`. ``scores`` saves scoring them
    again. ``evidence`` holds the requests and answers of the tests that :func:`worst_tests` names; ``accuracy`` is the
    section that :mod:`pytest_jevbench.metrics` makes, ``reference`` what
    :func:`~pytest_jevbench.scoring.scores_json.reference_json` says of the uniform model on the same tests.
    """
    settings = settings or (scores.settings if scores is not None else ScoreSettings())
    groups = groups or groups_of(facts)
    results = complete_results(facts, results, groups)
    scores = scores or score_run(facts, results, settings, groups)
    judged = [judge_again(result, settings) for result in results]
    worst = _worst_of(judged)
    errors = errors_of(results)
    rows = TestRows(judged, settings, errors)

    def row(relation: RelationScore) -> dict[str, JSON]:
        shown = [_worst(result, settings, evidence or {}) for result in worst.get(relation.name, [])]
        return {**relation_json(relation), "worst": shown}

    return {
        "schema_version": SCHEMA_VERSION,
        "identity": _identity(facts, settings),
        "flags": _flags(facts, results),
        "counts": _counts(facts, judged),
        "scores": scores_json(scores),
        "accuracy": None if accuracy is None else dict(accuracy),
        "reference": None if reference is None else dict(reference),
        "relations": [row(relation) for relation in scores.relations],
        "diagnostics": [row(relation) for relation in scores.diagnostics],
        **({"own_laws": [{"name": name, **own} for name, own in facts.own_laws.items()]} if facts.own_laws else {}),
        **({"judge_pairs": _judge_pairs(facts)} if facts.judge_pairs else {}),
        **({"judge_gains": _judge_gains(facts)} if facts.judge_gains else {}),
        "answer_notes": {note: facts.notes[note] for note in sorted(facts.notes)},
        "repeat_noise": _repeat_noise(facts),
        "errors": [
            {"reason": reason, "message": message, "tests": count} for (reason, message), (_, count) in errors.items()
        ],
        "cases": dict(facts.cases),
        "tests": cast("list[JSON]", rows if rows_when_read else list(rows)),
        "deselected": _ids(facts, facts.deselected, groups),
        "elsewhere": _ids(facts, facts.elsewhere, groups),
        "sources": {
            case: {key: dict(p) for key, p in facts.sources[case].items()}
            for case in facts.cases
            if case in facts.sources
        },
        "noise": {case: dict(facts.noise[case]) for case in facts.cases if case in facts.noise},
        "run": asdict(facts.asking),
    }


def _judge_pairs(facts: RunFacts) -> dict[str, JSON]:
    """What a judge preferred in both orders, by case."""
    return {case: list(facts.judge_pairs[case]) for case in facts.cases if case in facts.judge_pairs}


def _judge_gains(facts: RunFacts) -> dict[str, JSON]:
    """What answers gained by an edit, by law and case, in the order of the plan whatever cards were put together."""
    return {
        law: {case: gains[case] for case in facts.cases if case in gains}
        for law in facts.own_laws
        if (gains := facts.judge_gains.get(law))
    }


def _identity(facts: RunFacts, settings: ScoreSettings) -> dict[str, JSON]:
    planned = planned_counts(facts)
    versions = installed_versions() if facts.versions is None else facts.versions
    return {
        "model": {**asdict(facts.model), "answered": list(facts.model.answered)},
        "suite": asdict(facts.suite),
        "plan": {**asdict(facts.plan), "relations": len(planned), "tests": sum(planned.values())},
        "selection": {kind: list(names) for kind, names in facts.selection.items()},
        "settings": {**settings_json(settings), "repeats": facts.repeats},
        "versions": {"pytest-jevbench": __version__, **versions},
    }


def _flags(facts: RunFacts, results: Sequence[TestResult]) -> list[JSON]:
    """What a reader of the scores must know, one name and one sentence each."""
    unjudged = sum(result.verdict == "unjudged" for result in results)
    flags = []
    if facts.suite.demonstration:
        flags.append(("demonstration", "the suite shows how a run works; its scores are no result"))
    if facts.model.details.get("probs_source") == VERBALISED:
        flags.append(("verbalised", "the probabilities are verbalised: a chat model wrote them down as numbers"))
    if facts.selection or facts.deselected:
        flags.append(("subset", "only a part of the suite's tests was selected"))
    if facts.elsewhere:
        flags.append(("shard", f"{len(facts.elsewhere)} planned tests are in other shards"))
    if unjudged:
        flags.append(("incomplete", f"{unjudged} of {len(results)} tests were not judged"))
    if facts.unlisted:
        flags.append(("incomplete", f"{sum(facts.unlisted.values())} planned tests have no result in the report"))
    if facts.stopped:
        flags.append(("stopped", f"the run ended before its last test: {facts.stopped}"))
    counted = {str(own["counts_in"]) for own in facts.own_laws.values() if own["counts_in"]}
    if counted:
        text = f"laws of the user's own count in {', '.join(sorted(counted))} and in the overall"
        flags.append(("own_laws_counted", f"{text}, which compare with no score that was made without them"))
    if len(facts.model.answered) > 1:
        flags.append(("mixed_models", f"answers came from several models: {', '.join(facts.model.answered)}"))
    return [{"name": name, "text": text} for name, text in flags]


def _counts(facts: RunFacts, judged: Sequence[Judged]) -> dict[str, JSON]:
    verdicts = Counter(test.verdict for test in judged)
    reasons = Counter(test.result.reason or "lost" for test in judged if test.verdict == "unjudged")
    planned = set(facts.planned)
    return {
        "planned": sum(planned_counts(facts).values()),
        "collected": len(judged),
        "deselected": len(planned.intersection(facts.deselected)),
        "elsewhere": len(planned.intersection(facts.elsewhere)),
        "unlisted": sum(facts.unlisted.values()),
        "judged": verdicts["held"] + verdicts["violated"],
        "held": verdicts["held"],
        "violated": verdicts["violated"],
        "unjudged": {"total": verdicts["unjudged"], **{reason: reasons[reason] for reason in REASONS}},
        "not_applicable": verdicts["not_applicable"],
        "cases": len(facts.cases),
    }


def _repeat_noise(facts: RunFacts) -> JSON:
    """Mean and largest noise, and the run's own tolerance, which is shown and enters no score."""
    noise = [value for of_case in facts.noise.values() for value in of_case.values()]
    if facts.repeats < 2 or not noise:
        return None
    mean = sum(noise) / len(noise)
    return {"repeats": facts.repeats, "mean": mean, "largest": max(noise), "own_tolerance": max(TOLERANCE, 2 * mean)}


def _worst(
    result: TestResult, settings: ScoreSettings, evidence: Mapping[TestId, Sequence[Exchange]]
) -> dict[str, JSON]:
    """The test's worst outcome with what was compared, and its requests and answers where they are known."""
    outcome = min(
        result.outcomes,
        key=lambda o: (graded_score(o, settings), -math.inf if o.deviation is None else -o.deviation),
        default=None,
    )
    row: dict[str, JSON] = {"case": result.id.case_id, "key": result.id.key}
    if outcome is not None:
        row |= {
            **outcome_row(outcome, settings),
            "graded": graded_score(outcome, settings),
            "params": strict(dict(outcome.params)),
            "expected": strict(dict(outcome.expected)),
            "observed": strict(dict(outcome.observed)),
        }
    row["exchanges"] = [strict(asdict(exchange)) for exchange in evidence.get(result.id, ())]
    return row


def _ids(facts: RunFacts, tests: Iterable[TestId], groups: Mapping[str, str]) -> list[JSON]:
    chosen = set(tests)
    return [list(test) for test in _in_card_order(facts, groups) if test in chosen] if chosen else []
