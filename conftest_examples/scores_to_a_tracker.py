"""Hand the scores of every run to an experiment tracker: copy this file to ``conftest.py`` of the root directory.

Run it with ``pytest --jevbench-suite=jevbench-mini --jevbench-url=...``.
"""

import json
from pathlib import Path


def pytest_jevbench_card(config, card):
    """Called once with the finished card; its fields are those of docs/card.md."""
    overall = card["scores"]["overall"]
    line = {"model": card["identity"]["model"]["name"], "overall": overall["score"], "reason": overall["reason"]}
    with Path(config.rootpath, "tracker.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
