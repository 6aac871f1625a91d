"""``--jevbench-minimize``: when and where a run makes its worst violated tests smaller.

That happens in the process that gathers the results, after the last test and before the model is closed: with workers
on the controller, which reaches a model that options or the hook name. A fixture is alive to the end of the last
test alone, and in workers only, so it is asked there, and with workers refused before anything starts.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import nullcontext

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import JSON
from pytest_jevbench.models.dialects import dialect_of
from pytest_jevbench.models.urls import endpoint
from pytest_jevbench.plugin.finishing import worst_of
from pytest_jevbench.plugin.keys import MODEL, RESULTS, RUN, SETTINGS
from pytest_jevbench.plugin.model_source import ModelSource
from pytest_jevbench.plugin.opening import has_workers, model_spec
from pytest_jevbench.plugin.settings import MODEL_OPTIONS, Settings, runs_nothing
from pytest_jevbench.questions import Request
from pytest_jevbench.runs.answered import Answered, Answers
from pytest_jevbench.shrinking.curl import CurlTarget, curl_command
from pytest_jevbench.shrinking.reduce import Reduced, reduce_tests
from pytest_jevbench.shrinking.section import minimized_json
from pytest_jevbench.shrinking.shrink import REQUESTS

__all__ = ["Minimizing", "check_minimize", "model_words"]


def check_minimize(config: pytest.Config, settings: Settings, source: ModelSource) -> None:
    """Refuse what cannot be minimized. Raises :class:`InputError`."""
    if "minimize_requests" in settings.typed and not settings.get("minimize"):
        raise InputError("--jevbench-minimize-requests bounds --jevbench-minimize", advice="Give both")
    workers = getattr(config.option, "numprocesses", None) or getattr(config.option, "tx", None)
    if settings.get("minimize") and source.kind == "fixture" and workers:
        raise InputError(
            "--jevbench-minimize with workers: only workers have the model of the fixture jevbench_model, and only the "
            "controller knows which violations are the worst",
            advice="Run without -n (stored answers are not asked again), or use the hook pytest_jevbench_model",
        )


class Minimizing:
    """Reduces the worst violated tests once, at the last moment at which the model can be asked.

    Its hooks are registered only where something is to be minimized.
    """

    def __init__(self, config: pytest.Config, source: ModelSource) -> None:
        self._config = config
        self._source = source
        self._reduced: Reduced | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        """A session fixture is torn down with the last test."""
        if nextitem is None and self._source.kind == "fixture" and not has_workers(self._config):
            cancel = getattr(self._config.hook, "pytest_timeout_cancel_timer", None)
            if cancel is not None:
                cancel(item=item)  # the time of one test is no measure for this
            self.reduce()

    def section(self, *, interrupted: bool) -> dict[str, JSON] | None:
        """The card's section, or None where nothing was to be minimized. Called before the model is closed."""
        if not self._config.stash[SETTINGS].get("minimize") or runs_nothing(self._config):
            return None
        if self._reduced is None and interrupted:
            self._reduced = self._none("the run was interrupted")
        self.reduce()
        assert self._reduced is not None
        model = self._config.stash[MODEL]

        def answers(request: Request) -> dict[str, object] | None:
            reply = model.stored(request)
            return None if reply is None else dict(reply.answers)

        return minimized_json(self._reduced, answers, _curl(self._config, self._source))

    def reduce(self) -> None:
        """Reduce what was chosen, unless that was done."""
        if self._reduced is not None:
            return
        self._reduced = self._none("")
        config, settings, run = self._config, self._config.stash[SETTINGS], self._config.stash[RUN]
        model, most = config.stash[MODEL], settings.get("minimize_requests", REQUESTS)
        chosen = worst_of(config, config.stash[RESULTS].results(), settings.get("minimize"))
        if not chosen:
            return
        self._say(f"jevbench: reducing {len(chosen)} violated tests, up to {most} requests each; Ctrl-C ends only this")
        try:
            asked = model.after_tests()
        except Exception as error:  # the results of the run were paid for
            self._reduced = self._none(f"{type(error).__name__}: {error}")
            return
        self._reduced = reduce_tests(
            config.stash[RESULTS].results(),
            chosen,
            {test.id: test for test in run.tests},
            run.cases,
            lambda request: self._count(asked(request)),
            bank=run.suite.bank,
            seed=settings.get("seed", 0),
            tolerance=settings.tolerance,
            requests=most,
            relations=run.relations,
            trouble=lambda: model.trouble,
        )

    def _none(self, stopped: str) -> Reduced:
        settings = self._config.stash[SETTINGS]
        violated = sum(result.verdict == "violated" for result in self._config.stash[RESULTS].results())
        chosen = min(violated, settings.get("minimize"))
        return Reduced((), violated, chosen, settings.get("minimize_requests", REQUESTS), stopped)

    def _count(self, answered: Answered) -> Answered:
        """Tokens are paid for whatever they are for; notes tell of the suite's own answers."""
        asked = answered.asked if isinstance(answered, Answers) else None
        if asked is not None:
            self._config.stash[RESULTS].asked.add(
                asked.key[:24], {}, asked.model, asked.input_tokens, asked.output_tokens
            )
        return answered

    def _say(self, text: str) -> None:
        """A line at once: within a test what is written is captured."""
        plugins = self._config.pluginmanager
        reporter, capture = plugins.get_plugin("terminalreporter"), plugins.get_plugin("capturemanager")
        if reporter is not None and self._config.get_verbosity() >= 0:
            with capture.global_and_fixture_disabled() if capture is not None else nullcontext():
                reporter.ensure_newline()
                reporter.write_line(text)
                reporter.flush()


def _curl(config: pytest.Config, source: ModelSource) -> Callable[[Request], str | None]:
    """What writes a request as a command to send by hand, where the model is asked over HTTP."""
    settings, identity = config.stash[SETTINGS], config.stash[MODEL].identity
    if source.kind not in ("url", "launch") or identity is None:
        return lambda request: None
    spec = model_spec(settings, source, None)
    dialect = dialect_of(spec.dialect, spec.request_options)
    variable = settings.get("api_key_env", "JEVBENCH_API_KEY")
    if source.kind == "launch":
        url = endpoint("http://127.0.0.1:1", route=dialect.route).ask.replace(":1/", ":$PORT/", 1)
    else:
        where = endpoint(spec.urls[0], route=dialect.route)
        url = "$JEVBENCH_URL" if where.secrets else where.ask
    target = CurlTarget(url, variable if spec.api_key else "")
    return lambda request: curl_command(target, dialect.write(request, identity.name))


def model_words(settings: Settings) -> str:
    """The options that name the model as they were typed, without secrets; a regression case is asked with them."""
    kept = (*MODEL_OPTIONS, "model", "revision", "tolerance")
    return shlex.join(f"--jevbench-{name}={settings.shown(name)}" for name in kept if name in settings.typed)
