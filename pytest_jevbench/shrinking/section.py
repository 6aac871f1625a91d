"""The card's section ``minimized``: what became of the violated tests that were made smaller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pytest_jevbench.json_text import JSON, loads
from pytest_jevbench.questions import Case, Request
from pytest_jevbench.rewrite_bank import TRANSLATE, RewriteBank
from pytest_jevbench.scoring.card_rows import strict
from pytest_jevbench.shrinking.reduce import Reduced
from pytest_jevbench.shrinking.shrink import Shrunk

__all__ = ["case_json", "merged_json", "minimized_json", "rewrites_json"]


def minimized_json(
    reduced: Reduced,
    answers: Callable[[Request], Mapping[str, Any] | None],
    curl: Callable[[Request], str | None],
) -> dict[str, JSON]:
    """The section. ``answers`` gives what was answered to a request, ``curl`` the command that sends it, if any does.

    ``without_batch.share`` is the share of violated tests that stay violated where their targets are asked without the
    rest of the batch; None where no test has such a form.
    """
    return {
        "violated": reduced.violated,
        "chosen": reduced.chosen,
        "requests_a_test": reduced.requests,
        "stopped": reduced.stopped,
        "without_batch": _without_batch(one.alone for one in reduced.tests),
        "tests": [_test(one, answers, curl) for one in reduced.tests],
    }


def merged_json(sections: Sequence[Mapping[str, Any]]) -> dict[str, JSON]:
    """The section of several runs on different tests: their tests one after the other."""
    tests = [test for section in sections for test in section["tests"]]
    return {
        "violated": sum(section["violated"] for section in sections),
        "chosen": sum(section["chosen"] for section in sections),
        "requests_a_test": max(section["requests_a_test"] for section in sections),
        "stopped": "; ".join(dict.fromkeys(section["stopped"] for section in sections if section["stopped"])),
        "without_batch": _without_batch(test["without_batch"] for test in tests),
        "tests": tests,
    }


def _without_batch(verdicts: Iterable[str]) -> dict[str, JSON]:
    found = Counter(verdicts)
    judged = found["persists"] + found["gone"]
    return {
        "share": found["persists"] / judged if judged else None,
        "reason": "" if judged else "no violated test was asked without the rest of its batch",
        "persist": found["persists"],
        "judged": judged,
        "no_such_form": found["no_such_form"],
        "not_judged": found["not_judged"],
    }


def _test(
    one: Shrunk, answers: Callable[[Request], Mapping[str, Any] | None], curl: Callable[[Request], str | None]
) -> dict[str, JSON]:
    exchanges: list[JSON] = []
    for label, request in one.requests_of_pair:
        answered = answers(request)
        exchanges.append(
            {
                "label": label,
                "request": request.body(),
                "answers": None if answered is None else strict(dict(answered)),
                "curl": curl(request),
            }
        )
    outcome = one.outcome
    return {
        "relation": one.test.relation,
        "case": one.test.case_id,
        "key": one.test.key,
        "ended": one.ended,
        "without_batch": one.alone,
        "requests": one.requests,
        "before": {**asdict(one.before), "deviation": one.first.deviation},
        "after": {**asdict(one.after), "deviation": outcome.deviation},
        "tolerance": outcome.tolerance,
        "targets": list(outcome.targets),
        "flip": outcome.flip,
        "params": strict(dict(outcome.params)),
        "expected": strict(dict(outcome.expected)),
        "observed": strict(dict(outcome.observed)),
        "exchanges": exchanges,
        "regression": _regression(one),
    }


def _regression(one: Shrunk) -> JSON:
    if one.seed is None:
        return None
    return {
        "case": case_json(one.case),
        "rewrites": list(rewrites_json(one.bank)),
        "relation": one.test.relation,
        "key": one.trial.key,
        "seed": one.seed,
    }


def case_json(case: Case) -> dict[str, JSON]:
    """A case as a line of ``cases.jsonl`` holds it; reading it gives the case again."""
    line: dict[str, JSON] = {"id": case.id, **({"domain": case.domain} if case.domain else {}), **case.request().body()}
    if case.thresholds:
        line["thresholds"] = [asdict(threshold) for threshold in case.thresholds]
    if case.hierarchies:
        line["hierarchies"] = {
            key: [{block: list(members) for block, members in grouping.items()} for grouping in groupings]
            for key, groupings in case.hierarchies.items()
        }
    return {**line, **case.metadata}


def rewrites_json(bank: RewriteBank) -> Iterable[dict[str, JSON]]:
    """The rewrites of a bank as lines of ``rewrites.jsonl``."""
    for (kind, source), rewrites in bank.texts.items():
        for rewrite in rewrites:
            value = loads(rewrite) if kind.startswith(TRANSLATE) else rewrite
            yield {"kind": kind, "source": source, "rewrite": value, "accepted": True}
