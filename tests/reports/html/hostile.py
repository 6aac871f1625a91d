"""A real-looking card whose every text is hostile: tags, quotes, marks of direction, ids of 10,000 characters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.scoring.card import Exchange, ModelFacts, SuiteFacts, build_card
from pytest_jevbench.scoring.card_reading import Card
from tests.scoring.by_hand import FIVE, facts_for, judged

TAGS = "</script><script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>"
QUOTES = '"\' onmouseover="window.pwned = 1" & `${window.pwned = 1}` {{ 7 * 7 }} {% raw %}'
DIRECTION = "safe\u202egnp.exe\u2066\u200f mark"
LONG = "l" * 10_000
HOSTILE = (TAGS, QUOTES, DIRECTION, LONG, "\u2028line\u2029 and \x00 and \x1b[31m")


def hostile_card() -> Card:
    """Each hostile text as a case, a domain, a question, a state, an instruction, an option and an answer."""
    results, evidence = [], {}
    for number, (relation, text) in enumerate(zip(FIVE, HOSTILE, strict=True)):
        result = judged(relation, f"{number}{text}", 0.5, key=f"q{text}")
        outcome = replace(result.outcomes[0], expected={f"a{text}": 0.25}, observed={f"a{text}": 0.75})
        result = replace(result, outcomes=(outcome,))
        results.append(result)
        evidence[result.id] = _exchanges(result.id, text)
    facts = facts_for(
        results,
        {result.id.case_id: f"d{text}" for result, text in zip(results, HOSTILE, strict=True)},
        model=ModelFacts(f"model {TAGS} {DIRECTION}", address=QUOTES, answered=(TAGS,)),
        suite=SuiteFacts(f"suite {TAGS}", "1", description=QUOTES),
        notes={TAGS: 3},
        stopped=TAGS,
    )
    return Card.from_json(build_card(facts, results, evidence=evidence))


def _exchanges(test: TestId, text: str) -> list[Exchange]:
    def request(options: dict[str, str]) -> dict[str, Any]:
        question = {"type": "choice", "instructions": f"instructions {text}", "criteria": options}
        return {"state": f"state {text}", "questions": {test.key: question}}

    options = {f"o{text}": f"described {text}", "other": "other"}
    answers = {test.key: {"probs": {f"o{text}": 0.5, "other": 0.5}, "note": text}}
    return [
        Exchange("base", request(options), answers),
        Exchange(f"label {text}", request({**options, "third": f"third {text}"}), answers),
    ]
