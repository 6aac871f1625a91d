"""The files that ``init`` writes, from what it was told."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from importlib import metadata
from importlib.resources import files
from pathlib import Path

from pytest_jevbench import __version__
from pytest_jevbench.case_settings import SETTINGS_FILE, has_settings
from pytest_jevbench.cli.init_config import configured
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.suite_finding import is_path
from pytest_jevbench.suite_loading import Suite

__all__ = ["Choice", "Written", "files_of"]

BASELINE = "coherence/baseline.json"


@dataclass(frozen=True, slots=True)
class Choice:
    """What to set up: ``model`` is url, launch, command, reference or fixture, with its ``value`` and for launch and
    command the ``program`` that it starts; ``tests`` suite or cases, as ``named``, with what was ``planned`` of them;
    ``ci`` github, gitlab or none."""

    model: str
    value: str
    program: str
    tests: str
    named: str
    planned: Suite
    ci: str


@dataclass(frozen=True, slots=True)
class Written:
    """One file: where, what is to stand in it, whether a file of the user's keeps its own lines, and what to say."""

    path: Path
    text: str
    added: bool = False
    note: str = ""

    @property
    def data(self) -> bytes:
        return self.text.encode()

    @property
    def is_there(self) -> bool:
        """Whether the file is already as it should be."""
        return self.path.is_file() and self.path.read_bytes() == self.data


def files_of(choice: Choice, folder: Path, *, force: bool = False) -> list[Written]:
    """Every file, none of them written. Raises :class:`InputError` for those that are in the way, all at once."""
    keys = {} if choice.model == "fixture" else {f"jevbench_{choice.model}": choice.value}
    keys |= {f"jevbench_{choice.tests}": choice.named, "jevbench_store": "off"}
    config = configured(folder, keys, force=force)
    made = [
        Written(config.path, config.text, config.existed, f"the model and {choice.tests} `pytest --jevbench` runs"),
    ]
    if not _has_settings_beside_cases(choice, folder):
        note = "settings, and a gate for runs that name no other"
        made.append(Written(folder / SETTINGS_FILE, _template("jevbench.yaml"), note=note))
    if choice.model == "fixture":
        made.append(_conftest(folder))
    if choice.ci != "none":
        from pytest_jevbench.cli.init_gate import gate_text  # with numpy and scipy

        made += [
            Written(folder / "coherence/gate.yaml", gate_text(choice.planned), note="what a change has to keep"),
            Written(folder / "coherence/requirements.txt", _requirements(choice), note="what CI installs"),
        ]
    if choice.ci == "github":
        workflows = folder / ".github/workflows"
        for name, template, note in (
            ("coherence.yml", "github-gate.yml", "gates each pull request"),
            ("coherence-baseline.yml", "github-baseline.yml", "records a baseline, by hand"),
        ):
            text = _template(template).replace("@ENVIRONMENT@", _environment(choice))
            made.append(Written(workflows / name, text, note=note))
    if choice.ci == "gitlab":
        made.append(_gitlab(folder))
    _refuse(made, folder, force)
    return made


def _has_settings_beside_cases(choice: Choice, folder: Path) -> bool:
    """Whether the cases have settings of their own, whose gate would be a second one."""
    cases = folder / choice.named
    beside = cases if cases.is_dir() else cases.parent
    return choice.tests == "cases" and beside.resolve() != folder.resolve() and has_settings(beside)


def _refuse(made: list[Written], folder: Path, force: bool) -> None:
    """Raise where a file would be replaced, or a folder stands in the way of one."""
    for one in made:
        blocked = next((place for place in one.path.parents if place.is_file()), None)
        if blocked is not None:
            raise InputError(
                "this is a file, where a folder is needed", place=Place(blocked), advice="Nothing was written"
            )
        if one.path.exists() and not one.path.is_file():
            raise InputError("this is no file", place=Place(one.path), advice="Nothing was written")
    there = [
        one.path.relative_to(folder).as_posix()
        for one in made
        if one.path.exists() and not one.added and not one.is_there
    ]
    if there and not force:
        raise InputError(
            f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} there already",
            advice="Nothing was written. --force replaces them",
        )


def _template(name: str) -> str:
    return (files("pytest_jevbench.cli") / "init_templates" / name).read_text(encoding="utf-8")


def _conftest(folder: Path) -> Written:
    """The example of a model; a conftest of the user's keeps its lines, and is left alone where it has a model."""
    path = folder / "conftest.py"
    example = _template("conftest.py.txt")
    if not path.is_file():
        return Written(path, example, note="put your model in here")
    try:
        text = path.read_bytes().decode()
        names = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
    except (SyntaxError, ValueError) as error:
        raise InputError(
            f"this is no Python that can be read ({error})", place=Place(path), advice="Nothing was written"
        ) from None
    if {"jevbench_model", "pytest_jevbench_model"} & names or "jevbench_model" in text:
        return Written(path, text, added=True, note="it has a model")
    body = example.partition('"""\n\n')[2]
    added = f"\n\n# The model that `pytest --jevbench` tests: put your own in the place of this one.\n{body}"
    end = "\r\n" if "\r\n" in text else "\n"
    return Written(path, text.rstrip() + end + added.replace("\n", end), added=True, note="put your model in there")


def _gitlab(folder: Path) -> Written:
    """The pipeline; beside one of the user's, to be included in it."""
    own, beside = folder / ".gitlab-ci.yml", folder / "coherence/gitlab-ci.yml"
    text = _template("gitlab.yml")
    if own.exists() and not Written(own, text).is_there:
        return Written(beside, text, note="put `include: coherence/gitlab-ci.yml` into .gitlab-ci.yml")
    return Written(own, text, note="gates merge requests; a manual job records a baseline")


def _environment(choice: Choice) -> str:
    """A model at a URL may want a key, which comes from the repository's secrets."""
    if choice.model != "url":
        return ""
    return "    env:\n      JEVBENCH_API_KEY: ${{ secrets.JEVBENCH_API_KEY }}   # where the model wants a key\n"


def _requirements(choice: Choice) -> str:
    needed = []
    if choice.tests == "suite" and ":" in choice.named and not is_path(choice.named):
        needed.append(_pinned(choice.named.partition(":")[0]))
    if choice.program:
        entries = metadata.entry_points(group="console_scripts", name=choice.program)
        found = {entry.dist.name for entry in entries if entry.dist is not None}
        needed += [_pinned(name) for name in sorted(found - {"pytest-jevbench"})]
    text = _template("requirements.txt").replace("@VERSION@", __version__)
    return text.replace("@REQUIREMENTS@\n", "".join(f"{line}\n" for line in dict.fromkeys(needed)))


def _pinned(distribution: str) -> str:
    try:
        return f"{distribution}=={metadata.version(distribution)}"
    except metadata.PackageNotFoundError:
        return distribution
