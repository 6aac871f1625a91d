"""Finding a test by what a person has of its name: a node id as pytest prints it, a part of it, or raw ids."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import shown
from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.slugs import slug

__all__ = ["NamedTest", "find_test", "named_test"]

_OUTCOME = re.compile(r"^(?:_+ *)?(?:(?:[A-Z]{4,}|fixed) +)?")
_COMMAND = re.compile(r"^(?:ask again +)?(?:\$ +)?pytest +(?=\S)")
_REMARK = re.compile(r" {2,}\([^()]*\)$")
_FUNCTION = re.compile(r"^.*?::\w+\[(.*)\]$", re.DOTALL)


class NamedTest(tuple[str, str]):
    """What a node id says: the suite (empty where it says none) and the rest of it, ``case::relation-question``."""

    __slots__ = ()

    def __new__(cls, suite: str, rest: str) -> NamedTest:
        return super().__new__(cls, (suite, rest))

    @property
    def suite(self) -> str:
        return self[0]

    @property
    def rest(self) -> str:
        return self[1]


def named_test(text: str) -> NamedTest:
    """The parts of a node id, taken out of whatever line it was copied from.

    >>> named_test("FAILED jevbench-mini::c-1::key_rename-q - Violation: 0.3")
    ('jevbench-mini', 'c-1::key_rename-q')
    >>> named_test("tests/test_a.py::test_b[c-1::key_rename-q]"), named_test("c-1::key_rename-q")
    (('', 'c-1::key_rename-q'), ('', 'c-1::key_rename-q'))
    """
    name = _without_surroundings(text.strip().strip("`'\""))
    inside = _FUNCTION.match(name)
    if inside is not None:
        return NamedTest("", inside[1])
    suite, separator, rest = name.partition("::")
    return NamedTest(suite, rest) if separator and "::" in rest else NamedTest("", name)


def _without_surroundings(text: str) -> str:
    """A name without the outcome before it, the message behind it, or the command that it is an argument of."""
    if command := _COMMAND.match(text):
        rest = text[command.end() :]
        if rest[0] == "'" and "'" in rest[1:]:  # a shell's quotes, around blanks or brackets
            return rest[1:].partition("'")[0]
        return rest.split()[0]
    name = _REMARK.sub("", _OUTCOME.sub("", text))
    case, separator, rest = name.partition("::")
    return f"{case}{separator}{rest.partition(' - ')[0]}".strip() if separator else name.partition(" - ")[0].strip()


def find_test(name: NamedTest, tests: Iterable[TestId]) -> TestId:
    """The test of this name, by slugs or raw ids. Raises :class:`InputError` with the closest names."""
    by_slug = {f"{slug(test.case_id)}::{test.relation}-{slug(test.key)}": test for test in tests}
    found = by_slug.get(name.rest)
    if found is None:
        whole = f"{name.suite}::{name.rest}" if name.suite else name.rest  # a raw case id may hold ::
        for test in by_slug.values():
            if f"{test.case_id}::{test.relation}-{test.key}" in (name.rest, whole):
                return test
        near = get_close_matches(name.rest, by_slug, n=3, cutoff=0.3)
        advice = f"Closest: {', '.join(near)}" if near else "A name is case::relation-question"
        raise InputError(f"there is no test {shown(name.rest)} among the {len(by_slug):,} here", advice=advice)
    return found
