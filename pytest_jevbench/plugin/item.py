"""One test of a plan as a pytest item: its setup asks the model, its call judges the answers."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pluggy
import pytest

from pytest_jevbench.errors import JevbenchError
from pytest_jevbench.json_text import printable
from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.plugin.keys import KNOWN, MODEL, RUN, SETTINGS
from pytest_jevbench.plugin.settings import runs_nothing
from pytest_jevbench.questions import Case
from pytest_jevbench.runs.gathering import judge_with
from pytest_jevbench.runs.results import TestResult

__all__ = ["CannotOpen", "JevbenchItem", "Unjudged", "Violation", "properties_of"]


class Violation(JevbenchError):
    """A test's law is broken; raised so that pytest treats the item as failed."""


class Unjudged(JevbenchError):
    """A test could not be judged: the model refused, or its answer is invalid, or it is out of reach."""


class CannotOpen(JevbenchError):
    """The model could not be opened: what the user's own code raised, with that code's frames alone."""

    def __init__(self, error: BaseException) -> None:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_installed(frame.filename)]
        what = "".join(traceback.format_exception_only(type(error), error))
        super().__init__("the model could not be opened\n" + "".join(traceback.format_list(frames)) + what.rstrip())


class JevbenchItem(pytest.Item):
    """(relation, case, target question), at its place in the plan.

    Its report carries the result as plain JSON in ``report.jevbench``.
    """

    test: PlannedTest
    case: Case
    result: TestResult | None
    payload: dict[str, Any] | None
    keywords_told: Mapping[str, Any] | None
    """What the reports of its phases share."""
    position: int
    turn: int
    """Its place among the tests that run here, once the run loop has begun."""

    def __init__(self, *, test: PlannedTest, case: Case, position: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.test = test
        self.case = case
        self.result = None
        self.payload = None
        self.keywords_told = None
        self.position = position
        self.turn = 0

    def setup(self) -> None:
        """Ask whatever the test needs and judge it; a test that cannot be judged ends here, as an error."""
        if runs_nothing(self.config):
            return
        model = self.config.stash[MODEL]
        try:
            ask_model = model.for_test(self.case, self.turn, self)
        except Exception as error:
            self.session.shouldstop = f"the model could not be opened ({model.broken})"
            raise CannotOpen(error) from error
        settings = self.config.stash[SETTINGS]
        run = self.config.stash[RUN]
        self.result, self.payload = judge_with(
            ask_model, self.test, self.case, settings.tolerance, run.relations, run.repeats
        )
        self.payload["spent"] = model.newly_spent()
        if model.far:
            self.payload["answers"] = model.texts(run.requests(self.test))
        if model.trouble and not self.session.shouldstop:
            self.session.shouldstop = f"jevbench: {model.trouble}"
        if self.result.verdict == "violated":
            known = self.nodeid in self.config.stash[KNOWN]
            self.payload["known"] = known
            self.payload["fails"] = not known and settings.fail_on != "never"
        if settings.get("junit_properties"):
            self.user_properties[:] = properties_of(self.result)
        if self.result.verdict == "unjudged":
            raise Unjudged(f"{self.result.reason}: {self.result.message}")

    def runtest(self) -> None:
        """Fail where the law is broken and a violation counts as a failure."""
        assert self.result is not None
        if self.payload is not None and self.payload.get("fails"):
            raise Violation(self._in_short())

    def teardown(self) -> None:
        """Let go of what the report carries: items live as long as the session."""
        self.result = self.payload = None

    def _in_short(self) -> str:
        assert self.result is not None
        worst = self.result.worst
        assert worst is not None
        deviation = "not finite" if worst.deviation is None else f"{worst.deviation:.4f}"
        return (
            f"{self.test.id.relation} is violated on {printable(self.case.id)}, {printable(self.test.id.key)}: "
            f"deviation {deviation}, allowed {worst.tolerance:g}"
        )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """One line: what is known is in the result, and the report of the run prints it in full."""
        if isinstance(excinfo.value, (Violation, Unjudged, CannotOpen)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    # Not cached in the items themselves: thousands of them would each get a dictionary of their own.

    @property
    def ihook(self) -> pluggy.HookRelay:
        """pytest's, which works it out at each of many uses in the life of an item, worked out once a case."""
        case: Any = self.parent
        hooks: pluggy.HookRelay = case.hooks
        return hooks

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """An existing file, so that test explorers can open it."""
        return self.config.stash[RUN].suite.file, None, self.nodeid

    @cached_property
    def location(self) -> tuple[str, int | None, str]:
        """The suite stands for a file, as in the node id: pytest's own would add a path to each line of ``-vv``."""
        suite: Any = self.parent.parent if self.parent is not None else self
        return suite.name, None, self.nodeid


def _is_installed(file: str) -> bool:
    """Whether a file is of an installed package, or of this one, and so tells a user nothing of their own code."""
    parts = Path(file).parts
    return "site-packages" in parts or "dist-packages" in parts or "pytest_jevbench" in parts or file.startswith("<")


def properties_of(result: TestResult) -> list[tuple[str, object]]:
    """What a JUnit file may say of a test: scalars alone."""
    properties: list[tuple[str, object]] = [("jevbench_verdict", result.verdict)]
    worst = result.worst
    if worst is not None and worst.deviation is not None:
        properties.append(("jevbench_deviation", worst.deviation))
    return properties
