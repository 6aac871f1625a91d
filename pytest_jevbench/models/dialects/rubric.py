"""Instructions with what describes the answers, for interfaces whose options are bare names."""

from __future__ import annotations

from pytest_jevbench.questions import Choice, Question, Score

__all__ = ["with_rubric"]


def with_rubric(question: Question) -> str:
    """The instructions, and below them each option or level with its text, in order.

    >>> print(with_rubric(Score("How bad?", ("a scratch", "broken"))))
    How bad?
    <BLANKLINE>
    The levels, lowest first:
    0: a scratch
    1: broken
    """
    if isinstance(question, Choice):
        lines = [f"{option}: {text}" if text else option for option, text in question.options.items()]
        return "\n".join([question.instructions, "", "The options:", *lines])
    if isinstance(question, Score):
        lines = [f"{level}: {text}" for level, text in enumerate(question.levels)]
        return "\n".join([question.instructions, "", "The levels, lowest first:", *lines])
    return question.instructions
