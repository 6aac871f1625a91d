"""The files that ``init`` writes, from what it was told."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from importlib import metadata
from importlib.resources import files
from pathlib import Path

from pytest_jevbench import __version__
from pytest_jevbench.cli.init_config import configured
from pytest_jevbench.errors import InputError, Place

__all__ = ["Choice", "Written", "files_of"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What to set up: ``model`` is url, launch, command, reference or fixture, with its ``value``; ``tests`` suite or
    cases, with theirs; ``ci`` github, gitlab or none."""

    model: str
    value: str
    tests: str
    named: str
    ci: str


@dataclass(frozen=True, slots=True)
class Written:
    """One file: where, what stands in it, whether a file of the user's gets lines added, and what is to be said."""

    path: Path
    text: str
    added: bool = False
    note: str = ""


def files_of(choice: Choice, folder: Path, *, force: bool = False) -> list[Written]:
    """Every file, none of them written. Raises :class:`InputError` for each that is in the way, all at once."""
    keys = {} if choice.model == "fixture" else {f"jevbench_{choice.model}": choice.value}
    config = configured(
        folder, {**keys, f"jevbench_{choice.tests}": choice.named, "jevbench_store": "off"}, force=force
    )
    made = [
        Written(config.path, config.text, config.existed, "which model and suite `pytest --jevbench` runs"),
        Written(folder / "jevbench.yaml", _template("jevbench.yaml"), note="settings, and what every run has to keep"),
    ]
    if choice.model == "fixture":
        made.append(Written(folder / "conftest.py", _template("conftest.py.txt"), note="put your model in here"))
    if choice.ci != "none":
        made += [
            Written(folder / "coherence/gate.yaml", _template("gate.yaml"), note="what a change has to keep"),
            Written(folder / "coherence/requirements.txt", _requirements(choice), note="what CI installs"),
        ]
    if choice.ci == "github":
        workflows = folder / ".github/workflows"
        for name, template in (("coherence.yml", "github-gate.yml"), ("coherence-baseline.yml", "github-baseline.yml")):
            text = _template(template).replace("@ENVIRONMENT@", _environment(choice))
            note = "gates each pull request" if template == "github-gate.yml" else "records a baseline, by hand"
            made.append(Written(workflows / name, text, note=note))
    if choice.ci == "gitlab":
        own = folder / ".gitlab-ci.yml"
        there = own.exists() and not force
        path = folder / "coherence/gitlab-ci.yml" if there else own
        note = (
            "include it in .gitlab-ci.yml: `include: coherence/gitlab-ci.yml`" if there else "gates each merge request"
        )
        made.append(Written(path, _template("gitlab.yml"), note=note))
    _refuse(made, folder, force)
    return made


def _refuse(made: list[Written], folder: Path, force: bool) -> None:
    """Raise where a file would be replaced, or a folder stands in the way of one."""
    blocked = [one.path for one in made if one.path.is_dir() or any(p.is_file() for p in one.path.parents)]
    if blocked:
        raise InputError("this is a folder, or lies below a file", place=Place(blocked[0]))
    there = [str(one.path.relative_to(folder)) for one in made if one.path.exists() and not one.added]
    if there and not force:
        raise InputError(
            f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} there already",
            advice="Nothing was written. --force replaces them",
        )


def _template(name: str) -> str:
    return (files("pytest_jevbench.cli") / "init_templates" / name).read_text(encoding="utf-8")


def _environment(choice: Choice) -> str:
    """A model at a URL may want a key, which comes from the repository's secrets."""
    if choice.model != "url":
        return ""
    return "    env:\n      JEVBENCH_API_KEY: ${{ secrets.JEVBENCH_API_KEY }}   # where the model wants a key\n"


def _requirements(choice: Choice) -> str:
    needed = []
    if choice.tests == "suite" and ":" in choice.named and "/" not in choice.named:
        needed.append(_pinned(choice.named.partition(":")[0]))
    if choice.model in ("launch", "command"):
        program = next(iter(shlex.split(choice.value)), "")
        found = [
            e.dist.name for e in metadata.entry_points(group="console_scripts", name=program) if e.dist is not None
        ]
        needed += [_pinned(name) for name in found if name != "pytest-jevbench"] or [
            f"# what gives the program {program}"
        ]
    text = _template("requirements.txt").replace("@VERSION@", __version__)
    return text.replace("@REQUIREMENTS@\n", "".join(f"{line}\n" for line in dict.fromkeys(needed)))


def _pinned(distribution: str) -> str:
    try:
        return f"{distribution}=={metadata.version(distribution)}"
    except metadata.PackageNotFoundError:
        return distribution
