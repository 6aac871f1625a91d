"""Where laws of one's own come from beside a running pytest: installed packages, and a conftest that is named."""

from __future__ import annotations

import importlib.util
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_jevbench.errors import InputError, JevbenchError, Place
from pytest_jevbench.relations.known import Relations
from pytest_jevbench.relations.own_law import OwnLaw, raised_in
from pytest_jevbench.relations.own_registry import Registry

__all__ = ["ENTRY_POINTS", "add_installed", "known_relations", "load_file"]

ENTRY_POINTS = "pytest_jevbench.relations"
"""The group of entry points, each a class derived from OwnLaw or a function that takes the registry."""
HOOK = "pytest_jevbench_relations"


def add_installed(registry: Registry) -> None:
    """Add the laws of installed packages, in the order of their names. Raises :class:`InputError`."""
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda one: (one.name, one.value)):
        place = Place(f"entry point {entry.name} = {entry.value}")
        try:
            found: Any = entry.load()
            if isinstance(found, type) and issubclass(found, OwnLaw):
                registry.add(found)
            elif callable(found) and not isinstance(found, type):
                found(registry)
            else:
                raise InputError(
                    f"it names {found!r}", place=place, advice="Name a class derived from OwnLaw, or a function"
                )
        except JevbenchError:
            raise
        except (Exception, SystemExit) as error:
            raise InputError(f"it cannot be loaded: {raised_in(error)}", place=place) from error


def known_relations(conftest: Path | str | None = None) -> Relations:
    """The relations that a command knows: those built in, those of installed packages, and a conftest's that is named.

    Raises :class:`InputError`.
    """
    registry = Registry()
    add_installed(registry)
    if conftest is not None:
        path = Path(conftest)
        hook = getattr(load_file(path), HOOK, None)
        if hook is None:
            raise InputError(f"there is no function {HOOK}", place=Place(path), advice="Name the file that has it")
        try:
            hook(registry=registry)
        except JevbenchError:
            raise
        except (Exception, SystemExit) as error:
            raise InputError(f"{HOOK} fails: {raised_in(error)}", place=Place(path)) from error
    return registry.relations()


def load_file(path: Path) -> ModuleType:
    """A Python file as a module, its directory on the path for what lies beside it. Raises :class:`InputError`."""
    if not path.is_file():
        raise InputError("there is no such file", place=Place(path))
    name = f"jevbench_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError("this is no Python file", place=Place(path), advice="Name a conftest.py")
    module = importlib.util.module_from_spec(spec)
    beside = str(path.resolve().parent)
    sys.path.insert(0, beside)
    sys.modules[name] = module  # a dataclass, and a person who looks for the source, find the module by its name
    try:
        spec.loader.exec_module(module)
    except JevbenchError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(f"it cannot be loaded: {raised_in(error)}", place=Place(path)) from error
    finally:
        sys.path.remove(beside)
    return module
