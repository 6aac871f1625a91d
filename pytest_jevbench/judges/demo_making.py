"""Makes the bundled demonstration data: three judges that do not exist, on questions that nobody asked.

Every number is drawn from SHA-256 of its name, so that the files come out the same everywhere. What was put in, and so
has to be found: ``judge-steady`` says what it knows; ``judge-confident`` knows less and is far too sure, favours the
first answer and the longer one; ``judge-lenient`` is cheaper, leans towards yes, towards markup and its own answers.

Run ``python -m pytest_jevbench.judges.demo_making`` to write the files anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pytest_jevbench.files import write_whole
from pytest_jevbench.json_text import dumps

__all__ = ["DATA", "demo_fixture_json", "demo_pairs_json"]

DATA = Path(__file__).with_name("data")
ITEMS = 300
PAIRS = 24

QUESTIONS = {
    "source": "Does the reply name the document it relies on?",
    "step": "Does the reply give a step that the customer can take today?",
}
COSTS = {"judge-steady": 4.0, "judge-confident": 6.5, "judge-lenient": 0.8}

_TOPICS = ("a parcel that is late", "a refund for a kettle", "a changed address", "a broken lamp", "a double charge")
_SOURCES = (
    "Section 4 of the delivery terms",
    "the returns page, under Kitchen",
    "the letter of 3 May",
    "the order form",
)
_STEPS = (
    "print the label in your account",
    "call the depot before six",
    "upload a photo of it",
    "reply with the number",
)
_VAGUE = ("our rules", "what is usual here", "the information we have", "our experience")
_IDLE = ("we will look into it", "such things happen", "please be patient", "our team knows about it")

_ANSWERS = (
    ("Restart the router, then wait two minutes.", "Unplug the router. Plug it in again after two minutes."),
    ("Invoices are kept for ten years.", "Ten years is how long an invoice has to be kept."),
    ("Use a parameterised query here.", "Pass the value as a parameter of the query."),
    ("The deadline is 30 June.", "It has to be handed in by the end of June."),
)
_FILLER = " To put it in other words, this is what there is to say about it, and it holds in general."


@dataclass(frozen=True)
class _Judge:
    """How a made-up judge answers: what it sees of the truth, how sure it is, what it leans to (all in logits)."""

    name: str
    model: str
    sees: float
    sharpness: float
    lean: float
    first: float
    longer: float
    marked: float
    own: float


_JUDGES = (
    _Judge("judge-steady", "model-s", 2.2, 2.2, 0.0, 0.1, 0.0, 0.0, 0.0),
    _Judge("judge-confident", "model-c", 1.5, 8.0, 0.0, 1.2, 1.1, 0.0, 0.0),
    _Judge("judge-lenient", "model-l", 1.0, 1.3, 1.1, 0.0, 0.0, 1.8, 1.0),
)


def demo_fixture_json() -> dict[str, Any]:
    """The demonstration fixture: half of its items to fit on, half held out."""
    return {
        "schema_version": 1,
        "synthetic": True,
        "license": "Apache-2.0",
        "rubric": {"id": "support_reply", "questions": [{"id": k, "text": text} for k, text in QUESTIONS.items()]},
        "judge_costs": dict(COSTS),
        "items": [_item(number) for number in range(ITEMS)],
    }


def _item(number: int) -> dict[str, Any]:
    name = f"r{number:03d}"
    question = list(QUESTIONS)[number % 2]
    truth = _uniform(name, "truth") < 0.5
    source = _pick(_SOURCES if truth or question != "source" else _VAGUE, name, "source")
    step = _pick(_STEPS if truth or question != "step" else _IDLE, name, "step")
    opening = f"Ticket {100 + number}. Thank you for writing about {_pick(_TOPICS, name, 'topic')}."
    shared = _normal(name, "shared")  # what makes an item hard for everybody
    return {
        "id": name,
        "split": "fit" if number < ITEMS // 2 else "holdout",
        "question_id": question,
        "text": f"{opening} As for {source}: {step}.",
        "truth": truth,
        "judgments": {judge.name: _judgment(judge, name, truth, shared) for judge in _JUDGES},
    }


def _judgment(judge: _Judge, name: str, truth: bool, shared: float) -> float:
    evidence = (1.0 if truth else -1.0) * judge.sees + shared + _normal(name, judge.name)
    return round(_sigmoid(judge.sharpness * evidence + judge.lean), 3)


def demo_pairs_json() -> dict[str, Any]:
    """The demonstration pairs: equally good answers, some matched for all but length or markup, in both orders."""
    return {
        "synthetic": True,
        "license": "Apache-2.0",
        "pairs": [_pair(judge, number) for judge in _JUDGES for number in range(PAIRS)],
    }


def _pair(judge: _Judge, number: int) -> dict[str, Any]:
    one, other = _ANSWERS[number % len(_ANSWERS)]
    kind = ("length", "markup", None)[number % 3]
    edited_first = number % 2 == 0
    if kind is not None:
        other = one + _FILLER * (1 + number % 2) if kind == "length" else f"## Answer\n- **{one}**"
    a, b = (other, one) if edited_first else (one, other)
    own_a, own_b = (number // 2) % 3 == 0, (number // 2) % 3 == 1
    lean = _normal(f"pair{number}", judge.name) * 0.4
    lean += judge.longer * (kind == "length") * (1 if edited_first else -1)
    lean += judge.marked * (kind == "markup") * (1 if edited_first else -1)
    lean += judge.own * (own_a - own_b)
    return {
        "id": f"p{number:02d}",
        "judge": judge.name,
        "judge_model": judge.model,
        "a": a,
        "b": b,
        "a_model": judge.model if own_a else "model-x",
        "b_model": judge.model if own_b else "model-x",
        **({"matched": kind} if kind else {}),
        "forward": round(_sigmoid(lean + judge.first), 3),
        "swapped": round(_sigmoid(judge.first - lean), 3),
    }


def _uniform(*names: str) -> float:
    return int.from_bytes(sha256("/".join(names).encode()).digest()[:8], "big") / 2**64


def _normal(*names: str) -> float:
    """Nearly normal: the sum of twelve uniform numbers, which needs no function that differs between machines."""
    return sum(_uniform(*names, str(k)) for k in range(12)) - 6.0


def _pick(texts: tuple[str, ...], *names: str) -> str:
    return texts[int(_uniform(*names) * len(texts))]


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


if __name__ == "__main__":
    for file, value in (("demo_fixture.json", demo_fixture_json()), ("demo_pairs.json", demo_pairs_json())):
        write_whole(DATA / file, dumps(value, indent=1) + "\n")
