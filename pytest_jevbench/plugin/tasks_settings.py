"""What the options say of a labelled run, and what they must not say of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import read_json
from pytest_jevbench.labelled.document import FORMAT
from pytest_jevbench.labelled.private import check_private_outputs
from pytest_jevbench.labelled.runner import FLAT_RATE, LOCAL, NO_ACCOUNT, Tariff, beside
from pytest_jevbench.labelled.suite_tasks import tasks_of_suite
from pytest_jevbench.labelled.task_sets import TaskSet, load_tasks
from pytest_jevbench.models.dialects.gradio_space import GRADIO
from pytest_jevbench.models.money import Prices
from pytest_jevbench.plugin.model_source import ModelSource
from pytest_jevbench.plugin.settings import Settings
from pytest_jevbench.suite_finding import PLAN_FILE, bundled_suites
from pytest_jevbench.suite_loading import load_suite

__all__ = ["Outputs", "check_alone", "outputs_of", "tariff_of", "tasks_asked_for"]

MEANT = frozenset(
    (
        *("tasks", "split", "labelled", "raw", "delay", "cost_basis", "fail_on", "junit_properties", "html"),
        *("url", "launch", "command", "reference", "runtime", "model", "revision", "name", "dialect"),
        *("request_options", "api_key_env", "timeout", "launch_timeout", "retries", "per_replica", "replicas"),
        *("max_requests", "max_usd", "price_in", "price_out", "ledger"),
    )
)
"""The options that a labelled run has a use for."""

INSTEAD = {
    "store": "Results are kept in the run's own files, and what stands there is not asked again",
    "refresh": "Name another place with --jevbench-labelled: what was recorded is not asked again",
    "offline": "Results are kept in the run's own files",
    "min_interval": "Give --jevbench-delay=SECONDS",
    "card": "Give --jevbench-labelled=FILE",
    "domain": "Choose tasks with -k and node ids, or a split with --jevbench-split",
    "case": "Choose tasks with -k and node ids, or a split with --jevbench-split",
}

_WHAT = "Give records (JSONL, JSON or YAML), a folder of them, or a suite with gold answers"

BASES = {"local": LOCAL, "no-account": NO_ACCOUNT, "flat-rate": FLAT_RATE}


class Outputs:
    """Where a run leaves its document, its results and its raw requests and responses."""

    def __init__(self, settings: Settings) -> None:
        given = "labelled" in settings.given
        self.document = settings.path("labelled") if given else settings.rootdir / "jevbench-labelled.json"
        self.results, raw = beside(self.document)
        self.raw: Path = settings.path("raw") if "raw" in settings.given else raw


def check_alone(config: pytest.Config, settings: Settings) -> None:
    """Refuse what would ask tasks side by side, ahead of their turn, or twice. Raises :class:`InputError`."""
    getoption = config.getoption
    if getoption("numprocesses", None) or getoption("tx", None) or getoption("dist", "no") not in ("no", None):
        raise InputError("a labelled run asks one task after another, and not in workers", advice="Give -n 0")
    if getoption("reruns", None):
        raise InputError("a labelled run asks no task twice", advice="Leave out --reruns")
    for name in ("per_replica", "replicas"):
        if settings.typed.get(name, 1) != 1:
            raise InputError(
                f"--jevbench-{name.replace('_', '-')}: a labelled run has one request on its way at a time",
                advice="Leave it out",
            )
    if settings.typed.get("retries", 0):
        raise InputError("--jevbench-retries: a labelled run asks no task twice", advice="Leave it out")
    if settings.fail_on == "gate":
        raise InputError("a gate decides on coherence, and a labelled run has none", advice="--jevbench-fail-on=never")
    for name in settings.typed:
        if name not in MEANT:
            flag = f"--jevbench-{name.replace('_', '-')}"
            raise InputError(f"{flag} means nothing for labelled tasks", advice=INSTEAD.get(name, "Leave it out"))


def tasks_asked_for(settings: Settings) -> TaskSet:
    """The tasks that ``--jevbench-tasks`` names: files, or a suite with gold answers. Raises :class:`InputError`."""
    text = str(settings.given["tasks"])
    path = settings.path("tasks")
    if not text.strip():
        raise InputError("it is empty", place=Place(field="--jevbench-tasks"), advice=_WHAT)
    if text in bundled_suites():
        found = tasks_of_suite(load_suite(text))
    elif (path / "manifest.json").is_file() and (path / PLAN_FILE).exists():
        found = tasks_of_suite(load_suite(str(path)))
    elif path.exists():
        found = load_tasks(path)
    elif ":" in text:
        found = tasks_of_suite(load_suite(text))
    else:
        raise InputError(
            "there is no such file or folder, and no suite of this name",
            place=Place(path),
            advice=_WHAT,
        )
    splits = settings.get("split")
    return found.of_splits(splits) if splits else found


def outputs_of(settings: Settings, tasks: TaskSet) -> Outputs:
    """Where everything goes. Raises :class:`InputError` for a place that cannot be, or must not."""
    outputs = Outputs(settings)
    options = {
        "--jevbench-labelled": outputs.document,
        "results of --jevbench-labelled": outputs.results,
        "--jevbench-raw": outputs.raw,
        "--jevbench-html": settings.path("html") if settings.get("html") is not None else None,
    }
    check_private_outputs(tasks.tasks, options)
    for path in (outputs.document, outputs.results):
        if path.exists() and not path.is_file():
            raise InputError("this is no file", place=Place(path), advice="Give --jevbench-labelled=FILE")
    _check_ours(outputs.document)
    if outputs.raw.exists() and not outputs.raw.is_dir():
        raise InputError("this is no folder", place=Place(outputs.raw), advice="Give --jevbench-raw=FOLDER")
    return outputs


def _check_ours(path: Path) -> None:
    """Refuse to write a result over a file that is none: the records, say. Raises :class:`InputError`."""
    if not path.exists() or path.stat().st_size == 0:
        return
    try:
        value = read_json(path)
    except InputError:
        value = None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(
            "this file is no result of a labelled run, and would be written over",
            place=Place(path),
            advice="Give --jevbench-labelled=FILE that is not there yet",
        )


def tariff_of(settings: Settings, source: ModelSource) -> Tariff:
    """What a request costs, or why nobody can tell."""
    both = settings.get("price_in"), settings.get("price_out")
    prices = None if None in both else Prices(*both)
    basis = settings.get("cost_basis")
    if basis is not None:
        return Tariff(prices, BASES[basis])
    if source.kind in ("runtime", "reference", "launch"):
        return Tariff(prices, LOCAL)
    return Tariff(prices, NO_ACCOUNT if settings.get("dialect") == GRADIO and source.kind == "url" else None)
