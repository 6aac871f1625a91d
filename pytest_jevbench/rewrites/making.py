"""Candidates asked for and judged, text by text, each answer kept as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_jevbench.chat.text import Unusable
from pytest_jevbench.chat.threads import in_threads
from pytest_jevbench.chat.trouble import MOST_FAILURES, given_up, is_final
from pytest_jevbench.json_text import JSON
from pytest_jevbench.rewrites.asking import Asker, Failed
from pytest_jevbench.rewrites.bank_file import BankFile, Candidate
from pytest_jevbench.rewrites.forms import candidates_of, form_problem
from pytest_jevbench.rewrites.judging import judge_candidate
from pytest_jevbench.rewrites.prompts import WRITER, writing_prompt
from pytest_jevbench.rewrites.sources import Source

__all__ = ["FORM", "Due", "Effort", "Outcome", "due", "make_rewrites"]

FORM = "form"
"""The judge of candidates that no model needs to be asked about."""

MOST_REFUSED = 8
"""So many refused candidates are shown to the writer when it is asked again."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is asked for: ``candidates`` of each text (one where it is translated), ``tries`` in which one is to be
    accepted, ``again`` also for texts of which all candidates were refused before."""

    candidates: int = 2
    tries: int = 2
    again: bool = False

    def count(self, source: Source) -> int:
        """The candidates to ask for at once."""
        return 1 if source.language else self.candidates


@dataclass(frozen=True)
class Due:
    """What a text still needs: ``open`` candidates judged, and ``rounds`` in which candidates may be asked for."""

    source: Source
    open: int
    rounds: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one text: ``unusable`` answers and parts of answers (empty, cut, or there before), and the
    ``trouble`` with the last one."""

    source: Source
    unusable: int = 0
    trouble: str = ""
    failed: Failed | None = None


def due(bank: BankFile, sources: Sequence[Source], effort: Effort) -> list[Due]:
    """The texts that the bank does not settle, with what each needs.

    A text is settled by a usable candidate; or by refused ones, where as many tries were made as ``effort`` allows or
    another hand put them there.
    """
    result = []
    for source in sources:
        rows = bank.of(source.kind, source.text)
        waiting = sum(row.open for row in rows)
        rounds = 0 if any(row.usable for row in rows) else effort.tries
        if rows and not effort.again:
            rounds -= min(rounds, max(_try_of(row, effort.tries) for row in rows))
        if waiting or rounds:
            result.append(Due(source, waiting, rounds))
    return result


def _try_of(row: Candidate, last: int) -> int:
    number = row.fields.get("try")
    return number if type(number) is int else last


def make_rewrites(
    bank: BankFile,
    work: Sequence[Due],
    pairs: Sequence[tuple[Asker, Asker]],
    effort: Effort,
    tell: Callable[[Outcome], None],
) -> None:
    """Do what is due, one thread a pair of writer and judge; everything is in the bank as soon as it is answered.

    Raises :class:`~pytest_jevbench.errors.ModelDown` where asking on is pointless.
    """

    def one(item: Due, pair: tuple[Asker, Asker]) -> Outcome:
        return _Text(bank, item, *pair, effort).outcome()

    failures = 0
    for outcome in in_threads(one, work, pairs):
        tell(outcome)
        failed = outcome.failed
        failures = 0 if failed is None else failures + 1
        if failed is not None and (is_final(failed.error) or failures == MOST_FAILURES):
            asker = failed.asker
            raise given_up(failed.error, asker.model, option=asker.option, variable=asker.variable)


class _Text:
    """One text on its way into the bank."""

    def __init__(self, bank: BankFile, item: Due, writer: Asker, judge: Asker, effort: Effort) -> None:
        self._bank = bank
        self._source = item.source
        self._rounds = item.rounds
        self._writer = writer
        self._judge = judge
        self._effort = effort
        self._unusable = 0
        self._trouble = ""

    def outcome(self) -> Outcome:
        try:
            self._judge_open()
            first = self._effort.tries - self._rounds + 1
            for number in range(first, first + self._rounds):
                if any(row.usable or row.open for row in self._rows()):
                    break
                self._ask_for_candidates(number)
                self._judge_open()
        except Failed as failed:
            return Outcome(self._source, self._unusable, str(failed.error), failed)
        return Outcome(self._source, self._unusable, self._trouble)

    def _rows(self) -> list[Candidate]:
        return self._bank.of(self._source.kind, self._source.text)

    def _judge_open(self) -> None:
        for row in self._rows():
            if row.open:
                judged = judge_candidate(self._source, row, self._judge, self._effort.tries, self._bank.put)
                self._trouble = judged.text("reason") if judged.open else self._trouble

    def _ask_for_candidates(self, number: int) -> None:
        source = self._source
        refused = [(row.rewrite, row.refusal) for row in self._rows() if not row.usable and not row.open]
        asked = writing_prompt(source, self._effort.count(source), refused[-MOST_REFUSED:])
        answer = self._writer(WRITER, asked)
        try:
            found, empty = candidates_of(source, answer.content, answer.cut)
        except Unusable as error:
            self._unusable += 1
            self._trouble = str(error)
            return
        earlier: list[JSON] = [row.rewrite for row in self._rows()]
        rows = []
        for rewrite in found:
            if rewrite not in earlier:  # the very same again is no further candidate
                rows.append(self._row(rewrite, form_problem(source, rewrite, earlier), number))
                earlier.append(rewrite)
        self._unusable += empty + len(found) - len(rows)
        if not rows:
            self._trouble = "all that it wrote was there before"
            rows = [self._rows()[-1].but(**{"try": number})]  # no text is asked for without end
        self._bank.put(*rows)

    def _row(self, rewrite: JSON, problem: str, number: int) -> Candidate:
        fields: dict[str, JSON] = {
            "kind": self._source.kind,
            "source": self._source.text,
            "rewrite": rewrite,
            "accepted": False,
            "votes": [],
            "generator": self._writer.model,
            "judge": FORM if problem else "",
            "audited": None,
            "reason": problem,
            "try": number,
        }
        return Candidate(fields if problem else {**fields, "open": True})
