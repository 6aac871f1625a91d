"""Asking the same more than once: the mean of the answers, and how far single ones are from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from pytest_jevbench.distributions import Distribution, total_variation
from pytest_jevbench.runs.answered import Answered, Answers, Unanswered

__all__ = ["mean_of", "noise_of"]


def mean_of(repeats: Sequence[Answered]) -> Answered:
    """What a request is taken to have brought that was asked more than once: of each answer the mean.

    An answer that could not be read once is not read at all, and a repeat that brought none leaves none: means of
    different numbers of repeats would not compare. What was sent, for diagnostics, is that of the first repeat.
    """
    first = repeats[0]
    if len(repeats) == 1:
        return first
    answers: list[Answers] = []
    for number, repeat in enumerate(repeats, 1):
        if isinstance(repeat, Unanswered):
            return Unanswered(repeat.reason, f"repeat {number} of {len(repeats)}: {repeat.message}")
        answers.append(repeat)
    problems: dict[str, str] = {}
    for number, one in enumerate(answers, 1):
        for key, problem in one.problems.items():
            problems.setdefault(key, f"repeat {number} of {len(repeats)}: {problem}")
    return Answers(
        {key: _mean([one.distributions[key] for one in answers]) for key in _readable(answers)},
        problems,
        answers[0].raw,
        answers[0].asked,
    )


def noise_of(repeats: Sequence[Answers]) -> Mapping[str, float]:
    """The repeat noise of each question: the largest total variation between an answer and the mean of all, in [0, 1].

    Left out are questions with an answer that could not be read.
    """
    noise: dict[str, float] = {}
    for key in _readable(repeats):
        distributions = [one.distributions[key] for one in repeats]
        mean = _mean(distributions)
        noise[key] = max(total_variation(mean, one) for one in distributions)
    return noise


def _readable(repeats: Sequence[Answers]) -> list[str]:
    return [key for key in repeats[0].distributions if all(key in one.distributions for one in repeats)]


def _mean(distributions: Sequence[Distribution]) -> Distribution:
    first = distributions[0]
    if all(one == first for one in distributions):
        return first  # not changed by a rounding: without noise, repeats change nothing
    return {answer: fsum(one[answer] for one in distributions) / len(distributions) for answer in first}
