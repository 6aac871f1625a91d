"""The open replicas of a model with the slots that are asked side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_jevbench.models.opening import ModelSpec, Replicas, metered, open_replicas

if TYPE_CHECKING:
    from pytest_jevbench.models.metering import Meter
    from pytest_jevbench.models.replica_pool import Hold

__all__ = ["Opened", "open_slots", "slots_of"]


class Opened(NamedTuple):
    """An open model: one of ``models`` a slot, over ``replicas`` replicas, and whether threads may ask it ahead.

    ``holds`` are entered around a request to each replica, where other processes ask them too.
    """

    models: Replicas
    replicas: int
    ahead: bool
    holds: tuple[Hold, ...] = ()


def open_slots(spec: ModelSpec, count: int, per_replica: int = 1, **shared: Any) -> Opened:
    """Open ``count`` replicas with ``per_replica`` slots each, as far as a replica takes several requests at once.

    ``shared`` and what is raised are those of :func:`~pytest_jevbench.models.opening.open_replicas`.
    """
    models = open_replicas(spec, count, **shared)
    more = (per_replica - 1) * count
    if more and models.urls:
        # One object asks one request at a time. The name that the server lists is looked up once.
        again = replace(spec, urls=models.urls, model=models[0].identity.name)
        models = Replicas([*models, *open_replicas(again, more, **shared)], models.urls)
    return Opened(models, count, spec.reference is None and spec.runtime is None)


def slots_of(models: Replicas, meter: Meter | None = None) -> Opened:
    """The slots of models that a person made: one each. A single one is never called from another thread."""
    return Opened(metered(models, meter), len(models), len(models) > 1)
