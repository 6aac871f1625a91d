"""The tools: what each takes, and what it gives. Plain functions on JSON values, without the SDK."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.judges.document import (
    JudgeSettings,
    agreement_document,
    bench_document,
    bias_document,
    calibration_document,
)
from pytest_jevbench.mcp_server.inline_cards import inline_card
from pytest_jevbench.mcp_server.inline_data import fixture_given, pairs_given, ratings_given
from pytest_jevbench.reports.judge_text import judge_lines
from pytest_jevbench.reports.text import Line, plain

__all__ = ["TOOLS", "Result", "Tool", "call"]

DRAWS = 1_000


class Result(NamedTuple):
    """What a tool gives: text for a reader, and the same as JSON."""

    text: str
    value: dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """A tool: ``properties`` are the JSON Schemas of its arguments, ``required`` those that have no default."""

    name: str
    title: str
    description: str
    run: Callable[[Mapping[str, Any]], Result]
    properties: Mapping[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of all arguments together."""
        return {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
            "additionalProperties": False,
        }


def call(name: str, arguments: Mapping[str, Any]) -> Result:
    """Call a tool by name. Raises :class:`InputError` for an unknown one, wrong arguments or bad data."""
    import jsonschema

    tool = next((tool for tool in TOOLS if tool.name == name), None)
    if tool is None:
        raise InputError(f"there is no tool {name!r}", advice=f"There are {', '.join(tool.name for tool in TOOLS)}")
    found = sorted(
        jsonschema.Draft202012Validator(tool.schema).iter_errors(dict(arguments)), key=lambda e: list(e.path)
    )
    if found:
        told = [f"{'.'.join(str(part) for part in e.absolute_path) or 'arguments'}: {e.message[:200]}" for e in found]
        raise InputError("; ".join(told[:10]), place=Place(field=name))
    return tool.run(arguments)


def _bench(arguments: Mapping[str, Any]) -> Result:
    return _told(bench_document(fixture_given(arguments), _settings(arguments)))


def _calibrate(arguments: Mapping[str, Any]) -> Result:
    fixture = fixture_given(arguments)
    own = arguments.get("fixture") is not None and arguments.get("pairs") is None
    return _told(calibration_document(fixture, _settings(arguments), None if own else pairs_given(arguments)))


def _bias(arguments: Mapping[str, Any]) -> Result:
    return _told(bias_document(pairs_given(arguments), _settings(arguments)))


def _agreement(arguments: Mapping[str, Any]) -> Result:
    if arguments.get("ratings") is not None:
        if arguments.get("fixture") is not None:
            raise InputError("found fixture and ratings", advice="Give one of them")
        return _told(agreement_document(ratings_given(arguments), _settings(arguments)))
    document = agreement_document(fixture_given(arguments), _settings(arguments))
    if document["agreement"] is None:
        raise InputError("there is one judge", advice="Agreement takes two")
    return _told(document)


def _rubrics(arguments: Mapping[str, Any]) -> Result:
    from pytest_jevbench.judges.rubrics import rubrics

    found = [rubric.to_json() for rubric in rubrics()]
    return Result("\n".join(f"{one['id']}: {one['purpose']}" for one in found), {"rubrics": found})


def _explain(arguments: Mapping[str, Any]) -> Result:
    from pytest_jevbench.reports.law_texts import law_texts
    from pytest_jevbench.reports.tables import summary
    from pytest_jevbench.scoring.scores_json import relation_json, scores_json

    card = inline_card(arguments["card"], "card")
    lines = summary(card, level=arguments.get("level", "dimension"), worst=5)
    rows = sorted((r for r in card.scores.relations if r.violation_rate), key=lambda r: -(r.violation_rate or 0.0))
    laws = law_texts(card)
    told = [
        f"{row.name}: {row.violated} of {row.judged} violated. {laws[row.name].law}"
        for row in rows[:5]
        if row.name in laws
    ]
    text = _text(lines)
    if told:
        text += "\n\nThe laws that are broken most often:\n" + "\n".join(f"  {one}" for one in told)
    value = {
        "model": card.name,
        "suite": card.suite,
        **scores_json(card.scores),
        "relations": [relation_json(row) for row in card.scores.relations],
    }
    return Result(text, value)


def _compare(arguments: Mapping[str, Any]) -> Result:
    from pytest_jevbench.reports.changes import comparison_lines
    from pytest_jevbench.scoring.compared_cards import compare_with
    from pytest_jevbench.scoring.comparison_json import comparison_json

    card, baseline = inline_card(arguments["card"], "card"), inline_card(arguments["baseline"], "baseline")
    compared = compare_with(card, baseline)
    if compared.comparison is None:
        raise InputError(compared.cautions[0], advice="Two cards compare where they are of one suite")
    return Result(_text(comparison_lines(card, compared, tests=False)), comparison_json(compared))


def _settings(arguments: Mapping[str, Any]) -> JudgeSettings:
    names = ("bins", "alpha", "delta", "false_positive_cost", "false_negative_cost", "platt_targets")
    given = {name: arguments[name] for name in names if name in arguments}
    if "methods" in arguments:
        given["methods"] = tuple(dict.fromkeys(arguments["methods"]))
    return JudgeSettings(draws=DRAWS, **given)


def _told(document: dict[str, Any]) -> Result:
    return Result(_text(judge_lines(document)), document)


def _text(lines: list[Line]) -> str:
    return "\n".join(plain(of) for of in lines)


_FIXTURE = {
    "type": "object",
    "description": "Recorded judgments as `pytest-jevbench judge template` prints them; without it the bundled "
    "demonstration. At most 1,000 items and 16 judges.",
}
_PAIRS = {
    "type": ["array", "object"],
    "description": "Preferences in both orders: rows with judge, a, b, forward, swapped (or a whole file of pairs); "
    "without it the bundled demonstration. At most 1,000 pairs and 16 judges.",
}
_PRIVATE = {
    "type": "boolean",
    "default": False,
    "description": "The data are not made up: leave out the rules for data that are shared.",
}
_BINS = {"type": "integer", "minimum": 1, "maximum": 100, "default": 10, "description": "Bins of equal width."}
_SHARE = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "default": 0.1}
_COST = {"type": "number", "exclusiveMinimum": 0, "maximum": 1e100, "default": 1}
_CARD = {
    "type": ["object", "string"],
    "description": "A coherence card's JSON; or, where that is too large for a message, its gzip in base64.",
}

TOOLS: tuple[Tool, ...] = (
    Tool(
        "jevbench_bench",
        "Evaluate recorded judges",
        "Accuracy, calibration errors, agreement and cost of recorded judges against the right answers.",
        _bench,
        {"fixture": _FIXTURE, "bins": _BINS, "private": _PRIVATE},
    ),
    Tool(
        "jevbench_calibrate",
        "Calibrate recorded judges",
        "Calibrators and thresholds fitted on the split fit and shown on holdout, with intervals; biases where pairs "
        "are given.",
        _calibrate,
        {
            "fixture": _FIXTURE,
            "pairs": _PAIRS,
            "bins": _BINS,
            "methods": {
                "type": "array",
                "items": {"enum": ["platt", "temperature", "histogram", "isotonic", "beta"]},
                "minItems": 1,
                "description": "The calibrators; all where it is left out.",
            },
            "platt_targets": {"enum": ["smoothed", "plain"], "default": "smoothed"},
            "false_positive_cost": {**_COST, "description": "Cost of a false yes."},
            "false_negative_cost": {**_COST, "description": "Cost of a false no."},
            "alpha": {**_SHARE, "description": "Error that the guaranteed thresholds allow."},
            "delta": {**_SHARE, "description": "Probability that the guarantee for accepted items may fail with."},
            "private": _PRIVATE,
        },
    ),
    Tool(
        "jevbench_bias_audit",
        "Audit judges for bias",
        "Position flips, preference for length and markup, and self-preference, from preferences in both orders.",
        _bias,
        {"pairs": _PAIRS, "private": _PRIVATE},
    ),
    Tool(
        "jevbench_agreement",
        "Agreement beyond chance",
        "Cohen's and Fleiss' kappa and Krippendorff's alpha, with intervals, of a fixture's judges or of ratings.",
        _agreement,
        {
            "fixture": _FIXTURE,
            "ratings": {
                "type": "object",
                "description": '{"level": "nominal, ordinal or interval", "raters": {"name": [1, 2, null]}}: null '
                "where a rating is missing. At most 1,000 items and 16 raters.",
            },
            "private": _PRIVATE,
        },
    ),
    Tool("jevbench_list_rubrics", "List rubrics", "All bundled rubrics in full.", _rubrics),
    Tool(
        "jevbench_explain_card",
        "Explain a coherence card",
        "The scores of a card with their intervals, its worst violations, and the laws broken most often in words.",
        _explain,
        {
            "card": _CARD,
            "level": {"enum": ["dimension", "group", "relation", "domain"], "default": "dimension"},
        },
        ("card",),
    ),
    Tool(
        "jevbench_compare_cards",
        "Compare two coherence cards",
        "Each score's change from a baseline with its interval and p-value, and how many violations are new or fixed.",
        _compare,
        {"baseline": _CARD, "card": _CARD},
        ("baseline", "card"),
    ),
)
