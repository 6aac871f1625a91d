"""From what the options say of a model to the replicas that are asked."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, overload

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.callable import CallableModel
from pytest_jevbench.models.command_lines import shown_command
from pytest_jevbench.models.dialect_names import RUNTIMES
from pytest_jevbench.models.dialects import Dialect, dialect_of
from pytest_jevbench.models.dialects.systemone import SYSTEMONE
from pytest_jevbench.models.failing import DOWN_AFTER
from pytest_jevbench.models.protocol import Identity, Model
from pytest_jevbench.models.urls import endpoint

if TYPE_CHECKING:
    from pytest_jevbench.models.metering import Meter

__all__ = [
    "KEY_VARIABLE",
    "ModelSpec",
    "Replicas",
    "as_models",
    "expected_identity",
    "key_from_environment",
    "metered",
    "open_replicas",
]

KEY_VARIABLE = "JEVBENCH_API_KEY"
"""The environment variable that holds the bearer token where no other is named."""

_log = logging.getLogger("pytest_jevbench.models")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """What a person says of the model to be asked: ``urls``, ``launch``, ``command``, ``reference`` or ``runtime``.

    ``urls`` are replicas of one model. With ``urls`` and ``launch`` both, the URLs are servers that the command has
    already started. ``model`` is the name to ask for, ``revision`` what tells versions apart beside it; times are in
    seconds. ``dialect`` is how a server or a runtime is asked, ``request_options`` are further fields of each request
    to a chat model, or what else the dialect takes. ``runtime`` is what ``MODULE:NAME`` names, in this process.
    """

    urls: tuple[str, ...] = ()
    launch: str | None = None
    command: str | None = None
    reference: str | None = None
    model: str | None = None
    revision: str = ""
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    retries: int = 4
    total_timeout: float = 300.0
    launch_timeout: float = 120.0
    down_after: int = DOWN_AFTER
    dialect: str = SYSTEMONE.name
    request_options: Mapping[str, Any] = field(default_factory=dict)
    runtime: str | None = None

    @property
    def spoken(self) -> Dialect:
        """The dialect in which a server is asked. Raises :class:`InputError` where there is none of its name."""
        return dialect_of(self.dialect, self.request_options)

    def check(self) -> None:
        """Raise :class:`InputError` for what can be seen to be wrong before anything is started or asked."""
        named = [name for name in ("launch", "command", "reference", "runtime") if getattr(self, name)]
        if len(named) + (bool(self.urls) and named != ["launch"]) != 1:
            found = ", ".join((["a URL"] if self.urls else []) + [f"a {name}" for name in named])
            raise InputError(
                f"found {found or 'no model'}",
                place=Place(field="model"),
                advice="Name one model, by its URL, a launch command, a command or a reference model's name",
            )
        dialect = self.spoken
        if (self.runtime is None) != (dialect.in_process is None):
            raise InputError(
                f"the dialect {dialect.name} is "
                + ("a way to call a runtime" if dialect.in_process else "not one to call a runtime in"),
                place=Place(field="dialect"),
                advice=f"A runtime, MODULE:NAME, is called in the dialect {' or '.join(RUNTIMES)}",
            )
        if (self.command or self.reference) and dialect is not SYSTEMONE:
            raise InputError(
                f"the dialect {dialect.name} is a way to ask a server, and the model is a {named[0]}",
                place=Place(field="dialect"),
                advice="Leave the dialect out, or name the server by its URL or a launch command",
            )
        for url in self.urls:
            endpoint(url, route=dialect.route)
        for name, seconds in (("timeout", self.timeout), ("launch_timeout", self.launch_timeout)):
            if not seconds > 0.0:  # nor NaN
                raise InputError.unexpected(seconds, "a time above 0 s", Place(field=name))
        if self.reference:
            from pytest_jevbench.models.reference import reference_model

            reference_model(self.reference)


class Replicas(Sequence[Model]):
    """Open replicas of one model, in order; closing them stops what was launched for them.

    ``urls`` are the addresses they are asked at, as they were given or launched (they may hold a key); empty where
    there are none.
    """

    def __init__(self, models: Iterable[Model], urls: Iterable[str] = ()) -> None:
        self._models = tuple(models)
        self.urls = tuple(urls)

    @overload
    def __getitem__(self, index: int) -> Model: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Model]: ...

    def __getitem__(self, index: int | slice) -> Model | Sequence[Model]:
        return self._models[index]

    def __len__(self) -> int:
        return len(self._models)

    def __iter__(self) -> Iterator[Model]:
        return iter(self._models)

    def __enter__(self) -> Replicas:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Replicas({list(self._models)!r})"

    def close(self) -> None:
        """Close every replica, whatever closing another one raises."""
        with ExitStack() as stack:
            for model in self._models:
                stack.callback(model.close)


def open_replicas(
    spec: ModelSpec,
    count: int | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    meter: Meter | None = None,
    sleep: Callable[[float], None] = time.sleep,
    tell: Callable[[str], None] = _log.warning,
) -> Replicas:
    """Open ``count`` replicas of the model; without a count one for each URL, else one.

    More replicas than URLs share the URLs in turn. A launch command is started once a replica, all side by side.
    ``meter`` stands before each attempt.
    Raises :class:`InputError` for a spec that cannot be used and :class:`Unreachable` where a launched server does
    not answer; nothing is left running then.
    """
    spec.check()
    count = count or max(1, len(spec.urls))
    if spec.reference:
        from pytest_jevbench.models.reference import reference_model

        return metered(Replicas([reference_model(spec.reference) for _ in range(count)]), meter)
    if spec.runtime:
        return metered(Replicas([_in_process(spec, spec.runtime) for _ in range(count)]), meter)
    if spec.command:
        return metered(Replicas([_command(spec, spec.command, environ) for _ in range(count)]), meter)
    shared: dict[str, Any] = {"environ": environ, "meter": meter, "sleep": sleep, "tell": tell}
    if spec.launch and not spec.urls:
        return _launched(spec, spec.launch, count, shared)
    models: list[Model] = []
    with ExitStack() as stack:
        for index in range(count):
            models.append(_served(spec, spec.urls[index % len(spec.urls)], **shared))
            stack.callback(models[-1].close)
        stack.pop_all()
    return Replicas(models, spec.urls)


def expected_identity(spec: ModelSpec) -> Identity:
    """Who the model is by the options alone: nothing is started or asked, so a server's own name is not known."""
    if spec.reference or spec.command or spec.runtime:
        with open_replicas(spec, 1) as replicas:  # in this process, or started at the first request
            return replicas[0].identity
    dialect = spec.spoken
    return dialect.identity(
        spec.model or "",
        spec.revision,
        shown_command(spec.launch, _secrets(spec)) if spec.launch else "",
        endpoint(spec.urls[0], route=dialect.route).address if spec.urls else "",
    )


def metered(replicas: Replicas, meter: Meter | None) -> Replicas:
    """The same replicas with a meter before each request, where there is one."""
    if meter is None:
        return replicas
    from pytest_jevbench.models.metering import Metered

    return Replicas([Metered(model, meter) for model in replicas], replicas.urls)


def as_models(value: Any, where: str) -> Replicas:
    """What a fixture or a hook gave, as replicas: a Model, a function, or a list of these.

    Raises :class:`InputError` naming ``where`` it came from.
    """
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if not values:
        raise InputError("the list of models is empty", place=Place(field=where), advice="Give at least one")
    models: list[Model] = []
    for one in values:
        if isinstance(one, Model) and not isinstance(one, type):
            models.append(one)
        elif callable(one):
            models.append(CallableModel(one))
        else:
            wanted = "a function (state, questions) -> answers, a Model, or a list of these"
            raise InputError.unexpected(one, wanted, Place(field=where))
    return Replicas(models)


def key_from_environment(variable: str | None, environ: Mapping[str, str] | None = None) -> str | None:
    """The bearer token: from the variable named, which must then be set, else from ``JEVBENCH_API_KEY`` if it is."""
    environ = os.environ if environ is None else environ
    key = environ.get(variable or KEY_VARIABLE, "").strip()
    if variable and not key:
        raise InputError(
            f"the environment variable {variable} holds no key",
            place=Place(field="API key"),
            advice="Set it, or name another",
        )
    return key or None


def _command(spec: ModelSpec, command: str, environ: Mapping[str, str] | None) -> Model:
    from pytest_jevbench.models.command import CommandModel

    return CommandModel(
        command,
        model=spec.model,
        revision=spec.revision,
        timeout=spec.timeout,
        down_after=spec.down_after,
        secrets=_secrets(spec),
        environ=environ,
    )


def _in_process(spec: ModelSpec, entry: str) -> Model:
    from pytest_jevbench.models.runtime_model import RuntimeModel, find_runtime

    return RuntimeModel(
        find_runtime(entry),
        spec.spoken,
        name=spec.model,
        revision=spec.revision,
        entry=entry,
        down_after=spec.down_after,
    )


def _served(spec: ModelSpec, url: str, **facts: Any) -> Model:
    from pytest_jevbench.models.http_model import HttpModel

    return HttpModel(
        url,
        dialect=spec.spoken,
        model=spec.model,
        api_key=spec.api_key,
        revision=spec.revision,
        launch=shown_command(spec.launch, _secrets(spec)) if spec.launch else "",
        timeout=spec.timeout,
        retries=spec.retries,
        total_timeout=spec.total_timeout,
        down_after=spec.down_after,
        **facts,
    )


def _launched(spec: ModelSpec, command: str, count: int, shared: Mapping[str, Any]) -> Replicas:
    from pytest_jevbench.models.launcher import Launcher, launch_all
    from pytest_jevbench.models.processes import guard_for_orphans

    facts: dict[str, Any] = {
        "model": spec.model,
        "api_key": spec.api_key,
        "ready_within": spec.launch_timeout,
        "dialect": spec.spoken,
    }
    launchers = [Launcher(command, environ=shared["environ"], **facts) for _ in range(count)]
    with ExitStack() as stack:
        guard = guard_for_orphans()
        if guard is not None:
            stack.callback(guard.close)
        for launcher in launchers:
            launcher.guard = guard
            stack.callback(launcher.stop)
        urls = launch_all(launchers)
        running = stack.pop_all()
    still_open = set(range(count))

    def closed(index: int) -> None:
        launchers[index].stop()
        still_open.discard(index)
        if not still_open:
            running.close()

    return Replicas(
        [
            _served(
                spec,
                urls[index],
                secrets=launcher.secrets,
                gone=launcher.gone,
                on_close=partial(closed, index),
                **shared,
            )
            for index, launcher in enumerate(launchers)
        ],
        urls,
    )


def _secrets(spec: ModelSpec) -> tuple[str, ...]:
    return (spec.api_key,) if spec.api_key else ()
