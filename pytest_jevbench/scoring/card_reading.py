"""Reading a card, ours or the published report layout, into what scoring, gates, tables and reports work on."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import parse_json, read_bytes
from pytest_jevbench.models.dialects.base import VERBALISED
from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.runs.results import REASONS, Outcome, TestResult
from pytest_jevbench.scoring.fields import Fields
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from pytest_jevbench.scoring.schema_check import card_schema, check_value
from pytest_jevbench.scoring.scores import Scores, score

__all__ = ["SCHEMA_VERSION", "Card", "card_of_value", "read_card", "unpacked"]

SCHEMA_VERSION = "1.0"
"""major.minor: a minor step adds fields, a major one changes what stands there."""

GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Card:
    """A card that was read or built: its JSON value, and the parts of it that are computed with.

    ``results`` are without parameters and compared numbers. ``groups`` gives each planned relation's group, in taxonomy
    order, ``planned`` its planned tests; ``not_run`` are the deselected tests and those of other shards. ``layout`` is
    ``card`` or ``published``.
    """

    data: Mapping[str, Any]
    settings: ScoreSettings
    groups: Mapping[str, str]
    planned: Mapping[str, int]
    cases: Mapping[str, str]
    results: tuple[TestResult, ...]
    not_run: tuple[TestId, ...]
    layout: str = "card"
    path: str = ""

    @classmethod
    def from_json(cls, value: object, place: Place | None = None, *, layout: str = "card") -> Card:
        """A card from its JSON value. Raises :class:`InputError` naming the field that is wrong."""
        place = place or Place()
        card = Fields(value, place)
        _check_version(card)
        _check_sections(card)
        rows = [*card.objects("relations"), *card.objects("diagnostics")]
        errors = [(e.one_of("reason", REASONS), e.text("message")) for e in card.objects("errors")]
        checks = {row.text("name"): row.text("check") for row in rows}
        return cls(
            data=card.values,
            settings=_settings(card.object("identity").object("settings")),
            groups={row.text("name"): row.text("group") for row in rows},
            planned={row.text("name"): row.whole("planned") for row in rows},
            cases=card.strings("cases"),
            results=tuple(_results(card, checks, errors)),
            not_run=(*_test_ids(card, "deselected"), *_test_ids(card, "elsewhere")),
            layout=layout,
            path=str(place.file or ""),
        )

    @property
    def name(self) -> str:
        """The model's name, as it stands beside scores: marked where its probabilities are verbalised."""
        name = str(self.data["identity"]["model"]["name"])
        return f"{name} (verbalised)" if self.verbalised else name

    @property
    def verbalised(self) -> bool:
        """Whether a chat model wrote the probabilities as text, and they were not read off a distribution."""
        details = self.data["identity"]["model"].get("details") or {}
        return bool(details.get("probs_source") == VERBALISED)

    @property
    def suite(self) -> str:
        return str(self.data["identity"]["suite"]["name"])

    @cached_property
    def scores(self) -> Scores:
        """The scores under the card's own settings, computed from its outcomes."""
        return self.scored(self.settings)

    def scored(self, settings: ScoreSettings) -> Scores:
        """The scores under other settings."""
        planned_in_domains: dict[str, Counter[str]] = {}
        for test in (*(result.id for result in self.results), *self.not_run):
            planned_in_domains.setdefault(self.cases.get(test.case_id, ""), Counter())[test.relation] += 1
        return score(
            self.results,
            self.planned,
            self.groups,
            settings,
            domains=self.cases,
            planned_in_domains=planned_in_domains,
        )

    def rescored(self, settings: ScoreSettings) -> Card:
        """The same outcomes under other settings."""
        return replace(self, settings=settings)

    def with_scores(self, scores: Scores) -> Card:
        """The same card with scores at hand, so that they are not computed again."""
        card = replace(self)
        card.__dict__["scores"] = scores
        return card


def read_card(path: Path | str) -> Card:
    """Read a card or a published report, plain or gzip. Raises :class:`InputError` that says what is wrong with it."""
    place = Place(path)
    return card_of_value(parse_json(unpacked(read_bytes(path), place), place), place)


def card_of_value(value: object, place: Place) -> Card:
    """A card from the JSON value of a card or of a published report. Raises :class:`InputError`."""
    if isinstance(value, dict) and "jevbench_report" in value:
        from pytest_jevbench.scoring.published import card_from_published

        return Card.from_json(card_from_published(value, place), place, layout="published")
    if not isinstance(value, dict) or "schema_version" not in value:
        raise InputError(
            "this is neither a coherence card nor a published report",
            place=place,
            advice='A card has a "schema_version", a report a "jevbench_report"',
        )
    return Card.from_json(value, place)


def unpacked(data: bytes, place: Place) -> bytes:
    """The content of a file that may be compressed with gzip. Raises :class:`InputError` where it is damaged."""
    if not data.startswith(GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"the gzip data is damaged ({error})", place=place, advice="Copy the file again") from None


def _check_version(card: Fields) -> None:
    version = card.text("schema_version")
    major, _, minor = version.partition(".")
    if not (major.isdecimal() and minor.isdecimal()):
        raise InputError.unexpected(version, f'a version such as "{SCHEMA_VERSION}"', card.place.at("schema_version"))
    if major != SCHEMA_VERSION.partition(".")[0]:
        raise InputError(
            f"cards of schema version {version} cannot be read, only {SCHEMA_VERSION.partition('.')[0]}.x",
            place=card.place.at("schema_version"),
            advice="Read it with the version of pytest-jevbench that wrote it, or run the suite again",
        )


_READ_HERE = ("tests", "deselected", "elsewhere")
"""Sections of thousands of items: they are checked while they are read."""


def _check_sections(card: Fields) -> None:
    schema = card_schema()
    check_value(
        {name: value for name, value in card.values.items() if name not in _READ_HERE},
        {**schema, "required": [name for name in schema["required"] if name not in _READ_HERE]},
        card.place,
    )


def _settings(settings: Fields) -> ScoreSettings:
    return ScoreSettings(
        tolerance=settings.optional_number("tolerance"),
        min_n=settings.whole("min_n"),
        bootstrap=settings.whole("bootstrap"),
        min_coverage=settings.number("min_coverage"),
        slack=settings.number("slack"),
    )


def _test_ids(card: Fields, name: str) -> list[TestId]:
    tests = []
    for i, item in enumerate(card.array(name)):
        if not isinstance(item, list) or len(item) != 3 or not all(isinstance(part, str) for part in item):
            raise InputError.unexpected(item, "[relation, case, key]", card.place.at(f"{name}[{i}]"))
        tests.append(TestId(*item))
    return tests


def _results(card: Fields, checks: Mapping[str, str], errors: list[tuple[str, str]]) -> list[TestResult]:
    return [_result(test, checks, errors) for test in card.objects("tests")]


def _result(test: Fields, checks: Mapping[str, str], errors: list[tuple[str, str]]) -> TestResult:
    test_id = TestId(test.text("relation"), test.text("case"), test.text("key"))
    check = checks.get(test_id.relation, "")
    verdict = test.one_of("verdict", ("held", "violated", "unjudged", "not_applicable"))
    if verdict == "not_applicable":
        return TestResult(test_id, check, "not_applicable")
    if verdict == "unjudged":
        number = test.whole("error")
        if number >= len(errors):
            raise InputError.unexpected(number, "the number of an entry of errors", test.place.at("error"))
        reason, message = errors[number]
        return TestResult(test_id, check, "unjudged", reason=reason, message=message)  # type: ignore[arg-type]
    outcomes = tuple(_outcome(outcome) for outcome in test.objects("outcomes"))
    return TestResult(test_id, check, verdict, outcomes)  # type: ignore[arg-type]


def _outcome(outcome: Fields) -> Outcome:
    values = outcome.values
    return Outcome(
        targets=tuple(outcome.texts("targets")),
        deviation=outcome.optional_number("deviation"),
        tolerance=outcome.number("tolerance"),
        tolerance_kind=outcome.one_of("tolerance_kind", ("noise", "own")),  # type: ignore[arg-type]
        flip=outcome.optional_flag("flip"),
        variant=outcome.whole("variant") if "variant" in values else 0,
        draw=outcome.whole("draw") if "draw" in values else 0,
    )
