"""One small request that shows whether a model can be tested, and if not, what to change."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_jevbench.answers import NOTES, read_answer
from pytest_jevbench.distributions import Distribution
from pytest_jevbench.errors import AnswerFormatError, ModelError
from pytest_jevbench.json_text import shown
from pytest_jevbench.models.check_text import check_text
from pytest_jevbench.models.protocol import Identity, Model, Reply
from pytest_jevbench.questions import Choice, Noul, Question, Request, Score

__all__ = ["CHECK_REQUEST", "CheckedQuestion", "ModelCheck", "check_model"]

CHECK_REQUEST = Request(
    {
        "channel": "email",
        "text": "My order came on Tuesday with a cracked lid. I would like my money back, and I am not in a hurry.",
    },
    {
        "refund_wanted": Noul("Does the customer ask for a refund?"),
        "team": Choice(
            "Which team should answer?",
            {
                "returns": "Takes damaged goods back and pays refunds",
                "delivery": "Traces parcels that have not arrived",
                "sales": "Advises before an order is placed",
            },
        ),
        "urgency": Score("How urgent is the message?", ("It can wait", "It should be answered soon", "It is urgent")),
    },
)
"""A state and one question of each type."""

_FORMAT = {
    "noul": '{"type": "noul", "noul": p}, with p the probability of yes from 0 to 1',
    "choice": '{"type": "choice", "probabilities": {option id: p, ...}}, with every option of the question',
    "score": '{"type": "score", "probabilities": {"0": p, "1": p, ...}}, with every level, lowest first',
}


@dataclass(frozen=True, slots=True)
class CheckedQuestion:
    """One question of the check: the distribution read, or the problem and what to send instead.

    ``remarks`` are oddities that do no harm.
    """

    key: str
    type: str
    distribution: Distribution | None
    problem: str = ""
    advice: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """What came of the request; printed, it says what works or what to change.

    ``problem`` is why there is no reply at all; then there are no questions. ``name_source`` is where the model's name
    comes from: ``given``, ``listed`` by the server, or ``assumed``.
    """

    identity: Identity | None
    reply: Reply | None
    questions: tuple[CheckedQuestion, ...] = ()
    problem: str = ""
    name_source: str = "given"

    def __str__(self) -> str:
        return check_text(self)

    @property
    def ok(self) -> bool:
        """Whether every question was answered in the format."""
        return bool(self.questions) and all(question.distribution is not None for question in self.questions)


def check_model(model: Model, request: Request = CHECK_REQUEST) -> ModelCheck:
    """Send one request and read every answer to it. Errors of the model become part of the result."""
    identity: Identity | None = None
    try:
        identity = model.identity
        reply = model.ask(request)
    except (ModelError, AnswerFormatError) as error:
        return ModelCheck(identity, None, problem=str(error), name_source=_name_source(model))
    checked = tuple(_checked(key, question, reply) for key, question in request.questions.items())
    return ModelCheck(identity, reply, checked, name_source=_name_source(model))


def _name_source(model: Model) -> str:
    return str(getattr(model, "name_source", "given"))


def _checked(key: str, question: Question, reply: Reply) -> CheckedQuestion:
    advice = f"Send {_FORMAT[question.type]}"
    if key not in reply.answers:
        others = ", ".join(shown(other) for other in list(reply.answers)[:5]) or "none at all"
        return CheckedQuestion(
            key, question.type, None, f"there is no answer under this key (the answers have: {others})", advice
        )
    read = read_answer(question, reply.answers[key])
    remarks = tuple(f"{NOTES[note]} ({detail})" if detail else NOTES[note] for note, detail in read.notes)
    if read.distribution is None:
        return CheckedQuestion(key, question.type, None, read.problem, advice, remarks)
    return CheckedQuestion(key, question.type, read.distribution, remarks=remarks)
