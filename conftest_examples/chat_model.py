"""A chat model under instructions of your own: copy this file to ``conftest.py`` of the root directory.

Run it with ``CHAT_URL=http://127.0.0.1:11434 CHAT_MODEL=my-model pytest --jevbench-suite=jevbench-mini``. Without
instructions of your own no conftest is needed: ``--jevbench-dialect=openai`` does the same.
"""

import os

import pytest

from pytest_jevbench.models.dialects.chat_prompt import SYSTEM
from pytest_jevbench.models.dialects.openai import openai
from pytest_jevbench.models.http_model import HttpModel

HOUSE_RULES = (
    "You decide for a repairs desk that answers within a day. Where a text leaves something open, stay near 0.5."
)


@pytest.fixture(scope="session")
def jevbench_model():
    # SYSTEM says in what form to answer: keep it. Answers to each wording are stored apart.
    dialect = openai({"temperature": 0, "seed": 7}, system=f"{SYSTEM}\n\n{HOUSE_RULES}")
    key = os.environ.get("CHAT_API_KEY")
    with HttpModel(os.environ["CHAT_URL"], dialect=dialect, model=os.environ["CHAT_MODEL"], api_key=key) as model:
        yield model
