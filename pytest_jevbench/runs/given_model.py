"""The model of a run that a caller names in Python: a URL, a spec, functions or models of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.callable import AnswerFunction
from pytest_jevbench.models.opening import ModelSpec, Replicas, as_models
from pytest_jevbench.models.protocol import Identity, Model
from pytest_jevbench.models.slots import Opened, open_slots, slots_of
from pytest_jevbench.models.urls import split_urls
from pytest_jevbench.runs.ask_ahead import Stop

if TYPE_CHECKING:
    from pytest_jevbench.models.metering import Meter

__all__ = ["GivenModel", "ModelLike", "named_model"]

ModelLike: TypeAlias = "str | ModelSpec | Model | AnswerFunction | Sequence[Model | AnswerFunction]"
"""What can be asked: a URL, what :func:`pytest_jevbench.systemone` and its kin give, a function, a list of replicas."""

_PLACE = Place(field="model")
_WANTED = 'a URL such as "http://127.0.0.1:8000", a function (state, questions) -> answers, or a list of functions'


def named_model(value: ModelLike) -> ModelSpec | Replicas:
    """What a caller named, checked as far as nothing is started or asked. Raises :class:`InputError`."""
    if isinstance(value, str):
        if not value.strip().lower().startswith(("http://", "https://")):
            raise InputError.unexpected(value, _WANTED, _PLACE)
        value = ModelSpec(urls=split_urls(value))
    if isinstance(value, ModelSpec):
        value.check()
        return value
    return Replicas(list(value)) if isinstance(value, Replicas) else as_models(value, "model")


class GivenModel:
    """Opens a named model for one run, in ``replicas`` copies with so many requests in flight at each.

    Models that a caller made stay open after the run. Raises :class:`InputError` for a number of replicas that cannot
    be meant.
    """

    meter: Meter | None = None

    def __init__(
        self,
        model: ModelSpec | Replicas,
        *,
        replicas: int | None = None,
        per_replica: int = 1,
        stop: Stop,
        tell: Callable[[str], None],
    ) -> None:
        self._model = model
        self._stop = stop
        self._tell = tell
        self._per_replica = per_replica
        given = len(model.urls) if isinstance(model, ModelSpec) else len(model)
        if given and replicas is not None and replicas != given:
            raise InputError(
                f"found {replicas}, and the model comes as {given}",
                place=Place(field="replicas"),
                advice="Give one URL or one function a replica, and leave the number out",
            )
        self._count = given or replicas or 1

    def __call__(self, wanted_by: object, /) -> Opened:
        """The open model. Raises what opening raises."""
        if isinstance(self._model, ModelSpec):
            return open_slots(self._model, self._count, self._per_replica, sleep=self._stop.sleep, tell=self._tell)
        return slots_of(_Kept(self._model))

    @property
    def from_spec(self) -> bool:
        """Whether a spec says who is asked."""
        return isinstance(self._model, ModelSpec)

    @property
    def spec(self) -> ModelSpec:
        """The spec. Only where :attr:`from_spec`."""
        assert isinstance(self._model, ModelSpec)
        return self._model

    @property
    def identity(self) -> Identity | None:
        """Who is asked, where that is known without opening anything."""
        return None if isinstance(self._model, ModelSpec) else self._model[0].identity


class _Kept(Replicas):
    """Models that are somebody else's to close."""

    def close(self) -> None:
        """Nothing is closed."""
