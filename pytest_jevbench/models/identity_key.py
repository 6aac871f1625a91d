"""Which stored answers belong to which model.

Two models share answers exactly if dialect, requested name, answered name, revision, launch command and the identity's
details (options sent with each request, the wording of a prompt) are equal.
Host and port are left out, because ports change and replicas and shards have different ones; they count only where
nothing else tells models apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

from pytest_jevbench.models.protocol import Identity
from pytest_jevbench.models.redaction import Redactor

__all__ = ["ModelKey", "base_digest", "details_of", "model_key", "plain_address"]

DIGEST_BYTES = 16
NAMELESS = ("", "default")
PARTS = ("dialect", "name", "answered", "revision", "launch", "address")


@dataclass(frozen=True, slots=True)
class ModelKey:
    """The key of one model's answers, and the parts it was made of, fit to be shown.

    ``digest`` decides; ``base`` is the digest without answered name and address, shared by all answered names of one
    requested model. ``parts`` has the non-empty parts by name, without secrets.
    """

    digest: bytes
    base: bytes
    parts: Mapping[str, str]

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.parts.items())


def model_key(identity: Identity, answered: str | None, *, run: str = "") -> ModelKey:
    """The key under which answers of this model are kept.

    ``answered`` is the name the model answered its first request under, None where it gave none. ``run`` must be the
    run's name for a model that is not stable: nothing outside the run may share its answers.
    """
    told_by_name = any(name not in NAMELESS for name in (identity.name, answered or ""))
    alone = not (told_by_name or identity.revision or identity.launch)
    values = {
        "dialect": identity.dialect,
        "name": identity.name,
        "answered": answered or "",
        "revision": identity.revision,
        "launch": identity.launch,
        "address": plain_address(identity.address) if alone else "",
    }
    shown = {name: value for name, value in {**values, **identity.details}.items() if value}
    if "launch" in shown:
        shown["launch"] = Redactor()(shown["launch"])
    parts = [*(values[part] for part in PARTS), *_scope(identity, run)]
    return ModelKey(_digest(parts), base_digest(identity, run=run), shown)


def base_digest(identity: Identity, *, run: str = "") -> bytes:
    """The digest that all answered names of one requested model share."""
    return _digest([identity.dialect, identity.name, identity.revision, identity.launch, *_scope(identity, run)])


def _scope(identity: Identity, run: str) -> list[str]:
    """What else keeps answers apart; nothing for most models."""
    details = [json.dumps(sorted(identity.details.items()))] if identity.details else []
    return details + ([] if identity.stable else [run])


def details_of(parts: Mapping[str, str]) -> dict[str, str]:
    """The details of an identity, from the parts of a key."""
    return {name: value for name, value in parts.items() if name not in PARTS}


def plain_address(url: str) -> str:
    """Host, port, path and query of a URL; the System One endpoint's own ending and a final slash do not count.

    >>> plain_address("http://H:80/v1/") == plain_address("http://h/v1/systemone") == plain_address("http://h")
    True
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return url
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    path = re.sub(r"(/v1(/systemone)?)?/*$", "", parts.path.rstrip("/"))
    place = f"[{host}]" if ":" in host else host
    query = f"?{parts.query}" if parts.query else ""
    return f"{place}:{port or usual}{path}{query}" if host else url


def _digest(parts: list[str]) -> bytes:
    return sha256(json.dumps(parts).encode("ascii")).digest()[:DIGEST_BYTES]
