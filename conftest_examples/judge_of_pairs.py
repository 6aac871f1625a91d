"""A judge of your own, tested for bias: copy this file to ``conftest.py`` of the root directory.

Run it with ``pytest --jevbench-suite=jevbench-judges --jevbench-fail-on=never``. The judge here looks at the length of
the two answers alone, so ``judge_longer_answer`` finds it out; put the call of your judge in its place.
"""

import math

import pytest


def prefers_first(task, first, second):
    """P(the first answer is better), as your judge gives it. This one likes what is long."""
    return 1 / (1 + math.exp((len(second) - len(first)) / 50))


def answer(state, questions):
    """The two answers are the options ``first`` and ``second`` of a Choice, the task is the state."""
    answers = {}
    for key, question in questions.items():
        shown = question["criteria"]
        first = prefers_first(state, shown["first"], shown["second"])
        if "meets the criteria worse" in question["instructions"]:
            first = 1 - first
        answers[key] = {"type": "choice", "probabilities": {"first": first, "second": 1 - first, "tie": 0.0}}
    return answers


@pytest.fixture(scope="session")
def jevbench_model():
    return answer
