"""The balance report: what a suite's cases hold, and whether it lies within the bounds that a fair suite keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_jevbench.datagen.assembling import MOST_ALIKE, Assembly
from pytest_jevbench.datagen.overlap import overlap, overlap_says_yes
from pytest_jevbench.datagen.reviews import gold_item, rewrite_item, text_item
from pytest_jevbench.datagen.rewrite_rows import rewrite_rows
from pytest_jevbench.datagen.tally import TYPE_SHARES
from pytest_jevbench.json_text import JSON

__all__ = ["Bound", "DomainBalance", "balance_json", "balance_of", "balance_text"]

TYPE_SLACK = 0.05
YES_LOW, YES_HIGH = 0.35, 0.65
OVERLAP_LOW, OVERLAP_HIGH = 0.45, 0.75
MOST_OF_A_PATTERN = 0.10
LEAST_RECORDS = 0.10


@dataclass(frozen=True, slots=True)
class Bound:
    """One condition of the report: what was measured, what is asked, whether it is met."""

    what: str
    value: float
    limit: str
    met: bool


@dataclass(frozen=True)
class DomainBalance:
    """The counts of one domain and its bounds."""

    name: str
    counts: Mapping[str, Any]
    bounds: tuple[Bound, ...]

    @property
    def met(self) -> bool:
        return all(bound.met for bound in self.bounds)


def balance_of(assembly: Assembly) -> DomainBalance:
    """The balance of one domain's part of a suite. It must hold a case."""
    domain, cases = assembly.domain, assembly.kept
    asked = [(case, domain.questions[q.key], q) for case in cases for q in case.plan.questions]
    types: Counter[str] = Counter(question.type for _, question, _ in asked)
    nouls = [(case, question, q.gold) for case, question, q in asked if question.type == "noul"]
    yes = sum(gold is True for _, _, gold in nouls)
    places: dict[int, Counter[int]] = {}
    for _, question, q in asked:
        if question.type == "choice":
            places.setdefault(len(q.order), Counter())[q.order.index(str(q.gold)) + 1] += 1
    styles = Counter(case.plan.style for case in cases)
    lengths = Counter(case.plan.length for case in cases)
    archetypes = Counter(case.plan.archetype for case in cases)
    patterns = Counter(" ".join(question.ask.split()[:4]) for _, question, _ in asked)
    right = sum(overlap_says_yes(question.ask, case.draft.flat) == gold for case, question, gold in nouls)
    overlaps = [(overlap(question.ask, case.draft.flat), gold) for case, question, gold in nouls]
    middle = sorted(shared for shared, _ in overlaps)[len(overlaps) // 2]
    words = sorted(case.draft.words for case in cases)
    nearest = max((case.likeness[1], case.plan.id, case.likeness[0]) for case in cases)
    records = sum(isinstance(case.draft.state, dict) for case in cases)
    counts: dict[str, Any] = {
        "cases": len(cases),
        "not_used": {dropped.case: dropped.reason for dropped in assembly.dropped},
        "questions_asked": len(asked),
        "questions_in_the_bank": len(domain.questions),
        "types": {kind: types[kind] for kind in TYPE_SHARES},
        "noul_golds": {"yes": yes, "no": len(nouls) - yes},
        "correct_positions": {
            str(options): {str(place): found[place] for place in range(1, options + 1)}
            for options, found in sorted(places.items())
        },
        "archetypes": {name: archetypes[name] for name in domain.archetypes},
        "styles": {name: styles[name] for name in domain.styles},
        "lengths": {name: lengths[name] for name in domain.lengths},
        "words": {"least": words[0], "median": words[len(words) // 2], "most": words[-1]},
        "mentions": dict(Counter(f.mention for case in cases for f in case.plan.facts.values() if f.value is not None)),
        "golds": _golds(assembly),
        "nearest_pair": {"cases": list(nearest[1:]), "jaccard": round(nearest[0], 4)},
        "most_frequent_pattern": {"words": patterns.most_common(1)[0][0], "asked": patterns.most_common(1)[0][1]},
        "word_overlap_right": right,
        "word_overlap_right_at_its_median": sum((shared >= middle) == gold for shared, gold in overlaps),
        "readers": _readers(assembly),
    }
    bounds = [
        _within("Noul golds that are yes", yes / (len(nouls) or 1), YES_LOW, YES_HIGH),
        *(
            _within(f"{kind} questions", types[kind] / len(asked), share - TYPE_SLACK, share + TYPE_SLACK)
            for kind, share in TYPE_SHARES.items()
        ),
        *(
            _even(
                f"positions of the correct option of {options}", [found[p + 1] for p in range(options)], [1] * options
            )
            for options, found in sorted(places.items())
        ),
        _even("styles", [styles[n] for n in domain.styles], [s.weight for s in domain.styles.values()]),
        _even("lengths", [lengths[n] for n in domain.lengths], [b.weight for b in domain.lengths.values()]),
        _even("archetypes", [archetypes[n] for n in domain.archetypes], [a.weight for a in domain.archetypes.values()]),
        Bound("JSON records", records / len(cases), f"at least {LEAST_RECORDS}", records >= LEAST_RECORDS * len(cases)),
        Bound("Jaccard of the nearest two texts", nearest[0], f"at most {MOST_ALIKE}", nearest[0] <= MOST_ALIKE),
        _at_most("the most frequent first four words", max(patterns.values()) / len(asked), MOST_OF_A_PATTERN),
        _within("Nouls that a word-overlap scorer gets right", right / (len(nouls) or 1), OVERLAP_LOW, OVERLAP_HIGH),
    ]
    return DomainBalance(domain.name, counts, tuple(bounds))


def _golds(assembly: Assembly) -> dict[str, dict[str, int]]:
    result: dict[str, dict[str, int]] = {}
    for key, question in assembly.domain.questions.items():
        names = ("yes", "no") if question.type == "noul" else tuple(question.options)
        golds = Counter(
            ("yes" if q.gold else "no") if question.type == "noul" else str(q.gold)
            for case in assembly.kept
            for q in case.plan.questions
            if q.key == key
        )
        result[key] = {name: golds[name] for name in names}
    return result


def _readers(assembly: Assembly) -> dict[str, dict[str, int]]:
    domain, reviews = assembly.domain, assembly.reviews
    rewrites = [rewrite_item(row) for question in domain.questions.values() for row in rewrite_rows(question)]
    golds = [
        gold_item(case.plan, q, domain.questions[q.key], case.draft)
        for case in assembly.kept
        for q in case.plan.questions
    ]
    texts = [text_item(case.plan, case.draft) for case in assembly.kept]

    def verdicts(items: Iterable[tuple[str, str]]) -> dict[str, int]:
        found = Counter(reviews.of(item) for item in items)
        return {"confirmed": found[True], "rejected": found[False], "unread": found[None]}

    return {"rewrites": verdicts(rewrites), "gold_answers": verdicts(golds), "texts": verdicts(texts)}


def _within(what: str, value: float, low: float, high: float) -> Bound:
    return Bound(what, value, f"{low:.2f} to {high:.2f}", low - 1e-9 <= value <= high + 1e-9)


def _at_most(what: str, value: float, limit: float) -> Bound:
    return Bound(what, value, f"at most {limit:.2f}", value <= limit + 1e-9)


def _even(what: str, counts: Sequence[int], weights: Sequence[int]) -> Bound:
    """The largest distance of a count from its share: at most 2, or a tenth of the share."""
    total, weight = sum(counts), sum(weights)
    shares = [total * w / weight for w in weights]
    off = max(abs(count - share) for count, share in zip(counts, shares, strict=True))
    allowed = max(2.0, max(shares) / 10)
    return Bound(f"{what}: largest distance from an even share", off, f"at most {allowed:.1f}", off <= allowed)


def balance_json(balances: Sequence[DomainBalance]) -> dict[str, JSON]:
    """The report as JSON."""
    return {
        balance.name: {
            **balance.counts,
            "bounds": [
                {"what": b.what, "value": round(b.value, 4), "limit": b.limit, "met": b.met} for b in balance.bounds
            ],
        }
        for balance in balances
    }


def balance_text(balances: Sequence[DomainBalance]) -> str:
    """The report for a terminal."""
    lines: list[str] = []
    for balance in balances:
        counts = balance.counts
        lines += ["", f"{balance.name}: {counts['cases']} cases, {counts['questions_asked']} questions asked"]
        lines += [f"  not used: {case}: {reason}" for case, reason in counts["not_used"].items()]
        for name in ("archetypes", "styles", "lengths", "words", "mentions", "types"):
            lines.append(f"  {name:12} " + ", ".join(f"{key} {value}" for key, value in counts[name].items()))
        for options, places in counts["correct_positions"].items():
            lines.append(f"  correct of {options} " + ", ".join(f"{place}: {n}" for place, n in places.items()))
        near = counts["nearest_pair"]
        lines.append(f"  nearest pair {' and '.join(filter(None, near['cases']))}, Jaccard {near['jaccard']:.4f}")
        often = counts["most_frequent_pattern"]
        lines.append(f'  first words  "{often["words"]} ..." {often["asked"]} times, more than any others')
        for what, verdicts in counts["readers"].items():
            lines.append(f"  read {what:13} " + ", ".join(f"{key} {value}" for key, value in verdicts.items()))
        width = max(len(bound.what) for bound in balance.bounds)
        lines += [
            f"  {'ok     ' if bound.met else 'OUTSIDE'} {bound.what:{width}} {bound.value:6.3f}  ({bound.limit})"
            for bound in balance.bounds
        ]
    return "\n".join(lines).lstrip("\n")
