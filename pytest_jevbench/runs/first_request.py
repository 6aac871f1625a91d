"""The first request of a run: what shows, before any test, that there is somebody to ask."""

from __future__ import annotations

from pytest_jevbench.errors import NotStored
from pytest_jevbench.runs.answered import Answered, Unanswered
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.runs.process_model import ProcessModel

__all__ = ["ask_first", "problem_of"]


def ask_first(run: Run, model: ProcessModel) -> Answered | None:
    """Open the model and ask it the run's first request; offline, see that the store has answers, and give None.

    Raises what opening raises, and :class:`NotStored` offline where no answer to any case is stored.
    """
    if not model.offline:
        return model.start(run.cases[run.here[0].id.case_id].request())
    missing = model.missing(request for test in run.here for request in run.requests(test))
    base = {run.cases[test.id.case_id].request().digest for test in run.here}
    if base <= {request.digest for request in missing}:
        model.start(missing[0])
        raise NotStored(f"offline, and no answer to any of the suite's cases is stored for {model.identity}")
    return None


def problem_of(answered: Answered | None) -> str:
    """What keeps a model that answered the first request so from being tested, or nothing."""
    if isinstance(answered, Unanswered):
        return f"the model did not answer the first request ({answered.reason}): {answered.message}"
    if answered is not None and answered.problems:
        key, problem = next(iter(answered.problems.items()))
        return f"the answer to question {key!r} cannot be read: {problem}. `pytest-jevbench check` tells more"
    return ""
