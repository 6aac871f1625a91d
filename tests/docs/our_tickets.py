"""``python -m tests.docs.our_tickets FOLDER`` writes the suite folder of docs/freezing.md, not frozen."""

from __future__ import annotations

import json
import sys
from pathlib import Path

SUITE = Path(__file__).parents[2] / "suites" / "jevbench-240"
DOMAINS = ("customer_support", "finance_ops", "it_incidents")
MANIFEST = '{"name": "our-tickets", "version": "1", "description": "Tickets of the second half-year"}\n'


def write(folder: Path) -> None:
    """The first five cases of each domain, their gold answers, and all rewrites."""
    folder.mkdir(parents=True)
    kept: list[str] = []
    taken = dict.fromkeys(DOMAINS, 0)
    for line in (SUITE / "cases.jsonl").read_text(encoding="utf-8").splitlines(keepends=True):
        domain = json.loads(line)["domain"]
        if taken.get(domain, 5) < 5:
            taken[domain] += 1
            kept.append(line)
    ids = {json.loads(line)["id"] for line in kept}
    gold = (SUITE / "gold.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    texts = {
        "cases.jsonl": "".join(kept),
        "gold.jsonl": "".join(line for line in gold if json.loads(line)["case"] in ids),
        "rewrites.jsonl": (SUITE / "rewrites.jsonl").read_text(encoding="utf-8"),
        "manifest.json": MANIFEST,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
