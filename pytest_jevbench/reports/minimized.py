"""The card's section ``minimized`` in lines for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_jevbench.json_text import dumps, printable
from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.relations.base import FOLLOW_UP
from pytest_jevbench.reports.text import percent, wrapped
from pytest_jevbench.reports.violation import distribution_columns
from pytest_jevbench.runs.planning import node_id
from pytest_jevbench.runs.results import Outcome

__all__ = ["FILE", "minimized_text"]

FILE = "regressions"
"""The folder in which the printed command looks for the pasted lines."""

_ENDED = {
    "minimal": "nothing more can be left out",
    "requests": "ended at the bound on requests",
    "over_budget": "ended by the budget",
    "unreachable": "ended for lack of answers",
    "not_repeated": "kept where the relation draws anew",
}
_ALONE = {
    "persists": "persists without the rest of the batch",
    "gone": "gone without the rest of the batch",
    "no_such_form": "is about the batch itself",
    "not_judged": "not judged without the rest of the batch",
}


def minimized_text(section: Mapping[str, Any], suite: str, *, full: bool = False, options: str = "") -> Iterator[str]:
    """The lines: sizes and deviations a test; in ``full`` the smallest request pair and the case to keep; the figure.

    ``suite`` is the suite's name, ``options`` are words that name the model, for the command of a regression case. Long
    commands stay in one line, so that they can be copied.
    """
    for test in section["tests"]:
        yield from _test(test, suite)
        if full:
            yield from _pair(test)
            yield from _regression(test["regression"], options)
            yield ""
    yield from _end(section, full)


def _test(test: Mapping[str, Any], suite: str) -> Iterator[str]:
    before, after = test["before"], test["after"]
    sizes = ", ".join(f"{what} {before[what]} -> {after[what]}" for what in ("questions", "options", "characters"))
    deviations = " -> ".join(_deviation(size["deviation"]) for size in (before, after))
    yield printable(node_id(suite, TestId(test["relation"], test["case"], test["key"])))
    yield f"  {sizes}"
    yield f"  deviation {deviations}, allowed {test['tolerance']:g}"
    ended = f"{_ENDED[test['ended']]} ({test['requests']} requests)"
    yield from wrapped(f"{ended}; {_ALONE[test['without_batch']]}", 80, "  ", "    ")


def _deviation(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.4f}"


def _pair(test: Mapping[str, Any]) -> Iterator[str]:
    outcome = Outcome(
        targets=tuple(test["targets"]),
        deviation=test["after"]["deviation"],
        tolerance=test["tolerance"],
        tolerance_kind="noise",
        flip=test["flip"],
        expected=_numbers(test["expected"]),
        observed=_numbers(test["observed"]),
    )
    yield from (f"  {line}" for line in distribution_columns(outcome, 78))
    for exchange in test["exchanges"]:
        label = "follow-up" if exchange["label"] == FOLLOW_UP else printable(exchange["label"])
        yield f"  {label}:"
        yield f"  {exchange['curl'] or dumps(exchange['request'], compact=True)}"


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    return {name: value for name, value in values.items() if isinstance(value, (int, float))}


def _regression(regression: Mapping[str, Any] | None, options: str) -> Iterator[str]:
    if regression is None:
        return
    yield f"  regression case, a line for {FILE}/cases.jsonl:"
    yield f"  {dumps(regression['case'])}"
    if regression["rewrites"]:
        yield f"  and for {FILE}/rewrites.jsonl:"
        yield from (f"  {dumps(rewrite)}" for rewrite in regression["rewrites"])
    test = TestId(regression["relation"], regression["case"]["id"], regression["key"])
    words = [
        "pytest",
        node_id(FILE, test),
        f"--jevbench-cases={FILE}",
        f"--jevbench-relation={regression['relation']}",
        *([f"--jevbench-seed={regression['seed']}"] if regression["seed"] else []),
    ]
    yield "  " + " ".join(part for part in (shlex.join(words), options) if part)


def _end(section: Mapping[str, Any], full: bool) -> Iterator[str]:
    for text in _told(section, full):
        yield from wrapped(text, 80, "", "  ")


def _told(section: Mapping[str, Any], full: bool) -> Iterator[str]:
    alone = section["without_batch"]
    done = len(section["tests"])
    if section["stopped"]:
        yield f"{done} of {section['chosen']} tests were reduced: {section['stopped']}"
    if alone["share"] is not None:
        text = f"violations that persist without the batch: {alone['persist']} of {alone['judged']} tests"
        yield f"{text} ({percent(alone['share'])} %)"
    elif done:
        yield f"violations that persist without the batch: -  ({alone['reason']})"
    if section["violated"] > section["chosen"]:
        chosen = f"{section['chosen']} of {section['violated']} violated tests were chosen"
        yield f"{chosen}; --jevbench-minimize=N chooses more"
    if done and not full:
        yield "-v or --jevbench-full shows the requests, and the cases to keep as regression tests"
