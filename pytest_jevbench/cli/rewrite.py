"""``pytest-jevbench rewrite``: a bank of rewrites, written and judged by chat models."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_jevbench.cli.chat_options import extra_fields, key_from
from pytest_jevbench.cli.plain_errors import INTERRUPTED, plain_errors
from pytest_jevbench.counting import counted

if TYPE_CHECKING:
    from pytest_jevbench.rewrites.asking import Asker, Meter
    from pytest_jevbench.rewrites.bank_file import BankFile
    from pytest_jevbench.rewrites.making import Due, Effort, Outcome
    from pytest_jevbench.rewrites.sources import Source

__all__ = ["HELP", "add_arguments", "run"]

HELP = "have questions and options reworded, negated and translated by a chat model, and judged by another"
EXIT = "0 every text has a rewrite, 1 some have none, 2 bad input or a model that cannot be asked, 130 Ctrl-C"

KEY = "JEVBENCH_CHAT_API_KEY"
JUDGE_KEY = "JEVBENCH_JUDGE_API_KEY"
MOST_JOBS = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("cases", metavar="CASES", help="a file or folder of cases, or the folder of a suite")
    parser.add_argument("--out", metavar="BANK", required=True, help="the bank, a .jsonl file; it may be there already")
    parser.add_argument(
        "--kinds",
        metavar="KINDS",
        default="paraphrase,negation,description",
        help="what to ask for, separated by commas: paraphrase, negation, description, translate:LANGUAGE by code or "
        "name (default: %(default)s)",
    )
    writer = parser.add_argument_group("the writer")
    writer.add_argument("--url", metavar="URL", help="an OpenAI-compatible chat endpoint")
    writer.add_argument("--model", metavar="NAME", help="the chat model's name")
    writer.add_argument(
        "--temperature", type=float, default=0.7, metavar="T", help="randomness of its wording (default: 0.7)"
    )
    writer.add_argument("--extra", metavar="JSON", help="further fields of its requests; null takes a field out")
    judge = parser.add_argument_group("the judge", "without these the writer judges itself, which is recorded")
    judge.add_argument("--judge-url", metavar="URL", help="where it is asked (default: that of --url)")
    judge.add_argument("--judge-model", metavar="NAME", help="its name; best of another family than the writer")
    judge.add_argument(
        "--judge-extra",
        metavar="JSON",
        help="further fields of its requests (default: --extra, if one model does both)",
    )
    effort = parser.add_argument_group("how much")
    effort.add_argument(
        "--candidates",
        type=int,
        default=2,
        metavar="N",
        help="candidates of each text; of translations one (default: 2)",
    )
    effort.add_argument("--tries", type=int, default=2, metavar="N", help="tries until one is accepted (default: 2)")
    effort.add_argument("--again", action="store_true", help="also texts of which every candidate was refused before")
    effort.add_argument("--limit", type=int, metavar="N", help="only the first N texts that are due")
    effort.add_argument("--jobs", type=int, default=4, metavar="N", help="texts worked on at once (default: 4)")
    effort.add_argument(
        "--timeout", type=float, default=300.0, metavar="SECONDS", help="seconds to wait for one answer (default: 300)"
    )
    effort.add_argument("--dry-run", action="store_true", help="say what would be asked, and ask nothing")
    parser.epilog = (
        "The judge is asked whether each wording keeps the meaning, both ways. States of cases are not sent. Every "
        "candidate is kept with its verdict; what is in BANK is not asked again, so a run that was stopped goes on "
        f"where it was. Keys are read from the environment: {KEY}, and {JUDGE_KEY} for a judge at another URL."
    )


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Make the bank; say before what it takes, and after what came of it."""
    from pytest_jevbench.rewrites.bank_file import BankFile, open_bank, read_bank
    from pytest_jevbench.rewrites.making import Effort, due
    from pytest_jevbench.rewrites.sources import cases_at, read_kinds, sources_of
    from pytest_jevbench.rewrites.telling import plan_lines, without_rewrite

    _check_numbers(args)
    path = Path(args.out)
    _check_place(Path(args.cases), path)
    sources = sources_of(cases_at(Path(args.cases)), read_kinds(args.kinds))
    effort = Effort(args.candidates, args.tries, args.again)
    names = (args.model or "the writer", args.judge_model or args.model or "the judge")
    if args.dry_run:
        bank = BankFile(path, *(read_bank(path) if path.exists() else ([], "")))
        _write(plan_lines(bank, sources, due(bank, sources, effort)[: args.limit], effort, *names))
        return 0
    with open_bank(path, new=True) as bank:
        work = due(bank, sources, effort)[: args.limit]
        with _askers(args, min(args.jobs, max(1, len(work)))) as (pairs, meters):
            _write(plan_lines(bank, sources, work, effort, *names))
            if work and args.judge_model in (None, args.model):
                sys.stderr.write(_SELF)
            if work:
                stopped = _make(bank, sources, work, pairs, effort, meters)
                if stopped:
                    return stopped
        return 1 if without_rewrite(bank, sources) else 0


_SELF = (
    "warning: each candidate is judged by the model that writes it, and marked so in the bank. A model likes its own "
    "words: give --judge-model\n"
)


def _make(
    bank: BankFile,
    sources: Sequence[Source],
    work: Sequence[Due],
    pairs: Sequence[tuple[Asker, Asker]],
    effort: Effort,
    meters: dict[str, Meter],
) -> int:
    """Do the work and print what came of it, also where it was stopped. Returns 0, or the status of Ctrl-C."""
    from pytest_jevbench.rewrites.making import make_rewrites
    from pytest_jevbench.rewrites.telling import result_lines

    outcomes: dict[tuple[str, str], Outcome] = {}
    progress = _Progress(len(work))

    def tell(outcome: Outcome) -> None:
        outcomes[outcome.source.kind, outcome.source.text] = outcome
        progress.step()

    ended = False
    try:
        make_rewrites(bank, work, pairs, effort, tell)
        ended = True
    except KeyboardInterrupt:
        sys.stderr.write("stopped; what was answered is kept, run again to go on\n")
        return INTERRUPTED
    finally:
        progress.end()
        bank.save([(source.kind, source.text) for source in sources])
        _write(result_lines(bank, sources, outcomes, meters, ended=ended))
    return 0


def _check_place(cases: Path, bank: Path) -> None:
    """A bank among cases must have a name by which it is not taken for one of them."""
    from pytest_jevbench.errors import InputError, Place
    from pytest_jevbench.own_cases import FORMS, NOT_CASES

    beside = cases.is_dir() and bank.parent.resolve() == cases.resolve()
    if beside and bank.suffix.lower() in FORMS and bank.name not in NOT_CASES:
        raise InputError(
            f"{bank.name} would be read as cases in this folder",
            place=Place(field="--out"),
            advice="Call it rewrites.jsonl, which a run on the folder finds by itself",
        )


def _check_numbers(args: argparse.Namespace) -> None:
    from pytest_jevbench.errors import InputError

    for option in ("candidates", "tries", "jobs", "limit"):
        value = getattr(args, option)
        if value is not None and value < 1:
            raise InputError(f"--{option} is {value}", advice="Give at least 1")
    if args.jobs > MOST_JOBS:
        raise InputError(f"--jobs is {args.jobs}", advice=f"Give at most {MOST_JOBS}")
    if not args.timeout > 0:
        raise InputError(f"--timeout is {args.timeout:g}", advice="Give a number of seconds above 0")


@contextmanager
def _askers(args: argparse.Namespace, count: int) -> Iterator[tuple[list[tuple[Asker, Asker]], dict[str, Meter]]]:
    """A writer and a judge for every job, and what each was asked, by a name to print."""
    from pytest_jevbench.chat.roles import open_chats
    from pytest_jevbench.rewrites.asking import ChatAsker, Meter

    key = key_from(KEY)
    elsewhere = args.judge_url is not None and args.judge_url != args.url
    judge_key = key_from(JUDGE_KEY) or (None if elsewhere else key)
    judge_variable = JUDGE_KEY if elsewhere or key_from(JUDGE_KEY) else KEY
    extra = extra_fields(args.extra, "--extra")
    same = args.judge_model in (None, args.model) and not elsewhere
    judge_extra = extra if same and args.judge_extra is None else extra_fields(args.judge_extra, "--judge-extra")
    writer, judge = Meter(), Meter()
    common = {"count": count, "timeout": args.timeout}
    with (
        open_chats(args.url, args.model, api_key=key, extra=extra, option="--url", **common) as writers,
        open_chats(
            args.judge_url or args.url,
            args.judge_model or args.model,
            api_key=judge_key,
            extra=judge_extra,
            option="--judge-url" if args.judge_url else "--url",
            **common,
        ) as judges,
    ):
        pairs: list[tuple[Asker, Asker]] = [
            (ChatAsker(one, writer, args.temperature, KEY), ChatAsker(two, judge, 0.0, judge_variable))
            for one, two in zip(writers, judges, strict=True)
        ]
        yield pairs, {f"writer {args.model}": writer, f"judge {args.judge_model or args.model}": judge}


class _Progress:
    """A counter on a terminal; nothing elsewhere."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._shown = sys.stderr.isatty()

    def step(self) -> None:
        self._done += 1
        if self._shown:
            sys.stderr.write(f"\r{self._done} of {counted(self._total, 'text')}")
            sys.stderr.flush()

    def end(self) -> None:
        if self._shown and self._done:
            sys.stderr.write("\n")


def _write(lines: Iterable[str]) -> None:
    from pytest_jevbench.json_text import printable

    for line in lines:
        sys.stdout.write(f"{printable(line)}\n")
    sys.stdout.flush()
