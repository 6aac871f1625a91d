"""A domain file, read whole: every mistake in it is found before anything is planned."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_jevbench.datagen.domain import Domain, LengthBand, Style
from pytest_jevbench.datagen.reading_facts import (
    fact_kinds,
    identifier,
    read_archetypes,
    read_facts,
    read_weight,
    rules,
)
from pytest_jevbench.datagen.reading_questions import read_questions
from pytest_jevbench.datagen.states import LEAST_WORDS, MOST_WORDS
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.yaml_text import Entry, read_yaml

__all__ = ["read_domain"]

REQUIRED = ("name", "description", "setting", "facts", "archetypes", "styles", "lengths", "questions")
OPTIONAL = ("pools", "constraints", "voices", "details")


def read_domain(path: Path) -> Domain:
    """The domain of a YAML file. Raises :class:`InputError` naming file, line and field."""
    fields = read_yaml(path).known_fields(REQUIRED, OPTIONAL)
    lengths = _lengths(fields["lengths"])
    styles = _styles(fields["styles"], tuple(lengths))
    facts = read_facts(fields["facts"], _pools(fields.get("pools")))
    domain = Domain(
        name=identifier(fields["name"].text("the domain's name"), fields["name"]),
        description=fields["description"].text(),
        file=path,
        setting=fields["setting"].text("what every writer must know: the firm, the product, who writes to whom"),
        facts=facts,
        archetypes=read_archetypes(fields["archetypes"], facts, tuple(styles)),
        styles=styles,
        lengths=lengths,
        questions=read_questions(fields["questions"], facts),
        constraints=rules(fields.get("constraints"), fact_kinds(facts)),
        voices=fields["voices"].texts() if "voices" in fields else (),
        details=fields["details"].texts() if "details" in fields else (),
    )
    _fit_for_every_relation(domain)
    return domain


def _pools(entry: Entry | None) -> dict[str, tuple[str, ...]]:
    pools = {name: item.texts("a list of names") for name, item in (entry.fields().items() if entry else ())}
    for name, names in pools.items():
        if len(set(names)) != len(names):
            assert entry is not None
            raise InputError("a name stands twice", place=entry.fields()[name].place, advice="Keep one of the two")
    return pools


def _lengths(entry: Entry) -> dict[str, LengthBand]:
    bands = {}
    for name, item in entry.fields("bands of words, such as short: 80..140").items():
        fields = item.known_fields(("words",), ("weight",)) if isinstance(item.value, dict) else {"words": item}
        low, high = fields["words"].range()
        if low < LEAST_WORDS or high > MOST_WORDS:
            raise InputError.unexpected(
                fields["words"].plain(), f"a band within {LEAST_WORDS}..{MOST_WORDS} words", fields["words"].place
            )
        bands[identifier(name, item)] = LengthBand(name, low, high, read_weight(fields))
    return bands


def _styles(entry: Entry, lengths: tuple[str, ...]) -> dict[str, Style]:
    styles = {}
    for name, item in entry.fields("the styles by name").items():
        fields = item.known_fields(("brief",), ("weight", "form", "lengths"))
        form = fields["form"].one_of(("text", "json")) if "form" in fields else "text"
        bands = fields["lengths"].texts() if "lengths" in fields else ()
        for band in bands:
            if band not in lengths:
                raise InputError.unexpected(band, f"one of {', '.join(lengths)}", fields["lengths"].place)
        styles[identifier(name, item)] = Style(
            name,
            fields["brief"].text("how the document looks"),
            read_weight(fields),
            "json" if form == "json" else "text",
            bands,
        )
    return styles


def _fit_for_every_relation(domain: Domain) -> None:
    place = Place(domain.file, None, "questions")
    needs: Mapping[str, tuple[int, int]] = {
        "noul": (4, len(domain.of_type("noul"))),
        "score": (1, len(domain.of_type("score"))),
    }
    for kind, (wanted, there) in needs.items():
        if there < wanted:
            raise InputError(f"{there} questions of type {kind}", place=place, advice=f"At least {wanted} are needed")
    if not any(len(q.options) >= 4 and q.hierarchies for q in domain.questions.values() if q.type == "choice"):
        raise InputError(
            "no Choice has four options and a hierarchy",
            place=place,
            advice="One relation needs such a Choice in every case",
        )
    if not any(fact.threshold for fact in domain.facts.values()):
        raise InputError(
            "no integer fact has a threshold",
            place=Place(domain.file, None, "facts"),
            advice="One relation asks whether a stated quantity is more than k; write `threshold: failed attempts`",
        )
