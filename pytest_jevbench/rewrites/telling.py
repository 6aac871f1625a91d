"""What a run is going to ask for and what came of it, in lines to print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pytest_jevbench.counting import counted
from pytest_jevbench.json_text import shown
from pytest_jevbench.rewrites.asking import Meter
from pytest_jevbench.rewrites.bank_file import BankFile
from pytest_jevbench.rewrites.cost import Expected, expected
from pytest_jevbench.rewrites.making import Due, Effort, Outcome
from pytest_jevbench.rewrites.sources import Source

__all__ = ["Outcomes", "plan_lines", "result_lines", "without_rewrite"]

Outcomes = Mapping[tuple[str, str], Outcome]
"""What became of texts in this run, by kind and text."""

MOST_LISTED = 10


def plan_lines(
    bank: BankFile, sources: Sequence[Source], work: Sequence[Due], effort: Effort, writer: str, judge: str
) -> Iterator[str]:
    """The texts, what of them is due, and what that takes; ``writer`` and ``judge`` are the models' names."""
    if bank.lost:
        yield f"The bank's last line was cut and is left out: {shown(bank.lost, 60)}"
    texts = Counter(source.kind for source in sources)
    yield f"texts    {', '.join(f'{kind} {count}' for kind, count in texts.items()) or 'none'}"
    waiting = sum(item.open for item in work)
    judged = f", {counted(waiting, 'candidate')} to judge" if waiting else ""
    asked = sum(1 for item in work if item.rounds and not item.open)
    yield f"due      {counted(asked, 'text')} to ask for{judged}; {len(sources) - len(work)} left as they are"
    if work:
        for role, name, cost in zip(("writing", "judging"), (writer, judge), expected(work, effort), strict=True):
            yield f"{role}  {_cost(cost)}, {name}"


def _cost(cost: Expected) -> str:
    return (
        f"{counted(cost.requests, 'request')}, about {cost.tokens_in:,} tokens in and {cost.tokens_out:,} out, "
        f"at most {counted(cost.most, 'request')}"
    )


def without_rewrite(bank: BankFile, sources: Sequence[Source]) -> list[Source]:
    """The texts that have no rewrite that a run could use."""
    return [source for source in sources if not any(row.usable for row in bank.of(source.kind, source.text))]


def result_lines(
    bank: BankFile, sources: Sequence[Source], outcomes: Outcomes, meters: Mapping[str, Meter], *, ended: bool
) -> Iterator[str]:
    """The candidates by kind and what was asked; of a run that ``ended`` also the texts without a rewrite, and why."""
    without = without_rewrite(bank, sources)
    yield f"{'':<16} texts  with a rewrite  candidates  accepted  refused  not judged"
    for kind in dict.fromkeys(source.kind for source in sources):
        mine = [source for source in sources if source.kind == kind]
        rows = [row for source in mine for row in bank.of(source.kind, source.text)]
        have = len(mine) - sum(source.kind == kind for source in without)
        usable, waiting = sum(row.usable for row in rows), sum(row.open for row in rows)
        refused = len(rows) - usable - waiting
        yield f"{kind:<16} {len(mine):>5}  {have:>14}  {len(rows):>10}  {usable:>8}  {refused:>7}  {waiting:>10}"
    for name, meter in meters.items():
        if meter.requests:
            untold = f" ({counted(meter.untold, 'answer')} without a count)" if meter.untold else ""
            tokens = f"{meter.tokens_in:,} tokens in and {meter.tokens_out:,} out{untold}"
            yield f"{name}: {counted(meter.requests, 'answer')}, {tokens}"
    unusable = sum(outcome.unusable for outcome in outcomes.values())
    if unusable:
        yield f"not kept: {counted(unusable, 'answer')} or parts of answers that were empty, cut or there before"
    if without and ended:
        yield f"{counted(len(without), 'text')} without a rewrite:"
    for source in without[:MOST_LISTED] if ended else ():
        yield f"  {source.kind}: {shown(source.text)}: {_why(bank, source, outcomes)}"
    if ended and len(without) > MOST_LISTED:
        yield f"  and {len(without) - MOST_LISTED} more"
    yield f"{counted(len(bank), 'candidate')} in {bank.path}"


def _why(bank: BankFile, source: Source, outcomes: Outcomes) -> str:
    outcome = outcomes.get((source.kind, source.text))
    rows = bank.of(source.kind, source.text)
    words = outcome.trouble if outcome is not None else ""
    words = words or (rows[-1].refusal or "refused" if rows else "not asked for yet")
    return words if len(words) <= 200 else words[:199] + "…"
