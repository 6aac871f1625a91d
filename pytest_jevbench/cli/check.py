"""``pytest-jevbench check``: one request that says whether a model can be tested."""

from __future__ import annotations

import argparse
import sys

from pytest_jevbench.cli.model_options import add_model_arguments, spec_from_arguments
from pytest_jevbench.errors import ModelError
from pytest_jevbench.json_text import printable, shown
from pytest_jevbench.models.checking import CheckedQuestion, ModelCheck, check_model
from pytest_jevbench.models.protocol import Identity, Model

HELP = "send a model one request and say what works or what to change"

_MOST_SHOWN = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Send a model one small request with a question of each type, and say for each question whether its answer can "
        "be used, or what to change. Exit status 0: the model can be tested; 1: it cannot yet."
    )
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> int:
    from pytest_jevbench.models.opening import open_replicas

    spec = spec_from_arguments(args, retries=1)
    try:
        with open_replicas(spec, tell=lambda line: _write(f"{line}\n")) as replicas:
            checks = [(model, check_model(model)) for model in replicas]
            for model, check in checks:
                _write(report(model, check))
    except ModelError as error:
        _write(f"problem    {error}\n")
        return 1
    return 0 if all(check.ok for _, check in checks) else 1


def report(model: Model, check: ModelCheck) -> str:
    """The check as text, one line a question and one for what to change."""
    lines = []
    identity = check.identity
    if identity is not None:
        lines.append(f"asked      {identity.address or identity.launch or 'in this process'}")
        lines.append(f"model      {printable(identity.name)}{_name_source(model, identity)}")
    if check.reply is None:
        return "\n".join([*lines, f"problem    {check.problem}", ""])
    reply = check.reply
    answered = printable(reply.model) if reply.model else "no name given"
    attempts = f", {reply.attempts} attempts" if reply.attempts > 1 else ""
    lines.append(f"answered   {answered}, in {reply.seconds * 1000:.0f} ms{attempts}")
    for question in check.questions:
        lines += _question_lines(question)
    bad = sum(question.distribution is None for question in check.questions)
    count = len(check.questions)
    lines.append(f"{bad} of {count} answers cannot be used" if bad else f"all {count} answers can be used")
    return "\n".join([*lines, ""])


def _name_source(model: Model, identity: Identity) -> str:
    source = getattr(model, "name_source", "given")
    if source == "listed":
        return " (the only one the server lists)"
    return " (assumed, because none was given and the server lists no single one)" if source == "assumed" else ""


def _question_lines(question: CheckedQuestion) -> list[str]:
    head = f"{question.type:<10} {question.key}: "
    if question.distribution is None:
        lines = [f"{head}not usable: {question.problem}", f"{'':<10} {question.advice}"]
    else:
        largest = list(question.distribution.items())[:_MOST_SHOWN]
        lines = [head + ", ".join(f"{shown(answer)} {p:.3f}" for answer, p in largest)]
    return lines + [f"{'':<10} harmless: {remark}" for remark in question.remarks]


def _write(text: str) -> None:
    sys.stdout.write(text)
