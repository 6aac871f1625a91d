"""One copy of a model on each GPU: copy this file to ``conftest.py`` of the root directory.

Run it with ``pytest --jevbench-suite=jevbench-240 --jevbench-replicas=4`` (copies in one process), or with
``-n 4`` as well (one process a copy, which is faster where the model holds Python's lock).
"""

import os


def load_model(device):
    """Your own loading goes here: it returns a function that answers on one device."""

    def answer(state, questions):
        return {key: one_answer(question) for key, question in questions.items()}

    answer.device = device
    return answer


def one_answer(question):
    if question["type"] == "noul":
        return {"type": "noul", "noul": 0.5}
    criteria = question["criteria"]
    ids = list(criteria) if question["type"] == "choice" else [str(level) for level in range(len(criteria))]
    return {"type": question["type"], "probabilities": {one: 1 / len(ids) for one in ids}}


def pytest_jevbench_model(config, replica):
    """Called once for each copy; ``replica.index`` counts from 0 over all processes."""
    gpus = [gpu for gpu in os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",") if gpu]
    return load_model(f"cuda:{replica.index % len(gpus)}")
