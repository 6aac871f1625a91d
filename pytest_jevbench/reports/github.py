"""What GitHub's runner reads from a job's output: annotations, as workflow commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

from pytest_jevbench.json_text import printable
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.gate import GateResult
from pytest_jevbench.scoring.gate_results import ConditionResult

__all__ = ["MOST", "Annotation", "annotations_of", "inert"]

MOST = 10
"""GitHub shows ten errors and ten warnings of a step, and drops the rest."""

LONGEST = 1000
"""Characters of an annotation's text."""

Level: TypeAlias = Literal["error", "warning", "notice"]
_COMMAND = re.compile(r"^(\s*)::|##\[")


class Annotation(NamedTuple):
    """One annotation; ``line`` is the workflow command, which has to start a line of output."""

    level: Level
    title: str
    text: str

    @property
    def line(self) -> str:
        return f"::{self.level} title={_property(_short(self.title))}::{_data(_short(self.text))}"


def annotations_of(
    card: Card, gate: GateResult | None, new: Iterable[tuple[str, str]], *, failed: bool
) -> list[Annotation]:
    """What to annotate a run with, the most important first, at most :data:`MOST`.

    ``new`` holds title and text of violations or relations to point out; ``failed`` is whether the run failed where no
    gate decides.
    """
    return list(islice(_all(card, gate, new, failed), MOST))


def _all(card: Card, gate: GateResult | None, new: Iterable[tuple[str, str]], failed: bool) -> Iterator[Annotation]:
    what = f"{card.name} on {card.suite}"
    unjudged = card.data["counts"]["unjudged"]["total"]
    if gate is not None:
        if gate.decision != "passed":
            yield Annotation("error", f"Coherence gate {gate.decision}", f"{what}: {'; '.join(gate.reasons)}")
            yield from (_condition(c) for c in gate.conditions if c.verdict in ("failed", "too_few"))
    elif unjudged:
        yield Annotation("error", "Coherence run incomplete", f"{what}: {unjudged} tests were not judged")
    level: Level = "error" if failed and gate is None else "warning"
    yield from (Annotation(level, title, text) for title, text in new)


def _condition(condition: ConditionResult) -> Annotation:
    return Annotation("error", condition.name, condition.text.partition(": ")[2])


def inert(line: str) -> str:
    """A line of output that the runner does not take for a command, wherever its text came from.

    >>> inert("  ::error::no"), inert("a ##[group]b"), inert("a::b")
    ('  : :error::no', 'a # #[group]b', 'a::b')
    """
    return _COMMAND.sub(lambda found: "# #[" if found[0] == "##[" else f"{found[1]}: :", line)


def _short(text: str) -> str:
    flat = printable(text)
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
