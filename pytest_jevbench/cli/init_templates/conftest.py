"""The model that `pytest --jevbench` tests: put your own in the place of this one."""

import pytest


def answers_of(state, questions):
    """Answer a batch of questions about a state. This one reads nothing: all answers are equally probable."""
    answers = {}
    for key, question in questions.items():
        if question["type"] == "noul":  # yes or no: the probability of yes
            answers[key] = {"type": "noul", "noul": 0.5}
        elif question["type"] == "choice":  # the probability of each option, by its id
            ids = list(question["criteria"])
            answers[key] = {"type": "choice", "probabilities": {option: 1 / len(ids) for option in ids}}
        else:  # a score: the probability of each level, counted from 0
            count = len(question["criteria"])
            answers[key] = {"type": "score", "probabilities": {str(level): 1 / count for level in range(count)}}
    return answers


@pytest.fixture(scope="session")
def jevbench_model():
    return answers_of
