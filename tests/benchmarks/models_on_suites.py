"""What reference models and servers that run offline score on bundled suites: the table of docs/suites.md.

Run it with ``python -m tests.benchmarks.models_on_suites SUITE...``; the servers' commands have to be on the path.
Two suites with the same models also give how well the first predicts the second.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

MODELS: Mapping[str, tuple[str, ...]] = {
    "`uniform`": ("--jevbench-reference=uniform",),
    "`random`": ("--jevbench-reference=random",),
    "`luce`": ("--jevbench-reference=luce",),
    "`luce_biased`": ("--jevbench-reference=luce_biased",),
    "sparrow-decider 0.2.0": ("--jevbench-launch=sparrow-decider serve --port {port}",),
    "sparrow-decider 0.2.0, nano-robot": ("--jevbench-launch=sparrow-decider --model nano-robot serve --port {port}",),
    "laya-serve 0.2.1": (
        "--jevbench-launch=laya-serve --host 127.0.0.1 --port {port}",
        "--jevbench-model=laya-english",
    ),
    "dev-double 0.2.0": ("--jevbench-launch=dev-double serve --engine mock --port {port}",),
}
DIMENSIONS = ("REP", "BAT", "MEA", "LOG", "CHO")


def card_of(suite: str, options: tuple[str, ...]) -> Any:
    """The card of one model on one suite."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", f"--jevbench-suite={suite}", *options]
        command += ["--jevbench-store=off", "--jevbench-fail-on=never"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return json.loads((Path(folder) / "jevbench-card.json").read_text(encoding="utf-8"))


def percent(value: float | None) -> str:
    """One decimal, or a dash."""
    return "-" if value is None else f"{100 * value:.1f}"


def row_of(name: str, card: Any) -> str:
    """The Markdown row."""
    overall = card["scores"]["overall"]
    interval = overall["interval"]
    between = "" if interval is None else f" [{percent(interval['low'])}, {percent(interval['high'])}]"
    dimensions = {row["name"]: row["score"] for row in card["scores"]["dimensions"]}
    cells = [name, percent(overall["score"]) + between, *(percent(dimensions[d]) for d in DIMENSIONS)]
    return f"| {' | '.join([*cells, percent(card['accuracy']['accuracy_answered'])])} |"


def differ(card: Any, other: Any) -> int:
    """1 or -1 where the intervals of two overalls lie apart, 0 where they do not."""
    one, two = (c["scores"]["overall"]["interval"] for c in (card, other))
    return 1 if one["low"] > two["high"] else -1 if one["high"] < two["low"] else 0


def predicted(small: Mapping[str, Any], large: Mapping[str, Any]) -> str:
    """Correlation, largest gap and order of pairs, of the overalls of two suites."""
    import numpy as np

    xs, ys = ([cards[name]["scores"]["overall"]["score"] for name in small] for cards in (small, large))
    apart = [(a, b) for a, b in combinations(small, 2) if differ(large[a], large[b])]
    right = sum(
        (xs[list(small).index(a)] > xs[list(small).index(b)]) == (differ(large[a], large[b]) > 0) for a, b in apart
    )
    gap = max(abs(x - y) for x, y in zip(xs, ys, strict=True))
    return (
        f"correlation of the overalls {np.corrcoef(xs, ys)[0, 1]:.3f}, largest gap {100 * gap:.1f} points, "
        f"{right} of the {len(apart)} pairs that the large suite separates in the same order"
    )


def main(suites: list[str]) -> None:
    """Print a table a suite."""
    cards: dict[str, dict[str, Any]] = {}
    for suite in suites:
        cards[suite] = {name: card_of(suite, options) for name, options in MODELS.items()}
        chance = next(iter(cards[suite].values()))["accuracy"]["chance"]
        print(f"\n`{suite}`; guessing is right on {percent(chance)} % of the gold answers\n")  # noqa: T201
        print(f"| model | overall [95 %] | {' | '.join(DIMENSIONS)} | accuracy |")  # noqa: T201
        print(f"|---|---:|{'---:|' * len(DIMENSIONS)}---:|")  # noqa: T201
        for name, card in cards[suite].items():
            print(row_of(name, card), flush=True)  # noqa: T201
    if len(suites) == 2:
        print(f"\n{predicted(*cards.values())}")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
