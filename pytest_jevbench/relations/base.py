"""What a relation is: one transformation of the question side, joined to one law its answers must keep."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.errors import BuildError, SealedError
from pytest_jevbench.json_text import JSON
from pytest_jevbench.questions import MAX_LEVELS, MAX_OPTIONS, Case, Choice, Question, Score
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.rewrite_bank import RewriteBank

__all__ = [
    "FOLLOW_UP",
    "TOLERANCE",
    "Batch",
    "Edit",
    "Measurement",
    "Reading",
    "Relation",
    "SourceCase",
    "Transformation",
    "Trial",
    "validate_batch",
]

TOLERANCE = 0.05
"""The deviation allowed to every model, whatever its noise."""

FOLLOW_UP = "variant"
"""The label of the one follow-up request that every scored relation sends (published layout)."""

Batch = dict[str, Question]


@dataclass(frozen=True)
class SourceCase:
    """A case as a transformation sees it: questions, declared facts and rewrites, and no answer."""

    case: Case
    bank: RewriteBank

    @property
    def id(self) -> str:
        return self.case.id

    @property
    def questions(self) -> Mapping[str, Question]:
        return self.case.questions

    @property
    def answers(self) -> Mapping[str, Distribution]:
        """Sealed: a trial that depends on an answer could not be frozen. Raises :class:`SealedError`."""
        raise SealedError(
            f"a relation read the answers of case {self.case.id!r} while it built a trial. "
            "Trials are built before any model is asked; use the answers in `measure` alone"
        )

    def rewrites(self, kind: str, source: str) -> tuple[str, ...]:
        """The usable rewrites of a text, in the bank's order."""
        return self.bank.find(kind, source)

    def others(self, key: str, kind: type[Any]) -> tuple[str, ...]:
        """The keys of all other questions of a type, in order."""
        return tuple(k for k, q in self.questions.items() if k != key and isinstance(q, kind))


@dataclass(frozen=True, slots=True)
class Edit:
    """What a transformation makes of a case: the follow-up batches, whom they are about, and what was drawn."""

    targets: tuple[str, ...]
    batches: Mapping[str, Mapping[str, Question]]
    params: Mapping[str, JSON] = field(default_factory=dict)

    @classmethod
    def of(cls, targets: Sequence[str], batch: Mapping[str, Question], **params: JSON) -> Edit:
        """An edit with the one usual follow-up request."""
        return cls(tuple(targets), {FOLLOW_UP: batch}, params)


@dataclass(frozen=True, slots=True)
class Trial:
    """One built variant of a relation on a target question, free of any answer.

    ``reduced`` is the same trial on a batch that holds the targets alone, or None.
    """

    case_id: str
    relation: str
    key: str
    variant: int
    draw: int
    edit: Edit
    reduced: Edit | None = None

    @property
    def targets(self) -> tuple[str, ...]:
        return self.edit.targets

    @property
    def params(self) -> Mapping[str, JSON]:
        return self.edit.params


@dataclass(frozen=True, slots=True)
class Reading:
    """The answers that one trial is measured on.

    ``source`` holds the distributions of the base request by question key, ``follow_ups`` those of each follow-up
    request by label and key, ``raw_source`` and ``raw_follow_ups`` the unread answers, for diagnostics alone.
    """

    key: str
    targets: tuple[str, ...]
    params: Mapping[str, Any]
    questions: Mapping[str, Question]
    source: Mapping[str, Distribution]
    follow_ups: Mapping[str, Mapping[str, Distribution]]
    raw_source: Mapping[str, Any] = field(default_factory=dict)
    raw_follow_ups: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def follow_up(self) -> Mapping[str, Distribution]:
        return self.follow_ups[FOLLOW_UP]

    @property
    def before(self) -> Distribution:
        """The source distribution of the target question."""
        return self.source[self.key]

    @property
    def after(self) -> Distribution:
        """The follow-up distribution under the target question's own key."""
        return self.follow_up[self.key]

    def yes(self, key: str) -> float:
        """P(yes) of a Noul of the base request."""
        return self.source[key]["true"]

    def probe(self, param: str) -> float:
        """P(yes) of the probe whose key stands in a parameter."""
        return self.follow_up[self.params[param]]["true"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a law measures of one reading.

    ``deviation`` is 0 where the law is kept; ``flip`` whether a decision changed (None where the law is not about a
    decision); ``expected`` and ``observed`` are the numbers compared, by a name a person can read.
    """

    targets: tuple[str, ...]
    deviation: float
    flip: bool | None
    expected: Distribution
    observed: Distribution


class Transformation(ABC):
    """A deterministic edit of the question side, shared by the relations that state laws about the same requests.

    ``family`` is the name of the first relation that uses it: all draws are keyed by it, so that relations of one
    family coincide in their requests.
    """

    family: str
    randomised: bool = False
    keeps_batch: bool = True
    """False where the batch itself is what is edited: such trials have no reduced form."""

    def targets(self, source: SourceCase) -> Iterator[str]:
        """The keys of the questions it applies to, in order."""
        for key, question in source.questions.items():
            if self.applies(source, key, question):
                yield key

    @abstractmethod
    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        """Whether the question can be the target."""

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        """The variants (template, option, pair, size) that exist for a target."""
        return (0,)

    @abstractmethod
    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        """The follow-up batches of one variant."""


class Relation(ABC):
    """One law. Subclass it, fill in the declaration, decorate the class with ``register``.

    ``law`` is the sentence a person reads, ``formula`` its short form, ``source`` where the law comes from, ``edits``
    the parts of a request that the transformation changes, ``form`` one of :data:`~.taxonomy.FORMS`, ``check`` the
    name of the quantity measured, ``variants`` in words, ``tolerance`` an own tolerance where the common one does not
    apply.
    """

    name: ClassVar[str]
    group: str
    edits: ClassVar[tuple[str, ...]]
    form: ClassVar[str]
    formula: ClassVar[str]
    law: ClassVar[str]
    source: ClassVar[str]
    check: ClassVar[str]
    variants: str
    transformation: Transformation
    tolerance: ClassVar[float | None] = None

    @property
    def dimension(self) -> str:
        return self.group.partition(".")[0]

    @property
    def scored(self) -> bool:
        return self.dimension != "DIAG"

    @abstractmethod
    def measure(self, reading: Reading) -> Measurement | Sequence[Measurement]:
        """The deviation of one trial from the law, one measurement for each outcome."""

    def stands_alone(self, small: SourceCase, key: str) -> bool:
        """Whether the law can be asked of a batch that holds its targets alone."""
        return True

    def build(self, source: SourceCase, key: str, variant: int, draw: int, seed: int) -> Trial:
        """One trial, with its reduced form. Raises :class:`BuildError` and :class:`SealedError`."""
        how = self.transformation

        def edit(case: SourceCase) -> Edit:
            made = how.edit(case, key, variant, Draw(seed, case.id, how.family, key, draw, variant))
            for label, batch in made.batches.items():
                validate_batch(batch, f"{self.name} on {case.id}, {key}, request {label!r}")
            return made

        whole = edit(source)
        reduced = None
        if how.keeps_batch:
            small = SourceCase(source.case.restricted(whole.targets), source.bank)
            reduced = edit(small) if self.stands_alone(small, key) else None
        return Trial(source.id, self.name, key, variant, draw, whole, reduced)


def validate_batch(batch: Mapping[str, Question], what: str) -> None:
    """Refuse a batch that no model should be sent. Raises :class:`BuildError`."""
    for key, question in batch.items():
        ids, texts = [key], [question.instructions]
        if isinstance(question, Choice):
            if not 2 <= len(question.options) <= MAX_OPTIONS:
                raise BuildError(f"{what}: {key!r} has {len(question.options)} options")
            ids += question.options.keys()
            texts += question.options.values()
        elif isinstance(question, Score):
            if not 2 <= len(question.levels) <= MAX_LEVELS:
                raise BuildError(f"{what}: {key!r} has {len(question.levels)} levels")
            if len(set(question.levels)) != len(question.levels):
                raise BuildError(f"{what}: {key!r} has two levels of the same text")
            texts += question.levels
        if not all(ids) or not all(text.strip() for text in texts):
            raise BuildError(f"{what}: {key!r} has an empty id, text or description")
