"""One card of the whole from the cards of its shards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, shown
from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.runs.results import Outcome, TestResult
from pytest_jevbench.scoring.card import build_card
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.run_facts import AskingFacts, Exchange, ModelFacts, PlanFacts, RunFacts, SuiteFacts
from pytest_jevbench.scoring.suite_sections import SuiteSections
from pytest_jevbench.shrinking.section import merged_json

__all__ = ["merge_cards"]

Sections = Callable[[RunFacts, Card], SuiteSections]

_MODEL = ("name", "asked", "dialect", "revision", "launch", "details")
"""What must agree of the models; shards of one model may have asked it at different addresses."""


def merge_cards(cards: Sequence[Card], sections: Sections) -> dict[str, JSON]:
    """The card that one run of all shards would have made, apart from the section ``run``.

    ``sections`` gives the parts that need the suite. Shards that are missing stay named under ``elsewhere``. Raises
    :class:`InputError` for cards that are not of one suite, model and settings, and for a test that two of them have.
    """
    first = cards[0]
    for card in cards:
        if card.layout != "card":
            raise InputError("a published report cannot be merged", place=Place(card.path))
        _check_same(first, card)
    _check_overlap(cards)
    facts = _facts(cards)
    evidence = dict(_evidence(cards))
    whole = sections(facts, first)
    merged = build_card(
        facts,
        _results(cards),
        settings=first.settings,
        evidence=evidence,
        accuracy=whole.accuracy,
        reference=whole.reference,
    )
    minimized = [card.data["minimized"] for card in cards if card.data.get("minimized") is not None]
    return {**merged, "minimized": merged_json(minimized)} if minimized else merged


def _check_same(first: Card, card: Card) -> None:
    one, other = first.data["identity"], card.data["identity"]
    suites = [{k: v for k, v in identity["suite"].items() if k != "description"} for identity in (one, other)]
    if suites[0] != suites[1]:
        names = " and ".join(f"{suite['name']} {suite['version']} ({suite['digest'][:12]})" for suite in suites)
        raise _different("suites", names, first, card)
    for part in _MODEL:
        if one["model"][part] != other["model"][part]:
            values = f"{part} {shown(one['model'][part])} and {shown(other['model'][part])}"
            raise _different("models", values, first, card)
    answered = [set(identity["model"]["answered"]) for identity in (one, other)]
    if all(answered) and answered[0] != answered[1]:
        names = " and ".join(", ".join(sorted(map(shown, of))) for of in answered)
        raise _different("models", f"they answered under the names {names}", first, card)
    for section in ("settings", "plan", "selection"):
        if one[section] != other[section]:
            keys = one[section].keys() | other[section].keys()
            wrong = next(key for key in sorted(keys) if one[section].get(key) != other[section].get(key))
            values = f"{wrong} {shown(one[section].get(wrong))} and {shown(other[section].get(wrong))}"
            raise _different(section if section == "settings" else f"{section}s", values, first, card)
    if first.cases != card.cases or first.planned != card.planned:
        raise _different("plans", "they plan other tests", first, card)


def _different(what: str, found: str, first: Card, card: Card) -> InputError:
    return InputError(
        f"{first.path} and {card.path} are of different {what}: {found}",
        advice="Merge the cards of shards of one run",
    )


def _check_overlap(cards: Sequence[Card]) -> None:
    owner: dict[TestId, Card] = {}
    for card in cards:
        for result in card.results:
            before = owner.setdefault(result.id, card)
            if before is not card:
                test = " ".join(map(shown, result.id))
                raise InputError(
                    f"{before.path} and {card.path} both have the test {test}",
                    advice="Give the card of each shard once",
                )


def _facts(cards: Sequence[Card]) -> RunFacts:
    data = cards[0].data
    identity = data["identity"]
    have = [result.id for card in cards for result in card.results]
    deselected = [TestId(*row) for card in cards for row in card.data["deselected"]]
    known = {*have, *deselected}
    elsewhere = [
        test for test in dict.fromkeys(TestId(*row) for c in cards for row in c.data["elsewhere"]) if test not in known
    ]
    answered = sorted({name for card in cards for name in card.data["identity"]["model"]["answered"]})
    addresses = dict.fromkeys(card.data["identity"]["model"]["address"] for card in cards)
    model = {**identity["model"], "answered": tuple(answered), "address": ", ".join(a for a in addresses if a)}
    plan = {key: identity["plan"][key] for key in ("file", "selection", "seed", "draws")}
    versions = {k: v for k, v in identity["versions"].items() if k != "pytest-jevbench"}
    notes: Counter[str] = Counter()
    for card in cards:
        notes.update(card.data["answer_notes"])
    return RunFacts(
        model=ModelFacts(**model),
        suite=SuiteFacts(**identity["suite"]),
        planned=[*have, *deselected, *elsewhere],
        cases=cards[0].cases,
        plan=PlanFacts(**plan),
        deselected=deselected,
        elsewhere=elsewhere,
        selection=identity["selection"],
        repeats=identity["settings"]["repeats"],
        own_laws={
            own["name"]: {field: value for field, value in own.items() if field != "name"}
            for own in data.get("own_laws") or ()
        },
        judge_gains=_judge_gains(cards),
        judge_pairs={case: tuple(pair) for c in cards for case, pair in (c.data.get("judge_pairs") or {}).items()},
        sources=_union(cards, "sources"),
        noise=_union(cards, "noise"),
        notes=notes,
        stopped=_stopped(cards),
        asking=_asking(cards),
        versions={"pytest-jevbench": identity["versions"]["pytest-jevbench"], **versions},
    )


def _judge_gains(cards: Sequence[Card]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for card in cards:
        for law, gains in (card.data.get("judge_gains") or {}).items():
            found.setdefault(law, {}).update(gains)
    return found


def _union(cards: Sequence[Card], section: str) -> dict[str, Any]:
    return {case: value for card in cards for case, value in card.data[section].items()}


def _stopped(cards: Sequence[Card]) -> str:
    opening = "the run ended before its last test: "
    texts = [f["text"] for card in cards for f in card.data["flags"] if f["name"] == "stopped"]
    return "; ".join(dict.fromkeys(text.removeprefix(opening) for text in texts))


def _asking(cards: Sequence[Card]) -> AskingFacts:
    runs: list[Mapping[str, Any]] = [card.data["run"] for card in cards]
    added = ("requests", "hits", "model_seconds", "input_tokens", "output_tokens", "workers")
    option, *others = {str((run.get("details") or {}).get("tests", "")) for run in runs}
    tests = {"tests": option} if option and not others else {}
    sums: dict[str, Any] = {name: sum(run[name] for run in runs) for name in added}
    return AskingFacts(
        **sums,
        seconds=max(run["seconds"] for run in runs),
        started=min(run["started"] for run in runs),
        details={"merged": len(cards), **tests},
    )


def _results(cards: Sequence[Card]) -> list[TestResult]:
    """Every result; the worst outcome of a shown test with what was compared, which only its row there tells."""
    results = []
    for card in cards:
        rows = {
            TestId(relation["name"], row["case"], row["key"]): row
            for section in ("relations", "diagnostics")
            for relation in card.data[section]
            for row in relation["worst"]
        }
        results += [_with_details(result, rows.get(result.id)) for result in card.results]
    return results


def _with_details(result: TestResult, row: Mapping[str, Any] | None) -> TestResult:
    if row is None or "deviation" not in row:
        return result
    details = {name: row[name] for name in ("params", "expected", "observed")}

    def is_shown(outcome: Outcome) -> bool:
        place = (list(outcome.targets), outcome.variant, outcome.draw, outcome.deviation)
        return place == (row["targets"], row["variant"], row["draw"], row["deviation"])

    return replace(result, outcomes=tuple(replace(o, **details) if is_shown(o) else o for o in result.outcomes))


def _evidence(cards: Sequence[Card]) -> list[tuple[TestId, list[Exchange]]]:
    return [
        (TestId(relation["name"], row["case"], row["key"]), [Exchange(**exchange) for exchange in row["exchanges"]])
        for card in cards
        for section in ("relations", "diagnostics")
        for relation in card.data[section]
        for row in relation["worst"]
    ]
