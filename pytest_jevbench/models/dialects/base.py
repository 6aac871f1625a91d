"""What a dialect is: how a request is written for a kind of server, and how its response is read.

Both are pure functions. The sending, with its retries, waits, proxies, budget and secrets, is the same for all of them
(:class:`~pytest_jevbench.models.http_model.HttpModel`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from pytest_jevbench.json_text import JSON, DuplicateKeys, shown
from pytest_jevbench.models.protocol import Identity, Usage
from pytest_jevbench.models.troubles import Trouble, error_words
from pytest_jevbench.questions import Question, Request

__all__ = [
    "LABEL_ONLY",
    "NATIVE",
    "VERBALISED",
    "WHOLE",
    "Called",
    "Dialect",
    "InProcess",
    "ProbsSource",
    "Reader",
    "Response",
    "Route",
    "Writer",
    "by_key",
    "error_in_200",
    "in_list",
    "model_of",
    "usage_of",
]

ProbsSource: TypeAlias = Literal["native", "verbalised", "label_only"]
NATIVE: ProbsSource = "native"
VERBALISED: ProbsSource = "verbalised"
LABEL_ONLY: ProbsSource = "label_only"

WHOLE = 20_000
"""Characters of a value that are looked at for secrets before it is cut to be shown."""


class Route(NamedTuple):
    """Where a dialect is asked below the URL that a person gives.

    ``tail`` is what the path ends in. ``as_given`` are endings of a URL that is used as it is. ``version`` goes before
    the tail where the URL does not end in it.
    """

    tail: str
    as_given: tuple[str, ...]
    version: str = "/v1"


class Response(NamedTuple):
    """What a response holds: the answers by question key, each as System One has it, unchecked."""

    answers: Mapping[str, Any]
    model: str | None = None
    usage: Usage = Usage()


Writer: TypeAlias = Callable[[Request, str], str]
"""From a request and the name of the model to the body, as JSON."""
Reader: TypeAlias = Callable[[Any, Request], Response | Trouble]
"""From a decoded body, with doubled keys marked and NaN kept, and the request to the answers or what is wrong.

The values of the answers stay as they came: :func:`~pytest_jevbench.answers.read_answer`, or another reading, decides
what is a probability. The ``body`` of a trouble is cut and cleared of secrets by the caller.
"""


class Called(NamedTuple):
    """One call of a model in this process: what it was given and what it returned, both as JSON."""

    sent: JSON
    received: Any


@dataclass(frozen=True, slots=True)
class InProcess:
    """How a model that runs in this process is called with one question, and how the answer to it is read.

    ``call`` may raise whatever the model raises. ``read`` gives the answer as System One has it, unchecked. ``check``
    raises :class:`~pytest_jevbench.errors.Refused` for a question that cannot be asked as it stands.
    """

    call: Callable[[Any, JSON, Question], Called]
    read: Callable[[Any, Question], Any]
    check: Callable[[Question], object] = lambda _: None


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way to ask a model: over HTTP, or in this process.

    ``probs_source`` is ``verbalised`` where a chat model wrote the probabilities as text, and ``label_only`` where a
    model names a label and states no distribution. ``details`` is what else decides the answers beside the model: it
    belongs to the model's identity. ``longest_output`` is the limit of tokens sent with each request, where there is
    one. ``wire`` is put around the connection where a request is more than one exchange. ``in_process`` is given where
    there is no server.
    """

    name: str
    route: Route
    write: Writer
    read: Reader
    probs_source: ProbsSource = NATIVE
    details: Mapping[str, str] = field(default_factory=dict)
    longest_output: int | None = None
    wire: Callable[[Any], Any] | None = None
    in_process: InProcess | None = None

    def identity(self, name: str, revision: str = "", launch: str = "", address: str = "") -> Identity:
        """Who a model is that is asked in this dialect."""
        return Identity(self.name, name, revision, launch, address, details=dict(self.details))


def error_in_200(value: Any) -> Trouble | None:
    """The trouble of a body that is an error although the status says otherwise, as some gateways send it."""
    error = value.get("error") if isinstance(value, Mapping) else None
    if not error:
        return None
    return Trouble("again", "the server answered 200 with an error", 200, error_words(value) or shown(error, WHOLE))


def by_key(answers: Mapping[str, Any]) -> Mapping[str, Any]:
    """Answers by question key; one whose key stood twice becomes an answer that is invalid for it."""
    if not isinstance(answers, DuplicateKeys):
        return answers
    return {key: _doubled(key) if key in answers.repeated else answer for key, answer in answers.items()}


def in_list(answers: list[Any], request: Request, name: str) -> Mapping[str, Any] | Trouble:
    """Answers of a list by question key: by their field ``name``, or by their place where none has one.

    A key that several answers claim becomes an answer that is invalid for it. Without names there must be exactly one
    answer a question.
    """
    names = [answer.get(name) if isinstance(answer, Mapping) else None for answer in answers]
    if all(found is None for found in names):
        if len(answers) != len(request.questions):
            count = f"{len(answers)} answers without {name} to {len(request.questions)} questions"
            return Trouble("format", f"the answer has {count}", 200, shown(answers, WHOLE))
        return dict(zip(request.questions, answers, strict=True))
    found_by_key: dict[str, Any] = {}
    for key, answer in zip(names, answers, strict=True):
        if isinstance(key, str):
            found_by_key[key] = _doubled(key) if key in found_by_key else answer
    return found_by_key


def _doubled(key: str) -> DuplicateKeys:
    marked = DuplicateKeys({key: None})
    marked.repeated = (key,)
    return marked


def model_of(value: Mapping[str, Any]) -> str | None:
    """The name the server answered under."""
    name = value.get("model")
    return name if isinstance(name, str) and name else None


def usage_of(value: Any, read: str = "input_tokens", written: str = "output_tokens") -> Usage:
    """The tokens in a ``usage`` object, by the names of its two fields."""
    fields = value if isinstance(value, Mapping) else {}
    return Usage(_count(fields.get(read)), _count(fields.get(written)))


def _count(value: Any) -> int | None:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or not 0 <= value < 2**53:
        return None
    return int(value)
