"""The rows of a board: a ranking's models under names of their own, and the figures that stand beside the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_jevbench.relations.taxonomy import DIMENSIONS
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.ranking import Ranking, Standing
from pytest_jevbench.scoring.scores import MeanScore
from pytest_jevbench.scoring.weights import OVERALL
from pytest_jevbench.slugs import file_name

__all__ = ["PAGES", "Accuracy", "Board", "Entry", "Reference", "board_of"]

PAGES = "models"
"""The folder of the models' pages, beside the board."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of right answers among all labelled questions, unanswered ones counting as wrong; None: why."""

    value: float | None
    questions: int = 0
    interval: Interval | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One model on the board. ``page`` is its page's address from the board, empty where it has none."""

    name: str
    standing: Standing
    page: str = ""

    @property
    def card(self) -> Card:
        return self.standing.card

    @property
    def ranks(self) -> tuple[int, int] | None:
        return self.standing.ranks

    @property
    def complete(self) -> bool:
        """Whether every planned test was judged by one model; only then the scores compare."""
        return not self.standing.obstacles

    @property
    def overall(self) -> MeanScore:
        return self.card.scores.overall

    @property
    def dimensions(self) -> tuple[MeanScore, ...]:
        return self.card.scores.dimensions

    @property
    def accuracy(self) -> Accuracy:
        if not self.complete:
            return Accuracy(None, reason="the run is not whole")
        section = self.card.data.get("accuracy")
        if section is None or section.get("accuracy_strict") is None:
            return Accuracy(None, reason="no labelled answers")
        return Accuracy(section["accuracy_strict"], section["questions"], _interval(section.get("case_interval")))


@dataclass(frozen=True, slots=True)
class Reference:
    """What the uniform model scores on the same tests, by score (:data:`OVERALL`, dimensions); binary or graded."""

    name: str
    scores: Mapping[str, float | None]
    graded: Mapping[str, float | None]
    accuracy: float | None


@dataclass(frozen=True)
class Board:
    """Everything that a board shows. ``place`` is after how many entries the reference would stand."""

    ranking: Ranking
    entries: tuple[Entry, ...]
    reference: Reference | None
    place: int

    @property
    def card(self) -> Card:
        """One of the cards: they are all of one suite, planned and judged alike."""
        return self.entries[0].card

    @property
    def ranked(self) -> tuple[Entry, ...]:
        return self.entries[: self.ranking.ranked]

    @property
    def unranked(self) -> tuple[Entry, ...]:
        return self.entries[self.ranking.ranked :]


def board_of(ranking: Ranking, *, pages: bool = True) -> Board:
    """The board of a ranking. Models of one name are told apart by numbers."""
    names = _told_apart([standing.card.name for standing in ranking.standings])
    files = _told_apart([file_name(name) for name in names], "-{}")
    entries = tuple(
        Entry(name, standing, f"{PAGES}/{file}.html" if pages else "")
        for name, file, standing in zip(names, files, ranking.standings, strict=True)
    )
    reference = next(filter(None, (_reference(entry.card) for entry in entries)), None)
    return Board(ranking, entries, reference, _place(ranking, reference))


def _told_apart(names: Sequence[str], form: str = " ({})") -> list[str]:
    """The names, later equal ones with a number that makes them names of nothing else; letter case tells nothing."""
    taken: set[str] = set()
    given = {name.casefold() for name in names}
    found = []
    for name in names:
        made, number = name, 2
        while made.casefold() in taken or (made != name and made.casefold() in given):
            made, number = name + form.format(number), number + 1
        taken.add(made.casefold())
        found.append(made)
    return found


def _reference(card: Card) -> Reference | None:
    section: Mapping[str, Any] | None = card.data.get("reference")
    if not section:
        return None
    wanted = (OVERALL, *(dimension.id for dimension in DIMENSIONS))
    of = {name: section["scores"].get(name) or {} for name in (*wanted, *section["scores"])}
    return Reference(
        str(section["name"]),
        {name: score.get("score") for name, score in of.items()},
        {name: score.get("graded") for name, score in of.items()},
        section.get("accuracy"),
    )


def _place(ranking: Ranking, reference: Reference | None) -> int:
    if reference is None:
        return ranking.ranked
    value = (reference.graded if ranking.graded else reference.scores).get(ranking.by)
    if value is None:
        return ranking.ranked
    scores = [standing.score for standing in ranking.standings[: ranking.ranked]]
    return sum(score is not None and score >= value for score in scores)


def _interval(value: Mapping[str, Any] | None) -> Interval | None:
    return None if value is None else Interval(value["low"], value["high"], bool(value.get("degenerate")))
