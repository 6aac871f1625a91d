"""A card for people who work in Python: its parts by name, a text for the terminal, a picture for the notebook."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_jevbench.json_text import JSON, printable
from pytest_jevbench.reports.card_html import card_html
from pytest_jevbench.reports.markdown import job_summary
from pytest_jevbench.reports.tables import summary
from pytest_jevbench.reports.text import percent, plain
from pytest_jevbench.reports.worst_of_card import worst_of_card
from pytest_jevbench.scoring import card_reading
from pytest_jevbench.scoring.card import card_text, write_card
from pytest_jevbench.scoring.relation_scores import RelationScore, graded_score, judge_again, tolerance_of
from pytest_jevbench.scoring.scores import DomainScore, MeanScore, Scores

__all__ = ["Card", "Violation"]


@dataclass(frozen=True, slots=True)
class Violation:
    """A test whose law is broken, by the outcome furthest past its tolerance.

    ``deviation`` is None where it was not finite; ``flip`` is whether software that takes the most probable answer
    would have decided otherwise (None where the law is not about a decision); ``graded`` is 1 at the tolerance and 0
    at the largest possible deviation.

    Of the three worst tests of each relation a card keeps more, of the others nothing: ``expected`` and ``observed``
    are the numbers compared, by name, ``exchanges`` the requests and answers, each with ``label``, ``request`` and
    ``answers``.
    """

    relation: str
    case: str
    question: str
    targets: tuple[str, ...]
    deviation: float | None
    tolerance: float
    flip: bool | None
    graded: float
    expected: Mapping[str, Any] = field(default_factory=dict, repr=False)
    observed: Mapping[str, Any] = field(default_factory=dict, repr=False)
    exchanges: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        deviation = "not finite" if self.deviation is None else f"{self.deviation:.4f}"
        flip = ", the decision flips" if self.flip else ""
        where = printable(f"{self.relation} on {self.case}, {self.question}")
        return f"{where}: deviation {deviation}, allowed {self.tolerance:g}{flip}"


class Card:
    """The coherence card of a run, as :func:`pytest_jevbench.evaluate` gives it and ``--jevbench-card`` writes it.

    In a notebook it shows itself; ``print(card)`` gives the table that a run prints. A score is a number from 0 to 1,
    or None with the reason beside it. Cards are equal where all that they tell is, apart from times and what asking
    came to.
    """

    def __init__(self, computed: card_reading.Card) -> None:
        self._computed = computed

    @classmethod
    def load(cls, path: Path | str) -> Card:
        """Read a card, plain or gzip, or a published report.

        Raises :class:`~pytest_jevbench.errors.InputError` naming the file and the field that is wrong.
        """
        return cls(card_reading.read_card(path))

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Card:
        """A card from its JSON value, as :meth:`to_dict` gives it. Raises :class:`InputError` naming the field."""
        return cls(card_reading.Card.from_json(dict(value)))

    @property
    def computed(self) -> card_reading.Card:
        """What scoring, gates and reports of this package work on."""
        return self._computed

    @property
    def data(self) -> Mapping[str, Any]:
        """The card's sections as docs/card.md describes them, to look into; :meth:`to_dict` is a copy to keep."""
        return self._computed.data

    @property
    def name(self) -> str:
        """The model's name, as tables show it."""
        return self._computed.name

    @property
    def suite(self) -> str:
        """The suite's name, or that of the file of cases."""
        return self._computed.suite

    @property
    def scores(self) -> Scores:
        """All scores."""
        return self._computed.scores

    def save(self, path: Path | str) -> Path:
        """Write the card, whole or not at all; the directory is made where there is none. Raises ``OSError``."""
        write_card(path, self._computed.data)
        return Path(path)

    def to_dict(self) -> dict[str, JSON]:
        """The card as plain JSON values, a copy of its own; docs/card.md says what each field means."""
        copied: dict[str, JSON] = json.loads(card_text(self.data))
        return copied

    @property
    def complete(self) -> bool:
        """Whether every test that was planned and not deselected was judged."""
        return not any(flag["name"] in ("incomplete", "stopped", "shard") for flag in self.data["flags"])

    @property
    def overall(self) -> MeanScore:
        """The mean of the five dimensions, with its interval; ``overall.score`` is None unless all five are scored."""
        return self.scores.overall

    @property
    def dimensions(self) -> Mapping[str, MeanScore]:
        """The dimensions by id: ``card.dimensions["MEA"].score``."""
        return MappingProxyType({row.name: row for row in self.scores.dimensions})

    @property
    def groups(self) -> Mapping[str, MeanScore]:
        """The groups by id: ``card.groups["CHO.conditioning"].score``."""
        return MappingProxyType({row.name: row for row in self.scores.groups})

    @property
    def relations(self) -> Mapping[str, RelationScore]:
        """The planned relations by name, diagnostics last: counts, score, rates, deviations."""
        return MappingProxyType({row.name: row for row in (*self.scores.relations, *self.scores.diagnostics)})

    @property
    def domains(self) -> Mapping[str, DomainScore]:
        """The domains by name; none where the cases name none."""
        return MappingProxyType({row.name: row for row in self.scores.domains})

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """Every violated test, the one furthest past its tolerance first."""
        found = sorted(self._violations(), key=lambda one: (one.graded, -_size(one.deviation)))
        return tuple(found)

    def explain(self, most: int = 3) -> str:
        """The worst violations in words: the law, what was changed in the request, what was expected and observed.

        No two of one relation while others are left; only violations of which the card keeps the requests.
        """
        blocks = []
        for told in worst_of_card(self._computed, most=most):
            lines = [one for one in told.lines if not one.startswith("ask again")]
            blocks.append("\n".join([told.name, *lines]))
        return "\n\n".join(blocks)

    def _violations(self) -> Iterator[Violation]:
        kept = {
            (row["name"], worst["case"], worst["key"]): worst
            for row in (*self.data["relations"], *self.data["diagnostics"])
            for worst in row["worst"]
        }
        settings = self._computed.settings
        for result in self._computed.results:
            judged = judge_again(result, settings)
            if judged.verdict != "violated":
                continue
            worst = min(result.outcomes, key=lambda o: (graded_score(o, settings), -_size(o.deviation)), default=None)
            row: Mapping[str, Any] = kept.get((result.id.relation, result.id.case_id, result.id.key), {})
            yield Violation(
                relation=result.id.relation,
                case=result.id.case_id,
                question=result.id.key,
                targets=() if worst is None else worst.targets,
                deviation=None if worst is None else worst.deviation,
                tolerance=0.0 if worst is None else tolerance_of(worst, settings),
                flip=None if worst is None else worst.flip,
                graded=judged.graded,
                expected=row.get("expected", {}),
                observed=row.get("observed", {}),
                exchanges=tuple(row.get("exchanges", ())),
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Card):
            return NotImplemented
        return {**self.to_dict(), "run": None} == {**other.to_dict(), "run": None}

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return "\n".join(plain(row) for row in summary(self._computed))

    def __repr__(self) -> str:
        counts = self.data["counts"]
        what = f"{printable(self.name)!r} on {printable(self.suite)!r}: overall {percent(self.overall.score)}"
        return f"<Card {what}, {counts['judged']} of {counts['planned']} judged, {counts['violated']} violated>"

    def _repr_html_(self) -> str:
        return card_html(self._computed)

    def _repr_markdown_(self) -> str:
        return job_summary(self._computed)


def _size(deviation: float | None) -> float:
    return math.inf if deviation is None else deviation
