"""The settings of a run, from the command line, then ini keys, then defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.plugin.options import OPTIONS, checked

__all__ = ["MODEL_OPTIONS", "PLANNED", "Settings", "asked_for", "asks_tasks", "read_settings", "runs_nothing"]

PLANNED = ("suite", "cases", "tasks")
"""The options that each name the tests, or tasks."""
_RUNS = {"suite": "a suite", "cases": "cases of your own", "tasks": "labelled tasks"}
MODEL_OPTIONS = ("url", "launch", "command", "reference", "runtime")
"""The options that each name a model: one at most on each level."""


def _joined(named: list[str]) -> str:
    return " and ".join(_RUNS[name] for name in named)


@dataclass(frozen=True, slots=True)
class Settings:
    """What was asked for. ``given`` holds the values by option name, ``typed`` those of the command line alone."""

    given: Mapping[str, Any] = field(repr=False)  # a URL may hold a key
    typed: Mapping[str, Any] = field(repr=False)
    rootdir: Path
    has_gate_section: bool = False
    """Whether the root directory's ``jevbench.yaml`` has a gate."""
    of_part: bool = False
    """Whether these are the settings of a marked function or a suite folder, which no option names."""

    def get(self, name: str, default: Any = None) -> Any:
        value = self.given.get(name)
        return default if value is None else value

    @property
    def suite(self) -> str | None:
        value: str | None = self.given.get("suite")
        return value

    @property
    def planned(self) -> str | None:
        """The option that says what is run, one of :data:`PLANNED`: one on the command line goes before ini keys.

        Raises ``pytest.UsageError`` where both do.
        """
        for values in (self.typed, self.given):
            named = [name for name in PLANNED if values.get(name) is not None]
            if len(named) > 1:
                raise pytest.UsageError(f"jevbench: {_joined(named)} are {len(named)} runs. Keep one of them")
            if named:
                return named[0]
        return None

    @property
    def fail_on(self) -> str:
        """What makes the run fail: ``violations``, ``gate`` or ``never``. A shard's violations wait for the merge."""
        if self.get("shard", (1, 1))[1] > 1:
            return "never"
        decided = any(self.get(name) is not None for name in ("gate", "baseline", "require")) or self.has_gate_section
        value: str = self.get("fail_on", "gate" if decided else "violations")
        return value

    @property
    def tolerance(self) -> float:
        """The deviation allowed to every model."""
        value: float = self.get("tolerance", 0.05)
        return value

    def shown(self, name: str) -> str:
        """A setting as it may be printed: without secrets."""
        from pytest_jevbench.models.command_lines import shown_command
        from pytest_jevbench.models.dialects import DIALECT_NAMES, dialect_of
        from pytest_jevbench.models.urls import endpoint, split_urls

        value = str(self.given[name])
        if name == "url":
            route = dialect_of(self.get("dialect", DIALECT_NAMES[0])).route
            return ",".join(endpoint(url, route=route).address for url in split_urls(value))
        return shown_command(value) if name in ("launch", "command") else value

    @property
    def dialect_text(self) -> str:
        """How the server is asked, where it is not as most are."""
        from pytest_jevbench.models.dialects import DIALECT_NAMES, dialect_of
        from pytest_jevbench.models.dialects.base import LABEL_ONLY, VERBALISED

        name = self.get("dialect", DIALECT_NAMES[0])
        if name == DIALECT_NAMES[0]:
            return ""
        told = {VERBALISED: ": verbalised probabilities", LABEL_ONLY: ": a label, no probabilities"}
        return f", dialect {name}" + told.get(dialect_of(name).probs_source, "")

    def path(self, name: str) -> Path:
        """A path: as typed, from where the command was typed; from an ini file, from the root directory."""
        return (Path.cwd() if name in self.typed else self.rootdir) / Path(self.given[name]).expanduser()

    @property
    def card(self) -> Path | None:
        """Where the card is written; None where it is not."""
        if self.get("card") == "off":
            return None
        return self.path("card") if "card" in self.given else self.rootdir / "jevbench-card.json"

    @staticmethod
    def as_typed(path: Path) -> str:
        """A path as somebody would type it where the command was typed."""
        here = Path.cwd()
        return str(path.relative_to(here) if path.is_relative_to(here) else path)

    def typed_model(self) -> str | None:
        """The option on the command line that names a model."""
        return self._one(self.typed, "--jevbench-", "-")

    def ini_model(self) -> str | None:
        """The ini key that names a model."""
        ini = {name: value for name, value in self.given.items() if name not in self.typed}
        return self._one(ini, "jevbench_", "_")

    @staticmethod
    def _one(values: Mapping[str, Any], prefix: str, joint: str) -> str | None:
        named = [name for name in MODEL_OPTIONS if values.get(name) is not None]
        if len(named) > 1:
            both = " and ".join(prefix + name.replace("_", joint) for name in named)
            raise pytest.UsageError(f"jevbench: {both} name two models. Keep the one to be tested")
        return named[0] if named else None


def runs_nothing(config: pytest.Config) -> bool:
    """Whether pytest was told to show tests and not to run them: then no model is started or asked."""
    return any(config.getoption(name, False) for name in ("collectonly", "setuponly", "setupplan"))


def asked_for(config: pytest.Config) -> bool:
    """Whether the command line asks for a suite: ini keys alone never start a run."""
    named = any(config.getoption(f"jevbench_{name}") is not None for name in PLANNED)
    return bool(config.getoption("jevbench") or named)


def asks_tasks(config: pytest.Config) -> bool:
    """Whether the run that is asked for is one of labelled tasks."""
    typed = [name for name in PLANNED if config.getoption(f"jevbench_{name}") is not None]
    return "tasks" in typed or (not typed and bool(config.getini("jevbench_tasks")))


def read_settings(config: pytest.Config, *, names_tests: bool = True) -> Settings:
    """All settings; where options must say which tests, ``names_tests``.

    Raises ``pytest.UsageError`` for what does not parse, before anything is started.
    """
    typed: dict[str, Any] = {}
    given: dict[str, Any] = {}
    _refuse_twice(config)
    for option in OPTIONS:
        value = config.getoption(option.dest)
        if value is not None:
            typed[option.name] = value if option.switch or option.many else checked(option, value)
        elif option.ini:
            text = config.getini(option.dest)
            if text is None or text == "":
                continue
            try:
                given[option.name] = text if option.switch else checked(option, text)
            except ValueError as error:
                where = config.inipath or "ini file"
                raise pytest.UsageError(f"{where}: {option.dest}: {error}") from None
    settings = Settings({**given, **typed}, typed, config.rootpath)
    if names_tests and settings.planned is None:
        raise pytest.UsageError(
            "--jevbench needs a suite: give --jevbench-suite=NAME or the ini key jevbench_suite "
            "(`pytest-jevbench suite list` shows what there is), or cases of your own with --jevbench-cases=PATH"
        )
    settings.typed_model()
    settings.ini_model()
    if settings.get("offline") and settings.get("refresh"):
        raise pytest.UsageError("jevbench: offline asks nothing and refresh asks all again. Keep one of the two")
    return settings


def _refuse_twice(config: pytest.Config) -> None:
    """Refuse an option that names tests or a model and was typed with two values: one would silently go unused."""
    words = [str(word) for word in config.invocation_params.args]
    for name in (*PLANNED, *MODEL_OPTIONS):
        flag = f"--jevbench-{name}"
        values = [word[len(flag) + 1 :] for word in words if word.startswith(f"{flag}=")]
        values += [after for word, after in pairwise(words) if word == flag]
        if len(set(values)) > 1:
            advice = "Separate replicas by commas" if name == "url" else "Keep one of them, or run pytest for each"
            raise pytest.UsageError(f"jevbench: {flag} is given {len(values)} times, with other values. {advice}")
