"""The code on docs/models.md does what the page says."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pytest_jevbench.models.checking import check_model
from pytest_jevbench.models.command import CommandModel
from pytest_jevbench.models.opening import as_models
from pytest_jevbench.models.urls import endpoint

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
RUNTIME, PROGRAM, CONFTEST = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module names what the package loads; the model itself has gigabytes of weights."""
    loaded = []
    package = ModuleType("wev")
    package.load = loaded.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wev", package)
    names: dict[str, Any] = {}
    exec(compile(RUNTIME, "my_models.py", "exec"), names)
    assert "openjev" in names
    assert loaded == ["alanhuangya/OpenJev-1.7B"]


def test_the_program(tmp_path: Path) -> None:
    path = tmp_path / "overlap.py"
    path.write_text(PROGRAM, encoding="utf-8")
    check = check_model(CommandModel([sys.executable, str(path)]))
    assert check.ok, check


def test_the_conftest() -> None:
    names: dict[str, Any] = {}
    plain_function = CONFTEST.replace('@pytest.fixture(scope="session")\n', "")
    assert plain_function != CONFTEST
    exec(compile(plain_function, "conftest.py", "exec"), names)
    model = as_models(names["jevbench_model"](), "the fixture")[0]
    assert model.identity.name == "my-model-v1"
    assert check_model(model).ok


def test_the_table_of_urls() -> None:
    rows = re.findall(r"^\| (`http.*) \| `(http\S+)` \|$", PAGE, re.MULTILINE)
    assert len(rows) == 4
    for typed, asked in rows:
        assert {endpoint(url).ask for url in re.findall(r"`([^`]+)`", typed)} == {asked}
