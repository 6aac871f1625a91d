"""Families of models, from a file, for pictures that show related models together.

::

    sparrow: [sparrow-decider, sparrow-decider-nano]
    baselines:
      - uniform
      - random

JSON is read as well. So is the file of the published tool: ``.json`` with a family for each name,
``{"uniform": "baselines"}``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.yaml_text import Entry, read_yaml

__all__ = ["OTHERS", "Families", "read_families"]

OTHERS = "other models"
"""The family of the models that no family names."""

_VERBALISED = " (verbalised)"
_T = TypeVar("_T")


@dataclass(frozen=True)
class Families:
    """``family_of`` gives each model's family by its name; ``names`` are the families in the file's order."""

    names: tuple[str, ...]
    family_of: dict[str, str]
    place: Place

    def grouped(self, models: Sequence[tuple[str, _T]]) -> dict[str, list[_T]]:
        """The models, each given by its name, by family in the file's order; those of none come last.

        Raises :class:`InputError` where no model is of any family: the file is then of other models.
        """
        found: dict[str, list[_T]] = {name: [] for name in (*self.names, OTHERS)}
        for name, value in models:
            found[self.of(name)].append(value)
        if models and all(self.of(name) == OTHERS for name, _ in models):
            raise InputError(
                f"none of the models {shown([name for name, _ in models])} is in a family",
                place=self.place,
                advice=self._near(models[0][0]) or f"Named there: {', '.join(map(shown, self.family_of))}",
            )
        return {name: values for name, values in found.items() if values}

    def of(self, name: str) -> str:
        """The family of a model; the mark of verbalised probabilities is no part of its name."""
        bare = name.removesuffix(_VERBALISED)
        return self.family_of.get(name) or self.family_of.get(bare) or OTHERS

    def _near(self, name: str) -> str:
        near = get_close_matches(name, self.family_of, n=3)
        return f"Did you mean {', '.join(map(shown, near))}?" if near else ""


def read_families(path: Path | str) -> Families:
    """The families of a file. Raises :class:`InputError` naming file, line and family."""
    entry = read_yaml(Path(path))
    fields = entry.fields("families, each with a list of model names: `sparrow: [sparrow-decider]`")
    if Path(path).suffix == ".json" and all(isinstance(inner.value, str) for inner in fields.values()):
        fields = _turned(fields)
    family_of: dict[str, str] = {}
    for family, inner in fields.items():
        if not family.strip():
            raise InputError("a family has no name", place=inner.place, advice="Give it one")
        if family == OTHERS:
            raise InputError(f"{shown(family)} is the name of what is in no family", place=inner.place)
        for item in inner.items("a list of model names, such as [model-a, model-b]"):
            name = item.text("the name of a model")
            if name in family_of:
                where = "twice in" if family_of[name] == family else f"in {shown(family_of[name])} already, and in"
                raise InputError(
                    f"{shown(name)} is {where} {shown(family)}", place=item.place, advice="A model has one family"
                )
            family_of[name] = family
    return Families(tuple(fields), family_of, Place(path))


def _turned(fields: dict[str, Entry]) -> dict[str, Entry]:
    """Names with a family each as families with names."""
    families: dict[str, list[Entry]] = {}
    for name, inner in fields.items():
        families.setdefault(inner.text("the name of a family"), []).append(Entry(name, inner.place))
    return {family: Entry(names, names[0].place) for family, names in families.items()}
