"""Templates and data for the page. Whatever is not a template's own is text, and is escaped."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from pytest_jevbench.json_text import JSON, printable
from pytest_jevbench.reports.numbers import bracketed, p_text, points
from pytest_jevbench.reports.text import percent

if TYPE_CHECKING:
    import jinja2

__all__ = ["page_json", "render"]

_UNSAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def render(template: str, **values: object) -> Markup:
    """A template of ``templates/`` with values. Every text is escaped; characters that nobody sees are spelt out."""
    return Markup(_environment().get_template(template).render(**values))


def page_json(value: JSON) -> Markup:
    """A value as JSON for a ``<script type="application/json">``: no character in it ends the element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.encode("utf-8", "replace").decode().translate(_UNSAFE))


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pytest_jevbench.reports.html"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    environment.filters.update(
        percent=percent,
        points=points,
        bracketed=bracketed,
        p=p_text,
        count=lambda number: f"{number:,}",
        pretty=_pretty,
    )
    return environment


def _pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _visible(value: Any) -> Any:
    """Marks of direction and the like as their codes: they would change how the text around them reads."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable(value)
    return value
