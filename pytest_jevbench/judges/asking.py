"""Judges that can be asked: a program, or any model; and recording what they say of a fixture's items."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from pytest_jevbench.errors import AnswerFormatError, InputError, ModelDown, ModelError, Place, Refused, Unreachable
from pytest_jevbench.json_text import JsonProblem, dumps, loads, printable, shown
from pytest_jevbench.judges.fixture import JudgeFixture, JudgeItem
from pytest_jevbench.models.command_lines import command_line
from pytest_jevbench.models.exchanges import exchange
from pytest_jevbench.models.processes import ProcessGroup
from pytest_jevbench.models.protocol import Model
from pytest_jevbench.models.redaction import Redactor, names_a_secret
from pytest_jevbench.questions import Noul, Request

__all__ = ["CommandJudge", "Judge", "ModelJudge", "Recording", "named_command", "record"]

MOST_SAID = 300
MOST_BYTES = 1024 * 1024
"""So much may a command print: one number takes less."""

DOWN_AFTER = 3
"""So many failures in a row, and a judge is not asked again in this run."""


class Judge(Protocol):
    """What gives P(yes) for a question on a text."""

    @property
    def name(self) -> str: ...

    def ask(self, question: str, text: str) -> float:
        """P(yes) in [0, 1]. Raises :class:`ModelError` or :class:`AnswerFormatError`."""
        ...


class CommandJudge:
    """A program that is started once for every question.

    It is given ``{"question": ..., "text": ...}`` on standard input and prints ``{"p_yes": 0.8}``. It has this
    process's environment; values of variables that name a secret are hidden in whatever is shown of what it wrote.
    Raises :class:`InputError` for a command that cannot be run.
    """

    def __init__(
        self, name: str, command: str, *, timeout: float = 60.0, environ: Mapping[str, str] | None = None
    ) -> None:
        environ = os.environ if environ is None else environ
        self._line = command_line(command, Place(field="--judge-cmd"))
        self._environ = self._line.environment(environ)
        hidden = [value for key, value in self._environ.items() if names_a_secret(key)]
        self._redact = Redactor((*self._line.secrets, *hidden))
        self._name = name
        self._timeout = timeout

    @property
    def name(self) -> str:
        return self._name

    def ask(self, question: str, text: str) -> float:
        body = dumps({"question": question, "text": text}, compact=True).encode()
        status, out, err, too_much = exchange(self._started(), body, self._timeout, most=MOST_BYTES)
        if too_much:
            raise AnswerFormatError(self._told(f"it printed more than {MOST_BYTES:,} bytes", err))
        if status is None:
            raise Unreachable(self._told(f"no answer within {self._timeout:g} s", err))
        if status < 0:
            raise Unreachable(self._told(f"ended by signal {-status}", err))
        if status > 0:
            raise Refused(self._told(f"exit status {status}", err))
        try:
            value = loads(out.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise AnswerFormatError(self._told("its output is not UTF-8", err)) from None
        except JsonProblem as problem:
            raise AnswerFormatError(self._told(f"its output is {problem}: {self._start(out)}", err)) from None
        p = value.get("p_yes") if isinstance(value, dict) else None
        if isinstance(p, bool) or not isinstance(p, (int, float)) or not 0.0 <= p <= 1.0:
            wanted = '{"p_yes": a number between 0 and 1}'
            raise AnswerFormatError(self._told(f"it printed {self._start(out)}, not {wanted}", err))
        return float(p)

    def _started(self) -> ProcessGroup:
        pipe = subprocess.PIPE
        try:
            return ProcessGroup(self._line.words, stdin=pipe, stdout=pipe, stderr=pipe, env=self._environ)
        except OSError as error:
            raise InputError(
                f"{self._line.text} cannot be started: {error.strerror}",
                place=Place(field="--judge-cmd"),
                advice="Check the program",
            ) from None

    def _start(self, out: bytes) -> str:
        text = self._redact(printable(out.decode("utf-8", "replace")).strip())
        return shown(text, MOST_SAID) if text else "nothing"

    def _told(self, what: str, err: bytes) -> str:
        said = self._redact(printable(err.decode("utf-8", "replace"))).strip().replace("\n", " ")
        said = said if len(said) <= MOST_SAID else "…" + said[-MOST_SAID:]
        return f"{what}; it wrote: {said}" if said else what


class ModelJudge:
    """Any model that can be asked, as a judge: the text is the state, the question a yes/no question."""

    def __init__(self, model: Model, name: str | None = None) -> None:
        self._model = model
        self._name = name or model.identity.name

    @property
    def name(self) -> str:
        return self._name

    def ask(self, question: str, text: str) -> float:
        from pytest_jevbench.answers import read_answer

        noul = Noul(question)
        answers = self._model.ask(Request(text, {"question": noul})).answers
        read = read_answer(noul, answers.get("question"))
        if read.distribution is None:
            raise AnswerFormatError(read.problem)
        return float(read.distribution["true"])


@dataclass(frozen=True)
class Recording:
    """A fixture with what was recorded, and what was not: ``failures`` are (judge, item id, why)."""

    fixture: JudgeFixture
    asked: int
    failures: tuple[tuple[str, str, str], ...] = ()
    given_up: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def missing(self) -> dict[str, int]:
        """How many items each incomplete judge has not judged."""
        judges = dict.fromkeys(judge for item in self.fixture.items for judge in item.judgments)
        judges.update(dict.fromkeys(judge for judge, _, _ in self.failures))
        counts = {judge: sum(judge not in item.judgments for item in self.fixture.items) for judge in judges}
        return {judge: count for judge, count in counts.items() if count}


@dataclass
class _State:
    items: list[JudgeItem]
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    given_up: list[str] = field(default_factory=list)
    asked: int = 0


def record(
    fixture: JudgeFixture,
    judges: Sequence[Judge],
    *,
    again: bool = False,
    tell: Callable[[int, int], Any] = lambda done, planned: None,
) -> Recording:
    """Ask each judge about each item that it has not judged yet; with ``again`` about all of them.

    A failure leaves the item without that judge's answer; after three in a row the judge is asked no more. Ctrl-C ends
    the recording and keeps what there is. ``tell`` hears after each question how many are done and planned.
    """
    state = _State(list(fixture.items))
    todo = [(j, i) for j in judges for i, item in enumerate(fixture.items) if again or j.name not in item.judgments]
    failed = dict.fromkeys((judge.name for judge in judges), 0)
    interrupted = False
    try:
        for done, (judge, i) in enumerate(todo, 1):
            if failed[judge.name] < DOWN_AFTER:
                try:
                    failed[judge.name] = 0 if _ask(judge, i, fixture, state) else failed[judge.name] + 1
                except ModelDown:
                    failed[judge.name] = DOWN_AFTER
                if failed[judge.name] == DOWN_AFTER:
                    state.given_up.append(judge.name)
            tell(done, len(todo))
    except KeyboardInterrupt:
        interrupted = True
    recorded = replace(fixture, items=tuple(state.items), demo=False)
    return Recording(recorded, state.asked, tuple(state.failures), tuple(state.given_up), interrupted)


def _ask(judge: Judge, i: int, fixture: JudgeFixture, state: _State) -> bool:
    item = state.items[i]
    state.asked += 1
    judgments = {name: p for name, p in item.judgments.items() if name != judge.name}
    try:
        judgments[judge.name] = judge.ask(fixture.questions[item.question_id], item.text)
    except (ModelError, AnswerFormatError) as error:
        state.failures.append((judge.name, item.id, str(error)))
        state.items[i] = replace(item, judgments=judgments)
        if isinstance(error, ModelDown):
            raise
        return False
    state.items[i] = replace(item, judgments=judgments)
    return True


def named_command(text: str, timeout: float) -> CommandJudge:
    """A judge from ``NAME=COMMAND``. Raises :class:`InputError`."""
    name, equals, command = text.partition("=")
    if not equals or not name.strip() or not command.strip():
        raise InputError(
            "no NAME=COMMAND", place=Place(field="--judge-cmd"), advice="Write --judge-cmd 'custom=python3 adapter.py'"
        )
    return CommandJudge(name.strip(), command.strip(), timeout=timeout)
