"""Rules that data meant for others has to keep: declared synthetic, licensed, free of real e-mail addresses.

A declaration is no scrub: look at the data before you share it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_jevbench.json_text import shown
from pytest_jevbench.judges.problems import Problems

__all__ = ["LICENSE", "check_declarations", "check_texts"]

LICENSE = "Apache-2.0"

_EMAIL = re.compile(r"[\w.+%-]+@((?:[^\W_](?:[\w-]*[^\W_])?\.)+[^\W\d_][\w-]*[^\W_])", re.UNICODE)
_EXAMPLE = re.compile(r"(?:^|\.)(?:example\.(?:com|net|org|edu)|example|test|invalid|localhost)$", re.IGNORECASE)


def check_declarations(value: Mapping[str, Any], problems: Problems) -> None:
    """``synthetic`` is true and ``license`` is Apache-2.0."""
    if value.get("synthetic") is not True:
        found = f"found {shown(value['synthetic'])}" if "synthetic" in value else "there is no 'synthetic'"
        problems.add("synthetic", found, 'Write "synthetic": true, or say that the data stay with you: private')
    if value.get("license") != LICENSE:
        found = f"found {shown(value['license'])}" if "license" in value else "there is no 'license'"
        problems.add("license", found, f'Write "license": "{LICENSE}", or say that the data stay with you: private')


def check_texts(texts: Iterable[tuple[str, str]], problems: Problems) -> None:
    """No e-mail address outside the domains that are reserved for examples (RFC 2606, RFC 6761).

    ``texts`` are (field, text). The address itself is not repeated in the message.
    """
    for field, text in texts:
        domains = {found[1] for found in _EMAIL.finditer(text)} if "@" in text else set()
        for domain in sorted(domain for domain in domains if not _EXAMPLE.search(domain)):
            problems.add(
                field,
                f"an e-mail address at {shown(domain)}, which is no domain for examples",
                "Write example.com, example.org or a name under .example or .test",
            )
