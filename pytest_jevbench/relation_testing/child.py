"""The other process of ``check_relation``: builds a law's tests and prints their hash."""

from __future__ import annotations

import importlib
import json
import sys
from functools import reduce
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_jevbench.errors import Place
from pytest_jevbench.questions import case_from_json
from pytest_jevbench.relation_testing.building import build_digest
from pytest_jevbench.relations.own_law_sources import load_file
from pytest_jevbench.rewrite_bank import RewriteBank, rewrite_from_json

__all__ = ["main"]


def main() -> None:
    """Read what to build from standard input, as JSON."""
    told: dict[str, Any] = json.load(sys.stdin)
    sys.path[:] = told["path"]
    law = reduce(getattr, told["name"].split("."), _module(told["module"], Path(told["file"])))
    cases = [case_from_json(row, Place("cases")) for row in told["cases"]]
    bank = RewriteBank.of([rewrite_from_json(row, Place("rewrites")) for row in told["rewrites"]])
    sys.stdout.write(build_digest(law(), cases, bank, told["seed"], told["draws"]) + "\n")  # type: ignore[operator]


def _module(name: str, file: Path) -> ModuleType:
    """The module of a law: by its name where that leads to the same file, else by the file."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        return load_file(file)
    found = getattr(module, "__file__", None)
    return module if found is not None and Path(found).resolve() == file.resolve() else load_file(file)


if __name__ == "__main__":
    main()
