"""The small domain of the documentation, its folder, and a writer that is a program."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

from pytest_jevbench.datagen.domain import Domain
from pytest_jevbench.datagen.folders import DomainFolder

DOCS = Path(__file__).parents[2] / "docs" / "datagen.md"


def documented() -> str:
    """The domain file that the documentation shows."""
    return DOCS.read_text("utf-8").split("```yaml\n")[1].split("```")[0]


def small_folder(path: Path, **changes: str) -> DomainFolder:
    """The small domain in a folder of its own; each change replaces a text of the file."""
    text = documented()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path.mkdir(parents=True, exist_ok=True)
    (path / "domain.yaml").write_text(text, "utf-8")
    return DomainFolder(path)


def changed(path: Path, old: str, new: str) -> DomainFolder:
    """The small domain with one text replaced."""
    return small_folder(path, **{old: new})


def small_domain(path: Path) -> Domain:
    """The small domain."""
    return small_folder(path).domain()


def text_of(brief: str) -> str:
    """A text that says what its brief asks for and is unlike every other: a record where the brief wants JSON."""
    told = re.findall(r"^- (.*)$", _part(brief, "State outright"), re.MULTILINE)
    hints = re.findall(r"\(For instance: (.*)\)", _part(brief, "Let the reader infer"))
    words = " ".join([*told, *(f"Well, {hint}." for hint in hints)])
    high = int(re.search(r"and (\d+) words", brief)[1])  # type: ignore[index]
    stream = sha256(brief.encode()).hexdigest() * 20
    filler = [f"w{stream[i : i + 4]}" for i in range(0, len(stream), 4)]
    text = " ".join([words, *filler[: high - 5 - len(words.split())]])
    return json.dumps({"note": text}) if "JSON object" in brief else text


def _part(brief: str, title: str) -> str:
    found = re.search(rf"^{title}[^\n]*:\n(.*?)(?:\n\n|\Z)", brief, re.MULTILINE | re.DOTALL)
    if not found:
        return ""
    body = found[1]
    return body if body.startswith("- ") else f"- {body}"


def write_all(folder: DomainFolder, domain: Domain) -> None:
    """A good draft for every plan."""
    from pytest_jevbench.datagen.briefs import brief_of

    folder.drafts.mkdir(exist_ok=True)
    for plan in folder.planned(domain):
        folder.draft(domain, plan).write_text(text_of(brief_of(domain, plan)), "utf-8")
