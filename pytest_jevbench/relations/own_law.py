"""A law of the user's own: one class with a name, its wording, its variants and what is measured."""

from __future__ import annotations

import inspect
import traceback
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_jevbench.errors import BuildError, InputError, JevbenchError, Place
from pytest_jevbench.json_text import JSON, dumps, shown
from pytest_jevbench.questions import Choice, Noul, Question, Score
from pytest_jevbench.relations.base import (
    FOLLOW_UP,
    Edit,
    Measurement,
    Reading,
    Relation,
    SourceCase,
    Transformation,
    Trial,
)
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.relations.taxonomy import OWN as OWN_LAWS
from pytest_jevbench.relations.transformations.ids import fresh

if TYPE_CHECKING:
    from pytest_jevbench.oracle.worlds import Worlds

__all__ = ["OWN", "OwnLaw", "declared_at", "in_words", "raised_in", "unregistered"]

OWN = OWN_LAWS.dimension
"""The dimension of laws that count in no other: no score is the mean of it but its group's."""


class OwnLaw(Relation):
    """One law. Subclass it, and give the class to the registry in ``pytest_jevbench_relations``.

    To be declared: ``name`` (lower case, as in node ids), ``law`` (the sentence a person reads), ``formula`` (its short
    form), :meth:`applies` and :meth:`measure`. The rest may be left as it is:

    ``wordings``
        The templates in which it is asked, each a variant: :meth:`ask` is called with one of them.
    ``drawn``
        Whether :meth:`ask` draws something; only then is ``--jevbench-draws`` more than one.
    ``tolerance``
        An own tolerance in [0, 1), where the run's does not apply.
    ``counts_in``
        The dimension (``REP``, ``BAT``, ``MEA``, ``LOG``, ``CHO``) that the law counts in where a run is told to count
        own laws. Nothing counts without ``--jevbench-count-own-laws``.
    ``source``, ``check``, ``edits``, ``form``
        For people: where the law comes from, what the deviation is called, what of a request is changed, and one of
        :data:`~pytest_jevbench.relations.taxonomy.FORMS`.
    """

    form = "I"
    source = ""
    check = "deviation"
    edits: ClassVar[tuple[str, ...]] = ("batch",)
    variants = ""
    wordings: ClassVar[Sequence[str]] = ("",)
    drawn: ClassVar[bool] = False
    counts_in: ClassVar[str | None] = None

    def __init__(self, *, counted: bool = False) -> None:
        """``counted``: let it count in its dimension."""
        self.group = f"{self.counts_in}.own" if counted and self.counts_in else OWN_LAWS.id
        self.transformation = _Asked(self)
        n = len(self.wordings)
        self.variants = type(self).variants or (f"{n} wordings" if n > 1 else "fixed")

    @property
    def counted(self) -> bool:
        """Whether it counts in a dimension of this run."""
        return self.dimension != OWN

    @abstractmethod
    def applies(self, source: SourceCase, key: str) -> bool:
        """Whether the question ``source.questions[key]`` can be the target."""

    def about(self, source: SourceCase, key: str) -> Sequence[str]:
        """The keys of the questions that the law compares, the target first."""
        return (key,)

    def ask(self, source: SourceCase, key: str, wording: str, draw: Draw) -> Mapping[str, Question] | Edit:
        """What is asked beside the case's own batch, by a short name each; nothing: its answers alone are compared.

        The names become keys that are free in the batch, and ``reading.probe(name)`` is P(yes) of one that is a Noul.
        An :class:`~pytest_jevbench.relations.base.Edit` sends whole batches of your own instead. Anything random comes
        from ``draw``. An answer read here raises: tests are made before a model is asked.
        """
        return {}

    @abstractmethod
    def measure(self, reading: Reading) -> Measurement | Sequence[Measurement]:
        """How far the answers of one trial are from the law: see :mod:`pytest_jevbench.own_laws` for ready forms."""

    # What the test helper asks, so that a model without contradictions knows what the law speaks of:

    def means(self, text: str, worlds: Worlds) -> Any:
        """The event that a text of this law's own asks about, as truth values in every world; None for another text."""
        return None

    def given(self, worlds: Worlds) -> Any:
        """The worlds that what you know of your domain allows, as truth values; None for all of them."""
        return None

    # What follows makes a relation of it.

    def build(self, source: SourceCase, key: str, variant: int, draw: int, seed: int) -> Trial:
        """One trial, built twice: what differs then could not be frozen. Raises :class:`BuildError`."""
        trial = super().build(source, key, variant, draw, seed)
        if _text(trial) != _text(super().build(source, key, variant, draw, seed)):
            raise BuildError(
                f"{self.name} ({declared_at(self)}) builds something else each time, on case {source.id!r}, question "
                f"{key!r}. Take whatever is random from `draw`, and never from random, time or a set's order"
            )
        return trial

    def stands_alone(self, small: SourceCase, key: str) -> bool:
        """Whether it applies where its questions are asked without the case's others."""
        return self._applies(small, key)

    def _applies(self, source: SourceCase, key: str) -> bool:
        try:
            return bool(self.applies(source, key))
        except JevbenchError:
            raise
        except (Exception, SystemExit) as error:
            raise BuildError(in_words(self, f"applies fails on case {source.id!r}, question {key!r}", error)) from error


class _Asked(Transformation):
    """The transformation of a law that was declared as one class."""

    def __init__(self, law: OwnLaw) -> None:
        self._law = law
        self.family = f"own.{law.name}"
        self.randomised = law.drawn

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return self._law._applies(source, key)

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(len(self._law.wordings))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        law = self._law
        try:
            asked = law.ask(source, key, law.wordings[variant], draw)
            edit = asked if isinstance(asked, Edit) else self._beside(source, key, asked)
        except JevbenchError:
            raise
        except (Exception, SystemExit) as error:
            where = f"ask fails on case {source.id!r}, question {key!r}"
            raise BuildError(in_words(law, where, error)) from error
        problem = _problem(edit, source)
        if problem:
            raise BuildError(f"{law.name} ({declared_at(law)}) on case {source.id!r}, question {key!r}: {problem}")
        return edit

    def _beside(self, source: SourceCase, key: str, asked: Mapping[str, Question]) -> Edit:
        targets = tuple(self._law.about(source, key))
        if not asked:
            return Edit(targets, {}, {})
        keys: dict[str, str] = {}
        for name in asked:
            keys[name] = fresh(f"{key}__{name}", [*source.questions, *keys.values()])
        probes = {keys[name]: question for name, question in asked.items()}
        return Edit(targets, {FOLLOW_UP: {**source.questions, **probes}}, dict[str, JSON](keys))


def _problem(edit: Edit, source: SourceCase) -> str:
    """What is wrong with what a user's code made, or nothing."""
    if not edit.targets:
        return "it is about no question of the case"
    for target in edit.targets:
        if target not in source.questions:
            return f"it is about {shown(target)}, which is no question of the case"
    for label, batch in edit.batches.items():
        if not batch:
            return f"the request {shown(label)} asks nothing"
        for key, question in dict[Any, Any](batch).items():
            if not isinstance(key, str) or not isinstance(question, (Noul, Choice, Score)):
                return f"the request {shown(label)} holds {key!r}: {question!r}, which is no question"
    try:
        dumps(dict(edit.params))
    except (TypeError, ValueError) as error:
        return f"its params are no JSON ({error})"
    return ""


def _text(trial: Trial) -> str:
    """All of a trial as text, order included."""

    def told(edit: Edit | None) -> JSON:
        if edit is None:
            return None
        batches: dict[str, JSON] = {
            label: [[key, question.to_json()] for key, question in batch.items()]
            for label, batch in edit.batches.items()
        }
        return [list(edit.targets), batches, dict(edit.params)]

    return dumps([told(trial.edit), told(trial.reduced)])


def declared_at(law: object) -> Place:
    """The file and line of a class, or of an object's class, as far as they can be told."""
    cls = law if inspect.isclass(law) else type(law)
    try:
        return Place(Path(inspect.getfile(cls)).name, inspect.getsourcelines(cls)[1])
    except (OSError, TypeError):
        return Place(f"module {cls.__module__}")


def in_words(law: object, what: str, error: BaseException) -> str:
    """An error of a user's code: whose it is, what was done, and where it was raised."""
    name = getattr(law, "name", getattr(law, "__name__", "a law"))
    return f"{name} ({declared_at(law)}): {what} ({raised_in(error)})"


def raised_in(error: BaseException) -> str:
    """An error with the file and line that raised it."""
    frames = traceback.extract_tb(error.__traceback__)[-1:]
    at = f", {Path(frames[0].filename).name} line {frames[0].lineno}" if frames else ""
    return f"{type(error).__name__}: {error}{at}"


def unregistered(name: str, known: Iterable[str], place: Place) -> InputError:
    """A plan names what is no relation here: nearly one of the ``known`` names, or a law that nobody registered."""
    near = get_close_matches(name, known, n=3, cutoff=0.8)
    advice = (
        "If it is a law of your own, register it with the hook pytest_jevbench_relations in the conftest.py of the "
        "root directory (commands take --conftest PATH), or install the package that brings it"
    )
    if near:
        advice = f"Did you mean {', '.join(near)}? {advice}"
    return InputError(f"there is no relation {name!r}, neither built in nor registered", place=place, advice=advice)
