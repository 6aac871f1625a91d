"""Every option of the plugin, as data: its names, where it may come from, how ``--help`` tells it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import pytest

__all__ = ["OPTIONS", "Option", "add_options"]


@dataclass(frozen=True, slots=True)
class Option:
    """One setting. ``name`` is its ini key without the prefix; ``parse`` turns text into the value."""

    name: str
    help: str
    metavar: str = ""
    parse: Callable[[str], Any] = str
    many: bool = False
    switch: bool = False
    advanced: bool = False
    ini: bool = True
    choices: tuple[str, ...] = ()
    plain: str = ""
    """The value where the option is given without one."""

    @property
    def flag(self) -> str:
        return f"--jevbench-{self.name.replace('_', '-')}"

    @property
    def dest(self) -> str:
        return f"jevbench_{self.name}"


def _at_least_zero(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError
    return value


def _above_zero(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError
    return value


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1:
        raise ValueError
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError
    return value


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def _amount(text: str) -> Decimal:
    value = Decimal(text) if text.isascii() else Decimal("NaN")
    if not value.is_finite() or value < 0:
        raise ValueError
    return value


def _shard(text: str) -> tuple[int, int]:
    index, slash, count = text.partition("/")
    if not slash or not 1 <= int(index) <= int(count):
        raise ValueError
    return int(index), int(count)


WORDS: dict[Callable[[str], Any], str] = {
    _at_least_zero: "a number of at least 0",
    _above_zero: "a number above 0",
    _share: "a number from 0 to below 1",
    _count: "a whole number of at least 0",
    _positive: "a whole number of at least 1",
    _amount: "an amount in dollars of at least 0, such as 2.50",
    _shard: "which part of how many, from 1/1 on, such as 2/8",
}
"""What a parser wants, for the error that says so."""

DIALECTS = (
    "systemone",
    "list",
    "decisions",
    "openai-decisions",
    "openai",
    "gradio_space",
    "local_openjev",
    "needle",
)
"""Written out, because the plugin imports no models where it is idle."""

OPTIONS: tuple[Option, ...] = (
    Option("suite", "run this suite: a bundled name, a directory, or DISTRIBUTION:NAME", "SUITE"),
    Option("cases", "run cases of your own: a JSONL, JSON or YAML file, a folder, or logged request bodies", "PATH"),
    Option(
        "tasks",
        "ask labelled tasks, one after another: a file or folder of records, or a suite with gold answers",
        "PATH",
    ),
    Option("url", "ask the model at this URL (System One over HTTP); replicas of it separated by commas", "URL"),
    Option("launch", 'start the model with this command, e.g. "my-server --port {port}"', "COMMAND"),
    Option("model", "the model's name sent to the server (default: what the server lists)", "NAME"),
    Option(
        "fail_on",
        "what makes the run fail: violations, the gate alone, or never (default: violations; gate where there is one)",
        "WHAT",
        choices=("violations", "gate", "never"),
    ),
    Option("replicas", "start N replicas of the model, or load it N times (default: 1)", "N", _positive),
    Option(
        "shard",
        "run part K of N, by whole cases; `pytest-jevbench card merge` joins them (default: 1/1)",
        "K/N",
        _shard,
        ini=False,
    ),
    Option(
        "store",
        "keep answers here and ask no request twice; off: for this run alone (default: .jevbench/answers.sqlite)",
        "PATH",
    ),
    Option(
        "baseline", "compare with this card (or published report): violations known from it are no failures", "CARD"
    ),
    Option(
        "gate", "decide by the conditions of this file; a jevbench.yaml with a section gate: is found by itself", "FILE"
    ),
    Option("card", "write the coherence card here; off writes none (default: jevbench-card.json)", "PATH"),
    Option(
        "dimension",
        "only relations of this dimension (REP, BAT, MEA, LOG, CHO); repeat or separate by commas",
        "ID",
        many=True,
        ini=False,
    ),
    Option("relation", "only this relation (`pytest-jevbench relations` lists them)", "NAME", many=True, ini=False),
    Option("domain", "only cases of this domain", "NAME", many=True, ini=False),
    # --- advanced
    Option("refresh", "ask again what the store has answers to", switch=True, advanced=True, ini=False),
    Option("offline", "answer from the store alone; what is missing is not judged", switch=True, advanced=True),
    Option(
        "per_replica",
        "requests in flight at one replica; 1 gives exactly the sequential answers (default: 1)",
        "N",
        _positive,
        advanced=True,
    ),
    Option(
        "min_interval",
        "seconds between the starts of any two requests (default: 0)",
        "SECONDS",
        _at_least_zero,
        advanced=True,
    ),
    Option("max_requests", "send no more requests than this, over all runs of the ledger", "N", _count, advanced=True),
    Option("max_usd", "spend no more dollars than this, over all runs of the ledger", "USD", _amount, advanced=True),
    Option("price_in", "dollars for a million tokens that the model reads", "USD", _amount, advanced=True),
    Option("price_out", "dollars for a million tokens that the model writes", "USD", _amount, advanced=True),
    Option("ledger", "keep the budget's ledger here (default: .jevbench/ledger.jsonl)", "PATH", advanced=True),
    Option("group", "only relations of this group, e.g. CHO.conditioning", "ID", many=True, ini=False, advanced=True),
    Option("case", "only the case of this id", "ID", many=True, ini=False, advanced=True),
    Option(
        "command",
        "ask a program: request JSON on its standard input, answers JSON on its output",
        "COMMAND",
        advanced=True,
    ),
    Option("reference", "ask a reference model: uniform, random, luce, luce_biased", "NAME", advanced=True),
    Option(
        "dialect",
        f"how the model is asked: {', '.join(DIALECTS)} (default: {DIALECTS[0]})",
        "NAME",
        choices=DIALECTS,
        advanced=True,
    ),
    Option(
        "request_options",
        "further fields of each request to a chat model, as a JSON object; null takes one out",
        "JSON",
        advanced=True,
    ),
    Option(
        "runtime",
        "ask a model in this process: what MODULE:NAME names, in the dialect local_openjev or needle",
        "MODULE:NAME",
        advanced=True,
    ),
    Option(
        "require",
        "one condition of a gate, e.g. min.overall=0.9 or max_drop.overall=0.02; repeat for more",
        "CONDITION=VALUE",
        many=True,
        ini=False,
        advanced=True,
    ),
    Option(
        "stop_when_decided",
        "stop as soon as the gate can only fail, at the stated error level",
        switch=True,
        advanced=True,
    ),
    Option("html", "write a report as one HTML page here, which needs no network", "PATH", advanced=True),
    Option(
        "markdown",
        "write a summary in Markdown here (in GitHub Actions also to the job summary)",
        "PATH",
        advanced=True,
    ),
    Option(
        "badge", "write the overall score here as a badge (the JSON of a shields.io endpoint)", "PATH", advanced=True
    ),
    Option("revision", "the model's version, where its name does not tell", "TEXT", advanced=True),
    Option("name", "the model's name in reports", "NAME", advanced=True),
    Option(
        "api_key_env",
        "environment variable that holds the bearer token (default: JEVBENCH_API_KEY)",
        "VARIABLE",
        advanced=True,
    ),
    Option("timeout", "seconds to wait for one answer (default: 60)", "SECONDS", _above_zero, advanced=True),
    Option("retries", "attempts after the first, for each request (default: 4)", "N", _count, advanced=True),
    Option(
        "launch_timeout",
        "seconds a launched model may take until it answers (default: 120)",
        "SECONDS",
        _above_zero,
        advanced=True,
    ),
    Option("seed", "what the draws of tests on your own cases start from (default: 0)", "N", _count, advanced=True),
    Option(
        "repeats",
        "times that each base request is asked; the mean is judged, and how far repeats differ is told (default: 1)",
        "N",
        _positive,
        advanced=True,
    ),
    Option("draws", "draws of every variant in which something is drawn (default: 1)", "N", _positive, advanced=True),
    Option(
        "rewrites", "the rewrite bank of your own cases (default: rewrites.jsonl beside them)", "BANK", advanced=True
    ),
    Option("audited_only", "use only rewrites that an audit confirmed", switch=True, advanced=True),
    Option(
        "count_own_laws",
        "let laws of your own count in the dimension they name, and so in the overall",
        switch=True,
        advanced=True,
    ),
    Option("tolerance", "the deviation allowed (default: 0.05)", "SHARE", _share, advanced=True),
    Option(
        "min_n",
        "tests a relation needs to be scored (default: what the suite says, else 5)",
        "N",
        _positive,
        advanced=True,
    ),
    Option("bootstrap", "bootstrap draws for intervals; 0: none (default: 1000)", "N", _count, advanced=True),
    Option("domains_table", "show the scores by domain too", switch=True, advanced=True),
    Option(
        "minimize",
        "make the N worst violated tests as small as they stay violated (default of N: 5)",
        "N",
        _count,
        advanced=True,
        plain="5",
    ),
    Option(
        "minimize_requests", "requests that making one test smaller may need (default: 100)", "N", _count, advanced=True
    ),
    Option("split", "only labelled tasks of this split", "NAME", many=True, ini=False, advanced=True),
    Option(
        "labelled",
        "write the result of labelled tasks here, beside it the record that a run resumes from "
        "(default: jevbench-labelled.json)",
        "PATH",
        advanced=True,
    ),
    Option(
        "raw",
        "keep raw requests and responses of labelled tasks in this folder (default: beside --jevbench-labelled)",
        "FOLDER",
        advanced=True,
    ),
    Option(
        "delay", "seconds to pause before each labelled task (default: 0)", "SECONDS", _at_least_zero, advanced=True
    ),
    Option(
        "cost_basis",
        "why a request of labelled tasks costs nothing: local, no-account, flat-rate",
        "WHAT",
        choices=("local", "no-account", "flat-rate"),
        advanced=True,
    ),
    Option("full", "print every violation in full, not the three worst alone", switch=True, advanced=True),
    Option(
        "junit_properties", "put verdict and deviation of each test into the JUnit file", switch=True, advanced=True
    ),
)


class _Parsed(argparse.Action):
    """Store a value, refusing one that does not parse with the words of what is wanted."""

    option: Option

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        if self.option.many:
            if not values.strip(" ,"):
                parser.error(f"{option_string}: found {values!r}; give {self.option.metavar}")
            earlier = getattr(namespace, self.dest) or []
            setattr(namespace, self.dest, [*earlier, *(part.strip() for part in values.split(",") if part.strip())])
            return
        try:
            checked(self.option, values)
        except ValueError as error:
            parser.error(f"{option_string}: {error}")
        setattr(namespace, self.dest, values)


def checked(option: Option, text: str) -> Any:
    """The value of an option's text. Raises ``ValueError`` that says what is wanted."""
    if option.choices and text not in option.choices:
        raise ValueError(f"found {text!r}; give one of {', '.join(option.choices)}")
    try:
        return option.parse(text)
    except (ValueError, ArithmeticError):
        raise ValueError(f"found {text!r}; give {WORDS[option.parse]}") from None


def add_options(parser: pytest.Parser) -> None:
    """Tell pytest of the options and ini keys."""
    basic = parser.getgroup("jevbench", "coherence tests of a decision model (pytest-jevbench)")
    advanced = parser.getgroup("jevbench-advanced", "coherence tests: settings that are seldom needed")
    basic.addoption(
        "--jevbench",
        action="store_true",
        dest="jevbench",
        help="run the suite and model that the ini keys jevbench_suite, jevbench_url, ... name",
    )
    parser.addini(
        "jevbench_collect_suites",
        "collect the suites whose folders lie in the test tree, where a model is named (default: true)",
        type="bool",
        default=True,
    )
    for option in OPTIONS:
        group = advanced if option.advanced else basic
        if option.switch:
            group.addoption(option.flag, action="store_true", dest=option.dest, default=None, help=option.help)
        else:
            action = type("_Action", (_Parsed,), {"option": option})
            alone: dict[str, Any] = {"nargs": "?", "const": option.plain} if option.plain else {}
            group.addoption(
                option.flag, action=action, dest=option.dest, metavar=option.metavar, help=option.help, **alone
            )
        if option.ini:
            kind: Literal["bool", "string"] = "bool" if option.switch else "string"
            parser.addini(option.dest, f"{option.help} (as {option.flag})", type=kind, default=None)
