"""The language of answer rules and constraints: conditions over the facts of a case.

::

    refund_asked and refund_amount > 500
    plan in [business, enterprise] or not seats <= 50
    days_open > 2 * promised_days
    count(a, b, c) >= 2        stated(plan)

A rule is parsed and checked against the declared facts when the domain is read, so that a misspelt fact or value is
found before anything is planned. It is never evaluated as Python.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, NamedTuple, Protocol

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown

__all__ = ["FactKind", "FactView", "Rule", "parse_rule"]

Kind = Literal["boolean", "integer", "enum", "name"]

TOKEN = re.compile(
    r"\s*(?:(?P<word>[\w][\w\-]*)|(?P<quoted>\"[^\"]*\"|'[^']*')|(?P<sign><=|>=|!=|==|[=<>()\[\],+*\-]))"
)
ORDER: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ARITHMETIC: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
TRUTH = {"yes": True, "true": True, "no": False, "false": False}
RESERVED = {"and", "or", "not", "in", "stated", "count"}


class FactKind(NamedTuple):
    """What a rule must know of a fact: its kind, and its values where they are listed."""

    kind: Kind
    values: tuple[str, ...] = ()


class FactView(Protocol):
    """A fact of one case as a rule sees it. ``value`` is None where the fact does not apply to the case."""

    @property
    def value(self) -> bool | int | str | None: ...

    @property
    def stated(self) -> bool: ...


Facts = Mapping[str, FactView]


@dataclass(frozen=True, slots=True)
class Rule:
    """A parsed condition. ``facts`` are the facts it names, in order of appearance."""

    text: str
    facts: tuple[str, ...]
    condition: Callable[[Facts], bool]

    def holds(self, facts: Facts) -> bool:
        """Whether it holds. A comparison with a fact that does not apply to the case is false."""
        return self.condition(facts)


class _Node(NamedTuple):
    kind: Kind
    value: Callable[[Facts], bool | int | str | None]
    values: tuple[str, ...] = ()


def parse_rule(text: str, facts: Mapping[str, FactKind], place: Place) -> Rule:
    """The rule of a text. Raises :class:`InputError` that says what is not understood and what is known."""
    parser = _Parser(text, facts, place)
    node = parser.whole()
    return Rule(text, tuple(dict.fromkeys(parser.named)), lambda known: node.value(known) is True)


class _Parser:
    def __init__(self, text: str, facts: Mapping[str, FactKind], place: Place) -> None:
        self.text, self.facts, self.place = text, facts, place
        self.named: list[str] = []
        self.tokens = self._tokens()
        self.at = 0

    def _tokens(self) -> list[str]:
        tokens, at = [], 0
        text = self.text.rstrip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if match is None:
                raise self.error(f"{shown(text[at:].strip()[:20])} is not understood")
            tokens.append(match.group().strip())
            at = match.end()
        return tokens

    def error(self, problem: str, advice: str = "") -> InputError:
        return InputError(f"{problem} in the rule `{self.text}`", place=self.place, advice=advice)

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> bool:
        if self.peek() not in wanted or self.at >= len(self.tokens):
            return False
        self.at += 1
        return True

    def need(self, wanted: str) -> None:
        if not self.take(wanted):
            raise self.error(f"`{wanted}` is missing before {shown(self.peek() or 'the end')}")

    def next(self) -> str:
        token = self.peek()
        if not token:
            raise self.error("something is missing at the end")
        self.at += 1
        return token

    def whole(self) -> _Node:
        node = self.condition(self.either())
        if self.peek():
            raise self.error(f"{shown(self.peek())} is not expected", "Join conditions with and, or, not")
        return node

    def condition(self, node: _Node) -> _Node:
        if node.kind != "boolean":
            raise self.error("a condition is needed", "Compare the fact with a value, such as seats > 50 or plan = pro")
        return node

    def either(self) -> _Node:
        return self.joined("or", self.both, any)

    def both(self) -> _Node:
        return self.joined("and", self.negated, all)

    def joined(self, word: str, part: Callable[[], _Node], join: Callable[[Sequence[bool]], bool]) -> _Node:
        nodes = [part()]
        while self.take(word):
            nodes.append(part())
        if len(nodes) == 1:
            return nodes[0]
        parts = [self.condition(node).value for node in nodes]
        return _Node("boolean", lambda known: join([p(known) is True for p in parts]))

    def negated(self) -> _Node:
        if not self.take("not"):
            return self.comparison()
        inner = self.condition(self.negated()).value
        return _Node("boolean", lambda known: inner(known) is not True)

    def comparison(self) -> _Node:
        left = self.sum()
        sign = self.peek()
        if self.take("=", "==", "!="):
            return self.equality(left, [self.other_side(left)], negate=sign == "!=")
        if self.take(*ORDER):
            return self.ordered(left, ORDER[sign], self.sum())
        if self.take("in"):
            return self.equality(left, self.list_of(left), negate=False)
        if sign == "not" and self.tokens[self.at + 1 : self.at + 2] == ["in"]:
            self.at += 2
            return self.equality(left, self.list_of(left), negate=True)
        return left

    def equality(self, left: _Node, rights: list[_Node], negate: bool) -> _Node:
        if left.kind == "name":
            raise self.error("a name cannot be compared", "Use stated(...) with it")

        def compare(known: Facts) -> bool:
            value = left.value(known)
            others = [right.value(known) for right in rights]
            if value is None or None in others:
                return False
            return any(value is o or (value == o and type(value) is type(o)) for o in others) != negate

        return _Node("boolean", compare)

    def ordered(self, left: _Node, compare: Callable[[int, int], bool], right: _Node) -> _Node:
        if left.kind != "integer" or right.kind != "integer":
            raise self.error("only numbers have an order", "Use = or in [...] for words")

        def check(known: Facts) -> bool:
            a, b = left.value(known), right.value(known)
            return a is not None and b is not None and compare(int(a), int(b))

        return _Node("boolean", check)

    def list_of(self, left: _Node) -> list[_Node]:
        self.need("[")
        values = [self.other_side(left)]
        while self.take(","):
            values.append(self.other_side(left))
        self.need("]")
        return values

    def other_side(self, left: _Node) -> _Node:
        """The right of an equality: for a listed fact one of its values comes first, then another fact."""
        token = self.peek()
        if left.kind == "enum":
            word = token[1:-1] if token[:1] in "'\"" and token else token
            if word in left.values:
                self.at += 1
                return _Node("enum", lambda known: word)
            if token in self.facts and self.facts[token].kind == "enum":
                return self.atom()
            raise self.error(f"{shown(word)} is not one of its values", f"Known: {', '.join(left.values)}")
        if left.kind == "boolean" and token in TRUTH:
            self.at += 1
            return _Node("boolean", lambda known: TRUTH[token])
        right = self.sum()
        if right.kind != left.kind:
            raise self.error(f"a fact of kind {left.kind} is compared with one of kind {right.kind}")
        return right

    def sum(self) -> _Node:
        return self.arithmetic(("+", "-"), lambda: self.arithmetic(("*",), self.atom))

    def arithmetic(self, signs: tuple[str, ...], part: Callable[[], _Node]) -> _Node:
        node = part()
        while self.peek() in signs:
            sign = self.next()
            node = self.calculated(node, ARITHMETIC[sign], part())
        return node

    def calculated(self, left: _Node, how: Callable[[int, int], int], right: _Node) -> _Node:
        if left.kind != "integer" or right.kind != "integer":
            raise self.error("only numbers can be calculated with")

        def value(known: Facts) -> int | None:
            a, b = left.value(known), right.value(known)
            return None if a is None or b is None else how(int(a), int(b))

        return _Node("integer", value)

    def atom(self) -> _Node:
        if self.take("("):
            node = self.either()
            self.need(")")
            return node
        token = self.next()
        if token == "stated":
            return self.stated()
        if token == "count":
            return self.count()
        if token in self.facts:
            self.named.append(token)
            fact = self.facts[token]
            return _Node(fact.kind, lambda known: known[token].value, fact.values)
        if re.fullmatch(r"0|[1-9][0-9]*", token):
            number = int(token)
            return _Node("integer", lambda known: number)
        close = get_close_matches(token, self.facts, n=1)
        raise self.error(
            f"there is no fact {shown(token)}",
            f"Did you mean {close[0]}?" if close else f"Declared facts: {', '.join(self.facts)}",
        )

    def stated(self) -> _Node:
        self.need("(")
        name = self.next()
        if name not in self.facts:
            raise self.error(f"there is no fact {shown(name)}", f"Declared facts: {', '.join(self.facts)}")
        self.need(")")
        return _Node("boolean", lambda known: known[name].stated)

    def count(self) -> _Node:
        self.need("(")
        parts = [self.condition(self.either()).value]
        while self.take(","):
            parts.append(self.condition(self.either()).value)
        self.need(")")
        return _Node("integer", lambda known: sum(p(known) is True for p in parts))
