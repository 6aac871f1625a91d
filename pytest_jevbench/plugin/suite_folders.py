"""Suite folders inside the test tree: collected where they lie, each a part of the session with a card of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import JevbenchError
from pytest_jevbench.plugin.item import Unjudged, Violation
from pytest_jevbench.plugin.item_marks import marks_of
from pytest_jevbench.plugin.keys import LEFT_ALONE, PARTS, RUN
from pytest_jevbench.plugin.model_source import names_model
from pytest_jevbench.plugin.part import Part, PartSpec, PartTest, short_id
from pytest_jevbench.plugin.part_asking import JUDGED, PART_TEST, ask_and_judge
from pytest_jevbench.plugin.part_session import part_session
from pytest_jevbench.plugin.settings import read_settings, runs_nothing
from pytest_jevbench.suite_finding import PLAN_FILE

__all__ = ["SuiteFolder", "suite_folder"]


def suite_folder(manifest: Path, parent: pytest.Collector) -> SuiteFolder | None:
    """A collector for the manifest of a frozen suite; None for any other file, and for a suite that is run already."""
    path = manifest.parent
    if not _is_suite(manifest):
        return None
    config = parent.config
    run = config.stash.get(RUN, None)
    if run is not None and run.suite.path.resolve() == path.resolve():
        return None
    if PARTS not in config.stash and not runs_nothing(config):
        named = read_settings(config, names_tests=False)
        if not names_model(config, named):
            config.stash.setdefault(LEFT_ALONE, []).append(_shown(path, config))
            return None
    folder: SuiteFolder = SuiteFolder.from_parent(parent, path=manifest)
    return folder


def _is_suite(file: Path) -> bool:
    """Whether a manifest tells of a frozen plan, or cannot be read and a plan lies beside it.

    Whatever else is wrong with the suite is told when it is read.
    """
    try:
        manifest: Any = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return (file.parent / PLAN_FILE).is_file()
    plan = manifest.get("plan") if isinstance(manifest, dict) else None
    return isinstance(plan, dict) and isinstance(plan.get("file"), str) and isinstance(manifest.get("files"), dict)


def _shown(path: Path, config: pytest.Config) -> str:
    return str(path.relative_to(config.rootpath)) if path.is_relative_to(config.rootpath) else str(path)


class SuiteFolder(pytest.File):
    """The manifest of a suite: collects its cases."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        folder = self.path.parent
        where = _shown(folder, self.config)
        try:
            session = part_session(self.config)
            part = session.part(PartSpec(self.nodeid, where, {"suite": str(folder.absolute())}, folder=True))
        except (JevbenchError, pytest.UsageError) as error:
            text = str(error)
            raise self.CollectError(text if text.startswith(where) else f"{where}: {text}") from None
        for _, tests in groupby(part.run.tests, key=lambda test: test.id.case_id):
            ofs = [PartTest(part, test) for test in tests]
            case: FolderCase = FolderCase.from_parent(self, name=short_id(ofs[0].test.id).partition("::")[0])
            case.tests, case.part = ofs, part
            yield case


class FolderCase(pytest.Collector):
    """A case: collects its tests."""

    tests: list[PartTest]
    part: Part

    def collect(self) -> Iterator[pytest.Item]:
        for of in self.tests:
            item: FolderItem = FolderItem.from_parent(self, name=short_id(of.test.id).partition("::")[2])
            item.stash[PART_TEST] = of
            for mark in marks_of(self.part.run, of.test):
                item.add_marker(mark)
            yield item


class FolderItem(pytest.Item):
    """One test of a suite folder."""

    def setup(self) -> None:
        """Ask whatever the test needs and judge it; a test that cannot be judged ends here, as an error."""
        ask_and_judge(self, self.stash[PART_TEST])

    def runtest(self) -> None:
        """Fail where the law is broken and a violation counts as a failure."""
        judged = self.stash[JUDGED]
        if judged.payload.get("fails"):
            raise Violation(str(judged.test))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """One line: the report of the session tells the worst in full."""
        if isinstance(excinfo.value, (Violation, Unjudged)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """An existing file, so that test explorers can open it."""
        return self.stash[PART_TEST].part.run.suite.file, None, self.nodeid
