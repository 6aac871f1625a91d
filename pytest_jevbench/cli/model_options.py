"""The options by which a command is told of a model."""

from __future__ import annotations

import argparse

from pytest_jevbench.errors import Place
from pytest_jevbench.models.dialect_names import ALL_DIALECTS, DIALECT_NAMES
from pytest_jevbench.models.dialects.chat_options import request_options
from pytest_jevbench.models.opening import ModelSpec, key_from_environment
from pytest_jevbench.models.reference import REFERENCE_NAMES
from pytest_jevbench.models.urls import split_urls

__all__ = ["add_model_arguments", "spec_from_arguments"]


def add_model_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add one option for each way to name a model, and what goes with them."""
    which = parser.add_mutually_exclusive_group(required=required)
    which.add_argument("--url", metavar="URL", help="the model at this URL (System One over HTTP)")
    which.add_argument("--launch", metavar="COMMAND", help='a server to start, e.g. "my-server --port {port}"')
    which.add_argument("--command", metavar="COMMAND", help="a program: request JSON in, answers JSON out")
    which.add_argument("--reference", metavar="NAME", help=f"a reference model: {', '.join(REFERENCE_NAMES)}")
    which.add_argument(
        "--runtime", metavar="MODULE:NAME", help="a model in this process, in the dialect local_openjev or needle"
    )
    parser.add_argument("--model", metavar="NAME", help="the model's name (default: what the server lists)")
    parser.add_argument(
        "--dialect",
        choices=ALL_DIALECTS,
        metavar="NAME",
        help=f"how the model is asked: {', '.join(ALL_DIALECTS)} (default: {DIALECT_NAMES[0]})",
    )
    parser.add_argument(
        "--request-options",
        metavar="JSON",
        help="further fields of each request to a chat model, as a JSON object; null takes one out",
    )
    parser.add_argument(
        "--api-key-env",
        metavar="VARIABLE",
        help="environment variable that holds the bearer token (default: JEVBENCH_API_KEY)",
    )
    parser.add_argument(
        "--timeout", type=float, default=60.0, metavar="SECONDS", help="seconds to wait for one answer (default: 60)"
    )
    parser.add_argument(
        "--launch-timeout",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="seconds a launched server may take until it answers (default: 120)",
    )


def spec_from_arguments(args: argparse.Namespace, *, retries: int = 4) -> ModelSpec:
    """The model that the arguments name. Raises :class:`InputError`."""
    place = Place(field="--request-options")
    spec = ModelSpec(
        urls=split_urls(args.url) if args.url else (),
        launch=args.launch,
        command=args.command,
        reference=args.reference,
        model=args.model,
        api_key=key_from_environment(args.api_key_env),
        timeout=args.timeout,
        launch_timeout=args.launch_timeout,
        retries=retries,
        dialect=args.dialect or DIALECT_NAMES[0],
        runtime=args.runtime,
        request_options={} if args.request_options is None else request_options(args.request_options, place),
    )
    spec.check()
    return spec
