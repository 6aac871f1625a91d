"""Facts of each run: what was run, how long it took, what was sent, what went wrong, which versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import CardShown, Report, Section

__all__ = ["sections"]


def sections(report: Report) -> Iterator[Section]:
    if not report.cards:
        return
    facts = [_facts(one) for one in report.cards]
    labels = list(dict.fromkeys(label for of in facts for label in of))
    errors = [(one.name, sorted(one.card.data["errors"], key=lambda e: -e["tests"])) for one in report.cards]
    html = render(
        "run.html.j2",
        names=[one.name for one in report.cards],
        rows=[(label, [of.get(label, "") for of in facts]) for label in labels],
        errors=[(name, found[:20], len(found)) for name, found in errors if found],
    )
    yield Section("run", "Run", html)


def _facts(one: CardShown) -> dict[str, str]:
    data = one.card.data
    identity, run, counts = data["identity"], data["run"], data["counts"]
    model, suite, plan, settings = (identity[name] for name in ("model", "suite", "plan", "settings"))
    facts = {
        "Model": model["name"],
        "Asked as": model["asked"],
        "Answered as": ", ".join(model["answered"]),
        "Revision": model["revision"],
        "Dialect": model["dialect"],
        "Address": model["address"],
        "Launched by": model["launch"],
        "Suite": f"{suite['name']} {suite['version']}".strip() or "own cases",
        "Suite's digest": suite["digest"][:16],
        "Plan": f"{plan['tests']:,} tests of {plan['relations']} relations on {counts['cases']:,} cases",
        "Selected": "; ".join(f"{kind}: {', '.join(names)}" for kind, names in identity["selection"].items()),
        "Tests": _tests(counts),
        "Tolerance": "each law's own" if settings["tolerance"] is None else f"{settings['tolerance']:g}",
        "Repeats": str(settings.get("repeats", 1)),
        "Started": run["started"],
        "Duration": _seconds(run["seconds"]),
        "Requests sent": f"{run['requests']:,}",
        "Answers kept before": f"{run['hits']:,}",
        "Time in the model": _seconds(run["model_seconds"]),
        "Tokens": _tokens(run),
        "Cost": _cost(run),
        "Workers": str(run["workers"]),
        "Odd answers": ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in data["answer_notes"].items()),
        "Versions": ", ".join(f"{name} {version}" for name, version in identity["versions"].items()),
    }
    return {label: text for label, text in facts.items() if text}


def _tests(counts: dict[str, Any]) -> str:
    parts = [f"{counts['held']:,} held", f"{counts['violated']:,} violated"]
    unjudged = {name: count for name, count in counts["unjudged"].items() if count and name != "total"}
    parts += [f"{count:,} {name.replace('_', ' ')}" for name, count in unjudged.items()]
    others = ("not_applicable", "deselected", "elsewhere", "unlisted")
    parts += [f"{counts[name]:,} {name.replace('_', ' ')}" for name in others if counts[name]]
    return f"{counts['planned']:,} planned: {', '.join(parts)}"


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(float(seconds), 60)
    hours, minutes = divmod(int(minutes), 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest:.0f} s" if minutes else f"{rest:.1f} s"


def _tokens(run: dict[str, Any]) -> str:
    read, written = run["input_tokens"], run["output_tokens"]
    return f"{read:,} read, {written:,} written" if read or written else ""


def _cost(run: dict[str, Any]) -> str:
    """What the counted tokens cost, those of answers that were kept before included; nothing without prices."""
    prices = [run["details"].get(name) for name in ("price_in", "price_out")]
    known = [price for price in prices if isinstance(price, (int, float)) and not isinstance(price, bool)]
    tokens = (run["input_tokens"], run["output_tokens"])
    if len(known) < len(prices) or not any(tokens):
        return ""
    dollars = sum(count * price for count, price in zip(tokens, known, strict=True)) / 1e6
    return f"${dollars:,.4f} for these tokens, at ${known[0]:g} and ${known[1]:g} a million"
