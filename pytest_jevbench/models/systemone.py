"""A model behind a System One server.

Importing this module imports the HTTP library; import it where a model is opened, never earlier.
"""

from __future__ import annotations

from pytest_jevbench.models.http_model import DEFAULT_NAME, HttpModel

__all__ = ["DEFAULT_NAME", "SystemOne"]


class SystemOne(HttpModel):
    """One replica of a model behind ``POST /v1/systemone``.

    Its arguments are those of :class:`~pytest_jevbench.models.http_model.HttpModel`.
    """
