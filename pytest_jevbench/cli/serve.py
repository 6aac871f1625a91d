"""``pytest-jevbench serve NAME --port P``: a reference model over System One."""

from __future__ import annotations

import argparse
import os
import sys

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.reference import REFERENCE_NAMES

HELP = "serve a reference model over System One"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "It answers POST /v1/systemone and GET /v1/models until interrupted."
    parser.add_argument("name", metavar="NAME", help=f"one of {', '.join(REFERENCE_NAMES)}")
    parser.add_argument(
        "--port", type=int, default=8000, metavar="PORT", help="port to listen on; 0 takes a free one (default: 8000)"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--api-key-env", metavar="VARIABLE", help="ask for the bearer token that this environment variable holds"
    )


def run(args: argparse.Namespace) -> int:
    from pytest_jevbench.models.reference_server import ReferenceServer

    key = None
    if args.api_key_env:
        key = os.environ.get(args.api_key_env, "").strip()
        if not key:
            raise InputError(
                f"the environment variable {args.api_key_env} holds no key",
                place=Place(field="--api-key-env"),
                advice="Set it, or leave the option out",
            )
    with ReferenceServer(args.name, host=args.host, port=args.port, key=key) as server:
        sys.stdout.write(f"{args.name} answers at {server.url}/v1/systemone (Ctrl-C ends it)\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.stdout.write("\n")
    return 0
