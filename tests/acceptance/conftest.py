"""Running whole sessions of pytest with the plugin, as a user would."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.uniform_model import UNIFORM

CALLABLE = f"import pytest\n{UNIFORM}"


AWAY = ("-p", "no:randomly", "-p", "no:hypothesispytest")


@pytest.fixture
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes a run away from the settings of this project and of the machine."""
    for name in ("CI", "PYTEST_ADDOPTS", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def run_jevbench(pytester: pytest.Pytester, no_settings: None) -> Callable[..., pytest.RunResult]:
    """Runs pytest in a process of its own, in an empty directory, away from this project's settings."""

    def run(*args: str) -> pytest.RunResult:
        return pytester.runpytest_subprocess(*AWAY, *args)

    return run


@pytest.fixture
def run_here(pytester: pytest.Pytester, no_settings: None) -> Callable[..., pytest.RunResult]:
    """Runs pytest as ``run_jevbench`` does and in this process, which takes a tenth of the time."""

    def run(*args: str) -> pytest.RunResult:
        return pytester.runpytest_inprocess(*AWAY, *args)

    return run


@pytest.fixture
def conftest_model(pytester: pytest.Pytester) -> Callable[[str], None]:
    """Writes a root conftest whose ``jevbench_model`` is ``body``, with ``uniform(state, questions)`` at hand."""

    def write(body: str) -> None:
        pytester.makeconftest(
            CALLABLE + "\n@pytest.fixture(scope='session')\ndef jevbench_model():\n    " + body.replace("\n", "\n    ")
        )

    return write
