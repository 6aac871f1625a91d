"""Edits of a Choice's options and of a Score's order of levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pytest_jevbench.json_text import JSON
from pytest_jevbench.questions import MAX_OPTIONS, Choice, Question, Score
from pytest_jevbench.relations import wording
from pytest_jevbench.relations.base import Edit, SourceCase, Transformation
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.relations.transformations.ids import fresh, fresh_series
from pytest_jevbench.relations.transformations.instructions import in_batch

__all__ = [
    "AddOffTopic",
    "CatchAll",
    "Clone",
    "Group",
    "Merge",
    "NeutralIds",
    "OnlyPair",
    "Permute",
    "Remove",
    "Split",
    "SwapDescriptions",
    "SwapIds",
    "Twin",
]

Options = Mapping[str, str]


class _OptionEdit(Transformation):
    """An edit of a Choice with at least ``least`` options, leaving room for ``grows`` more."""

    least = 2
    grows = 0

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return isinstance(question, Choice) and self.least <= len(question.options) <= MAX_OPTIONS - self.grows

    @staticmethod
    def options(source: SourceCase, key: str) -> Options:
        question = source.questions[key]
        assert isinstance(question, Choice)
        return question.options

    @staticmethod
    def edited(source: SourceCase, key: str, options: Options, **params: JSON) -> Edit:
        question = Choice(source.questions[key].instructions, dict(options))
        return Edit.of([key], in_batch(source, key, question), **params)


def _replaced(options: Options, option: str, by: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The options with one replaced by others, in its place."""
    new: dict[str, str] = {}
    for own, description in options.items():
        new.update(by if own == option else [(own, description)])
    return new


class Permute(Transformation):
    """A Choice's options in another drawn order; a Score's levels from the top down."""

    family = "option_permutation"
    randomised = True

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return isinstance(question, (Choice, Score))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = source.questions[key]
        if isinstance(question, Score):
            turned = replace(question, levels=question.levels[::-1])
            return Edit.of([key], in_batch(source, key, turned), order="reversed")
        assert isinstance(question, Choice)
        same = list(range(len(question.options)))
        order = draw.shuffle(same)
        while order == same:
            order = draw.shuffle(same)
        items = list(question.options.items())
        shuffled = Choice(question.instructions, dict(items[i] for i in order))
        return Edit.of([key], in_batch(source, key, shuffled), order=order)


class NeutralIds(_OptionEdit):
    """Ids that say nothing; descriptions and order stay."""

    family = "option_rename"

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        options = self.options(source, key)
        ids = fresh_series("option", len(options), options)
        renamed = dict(zip(ids, options.values(), strict=True))
        return self.edited(source, key, renamed, mapping=dict(zip(ids, options, strict=True)))


class Clone(_OptionEdit):
    """One option a second time, right after itself, under another id."""

    family = "option_clone"
    randomised = True
    grows = 1

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        options = self.options(source, key)
        option = draw.choose(list(options))
        clone = fresh(f"{option}_b", options)
        text = options[option]
        cloned = _replaced(options, option, [(option, text), (clone, text)])
        return self.edited(source, key, cloned, option=option, clone=clone)


class _Exchange(_OptionEdit):
    randomised = True

    def pair(self, source: SourceCase, key: str, draw: Draw) -> tuple[str, str]:
        options = self.options(source, key)
        drawn = draw.sample(list(options), 2)
        a, b = (option for option in options if option in drawn)
        return a, b


class SwapIds(_Exchange):
    """Two options' ids exchanged; descriptions stay where they are."""

    family = "name_description_conflict"

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        a, b = self.pair(source, key, draw)
        swap = {a: b, b: a}
        options = {swap.get(o, o): text for o, text in self.options(source, key).items()}
        return self.edited(source, key, options, pair=[a, b])


class SwapDescriptions(_Exchange):
    """Two options' descriptions exchanged; ids stay where they are."""

    family = "description_swap"

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        a, b = self.pair(source, key, draw)
        options = self.options(source, key)
        return self.edited(source, key, {**options, a: options[b], b: options[a]}, pair=[a, b])


class Merge(_OptionEdit):
    """Two options made one, in the place of the first."""

    family = "option_merge"
    randomised = True
    least = 3

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        options = self.options(source, key)
        drawn = draw.sample(list(options), 2)
        a, b = (option for option in options if option in drawn)
        merged = fresh(f"{a}_or_{b}", options)
        text = wording.merged_options([options[a], options[b]])
        kept = {o: d for o, d in options.items() if o != b}
        return self.edited(source, key, _replaced(kept, a, [(merged, text)]), merged=merged, parts=[a, b])


class Split(_OptionEdit):
    """One option divided in its place by a fact of the state that is true or false."""

    family = "option_split"
    randomised = True
    grows = 1

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        options = self.options(source, key)
        option = draw.choose(list(options))
        predicate = draw.choose(wording.PREDICATES)
        parts = [fresh(f"{option}_{part}", options) for part in ("with", "without")]
        texts = wording.split_parts(options[option], predicate)
        divided = _replaced(options, option, zip(parts, texts, strict=True))
        return self.edited(source, key, divided, option=option, parts=[*parts], predicate=predicate[0])


class Twin(_OptionEdit):
    """A near-duplicate of one option, right after it."""

    family = "similarity_effect"
    randomised = True
    grows = 1

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        options = self.options(source, key)
        option = draw.choose(list(options))
        twin = fresh(f"{option}_also", options)
        text = options[option]
        doubled = _replaced(options, option, [(option, text), (twin, wording.near_duplicate(text))])
        return self.edited(source, key, doubled, option=option, twin=twin)


class Group(_OptionEdit):
    """All options grouped into blocks: in each way that the case declares, or else in two drawn ones."""

    family = "partition_hierarchy"
    randomised = True
    least = 4

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return bool(source.case.hierarchies.get(key)) or super().applies(source, key, question)

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(max(1, len(source.case.hierarchies.get(key, ()))))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        options = self.options(source, key)
        declared = source.case.hierarchies.get(key, ())
        blocks = declared[variant] if declared else self._drawn(options, draw)
        grouped = {
            block: wording.merged_options([options[o] for o in members]) if len(members) > 1 else options[members[0]]
            for block, members in blocks.items()
        }
        return self.edited(source, key, grouped, blocks={b: [*members] for b, members in blocks.items()})

    @staticmethod
    def _drawn(options: Options, draw: Draw) -> dict[str, Sequence[str]]:
        size = 2 + draw.below(len(options) - 3)
        chosen = set(draw.sample(list(options), size))
        first, second = fresh_series("block", 2, options)
        return {
            first: [o for o in options if o in chosen],
            second: [o for o in options if o not in chosen],
        }


class CatchAll(_OptionEdit):
    """One option, each in turn, replaced in its place by one that covers whatever the others leave out."""

    family = "option_closure"

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(len(self.options(source, key)))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        options = self.options(source, key)
        replaced = list(options)[variant]
        nota = fresh("none_of_these", options)
        closed = _replaced(options, replaced, [(nota, wording.CATCH_ALL)])
        return self.edited(source, key, closed, replaced=replaced, nota=nota)


class AddOffTopic(_OptionEdit):
    """An option that the state cannot fall under, at a drawn position."""

    family = "irrelevant_option"
    randomised = True
    grows = 1

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        options = self.options(source, key)
        new = fresh("another", options)
        items = list(options.items())
        position = draw.below(len(items) + 1)
        items.insert(position, (new, draw.choose(wording.OFF_TOPIC)))
        return self.edited(source, key, dict(items), new=new, position=position)


class Remove(_OptionEdit):
    """One option, each in turn, taken off the menu."""

    family = "remove_option_iia"
    least = 3

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(len(self.options(source, key)))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        options = self.options(source, key)
        removed = list(options)[variant]
        kept = {o: d for o, d in options.items() if o != removed}
        return self.edited(source, key, kept, removed=removed)


class OnlyPair(_OptionEdit):
    """Two options alone, each pair in turn."""

    family = "pairwise_iia"
    least = 4

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        n = len(self.options(source, key))
        return range(n * (n - 1) // 2)

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        options = self.options(source, key)
        a, b = _pair(tuple(options), variant)
        return self.edited(source, key, {a: options[a], b: options[b]}, pair=[a, b])


def _pair(names: Sequence[str], number: int) -> tuple[str, str]:
    """The pair of this number, in the order of :func:`itertools.combinations`: there are thousands to choose from."""
    first = 0
    while number >= len(names) - 1 - first:
        number -= len(names) - 1 - first
        first += 1
    return names[first], names[first + 1 + number]
