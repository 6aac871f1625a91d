"""What a repository may be set up for: each answer looked at before it is written anywhere."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.command_lines import command_line
from pytest_jevbench.models.urls import endpoint, split_urls
from pytest_jevbench.suite_finding import is_path
from pytest_jevbench.suite_loading import Suite, load_suite, suite_of_cases

__all__ = ["CI", "SUITE", "is_local", "named_cases", "named_ci", "named_model", "named_suite", "usual_ci"]

SUITE = "jevbench-mini"
CI = ("github", "gitlab", "none")


def named_model(model: str, value: str) -> tuple[str, str, str]:
    """The kind of a model, its value, and the program that it starts. Raises :class:`InputError`.

    What holds a key or a password is refused: it would lie in the repository.
    """
    place = Place(field=f"--{model}")
    value = _one_line(value.strip(), place)
    program = ""
    secret = False
    if model == "url":
        endpoints = [endpoint(url, place) for url in split_urls(value)]
        if not endpoints:
            raise InputError.unexpected(value, "a URL such as http://127.0.0.1:8000", place)
        secret = any(one.secrets for one in endpoints)
    if model in ("launch", "command"):
        line = command_line(value, place, installed=False)
        secret = bool(line.secrets)
        program = Path(line.words[0]).name
    if secret:
        raise InputError(
            "this holds a password or a key, which would lie in the repository",
            place=place,
            advice="Leave it out: JEVBENCH_API_KEY is sent to the model, and other variables reach what is started",
        )
    if model == "launch" and "{port}" not in value:
        raise InputError.unexpected(value, "a command with {port} where the port goes", place)
    return model, value, program


def is_local(url: str) -> bool:
    """Whether one of these URLs is on the machine that asks."""
    return any(endpoint(one).loopback for one in split_urls(url))


def named_suite(suite: str, folder: Path) -> tuple[str, str, Suite]:
    """A suite that can be loaded, a path as seen from the repository. Raises :class:`InputError`."""
    place = Place(field="--suite")
    _one_line(suite, place)
    if not is_path(suite) or suite.startswith("~"):
        return "suite", suite, load_suite(suite)
    loaded = load_suite(os.path.join(folder, suite))  # noqa: PTH118 - a path keeps the dot that tells it from a name
    seen = _from(suite, folder, place)
    return "suite", seen if is_path(seen) else f"./{seen}", loaded


def named_cases(cases: str, folder: Path) -> tuple[str, str, Suite]:
    """Cases that can be read, their path as seen from the repository. Raises :class:`InputError`."""
    place = Place(field="--cases")
    _one_line(cases, place)
    if not cases or not (folder / cases).exists():
        raise InputError("there is no such file or folder", place=Place(folder / cases, field="--cases"))
    return "cases", _from(cases, folder, place), suite_of_cases(folder / cases)


def named_ci(name: str) -> str:
    """One of :data:`CI`. Raises :class:`InputError`."""
    if name not in CI:
        raise InputError.unexpected(name, f"one of {', '.join(CI)}", Place(field="--ci"))
    return name


def usual_ci(folder: Path) -> str:
    """What a repository has, else github."""
    return "gitlab" if (folder / ".gitlab-ci.yml").exists() and not (folder / ".github").exists() else "github"


def _from(path: str, folder: Path, place: Place) -> str:
    if not Path(path).is_absolute():
        return path
    if Path(path).resolve().is_relative_to(folder.resolve()):
        return Path(path).resolve().relative_to(folder.resolve()).as_posix()
    raise InputError(f"{path} lies outside the repository", place=place, advice="Put it into the repository")


def _one_line(text: str, place: Place) -> str:
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text):
        raise InputError.unexpected(text, "one line of plain text", place)
    return text
