"""Opening what a process asks: the model, from wherever it comes, and the answer store."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.dialect_names import CHAT, DIALECT_NAMES, FORMS, RUNTIMES
from pytest_jevbench.models.dialects.base import LABEL_ONLY
from pytest_jevbench.models.opening import ModelSpec, Replicas, as_models, key_from_environment
from pytest_jevbench.models.passing_folders import join_folder, passing_folder
from pytest_jevbench.models.process_identity import this_process
from pytest_jevbench.models.slots import Opened, open_slots, slots_of
from pytest_jevbench.models.urls import split_urls
from pytest_jevbench.plugin.compat import fixture_value
from pytest_jevbench.plugin.keys import MODEL, SETTINGS
from pytest_jevbench.plugin.model_source import ModelSource
from pytest_jevbench.plugin.replica import Replica
from pytest_jevbench.plugin.settings import Settings, runs_nothing
from pytest_jevbench.runs.ask_ahead import Stop

if TYPE_CHECKING:
    from pytest_jevbench.models.metering import Meter
    from pytest_jevbench.models.private_store import PrivateStore
    from pytest_jevbench.models.replica_pool import Hold
    from pytest_jevbench.models.store import AnswerStore, Mode

__all__ = [
    "Opener",
    "RunPlace",
    "check_no_dialect",
    "has_workers",
    "model_spec",
    "open_store",
    "run_place",
    "store_text",
]


LEDGER = "ledger.jsonl"


@dataclass(frozen=True, slots=True)
class RunPlace:
    """What all processes of a run on one machine share: its name, and where locks and the ledger lie."""

    run: str
    folder: Path
    ledger: Path


class Opener:
    """Opens the model of this process.

    ``handed_over`` is what the controller gave this worker: a model that it launched is reached at the URLs in it.
    ``place`` makes what the processes of the run share, at the first need; ``tell`` gets a line for the person who
    waits.
    """

    def __init__(
        self,
        config: pytest.Config,
        settings: Settings,
        source: ModelSource,
        handed_over: dict[str, Any] | None,
        *,
        place: Callable[[], RunPlace],
        stop: Stop,
        tell: Callable[[str], None],
    ) -> None:
        self._config = config
        self._tell = tell
        self._settings = settings
        self._source = source
        self._given = handed_over
        self._place = place
        self._stop = stop
        self._count = int(handed_over["count"]) if handed_over else (settings.get("replicas") or 1)
        self.meter: Meter | None = None

    def __call__(self, item: pytest.Item | None) -> Opened:
        """The open model. ``item`` is the test that needs it first, which a fixture is asked for."""
        self.meter = self._make_meter()
        opened = self._from_option() if self._source.from_option else self._from_user(item)
        return opened if self._given is None else opened._replace(holds=self._holds(opened), ahead=False)

    @property
    def from_spec(self) -> bool:
        """Whether options name the model."""
        return self._source.from_option

    @property
    def spec(self) -> ModelSpec:
        """What the options say of the model."""
        return model_spec(self._settings, self._source, self._given["urls"] if self._given else None)

    def _from_option(self) -> Opened:
        spec = self.spec
        count = len(spec.urls) or self._count
        shared: dict[str, Any] = {"meter": self.meter, "sleep": self._stop.sleep, "tell": self._tell}
        return open_slots(spec, count, self._settings.get("per_replica", 1) if self._given is None else 1, **shared)

    def _from_user(self, item: pytest.Item | None) -> Opened:
        if self._source.kind == "hook":
            models = self._from_hook()
        elif item is None:
            raise InputError("the fixture jevbench_model is available to tests alone")
        else:
            models = as_models(fixture_value(item, "jevbench_model"), "the fixture jevbench_model")
        return slots_of(models, self.meter)

    def _from_hook(self) -> Replicas:
        where = "the hook pytest_jevbench_model"
        if self._given is not None:
            mine = [Replica(int(self._given["replica"]), self._count)]
        else:
            mine = [Replica(index, self._count) for index in range(1 if has_workers(self._config) else self._count)]
        call = self._config.hook.pytest_jevbench_model
        found = [as_models(call(config=self._config, replica=replica), where) for replica in mine]
        return Replicas([model for models in found for model in models])

    def _holds(self, opened: Opened) -> tuple[Hold, ...]:
        """Locks between workers, so that a replica has no more requests at once than it is allowed."""
        from pytest_jevbench.models.replicas import ReplicaSlots

        assert self._given is not None
        limit = self._settings.get("per_replica", 1) if self._source.from_option else 1
        first = 0 if opened.models.urls else int(self._given["replica"])
        folder = self._place().folder
        return tuple(
            ReplicaSlots(folder, first + index, limit, sleep=self._stop.sleep).hold for index in range(opened.replicas)
        )

    def _make_meter(self) -> Meter | None:
        settings = self._settings
        interval = settings.get("min_interval", 0.0)
        budget = settings.get("max_usd") is not None or settings.get("max_requests") is not None
        if not interval and not budget:
            return None
        from pytest_jevbench.models.ledger import Ledger
        from pytest_jevbench.models.metering import Meter
        from pytest_jevbench.models.money import Prices
        from pytest_jevbench.models.replicas import Pace

        place = self._place()
        ledger = prices = None
        if budget:
            usd = settings.get("max_usd")
            ledger = Ledger(place.ledger, max_usd=usd, max_requests=settings.get("max_requests"), run=place.run)
            if usd is not None:
                prices = Prices(settings.get("price_in"), settings.get("price_out"))
        pace = Pace(place.folder / "pace", interval, sleep=self._stop.sleep) if interval else None
        return Meter(pace, ledger, prices)


def model_spec(
    settings: Settings, source: ModelSource, urls: list[str] | None, *, labels_suffice: bool = False
) -> ModelSpec:
    """What the options say of the model; ``urls`` are where a launch command's servers already run.

    Raises :class:`InputError` for what can be seen to be wrong without starting anything: a model that states no
    distribution among it, unless ``labels_suffice``.
    """
    value: str = settings.given[source.kind]
    dialect = _of_server(settings, source, "dialect", DIALECT_NAMES[0])
    spec = ModelSpec(
        urls=tuple(urls) if urls else split_urls(value) if source.kind == "url" else (),
        launch=value if source.kind == "launch" else None,
        command=value if source.kind == "command" else None,
        reference=value if source.kind == "reference" else None,
        model=settings.get("model"),
        revision=settings.get("revision", ""),
        api_key=key_from_environment(settings.get("api_key_env")),
        timeout=settings.get("timeout", 60.0),
        retries=settings.get("retries", 4),
        launch_timeout=settings.get("launch_timeout", 120.0),
        dialect=dialect,
        request_options=_request_options(settings, source, dialect),
        runtime=value if source.kind == "runtime" else None,
    )
    spec.check()
    if spec.spoken.probs_source == LABEL_ONLY and not labels_suffice:
        raise InputError(
            f"a model asked in the dialect {dialect} names a label and states no distribution",
            place=Place(field="dialect"),
            advice="No law can be judged on it: ask it labelled tasks, with --jevbench-tasks",
        )
    if not settings.get("offline") and not urls:
        _check_command(spec)
    return spec


def _of_server(settings: Settings, source: ModelSource, name: str, default: str | None = None) -> Any:
    """A setting about how a server is asked. An ini key is for the server of the ini file: a program typed instead of
    it does without."""
    asked = source.kind in ("url", "launch", "runtime") or name in settings.typed
    return settings.get(name, default) if asked else default


def _request_options(settings: Settings, source: ModelSource, dialect: str) -> dict[str, Any]:
    """The further fields of a request. A budget in dollars needs a limit among them, else no request has a bound."""
    from pytest_jevbench.models.dialects.chat_options import LIMITS, longest_output, request_options

    text = _of_server(settings, source, "request_options")
    if dialect not in (CHAT, *FORMS, *RUNTIMES) and "request_options" not in settings.typed:
        text = None
    field = "--jevbench-request-options" if "request_options" in settings.typed else "jevbench_request_options"
    options = {} if text is None else request_options(text, Place(field=field))
    if dialect == CHAT and settings.get("max_usd") is not None and not longest_output(options):
        raise InputError(
            "a budget in dollars needs a limit for what a chat model writes",
            place=Place(field="--jevbench-request-options"),
            advice=f"Give one, such as '{{\"{LIMITS[0]}\": 4000}}' (some servers call it {LIMITS[1]})",
        )
    return options


def check_no_dialect(settings: Settings) -> None:
    """Refuse options about a server's dialect where a conftest gives the model."""
    for name in ("dialect", "request_options"):
        if name in settings.typed:
            option = f"--jevbench-{name.replace('_', '-')}"
            raise pytest.UsageError(f"jevbench: {option} is about a server, and the model comes from a conftest")


def _check_command(spec: ModelSpec) -> None:
    """Refuse a command whose program is not here, or that does not say where its port goes."""
    if spec.launch:
        from pytest_jevbench.models.launcher import Launcher

        Launcher(spec.launch)
    elif spec.command:
        from pytest_jevbench.models.command_lines import command_line

        command_line(spec.command, Place(field="command"))


def open_store(
    config: pytest.Config, settings: Settings, handed_over: dict[str, Any] | None, stop: Stop
) -> AnswerStore | PrivateStore:
    """The answer store of the run: the controller's in a worker of the same machine, else the one the settings name.

    Without xdist a store for this run alone is private to the process, which is faster.
    """
    from pytest_jevbench.models.private_store import PrivateStore
    from pytest_jevbench.models.store import DEFAULT_PATH, AnswerStore

    if handed_over and not elsewhere(handed_over):
        return AnswerStore.joined(handed_over["store"], sleep=stop.sleep)
    mode: Mode = "offline" if settings.get("offline") else "refresh" if settings.get("refresh") else "use"
    run: dict[str, Any] = {"run": handed_over["store"]["run"]} if handed_over else {}
    where = settings.get("store")
    if where == "off":
        private = handed_over is None and not has_workers(config) and mode != "offline"
        return PrivateStore() if private else AnswerStore.temporary(mode=mode, **run)
    path = config.rootpath / DEFAULT_PATH if where is None else settings.path("store")
    return AnswerStore.open(path, mode=mode, sleep=stop.sleep, **run)


def elsewhere(handed_over: dict[str, Any]) -> bool:
    """Whether this worker is on another machine than the controller, and shares no files with it."""
    return bool(handed_over["host"] != this_process().host)


def run_place(settings: Settings, handed_over: dict[str, Any] | None) -> RunPlace:
    """What the processes of this run share on this machine: the controller's, and on another machine one of its own."""
    if handed_over is None:
        ledger = settings.path("ledger") if "ledger" in settings.given else settings.rootdir / ".jevbench" / LEDGER
        return RunPlace(uuid.uuid4().hex[:16], passing_folder("run"), ledger.absolute())
    run = str(handed_over["run"])
    if not elsewhere(handed_over):
        return RunPlace(run, Path(handed_over["folder"]), Path(handed_over["ledger"]))
    folder = join_folder(f"run-{run}")
    return RunPlace(run, folder, folder / LEDGER)


def store_text(config: pytest.Config) -> str:
    """Where answers come from and go to, for the report header."""
    from pytest_jevbench.models.store import DEFAULT_PATH
    from pytest_jevbench.models.store_export import is_export

    settings = config.stash[SETTINGS]
    where = settings.get("store")
    if where == "off":
        text = "answers are kept for this run alone"
    else:
        path = config.rootpath / DEFAULT_PATH if where is None else settings.path("store")
        text = f"answers in {path.relative_to(config.rootpath) if path.is_relative_to(config.rootpath) else path}"
        used = None if runs_nothing(config) else config.stash[MODEL].store.path
        if used is not None and not is_export(path) and used.resolve() != path.resolve():
            text = f"answers in {used}, as {path.name} cannot be used"
    if settings.get("offline"):
        return f"{text}, offline: no model is asked"
    return f"{text}, each asked anew" if settings.get("refresh") else text


def has_workers(config: pytest.Config) -> bool:
    """Whether this process is the controller of xdist's workers."""
    return config.pluginmanager.has_plugin("dsession")
