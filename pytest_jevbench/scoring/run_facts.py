"""What a run was, beside its outcomes: the model, the suite, what was planned and what asking came to."""

from __future__ import annotations

import platform
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TypeAlias

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.json_text import JSON
from pytest_jevbench.models.protocol import Identity
from pytest_jevbench.plans.plan import TestId

__all__ = [
    "AskingFacts",
    "Exchange",
    "JudgePair",
    "ModelFacts",
    "PlanFacts",
    "RunFacts",
    "SuiteFacts",
    "installed_versions",
]


JudgePair: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Which model answered.

    ``name`` stands in tables, ``asked`` is the name sent to the server, ``answered`` the names it answered under. The
    rest is as in :class:`~pytest_jevbench.models.protocol.Identity`; ``address`` holds no secret.
    """

    name: str
    asked: str = ""
    answered: tuple[str, ...] = ()
    dialect: str = ""
    revision: str = ""
    address: str = ""
    launch: str = ""
    details: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, identity: Identity, answered: Collection[str] = (), name: str = "") -> ModelFacts:
        """The facts of an identity; names answered under are put in alphabetical order, as runs differ in theirs."""
        return cls(
            name=name or identity.name,
            asked=identity.name,
            answered=tuple(sorted(answered)),
            dialect=identity.dialect,
            revision=identity.revision,
            address=identity.address,
            launch=identity.launch,
            details=identity.details,
        )


@dataclass(frozen=True, slots=True)
class SuiteFacts:
    """Which suite was run. ``files`` gives each file's SHA-256; the scores of a ``demonstration`` are no result."""

    name: str
    version: str = ""
    digest: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    demonstration: bool = False


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """How the suite's tests were made: the plan's file, its selection in words, seed and draws a target."""

    file: str = ""
    selection: str = ""
    seed: int = 0
    draws: int = 1


@dataclass(frozen=True, slots=True)
class AskingFacts:
    """What asking came to. Runs of the same answers may differ in these figures and in no other.

    ``requests`` were sent, attempts included, ``hits`` came from the store, ``seconds`` is the wall time,
    ``model_seconds`` the time the model took to answer. ``started`` is an ISO 8601 time.
    """

    requests: int = 0
    hits: int = 0
    seconds: float = 0.0
    model_seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    workers: int = 1
    started: str = ""
    details: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request of a test, as sent, and the answers as they came; ``label`` is ``base`` or the follow-up's label."""

    label: str
    request: JSON
    answers: JSON


@dataclass(frozen=True)
class RunFacts:
    """A run, as its card tells it.

    ``planned`` are all tests that the run's selection plans, in the plan's order; ``deselected`` those of them that
    ``-k``, ``-m`` or node ids left out, ``elsewhere`` those of other shards; ``unlisted`` counts, by relation, further
    planned tests that are not known one by one (a published report names the judged alone).

    ``cases`` gives each planned case's domain ("" for none), in order. ``selection`` holds what was asked for by kind
    (``dimensions``, ``groups``, ``relations``, ``domains``, ``cases``); a kind that was not narrowed is left out.

    ``sources`` are the base distributions by case and question, ``noise`` the repeat noise of each where the base was
    asked ``repeats`` > 1 times. ``notes`` counts harmless oddities of answers. ``stopped`` says why a run ended before
    its last test.
    """

    model: ModelFacts
    suite: SuiteFacts
    planned: Sequence[TestId]
    cases: Mapping[str, str]
    plan: PlanFacts = PlanFacts()
    deselected: Collection[TestId] = ()
    elsewhere: Collection[TestId] = ()
    unlisted: Mapping[str, int] = field(default_factory=dict)
    selection: Mapping[str, Sequence[str]] = field(default_factory=dict)
    repeats: int = 1
    sources: Mapping[str, Mapping[str, Distribution]] = field(default_factory=dict)
    noise: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notes: Mapping[str, int] = field(default_factory=dict)
    stopped: str = ""
    asking: AskingFacts = AskingFacts()
    own_laws: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    """The user's own laws that have a test, by name: ``group``, ``law``, ``formula``, ``check``, ``counts_in`` (the
    dimension that they count in here, or None)."""
    judge_pairs: Mapping[str, JudgePair] = field(default_factory=dict)
    """What a judge preferred, by case: P(the answer shown first is better) in both orders."""
    judge_gains: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By relation and case: how much more a judge favours an answer after the edit, in [-1, 1]."""
    versions: Mapping[str, str] | None = None
    """Versions of the software; None takes those installed here."""


def installed_versions() -> dict[str, str]:
    """Versions of what a score may depend on, as installed here."""
    found = {"python": platform.python_version()}
    for package in ("pytest-jevbench", "pytest", "pytest-xdist", "numpy", "httpx"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
