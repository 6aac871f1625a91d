"""Raw ids as names that are safe in node ids and file names, distinct where the ids are."""

from __future__ import annotations

import re
from hashlib import sha256

__all__ = ["file_name", "slug"]

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_LIMIT = 120
_RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|^\.|\.$")


def slug(raw: str) -> str:
    """ASCII text for a node id. It is the raw id itself where that is safe, else a likeness with a short hash.

    >>> slug("option_clone"), slug("x::y")
    ('option_clone', 'x-y-6798864a')
    """
    likeness = _UNSAFE.sub("-", raw)[:_LIMIT].strip("-.") if raw else ""
    if likeness == raw and raw:
        return raw
    return f"{likeness}-{sha256(raw.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}".lstrip("-")


def file_name(raw: str, suffix: str = "") -> str:
    """A file name of at most 200 bytes, safe on every file system, also where letters of two cases are one."""
    name = slug(raw)
    if name != name.lower() or _RESERVED.search(name):
        name = f"{name.strip('.')}-{sha256(raw.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return name + suffix
