"""Exchanging two wordings of different meaning makes the oracle break a law or meet a text it does not know.

Every wording that stands in `wording.py` is one entry here, with its meaning. Two entries of one meaning may be
exchanged without harm, which is asserted too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pytest

from pytest_jevbench.errors import BuildError
from pytest_jevbench.oracle.joint import Joint
from pytest_jevbench.oracle.oracle import Oracle
from pytest_jevbench.oracle.table import AmbiguousText, UnknownText
from pytest_jevbench.questions import Choice
from pytest_jevbench.relations import registry, wording
from pytest_jevbench.relations.base import FOLLOW_UP, TOLERANCE
from tests.relations.measuring import all_trials, measure, oracle, source_case

Path = tuple[Any, ...]


@dataclass(frozen=True)
class Wording:
    """One wording: where it stands, what it takes, what it means, and the families whose requests use it."""

    name: str
    path: Path
    takes: str
    meaning: str
    families: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(map(str, (self.name, *self.path)))


def _each(name: str, n: int, takes: str, meaning: str, family: str) -> list[Wording]:
    return [Wording(name, (i,), takes, meaning, (family,)) for i in range(n)]


def _all() -> Iterator[Wording]:
    yield from _each("VERBOSE", 3, "q", "unchanged", "verbosity")
    yield from _each("NEGATIONS", 3, "q", "not q", "negation_wrapper")
    yield Wording("STRONG", (), "q", "proven q", ("entailment_strength",))
    yield Wording("WEAK", (), "q", "possible q", ("entailment_strength",))
    yield Wording("beyond", (), "q", "beyond", ("extreme_level",))
    yield Wording("near_duplicate", (), "q", "twin", ("similarity_effect",))

    yield from _each("NOT_OPTION", 3, "q,all,one", "other option", "choice_complement")
    yield from _each("ONE_OPTION", 2, "q,all,one", "this option", "choice_indicator")
    yield from _each("NOT_LEVEL", 2, "q,all,one", "other level", "score_complement")
    yield from _each("LEVEL_OR_HIGHER", 2, "q,all,one", "level or higher", "score_cumulative")

    yield Wording("both", (), "a,b", "a and b", ("de_morgan",))
    yield Wording("not_both", (), "a,b", "not a or not b", ("de_morgan",))
    yield Wording("one_is_false", (), "a,b", "not a or not b", ("de_morgan",))
    for i in range(3):
        yield Wording("BOTH_AND_EITHER", (i, 0), "a,b", "a and b", ("frechet_and_upper",))
        yield Wording("BOTH_AND_EITHER", (i, 1), "a,b", "a or b", ("frechet_and_upper",))
    yield Wording("joint_question", (), "a,b", "pair of answers", ("pair_choice_marginals",))
    yield Wording("split_parts", (), "a,fact", "an option with and without a fact", ("option_split",))

    yield Wording("ALL_OF", (), "list", "all", ("nary_and_upper", "quantifier_monotonicity"))
    yield Wording("ANY_OF", (), "list", "any", ("nary_and_upper", "quantifier_monotonicity"))
    yield Wording("AT_LEAST_TWO_OF", (), "list", "two", ("quantifier_monotonicity",))
    yield Wording("merged_options", (), "list", "merged options", ("option_merge", "partition_hierarchy"))
    yield Wording("merged_levels", (), "list", "merged levels", ("score_granularity",))

    yield Wording("more_than", (), "n", "declared count", ("threshold_sweep",))
    yield Wording("more_digit_groups_than", (), "n", "digit groups", ("threshold_sweep",))

    yield Wording("YES_NO_OPTIONS", ("yes",), "", "yes", ("noul_as_choice",))
    yield Wording("YES_NO_OPTIONS", ("no",), "", "no", ("noul_as_choice",))
    for i in range(2):
        yield Wording("YES_NO_LEVELS", (i, 0), "", "no", ("noul_as_score",))
        yield Wording("YES_NO_LEVELS", (i, 1), "", "yes", ("noul_as_score",))
    for pair in ("00", "01", "10", "11"):
        yield Wording("joint_options", (pair,), "", f"pair {pair}", ("pair_choice_marginals",))
    yield Wording("CATCH_ALL", (), "", "none of the others", ("option_closure",))
    for i in range(len(wording.PREDICATES)):
        for side in (0, 1):
            yield Wording("PREDICATES", (i, side), "", f"fact {i}", ("option_split",))
    yield from _each("OFF_TOPIC", len(wording.OFF_TOPIC), "", "off topic", "irrelevant_option")
    yield from _each("FILLERS", len(wording.FILLERS), "", "filler", "batch_content")


ALL = list(_all())


def _differing(first: Wording, second: Wording) -> bool:
    return first.meaning != second.meaning and first.takes == second.takes


PAIRS = [(a, b) for a, b in combinations(ALL, 2) if _differing(a, b)]
EQUALS = [
    (a, b)
    for a, b in combinations([w for w in ALL if w.name != "FILLERS" or w.path[0] < 3], 2)
    if a.takes == b.takes and a.meaning == b.meaning
]

CASE = "pool-log"
DRAWS = 24
"""Enough for every fact and every off-topic option to be drawn."""


def _look_up(w: Wording) -> Any:
    found: Any = wording.joint_options() if w.name == "joint_options" else getattr(wording, w.name)
    for step in w.path:
        found = found[step]
    return found


def _put(value: Any, path: Path, new: Any) -> Any:
    """A copy of a nested tuple or mapping with one member replaced."""
    if not path:
        return new
    step, *rest = path
    inner = _put(value[step], tuple(rest), new)
    if isinstance(value, Mapping):
        return {**value, step: inner}
    return (*value[:step], inner, *value[step + 1 :])


def _set(monkeypatch: pytest.MonkeyPatch, w: Wording, new: Any) -> None:
    current: Any = getattr(wording, w.name)
    if w.name == "joint_options":
        options = _put(current(), w.path, new)
        monkeypatch.setattr(wording, w.name, lambda: options)
    else:
        monkeypatch.setattr(wording, w.name, _put(current, w.path, new))


def _exchange(monkeypatch: pytest.MonkeyPatch, first: Wording, second: Wording) -> None:
    one, other = _look_up(first), _look_up(second)
    _set(monkeypatch, first, other)
    _set(monkeypatch, second, one)


@pytest.fixture(scope="module")
def oracles() -> list[Oracle]:
    return [oracle(CASE, Joint(seed, 80)) for seed in (1, 2)]


def _harm(pair: tuple[Wording, Wording], oracles: list[Oracle], draws: int) -> str:
    """What goes wrong in the relations that use either wording: a text unknown, a law broken, or nothing."""
    families = {family for w in pair for family in w.families}
    relations = [r for r in registry.scored() if r.transformation.family in families]
    source = source_case(CASE)
    for ask in oracles:
        try:
            for trial, measurement in measure(source.case, all_trials(source, relations, draws=draws), ask):
                if measurement.deviation > TOLERANCE:
                    return f"{trial.relation} is off by {measurement.deviation:.3f}"
        except (UnknownText, AmbiguousText, BuildError, TypeError) as error:
            return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("family", ["option_split", "irrelevant_option"])
def test_every_listed_text_is_drawn(family: str) -> None:
    drawn: set[str] = set()
    for trial in all_trials(source_case(CASE), [registry.get(family)], draws=DRAWS):
        question = trial.edit.batches[FOLLOW_UP][trial.key]
        assert isinstance(question, Choice)
        params: Mapping[str, Any] = trial.params
        for option in params["parts"] if family == "option_split" else [params["new"]]:
            drawn.add(question.options[option].rpartition(" (and ")[2].rstrip(")"))
    listed = {text for pair in wording.PREDICATES for text in pair} if family == "option_split" else wording.OFF_TOPIC
    assert drawn == set(listed)


def test_every_wording_is_listed_here() -> None:
    assert {w.name for w in ALL} == set(wording.__all__)
    for name, n in (("VERBOSE", 3), ("NEGATIONS", 3), ("NOT_OPTION", 3), ("ONE_OPTION", 2), ("NOT_LEVEL", 2)):
        assert len(getattr(wording, name)) == n
    assert len(wording.LEVEL_OR_HIGHER) == len(wording.YES_NO_LEVELS) == 2
    assert len(wording.BOTH_AND_EITHER) == 3
    assert len({str(w) for w in ALL}) == len(ALL)


@pytest.mark.parametrize("takes", list(dict.fromkeys(w.takes for w in ALL)))
def test_exchanging_two_wordings_is_found(takes: str, monkeypatch: pytest.MonkeyPatch, oracles: list[Oracle]) -> None:
    unnoticed = []
    for pair in PAIRS:
        if pair[0].takes == takes:
            with monkeypatch.context() as patch:
                _exchange(patch, *pair)
                if not _harm(pair, oracles, DRAWS):
                    unnoticed.append(tuple(map(str, pair)))
    assert unnoticed == []


def test_exchanging_two_wordings_of_one_meaning_does_no_harm(
    monkeypatch: pytest.MonkeyPatch, oracles: list[Oracle]
) -> None:
    harmed = {}
    for pair in EQUALS:
        with monkeypatch.context() as patch:
            _exchange(patch, *pair)
            if harm := _harm(pair, oracles[:1], 6):
                harmed[tuple(map(str, pair))] = harm
    assert harmed == {}
