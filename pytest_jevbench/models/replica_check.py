"""Whether replicas are of one model: mixed answers would make one card of two models, and no number would show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import shown
from pytest_jevbench.models.protocol import Model, Reply
from pytest_jevbench.models.store_check import drift
from pytest_jevbench.questions import Request

__all__ = ["check_answers", "check_names"]


def check_names(replicas: Sequence[Model]) -> None:
    """Every replica listens, and the names under which they are asked are one.

    Raises :class:`InputError`, and :class:`~pytest_jevbench.errors.Unreachable` where one does not listen.
    """
    first, *others = replicas
    for model in others:
        listens = getattr(model, "listens", None)
        if listens is not None:
            listens()
        one, other = first.identity, model.identity
        if (one.dialect, one.name) != (other.dialect, other.name):
            raise InputError(
                f"the replicas are of different models: {one.address or one.dialect} is {one.name!r}, "
                f"{other.address or other.dialect} is {other.name!r}",
                advice="Name replicas of one model, or the model's name with --jevbench-model",
            )


def check_answers(replicas: Sequence[Model], request: Request, reply: Reply, tolerance: float) -> Iterator[Reply]:
    """Ask each further replica what the first one answered with ``reply``; gives the replies as they come.

    Names must be equal, and answers within the tolerance. Where they are not, the first replica is asked again: what
    differs by chance may be twice as far from it as it is from itself. Raises :class:`InputError`, and what models
    raise.
    """
    first, *others = replicas
    stored = [reply]
    for model in others:
        pair = f"{first.identity.address} and {model.identity.address}"
        theirs = model.ask(request)
        yield theirs
        if theirs.model != reply.model:
            raise InputError(
                f"the replicas are of different models: {pair} answer as {reply.model!r} and {theirs.model!r}",
                advice="Name replicas of one model",
            )
        away = drift(request.questions, theirs, stored, tolerance)
        if away.exceeded and len(stored) == 1:
            stored.append(first.ask(request))
            yield stored[-1]
            away = drift(request.questions, theirs, stored, tolerance)
        if away.exceeded:
            raise InputError(
                f"the replicas are of different models: the answers of {pair} to {shown(away.key)} are "
                f"{away.distance:.4g} apart, and at most {away.limit:.4g} is allowed",
                advice="Name replicas of one model and version",
            )
