"""The trial of a relation on a case that was made smaller: built anew through the relation's own sealed building.

A smaller case has an id of its own, so that it can stand in a file of the user's beside the case it came from. What a
trial draws depends on that id, so of a few ids the one is taken under which the relation draws what it drew before, or
else something close to it: a run on the smaller case alone then builds the same trial again, under no other settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from pytest_jevbench.errors import BuildError
from pytest_jevbench.json_text import dumps, loads
from pytest_jevbench.questions import Case, Choice, Question, Score
from pytest_jevbench.relations.base import Edit, Relation, SourceCase, Transformation, Trial
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.rewrite_bank import TRANSLATE, RewriteBank, translation_source

__all__ = ["chooses_target", "fewest_rewrites", "redrawn", "translations_of", "without_needless_facts"]

_IDS = 256
"""How many ids are looked at: building costs no request, and few draws have more outcomes than that."""


def chooses_target(relation: Relation) -> bool:
    """Whether the relation itself says which one question stands for the batch."""
    return type(relation.transformation).targets is not Transformation.targets


def redrawn(
    relation: Relation, case: Case, bank: RewriteBank, seed: int, wanted: Trial, most: int
) -> Iterator[tuple[Case, Trial]]:
    """The relation's trials on a case, each with the case under the id that draws it, those like ``wanted`` first.

    At most ``most``; one alone where it draws what ``wanted`` does; none where the relation does not apply or builds
    what no model should be sent. ``case.id`` is the first id tried, the others are ``id-2``, ``id-3``, ...
    """
    how = relation.transformation
    key = _target(how, SourceCase(case, bank), wanted)
    if key is None:
        return
    ranked = sorted(_edits(how, case, bank, seed, wanted, key), key=lambda one: one.likeness, reverse=True)
    tried: list[Mapping[str, Mapping[str, Question]]] = []
    for one in ranked[:1] if ranked and ranked[0].same else ranked:
        if one.edit.batches in tried:
            continue
        tried.append(one.edit.batches)
        named = replace(case, id=one.case_id)
        try:
            yield named, relation.build(SourceCase(named, bank), key, one.variant, 0, seed)
        except BuildError:
            continue
        if len(tried) == most:
            return


class _Drawn(NamedTuple):
    """What a relation draws under an id: how much of that is as wanted, and whether all is."""

    likeness: tuple[int, int, bool]
    same: bool
    edit: Edit
    case_id: str
    variant: int


def _target(how: Transformation, source: SourceCase, wanted: Trial) -> str | None:
    keys = list(how.targets(source))
    return (
        wanted.key
        if wanted.key in keys
        else None
        if type(how).targets is Transformation.targets
        else next(iter(keys), None)
    )


def _edits(how: Transformation, case: Case, bank: RewriteBank, seed: int, wanted: Trial, key: str) -> Iterator[_Drawn]:
    """What the relation draws under each id, up to one under which it draws what is wanted."""
    own, wanted_texts = _texts(case.questions), _texts(*wanted.edit.batches.values())
    ids = (case.id if n == 1 else f"{case.id}-{n}" for n in range(1, (_IDS if how.randomised else 1) + 1))
    for case_id in ids:
        source = SourceCase(replace(case, id=case_id), bank)
        for variant in how.variants(source, key):
            if how.randomised and variant != wanted.variant:
                continue
            edit = how.edit(source, key, variant, Draw(seed, case_id, how.family, key, 0, variant))
            new = _texts(*edit.batches.values()) - own
            params = sum(edit.params.get(name) == value for name, value in wanted.params.items())
            same = dict(edit.params) == dict(wanted.params) and edit.targets == wanted.targets and new <= wanted_texts
            yield _Drawn((params, len(new & wanted_texts), variant == wanted.variant), same, edit, case_id, variant)
            if how.randomised and same:
                return


def _texts(*batches: Mapping[str, Question]) -> set[str]:
    """Every text of some batches: instructions, descriptions, levels."""
    found: set[str] = set()
    for question in (question for batch in batches for question in batch.values()):
        found.add(question.instructions)
        if isinstance(question, Choice):
            found |= set(question.options.values())
        elif isinstance(question, Score):
            found |= set(question.levels)
    return found


def fewest_rewrites(relation: Relation, case: Case, bank: RewriteBank, wanted: Trial) -> RewriteBank:
    """The rewrites that a trial needs: none, or the one that builds its requests; all where no single one does."""
    how, key = relation.transformation, wanted.key
    question = case.questions.get(key)
    if question is None or key in how.targets(SourceCase(case, RewriteBank())):
        return RewriteBank()
    texts = {question.instructions, translation_source(question)}
    texts |= set(question.options.values()) if isinstance(question, Choice) else set()
    for (kind, source), rewrites in bank.texts.items():
        for rewrite in rewrites if source in texts else ():
            small = RewriteBank({(kind, source): (rewrite,)})
            one = SourceCase(case, small)
            if key in how.targets(one):
                edit = how.edit(one, key, wanted.variant, Draw(0, case.id, how.family, key, 0, wanted.variant))
                if edit.batches == wanted.edit.batches:
                    return small
    return bank


def translations_of(bank: RewriteBank, before: Question, after: Question) -> RewriteBank:
    """The bank with the translations of a question whose criteria became fewer, without those that went."""
    old, new = translation_source(before), translation_source(after)
    texts: dict[tuple[str, str], tuple[str, ...]] = {}
    for (kind, source), rewrites in bank.texts.items():
        if kind.startswith(TRANSLATE) and source == old and old != new:
            texts[kind, new] = tuple(dumps(_fewer(loads(rewrite), before, after)) for rewrite in rewrites)
        else:
            texts[kind, source] = rewrites
    return RewriteBank(texts)


def _fewer(translation: Any, before: Question, after: Question) -> Any:
    criteria = translation.get("criteria")
    if isinstance(after, Choice) and isinstance(criteria, dict):
        criteria = {option: text for option, text in criteria.items() if option in after.options}
    elif isinstance(before, Score) and isinstance(after, Score) and isinstance(criteria, list):
        criteria = [text for level, text in zip(before.levels, criteria, strict=False) if level in after.levels]
    return {**translation, "criteria": criteria}


def without_needless_facts(relation: Relation, case: Case, bank: RewriteBank, seed: int, wanted: Trial) -> Case:
    """The case without those declared facts whose absence changes nothing of what the relation builds."""

    def built(of: Case) -> list[Edit]:
        return [trial.edit for _, trial in islice(redrawn(relation, of, bank, seed, wanted, 1), 1)]

    for name in ("thresholds", "hierarchies", "metadata"):
        plainer = _without(case, name)
        if built(plainer) == built(case):
            case = plainer
    return case


def _without(case: Case, fact: str) -> Case:
    nothing: dict[str, Any] = {"thresholds": (), "hierarchies": {}, "metadata": {}}
    return replace(case, **{fact: nothing[fact]})
