"""Where suites lie: bundled with this package, shipped by another distribution, or in a directory of the user's."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path

from pytest_jevbench.errors import SuiteError
from pytest_jevbench.json_text import shown

__all__ = ["PLAN_FILE", "Found", "bundled_suites", "find_base", "find_suite", "is_path", "known_suites", "locate_suite"]

MANIFEST = "manifest.json"
PLAN_FILE = "tests.jsonl.gz"
OWN_DISTRIBUTION = "pytest-jevbench"


@dataclass(frozen=True, slots=True)
class Found:
    """A suite's directory, and the distribution that ships it where that is another one."""

    path: Path
    distribution: str | None = None

    def named(self, name: str) -> str:
        """The suite's name in node ids, cards and tables."""
        return name if self.distribution is None else f"{self.distribution}.{name}"


def bundled_suites() -> dict[str, Path]:
    """The suites that travel with this package, by name."""
    package = Path(__file__).resolve().parent
    inside = package / "bundled_suites"
    return _suites_in(inside if inside.is_dir() else package.parent / "suites")


def find_suite(spec: str) -> Path:
    """The directory of a suite given as bundled name, path, or ``distribution:name``. Raises :class:`SuiteError`."""
    return locate_suite(spec).path


def locate_suite(spec: str) -> Found:
    """A suite by bundled name, path, or ``distribution:name``. Raises :class:`SuiteError`.

    A bare name always means a bundled suite, whatever lies in the working directory; a path has a separator or
    starts with a dot.
    """
    if not spec:
        raise SuiteError("no suite is given", advice="Give a bundled name, a path, or distribution:name")
    if is_path(spec):
        return _in_directory(Path(spec).expanduser())
    bundled = bundled_suites()
    if spec in bundled:
        return Found(bundled[spec])
    distribution, colon, name = spec.partition(":")
    if colon:
        return _in_distribution(distribution, name)
    if Path(spec).is_dir():
        raise SuiteError(f"there is no bundled suite {shown(spec)}", advice=f"For the directory, give ./{spec}")
    raise SuiteError(f"there is no suite {shown(spec)}", advice=_near(spec))


def find_base(name: object, of: Found) -> Found:
    """The suite that another one is drawn from: beside it, else in the same distribution.

    Raises :class:`SuiteError`.
    """
    if not isinstance(name, str) or not name or name in (".", "..") or is_path(name) or ":" in name:
        raise SuiteError(f"the base is {shown(name)}", advice="A base is the bare name of a suite")
    beside = of.path.parent / name
    if (beside / MANIFEST).is_file():
        return Found(beside, of.distribution)
    shipped: dict[str, Path] = {}
    if of.distribution is not None:
        shipped = _suites_of(metadata.distribution(of.distribution))
    elif of.path in bundled_suites().values():
        shipped = bundled_suites()
    if name in shipped:
        return Found(shipped[name], of.distribution)
    raise SuiteError(
        f"the base suite {shown(name)} of {of.path} is not beside it",
        advice="Put it there, or freeze the suite with --standalone",
    )


def known_suites() -> dict[str, Found]:
    """All suites that can be named, by what to type: the bundled ones, then those of installed distributions."""
    known = {name: Found(path) for name, path in bundled_suites().items()}
    for distribution in metadata.distributions():
        owner = distribution.metadata["Name"]
        if owner and _normalised(owner) != OWN_DISTRIBUTION:
            for name, path in _suites_of(distribution).items():
                known.setdefault(f"{_normalised(owner)}:{name}", Found(path, _normalised(owner)))
    return known


def is_path(spec: str) -> bool:
    """Whether a suite is named by a path, which has a separator or starts with a dot."""
    return "/" in spec or os.sep in spec or spec.startswith((".", "~")) or bool(os.path.splitdrive(spec)[0])


def _in_directory(path: Path) -> Found:
    if not path.exists():
        raise SuiteError(f"there is no directory {path}", advice="Give the directory that holds the manifest.json")
    if not path.is_dir():
        raise SuiteError(
            f"{path} is a file", advice="Give the suite's directory; a file of cases goes to --jevbench-cases"
        )
    return Found(path)


def _in_distribution(distribution: str, name: str) -> Found:
    owner = _normalised(distribution)
    shipped = bundled_suites() if owner == OWN_DISTRIBUTION else _installed_suites(owner)
    if shipped is None:
        raise SuiteError(
            f"the distribution {shown(distribution)} is not installed here",
            advice="Install it into this environment; for a path, put ./ before it",
        )
    if name not in shipped:
        near = get_close_matches(name, shipped, n=3) or list(shipped)
        advice = f"It has {', '.join(near)}" if near else "It ships no suite"
        raise SuiteError(f"the distribution {shown(distribution)} has no suite {shown(name)}", advice=advice)
    return Found(shipped[name], None if owner == OWN_DISTRIBUTION else owner)


def _installed_suites(distribution: str) -> dict[str, Path] | None:
    """The suites of a distribution, None where it is not installed."""
    if not distribution:  # some Pythons find any distribution under no name
        return None
    try:
        return _suites_of(metadata.distribution(distribution))
    except metadata.PackageNotFoundError:
        return None


def _normalised(distribution: str) -> str:
    return distribution.lower().replace("_", "-").replace(".", "-")


def _near(spec: str) -> str:
    known = known_suites()
    same = [full for full in known if full.partition(":")[2] == spec]
    near = same or get_close_matches(spec, known, n=3, cutoff=0.5)
    if near:
        return f"Did you mean {', '.join(near)}?"
    return f"There are {', '.join(known)}" if known else "A path has a slash or starts with a dot"


def _suites_of(distribution: metadata.Distribution) -> dict[str, Path]:
    """The suites among a distribution's files. An editable install lists none: its source tree is looked through."""
    plans = [Path(str(distribution.locate_file(f))) for f in distribution.files or () if f.name == PLAN_FILE]
    if not plans:
        plans = [plan for root in _editable_roots(distribution) for plan in _plans_under(root)]
    return {plan.parent.name: plan.parent for plan in sorted(plans) if (plan.parent / MANIFEST).is_file()}


def _editable_roots(distribution: metadata.Distribution) -> Iterator[Path]:
    from urllib.parse import unquote, urlsplit
    from urllib.request import url2pathname  # takes longer to import than a suite takes to find

    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):
        yield Path(url2pathname(unquote(urlsplit(origin["url"]).path)))


def _plans_under(root: Path) -> Iterator[Path]:
    for above in ("", "*/", "src/*/"):
        yield from root.glob(f"{above}suites/*/{PLAN_FILE}")


def _suites_in(directory: Path) -> dict[str, Path]:
    found = sorted(directory.glob(f"*/{MANIFEST}")) if directory.is_dir() else []
    return {manifest.parent.name: manifest.parent for manifest in found}
