"""What has to be imported before an inner run of pytest in the same process."""

from __future__ import annotations

import contextlib
import pkgutil
from importlib import import_module

import pytest_jevbench

__all__ = ["import_everything"]


def import_everything() -> None:
    """Import the whole package and what it uses.

    An inner run forgets the modules that it imported, but the package keeps them as attributes: a later run would mix
    old ones with new ones. Numpy does not load a second time at all.
    """
    for name in ("numpy", "scipy.stats", "httpx", "jinja2", "yaml", "tenacity"):
        import_module(name)
    for module in pkgutil.walk_packages(pytest_jevbench.__path__, "pytest_jevbench."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # an extra that is not installed
                import_module(module.name)
