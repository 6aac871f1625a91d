"""Where the sources of a domain lie.

::

    customer_support/
      domain.yaml          what the author writes
      plans.jsonl          written by `plan`: facts, mentions, questions, gold answers
      drafts/<case>.txt    the texts, or .json; by hand or by `write`
      replaced/            drafts that `write --redo` put others in the place of
      writing.jsonl        written by `write`: what became of each request to a chat model
      verification.jsonl   written by `verify`: each planned fact against the text
      review.jsonl         what readers said of rewrites, gold answers and texts
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pytest_jevbench.datagen.briefs import check_briefs
from pytest_jevbench.datagen.domain import Domain
from pytest_jevbench.datagen.planned import CasePlan, read_plans
from pytest_jevbench.datagen.reading_domain import read_domain
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import read_bytes, write_whole

__all__ = ["DomainFolder", "write_text"]


@dataclass(frozen=True)
class DomainFolder:
    """A folder with the sources of one domain."""

    path: Path

    @classmethod
    def find(cls, given: str) -> DomainFolder:
        """The folder itself, or the one in which a given ``domain.yaml`` lies."""
        path = Path(given)
        folder = path.parent if path.suffix in (".yaml", ".yml") else path
        if not (folder / "domain.yaml").is_file():
            raise InputError("there is no domain.yaml", place=Place(folder), advice="Give the folder that holds it")
        return cls(folder)

    @property
    def plans(self) -> Path:
        return self.path / "plans.jsonl"

    @property
    def drafts(self) -> Path:
        return self.path / "drafts"

    @property
    def replaced(self) -> Path:
        return self.path / "replaced"

    @property
    def writing(self) -> Path:
        return self.path / "writing.jsonl"

    @property
    def verification(self) -> Path:
        return self.path / "verification.jsonl"

    @property
    def review(self) -> Path:
        return self.path / "review.jsonl"

    def domain(self) -> Domain:
        """The domain, read and checked."""
        read_bytes(self.path / "domain.yaml")  # says why it cannot be read, where the reader of YAML blames its text
        domain = read_domain(self.path / "domain.yaml")
        check_briefs(domain)
        return domain

    def planned(self, domain: Domain, *, questions: bool = True) -> tuple[CasePlan, ...]:
        """The plans as they lie in the folder; without their questions where these are to be chosen anew."""
        return read_plans(self.plans, domain, questions=questions)

    def draft(self, domain: Domain, plan: CasePlan) -> Path:
        """The file of a case's text."""
        form = domain.styles[plan.style].form
        return self.drafts / f"{plan.id}.{'json' if form == 'json' else 'txt'}"

    def other_draft(self, domain: Domain, plan: CasePlan) -> Path:
        """Where a text would lie whose author took it for a record, or a record for a text."""
        path = self.draft(domain, plan)
        return path.with_suffix(".txt" if path.suffix == ".json" else ".json")


def write_text(path: Path, text: str) -> None:
    """Write a file whole, making its folder where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
