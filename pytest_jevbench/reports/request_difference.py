"""What a follow-up request changes of the base request, in lines a person reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_jevbench.json_text import shown
from pytest_jevbench.questions import Choice, Question, Score

__all__ = ["request_difference"]


def request_difference(base: Mapping[str, Question], follow_up: Mapping[str, Question]) -> list[str]:
    """Lines marked ``-`` (base alone), ``+`` (follow-up alone) and ``~`` (order); nothing for what is the same."""
    lines: list[str] = []
    renamed = _renamed(base, follow_up)
    for key, question in base.items():
        if key in renamed:
            lines.append(f"- {key}, sent as")
            lines.append(f"+ {renamed[key]}")
        elif key not in follow_up:
            lines.append(f"- {key} is left out")
        else:
            lines += _question_difference(key, question, follow_up[key])
    for key, question in follow_up.items():
        if key not in base and key not in renamed.values():
            lines.append(f"+ {key} ({question.type}): {question.instructions}")
            lines += [f"+   {line}" for line in _criteria(question)]
    lines += _order_difference("questions", list(base), list(follow_up))
    return lines


def _renamed(base: Mapping[str, Question], follow_up: Mapping[str, Question]) -> dict[str, str]:
    """Questions that stand unchanged at the same place of a batch of the same size, under another key."""
    if len(base) != len(follow_up):
        return {}
    return {
        old: new
        for (old, before), (new, after) in zip(base.items(), follow_up.items(), strict=True)
        if old != new and before == after and (new not in base or base[new] != after)
    }


def _criteria(question: Question) -> list[str]:
    if isinstance(question, Choice):
        return [f"{option}: {text}" for option, text in question.options.items()]
    if isinstance(question, Score):
        return [f"{level}: {text}" for level, text in enumerate(question.levels)]
    return []


def _question_difference(key: str, before: Question, after: Question) -> Iterator[str]:
    if before == after and _criteria(before) == _criteria(after):
        return
    if before.type != after.type:
        yield f"- {key} is a {before.type}"
        yield f"+ {key} is a {after.type}"
    if before.instructions != after.instructions:
        yield f"- {key}: {before.instructions}"
        yield f"+ {key}: {after.instructions}"
    old, new = _criteria(before), _criteria(after)
    gone = [line for line in old if line not in new]
    come = [line for line in new if line not in old]
    yield from (f"- {key} | {line}" for line in gone)
    yield from (f"+ {key} | {line}" for line in come)
    if isinstance(before, Choice) and isinstance(after, Choice):
        yield from _order_difference(f"options of {key}", list(before.options), list(after.options))


def _order_difference(what: str, old: list[str], new: list[str]) -> list[str]:
    shared_old = [name for name in old if name in new]
    shared_new = [name for name in new if name in old]
    if shared_old == shared_new:
        return []
    return [f"~ {what} in the order {shown(new, 200)}"]
