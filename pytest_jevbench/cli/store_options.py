"""How the commands of the group ``store`` find a store, and the models in it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown

if TYPE_CHECKING:
    from pytest_jevbench.models.identity_key import ModelKey
    from pytest_jevbench.models.store import AnswerStore

__all__ = [
    "add_model_choice",
    "add_store_argument",
    "chosen_models",
    "described",
    "nearest_store",
    "open_from_arguments",
    "size_text",
]


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--store``."""
    parser.add_argument(
        "--store",
        type=Path,
        metavar="PATH",
        help="the answer store (default: .jevbench/answers.sqlite in this directory or the nearest above it)",
    )


def add_model_choice(parser: argparse.ArgumentParser) -> None:
    """Add ``--model`` and ``--revision``."""
    parser.add_argument("--model", metavar="NAME", help="only models asked or answering under this name")
    parser.add_argument("--revision", metavar="TEXT", help="only models of this revision")


def chosen_models(args: argparse.Namespace) -> Callable[[ModelKey], bool] | None:
    """The test for the models that the arguments choose; None where they choose none in particular."""
    name, revision, dialect = args.model, args.revision, getattr(args, "dialect", None)
    if name is None and revision is None and dialect is None:
        return None

    def chosen(key: ModelKey) -> bool:
        right_name = name is None or name in (key.parts.get("name"), key.parts.get("answered"))
        right_dialect = dialect is None or key.parts.get("dialect") == dialect
        return right_name and right_dialect and (revision is None or key.parts.get("revision", "") == revision)

    return chosen


def open_from_arguments(args: argparse.Namespace, *, make: bool = False) -> AnswerStore:
    """The store that the arguments name. Raises :class:`InputError` where it cannot be used.

    A missing file is made only with ``make``. An export may be looked into, but not with ``make``.
    """
    from pytest_jevbench.models.store import AnswerStore
    from pytest_jevbench.models.store_export import is_export

    path = args.store if args.store is not None else nearest_store()
    place = Place(path)
    if not make and not path.is_file():
        raise InputError(
            "there is no answer store here", place=place, advice="Name it with --store, or run a suite first"
        )
    exported = is_export(path)
    if exported and make:
        raise InputError("this is an export, not a store", place=place, advice="Name the store with --store")
    notes: list[str] = []
    store = AnswerStore.open(path, warn=notes.append)
    if not exported and store.path != path:
        problem = store.file.problem
        store.close()
        raise InputError(f"this answer store cannot be used: {problem}", place=place, advice=_advice(problem))
    for note in notes:
        sys.stderr.write(f"pytest-jevbench: {note}\n")
    return store


def _advice(problem: str) -> str:
    if "lock" in problem:
        return "Try again when no run uses it"
    return "Name the store with --store" if problem.startswith("it ") else ""


def size_text(size: int) -> str:
    """A number of bytes for a person.

    >>> size_text(999), size_text(1_234_567)
    ('999 bytes', '1.2 MB')
    """
    return f"{size} bytes" if size < 1000 else f"{size / 1e3:.1f} kB" if size < 1e6 else f"{size / 1e6:.1f} MB"


def described(key: ModelKey) -> str:
    """A model in one line, safe on a terminal."""
    return shown(str(key) or "a model without a name", 200).strip('"')


def nearest_store() -> Path:
    """The store of the project that the command is typed in; where there is none, where it would be."""
    from pytest_jevbench.models.store import DEFAULT_PATH

    here = Path.cwd()
    found = (folder / DEFAULT_PATH for folder in (here, *here.parents))
    return next((path for path in found if path.is_file()), here / DEFAULT_PATH)
