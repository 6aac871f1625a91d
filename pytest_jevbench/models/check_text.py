"""What came of checking a model, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_jevbench.json_text import printable, shown
from pytest_jevbench.models.dialects.base import VERBALISED

if TYPE_CHECKING:
    from pytest_jevbench.models.checking import CheckedQuestion, ModelCheck

__all__ = ["check_text"]

_MOST_SHOWN = 4
_NAME_SOURCE = {
    "listed": " (the only one the server lists)",
    "assumed": " (assumed, because none was given and the server lists no single one)",
}


def check_text(check: ModelCheck) -> str:
    """The check as text, one line a question and one for what to change."""
    lines = []
    identity = check.identity
    if identity is not None:
        lines.append(f"asked      {identity.address or identity.launch or 'in this process'}")
        if identity.details.get("probs_source") == VERBALISED:
            lines.append(f"dialect    {identity.dialect}: verbalised probabilities, which the model writes as text")
        lines.append(f"model      {printable(identity.name)}{_NAME_SOURCE.get(check.name_source, '')}")
    if check.reply is None:
        return "\n".join([*lines, f"problem    {check.problem}"])
    reply = check.reply
    answered = printable(reply.model) if reply.model else "no name given"
    attempts = f", {reply.attempts} attempts" if reply.attempts > 1 else ""
    lines.append(f"answered   {answered}, in {reply.seconds * 1000:.0f} ms{attempts}")
    for question in check.questions:
        lines += _question_lines(question)
    bad = sum(question.distribution is None for question in check.questions)
    count = len(check.questions)
    lines.append(f"{bad} of {count} answers cannot be used" if bad else f"all {count} answers can be used")
    return "\n".join(lines)


def _question_lines(question: CheckedQuestion) -> list[str]:
    head = f"{question.type:<10} {question.key}: "
    if question.distribution is None:
        lines = [f"{head}not usable: {question.problem}", f"{'':<10} {question.advice}"]
    else:
        largest = list(question.distribution.items())[:_MOST_SHOWN]
        lines = [head + ", ".join(f"{shown(answer)} {p:.3f}" for answer, p in largest)]
    return lines + [f"{'':<10} harmless: {remark}" for remark in question.remarks]
