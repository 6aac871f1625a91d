"""A candidate before a judge: two directions, both of which must hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_jevbench.chat.text import Unusable, json_object
from pytest_jevbench.json_text import shown
from pytest_jevbench.rewrites.asking import Asker
from pytest_jevbench.rewrites.bank_file import Candidate
from pytest_jevbench.rewrites.prompts import JUDGE, checks_of
from pytest_jevbench.rewrites.sources import Source

__all__ = ["SELF_JUDGED", "judge_candidate", "read_vote"]

SELF_JUDGED = "judged by the model that wrote it"

_WORDS = {"true": True, "yes": True, "false": False, "no": False}
LONGEST_REASON = 500


def judge_candidate(
    source: Source, candidate: Candidate, judge: Asker, tries: int, keep: Callable[[Candidate], None]
) -> Candidate:
    """The candidate with its verdict. ``keep`` is called after each vote, so that none is paid for twice.

    The second direction is asked only where the first holds. A judge that gives no usable answer in ``tries`` leaves
    the candidate open, with the reason. Raises :class:`~pytest_jevbench.rewrites.asking.Failed`.
    """
    if candidate.text("judge") != judge.model:  # half a verdict of another judge is none
        candidate = candidate.but(votes=[], judge=judge.model)
    if candidate.text("generator") == judge.model:
        candidate = candidate.but(warning=SELF_JUDGED)
    for name, message in checks_of(source, candidate.rewrite)[len(candidate.votes) :]:
        trouble = ""
        for _ in range(tries):
            answer = judge(JUDGE, message)
            try:
                holds, reason = read_vote(answer.content, answer.cut)
                break
            except Unusable as error:
                trouble = str(error)
        else:
            candidate = candidate.but(reason=f"{name}: the judge gave no usable answer: {trouble}")
            keep(candidate)
            return candidate
        last = not holds or len(candidate.votes) == 1
        candidate = candidate.but(
            votes=[*candidate.votes, holds],
            accepted=holds and last,
            reason=f"{name}: {reason}" if reason else name if not holds else "",
            open=None if last else True,
        )
        keep(candidate)
        if last:
            break
    return candidate


def read_vote(content: str | None, cut: bool = False) -> tuple[bool, str]:
    """Whether a judge's answer says that it holds, and why. Raises :class:`~pytest_jevbench.chat.text.Unusable`."""
    try:
        value = json_object(content)
    except Unusable as error:
        raise Unusable(f"the answer was cut, the model ran out of room ({error})" if cut else str(error)) from None
    holds: Any = value.get("holds")
    if isinstance(holds, str):
        holds = _WORDS.get(holds.strip().casefold().rstrip("."))
    if not isinstance(holds, bool):
        raise Unusable(f'"holds" is {shown(value.get("holds"))}, not true or false')
    reason = value.get("reason")
    text = " ".join(reason.split()) if isinstance(reason, str) else ""
    text = text.encode(errors="replace").decode()  # half a character could be read back from no file
    return holds, text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"
