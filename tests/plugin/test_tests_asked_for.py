"""Where a suite is looked for: a path is seen from where it was written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_jevbench.errors import SuiteError
from pytest_jevbench.plugin.settings import Settings
from pytest_jevbench.plugin.tests_asked_for import suite_asked_for
from pytest_jevbench.suite_finding import bundled_suites


def test_a_path_of_an_ini_file_is_seen_from_the_root_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(bundled_suites()["jevbench-examples"], tmp_path / "suites/mine")
    (tmp_path / "below").mkdir()
    given = {"suite": "./suites/mine"}
    for folder in (tmp_path, tmp_path / "below"):
        monkeypatch.chdir(folder)
        assert len(suite_asked_for(Settings(given, {}, tmp_path)).plan.tests) == 50
    with pytest.raises(SuiteError, match="there is no directory suites/mine"):  # typed here, where it is not
        suite_asked_for(Settings(given, given, tmp_path))
    assert suite_asked_for(Settings({"suite": "jevbench-examples"}, {}, tmp_path)).name == "jevbench-examples"
