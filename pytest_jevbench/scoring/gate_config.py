"""What a gate asks of a run, read from ``gate.yaml``, from the ``gate:`` section of ``jevbench.yaml``, or from options.

::

    gate:
      min: {overall: 0.90, REP: 0.85, LOG.bounds: 0.80, option_clone: 0.95}
      min_graded: {option_clone: 0.97}
      max_drop: {overall: 0.02}              # against the baseline
      no_significant_drop: {level: 0.05}     # overall and the dimensions, Holm's correction
      non_inferiority: {margin: 0.03}        # of the overall score
      max_violations: {all: 200, option_clone: 0}
      max_violation_rate: {option_clone: 0.3}
      max_new_violations: 0
      min_accuracy: 0.80
      min_coverage: 0.99
      max_ece: 0.10
      assume: {discordance: 0.10, correlation: 0.05}

A number alone stands for the overall score (``min: 0.9``), for all tests (``max_violations: 0``), for the level or
the margin. Nothing is resolved by YAML's own rules: a number is what its decimal digits say, ``no`` and ``on`` are
words, ``010`` is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.judge_laws import JUDGE_LAWS
from pytest_jevbench.relations.taxonomy import JUDGE
from pytest_jevbench.scoring.sample_size import ASSUMED, Assumption
from pytest_jevbench.scoring.weights import DIMENSION_IDS, OVERALL
from pytest_jevbench.yaml_text import Entry, read_yaml

__all__ = [
    "ALL_TESTS",
    "GateConfig",
    "Limit",
    "NoDrop",
    "NonInferiority",
    "gate_from_assignments",
    "gate_section",
    "known_scores",
    "read_gate",
]

_JUDGES = (JUDGE.dimension, JUDGE.id, *JUDGE_LAWS)

ALL_TESTS = "all"
"""In limits of violations: every test of the run."""

NUMBER = re.compile(r"-?(0|[1-9][0-9]*|(?=\.[0-9]))(\.[0-9]+)?([eE][-+]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of one score (``overall``, a dimension, group or relation) or count."""

    score: str
    value: float


@dataclass(frozen=True, slots=True)
class NoDrop:
    """No significant drop against the baseline; ``scores`` is empty for the overall and the dimensions planned."""

    level: float = 0.05
    scores: tuple[str, ...] = ()
    graded: bool = False


@dataclass(frozen=True, slots=True)
class NonInferiority:
    """At most ``margin`` worse than the baseline, shown at confidence 1 - ``level``; ``power`` for what is needed."""

    margins: tuple[Limit, ...]
    level: float = 0.05
    power: float = 0.8


@dataclass(frozen=True, slots=True)
class GateConfig:
    """The conditions of a gate; all must hold."""

    minimum: tuple[Limit, ...] = ()
    minimum_graded: tuple[Limit, ...] = ()
    largest_drop: tuple[Limit, ...] = ()
    no_significant_drop: NoDrop | None = None
    non_inferiority: NonInferiority | None = None
    most_violations: tuple[Limit, ...] = ()
    largest_violation_rate: tuple[Limit, ...] = ()
    most_new_violations: int | None = None
    minimum_accuracy: float | None = None
    minimum_coverage: float | None = None
    largest_ece: float | None = None
    assumption: Assumption = field(default=ASSUMED)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked: such a gate would pass everything."""
        return self == GateConfig(assumption=self.assumption)

    @property
    def needs_baseline(self) -> bool:
        """Whether a condition compares with a baseline."""
        return bool(
            self.largest_drop
            or self.no_significant_drop
            or self.non_inferiority
            or self.most_new_violations is not None
        )

    @property
    def needs_gold(self) -> bool:
        """Whether a condition needs labelled answers."""
        return self.minimum_accuracy is not None or self.largest_ece is not None


def known_scores() -> tuple[str, ...]:
    """The names that a score can have: ``overall``, dimensions, groups, relations in taxonomy order; then those of the
    suites of judged answers."""
    scored = registry.scored()
    return (OVERALL, *DIMENSION_IDS, *dict.fromkeys(r.group for r in scored), *(r.name for r in scored), *_JUDGES)


def read_gate(path: Path | str) -> GateConfig:
    """The gate of a file of its own, with or without ``gate:`` above. Raises :class:`InputError` with the line."""
    entry = read_yaml(Path(path))
    if isinstance(entry.value, dict) and list(entry.value) == ["gate"]:
        entry = entry.value["gate"]
    return gate_section(entry)


def gate_section(entry: Entry) -> GateConfig:
    """The gate of a section of a YAML file. Raises :class:`InputError` with the line and the field."""
    fields = _fields(entry, _READERS, "conditions, such as `min: {overall: 0.9}`")
    config = GateConfig(**dict(_READERS[name](value) for name, value in fields.items()))  # type: ignore[arg-type]
    if config.is_empty:
        raise InputError(
            "no condition is given, and a gate without one would pass everything",
            place=entry.place,
            advice="Known here: " + ", ".join(_READERS),
        )
    return config


def gate_from_assignments(texts: Iterable[str], place: Place) -> GateConfig:
    """The gate of short options: ``min.overall=0.9``, ``no_significant_drop=0.05``, ``max_drop.LOG.bounds=0.1``.

    Raises :class:`InputError`.
    """
    section: dict[str, Entry] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        condition, dot, score = name.strip().partition(".")
        if not (equals and condition):
            raise InputError.unexpected(text, "CONDITION=VALUE, such as min.overall=0.9", place)
        here = place.at(condition)
        inner = Entry(value.strip(), here.at(score) if dot else here)
        if not dot:
            _put(section, condition, inner)
            continue
        group = section.setdefault(condition, Entry({}, here))
        if not isinstance(group.value, dict):
            raise InputError(f"{shown(condition)} stands twice", place=here, advice="Keep one of the two")
        _put(group.value, score, inner)
    return gate_section(Entry(section, place))


def _put(into: dict[str, Entry], name: str, entry: Entry) -> None:
    if name in into:
        raise InputError(f"{shown(name)} stands twice", place=entry.place, advice="Keep one of the two")
    into[name] = entry


def _fields(entry: Entry, known: Collection[str], wanted: str) -> dict[str, Entry]:
    """The entries of a mapping of known names. An unknown one is an error that names those that look like it."""
    fields = entry.fields(wanted)
    for name, inner in fields.items():
        if name not in known:
            raise _unknown(name, known, inner.place)
    return fields


def _unknown(name: str, known: Collection[str], place: Place) -> InputError:
    near = get_close_matches(name, known, n=3)
    listed = ", ".join(known) if len(known) <= 20 else f"{', '.join(list(known)[:6])}, groups and relations"
    advice = f"Did you mean {' or '.join(near)}?" if near else f"Known here: {listed}"
    return InputError(f"unknown name {shown(name)}", place=place, advice=advice)


def _number(entry: Entry, wanted: str) -> float:
    text = entry.value.strip() if isinstance(entry.value, str) else ""
    if not NUMBER.fullmatch(text):
        raise InputError.unexpected(entry.plain(), wanted, entry.place)
    return float(text)


def _share(entry: Entry) -> float:
    """A number from 0 to 1."""
    wanted = "a share from 0 to 1 in decimal digits: 0.95 for 95 %"
    value = _number(entry, wanted)
    if not 0 <= value <= 1:
        raise InputError.unexpected(entry.plain(), wanted, entry.place)
    return value


def _open_share(entry: Entry) -> float:
    """A number above 0 and below 1."""
    wanted = "a number above 0 and below 1, such as 0.05"
    value = _number(entry, wanted)
    if not 0 < value < 1:
        raise InputError.unexpected(entry.plain(), wanted, entry.place)
    return value


def _level(entry: Entry) -> float:
    """An error level; 0.95, where a confidence of 95 % is meant, is refused."""
    wanted = "the share of wrong failures allowed, above 0 and below 0.5: 0.05 for a confidence of 95 %"
    value = _number(entry, wanted)
    if not 0 < value < 0.5:
        raise InputError.unexpected(entry.plain(), wanted, entry.place)
    return value


def _count(entry: Entry) -> int:
    wanted = "a whole number from 0 on, such as 10"
    value = entry.integer(wanted)
    if value < 0:
        raise InputError.unexpected(entry.plain(), wanted, entry.place)
    return value


def _yes(entry: Entry) -> bool:
    return entry.one_of(("true", "false")) == "true"


def _limits(alone: str, known: Collection[str], read: Callable[[Entry], float]) -> Callable[[Entry], tuple[Limit, ...]]:
    def limits(entry: Entry) -> tuple[Limit, ...]:
        if isinstance(entry.value, str):
            return (Limit(alone, read(entry)),)
        fields = _fields(entry, known, f"a number, or names with one each, such as `{{{alone}: ...}}`")
        return tuple(Limit(name, read(value)) for name, value in fields.items())

    return limits


def _score_limits(entry: Entry) -> tuple[Limit, ...]:
    return _limits(OVERALL, known_scores(), _share)(entry)


def _violation_names() -> tuple[str, ...]:
    return (
        ALL_TESTS,
        *DIMENSION_IDS,
        *dict.fromkeys(r.group for r in registry.RELATIONS.values()),
        *registry.RELATIONS,
        *_JUDGES,
    )


def _scores(entry: Entry) -> tuple[str, ...]:
    known = known_scores()
    if isinstance(entry.value, dict):
        raise InputError.unexpected(entry.plain(), "a list of scores, such as [overall, REP]", entry.place)
    items = entry.items() if isinstance(entry.value, list) else [entry]
    names = [(item.text(), item.place) for item in items]
    for i, (name, place) in enumerate(names):
        if name not in known:
            raise _unknown(name, known, place)
        if name in [earlier for earlier, _ in names[:i]]:
            raise InputError(f"{shown(name)} stands twice", place=place, advice="Keep one of the two")
    return tuple(name for name, _ in names)


def _no_drop(entry: Entry) -> NoDrop | None:
    if isinstance(entry.value, str):
        if entry.value.strip() in ("true", "false"):
            return NoDrop() if _yes(entry) else None
        return NoDrop(level=_level(entry))
    fields = _fields(entry, ("level", "scores", "graded"), "true, a level, or `{level: 0.05}`")
    return NoDrop(
        _level(fields["level"]) if "level" in fields else 0.05,
        _scores(fields["scores"]) if "scores" in fields else (),
        _yes(fields["graded"]) if "graded" in fields else False,
    )


def _non_inferiority(entry: Entry) -> NonInferiority:
    if isinstance(entry.value, str):
        return NonInferiority((Limit(OVERALL, _open_share(entry)),))
    fields = _fields(entry, ("margin", "level", "power"), "a margin, or `{margin: 0.03}`")
    if "margin" not in fields:
        raise InputError("margin is missing", place=entry.place, advice="Add `margin: 0.03`")
    return NonInferiority(
        _limits(OVERALL, known_scores(), _open_share)(fields["margin"]),
        _level(fields["level"]) if "level" in fields else 0.05,
        _open_share(fields["power"]) if "power" in fields else 0.8,
    )


def _assumption(entry: Entry) -> Assumption:
    fields = _fields(entry, ("discordance", "correlation"), "`{discordance: 0.10, correlation: 0.05}`")
    return Assumption(
        _open_share(fields["discordance"]) if "discordance" in fields else ASSUMED.discordance,
        _share(fields["correlation"]) if "correlation" in fields else ASSUMED.correlation,
    )


Reader = Callable[[Entry], tuple[str, object]]


def _into(name: str, read: Callable[[Entry], object]) -> Reader:
    return lambda entry: (name, read(entry))


_READERS: Mapping[str, Reader] = {
    "min": _into("minimum", _score_limits),
    "min_graded": _into("minimum_graded", _score_limits),
    "max_drop": _into("largest_drop", _score_limits),
    "no_significant_drop": _into("no_significant_drop", _no_drop),
    "non_inferiority": _into("non_inferiority", _non_inferiority),
    "max_violations": _into("most_violations", lambda e: _limits(ALL_TESTS, _violation_names(), _count)(e)),
    "max_violation_rate": _into("largest_violation_rate", lambda e: _limits(ALL_TESTS, _violation_names(), _share)(e)),
    "max_new_violations": _into("most_new_violations", _count),
    "min_accuracy": _into("minimum_accuracy", _share),
    "min_coverage": _into("minimum_coverage", _share),
    "max_ece": _into("largest_ece", _share),
    "assume": _into("assumption", _assumption),
}
