"""The ``facts`` and ``archetypes`` of a domain file."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_jevbench.datagen.domain import MENTIONS, Archetype, Fact, FactOverride, Mention, Wording
from pytest_jevbench.datagen.patterns import compile_pattern
from pytest_jevbench.datagen.rules import RESERVED, FactKind, Rule, parse_rule
from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import shown
from pytest_jevbench.yaml_text import Entry

__all__ = ["IDENTIFIER", "fact_kinds", "identifier", "read_archetypes", "read_facts", "read_weight", "rules"]

IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")
WORDING_FIELDS = ("brief", "hint", "mention", "explicit", "implied", "against")
FACT_FIELDS = ("only_if", "unsaid", "forbidden", "threshold")
LEADING_ZERO = re.compile(r"(?<!\d)0\d")
VALUE = re.compile(r"[\w][\w\-]*")


def identifier(name: str, entry: Entry) -> str:
    """A name that may stand in rules, files and keys."""
    if not IDENTIFIER.fullmatch(name) or name in RESERVED:
        raise InputError(
            f"{shown(name)} cannot be a name here",
            place=entry.place,
            advice="Use small letters, digits and _, beginning with a letter, and none of: "
            + ", ".join(sorted(RESERVED)),
        )
    return name


def read_weight(fields: Mapping[str, Entry]) -> int:
    """The ``weight`` of something drawn, 1 where none is given."""
    if "weight" not in fields:
        return 1
    weight = fields["weight"].integer()
    if weight < 0:
        raise InputError.unexpected(weight, "a weight of 0 or more", fields["weight"].place)
    return weight


def read_facts(entry: Entry, pools: Mapping[str, tuple[str, ...]]) -> dict[str, Fact]:
    """All facts in their order; a condition may name the facts above it alone."""
    facts: dict[str, Fact] = {}
    for name, item in entry.fields("the facts by name").items():
        facts[identifier(name, item)] = _fact(name, item, fact_kinds(facts), pools)
    return facts


def fact_kinds(facts: Mapping[str, Fact]) -> dict[str, FactKind]:
    """What rules know of the facts."""
    return {
        name: FactKind(fact.kind, tuple(fact.wordings) if fact.kind == "enum" else ()) for name, fact in facts.items()
    }


def rules(entry: Entry | None, kinds: Mapping[str, FactKind]) -> tuple[Rule, ...]:
    """A list of conditions, or one."""
    if entry is None:
        return ()
    items = entry.items() if isinstance(entry.value, list) else [entry]
    return tuple(parse_rule(item.text("a condition"), kinds, item.place) for item in items)


def _fact(name: str, entry: Entry, above: Mapping[str, FactKind], pools: Mapping[str, tuple[str, ...]]) -> Fact:
    kind = entry.fields().get("type", entry).one_of(("boolean", "enum", "integer", "name"))
    common = ("type", "about")
    if kind == "boolean":
        fields = entry.known_fields((*common, "yes", "no"), FACT_FIELDS)
        values = {"yes": fields["yes"], "no": fields["no"]}
    elif kind == "enum":
        fields = entry.known_fields((*common, "values"), FACT_FIELDS)
        values = fields["values"].fields("the values by name")
    else:
        source = "range" if kind == "integer" else "pool"
        fields = entry.known_fields((*common, source, "brief"), (*FACT_FIELDS, *WORDING_FIELDS[1:]))
        values = {}
    weights = {value: read_weight(item.fields()) for value, item in values.items()}
    if values and not sum(weights.values()):
        raise InputError("all values have the weight 0", place=entry.place, advice="Give one a weight of 1 or more")
    unsaid = fields["unsaid"].one_of(tuple(values)) if "unsaid" in fields and values else None
    if "unsaid" in fields and not values:
        raise InputError("only a boolean or an enum has an unsaid value", place=fields["unsaid"].place)
    if "threshold" in fields and kind != "integer":
        raise InputError("only an integer has a threshold", place=fields["threshold"].place)
    return Fact(
        name=name,
        kind=kind,  # type: ignore[arg-type]
        about=fields["about"].text("what the fact is about, as `whether ...` or `how many ...`"),
        wordings=_wordings(fields, values, unsaid, integer=kind == "integer"),
        weights=weights,
        ranges=_ranges(fields["range"]) if kind == "integer" else (),
        pool=_pool(fields["pool"], pools) if kind == "name" else (),
        only_if=parse_rule(fields["only_if"].text(), above, fields["only_if"].place) if "only_if" in fields else None,
        unsaid=unsaid,
        forbidden=_patterns(fields.get("forbidden")),
        threshold=fields["threshold"].text("a plural noun, such as failed attempts") if "threshold" in fields else None,
    )


def _wordings(
    fields: Mapping[str, Entry], values: Mapping[str, Entry], unsaid: str | None, integer: bool
) -> dict[str, Wording]:
    if not values:
        fallback = (r"{value}",)
        wording = _wording(fields, unsaid=False)
        return {
            "": Wording(wording.brief, wording.hint, wording.mention, wording.explicit or fallback, wording.implied)
        }
    result = {}
    for value, item in values.items():
        if not VALUE.fullmatch(value):
            raise InputError.unexpected(value, "a value of letters, digits, _ and -", item.place)
        result[value] = _wording(item.known_fields(("brief",), (*WORDING_FIELDS[1:], "weight")), value == unsaid)
    return result


def _wording(fields: Mapping[str, Entry], unsaid: bool) -> Wording:
    default: Mapping[Mention, int] = {"absent": 1} if unsaid else {"explicit": 1}
    _refuse_the_same(fields, "against", "explicit", "no text could state the fact")
    _refuse_the_same(fields, "against", "implied", "no text could imply the fact")
    _refuse_the_same(fields, "implied", "explicit", "what states the fact outright does not imply it")
    return Wording(
        brief=fields["brief"].text("what the writer is told"),
        hint=fields["hint"].text() if "hint" in fields else "",
        mention=read_mention(fields["mention"]) if "mention" in fields else default,
        explicit=_patterns(fields.get("explicit")),
        implied=_patterns(fields.get("implied")),
        against=_patterns(fields.get("against")),
    )


def _refuse_the_same(fields: Mapping[str, Entry], one: str, other: str, why: str) -> None:
    both = [pattern for pattern in _patterns(fields.get(one)) if pattern in _patterns(fields.get(other))]
    if both:
        raise InputError(
            f"the pattern {shown(both[0])} stands under {other} too: {why}",
            place=fields[one].place,
            advice="Take it out of one of the two",
        )


def read_mention(entry: Entry) -> dict[Mention, int]:
    """``explicit``, or weights such as ``{explicit: 3, implied: 1}``."""
    if isinstance(entry.value, str):
        word = entry.one_of(MENTIONS)
        return {mention: 1 for mention in MENTIONS if mention == word}
    fields = entry.known_fields((), MENTIONS)
    weights = {mention: fields[mention].integer() for mention in MENTIONS if mention in fields}
    if min(weights.values()) < 0 or not sum(weights.values()):
        raise InputError.unexpected(entry.plain(), "weights of 0 or more, not all 0", entry.place)
    return weights


def _patterns(entry: Entry | None) -> tuple[str, ...]:
    if entry is None:
        return ()
    items = entry.items() if isinstance(entry.value, list) else [entry]
    for item in items:
        compile_pattern(item.text("a pattern"), "x", item.place)
    return tuple(item.text() for item in items)


def _ranges(entry: Entry) -> tuple[tuple[int, int], ...]:
    items = entry.items() if isinstance(entry.value, list) else [entry]
    for item in items:
        if isinstance(item.value, str) and LEADING_ZERO.search(item.value):
            raise InputError(
                f"found {shown(item.value)}, a number that begins with 0",
                place=item.place,
                advice="Write plain digits, such as 10..240",
            )
    return tuple(item.range() for item in items)


def _pool(entry: Entry, pools: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return pools[entry.one_of(tuple(pools))]


def read_archetypes(entry: Entry, facts: Mapping[str, Fact], styles: tuple[str, ...]) -> dict[str, Archetype]:
    """All archetypes in their order."""
    result = {}
    for name, item in entry.fields("the archetypes by name").items():
        fields = item.known_fields(("brief",), ("weight", "facts", "mentions", "constraints", "styles"))
        told = fields.get("styles")
        result[identifier(name, item)] = Archetype(
            name=name,
            brief=fields["brief"].text("the situation in prose"),
            weight=read_weight(fields),
            facts=_overrides(fields.get("facts"), fields.get("mentions"), facts),
            constraints=rules(fields.get("constraints"), fact_kinds(facts)),
            styles=tuple(style.one_of(styles) for style in told.items()) if told else (),
        )
    return result


def _overrides(values: Entry | None, mentions: Entry | None, facts: Mapping[str, Fact]) -> dict[str, FactOverride]:
    result: dict[str, FactOverride] = {}
    for name, entry in values.fields().items() if values else ():
        result[name] = _value_override(_known(name, entry, facts), entry)
    for name, entry in mentions.fields().items() if mentions else ():
        _known(name, entry, facts)
        before = result.get(name, FactOverride())
        result[name] = FactOverride(before.weights, before.ranges, read_mention(entry))
    return result


def _known(name: str, entry: Entry, facts: Mapping[str, Fact]) -> Fact:
    if name not in facts:
        raise InputError(f"there is no fact {shown(name)}", place=entry.place, advice=f"Declared: {', '.join(facts)}")
    return facts[name]


def _value_override(fact: Fact, entry: Entry) -> FactOverride:
    if fact.kind == "integer":
        return FactOverride(ranges=_ranges(entry))
    if fact.kind == "name":
        raise InputError("a name is drawn from its pool and cannot be fixed", place=entry.place)
    known = tuple(fact.wordings)
    if isinstance(entry.value, str):
        return FactOverride(weights={entry.one_of(known): 1})
    weights = {}
    for value, weight in entry.fields().items():
        if value not in known:
            raise InputError.unexpected(value, f"one of {', '.join(known)}", weight.place)
        weights[value] = weight.integer("a weight, such as 3")
    if min(weights.values()) < 0 or not sum(weights.values()):
        raise InputError.unexpected(entry.plain(), "weights of 0 or more, not all 0", entry.place)
    return FactOverride(weights=weights)
