"""A folder in which the commands of one page are typed, one after the other."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from filelock import FileLock

from pytest_jevbench.cli import main
from tests.docs.pages import ROOT, file_of
from tests.servers.chat_model import NAME, chat_model
from tests.servers.modelled import replicas
from tests.servers.published import RunningServer
from tests.servers.scripted import ScriptedServer, reply

__all__ = ["Done", "Scratch"]

ADDRESS, CHAT = "127.0.0.1:8000", "127.0.0.1:8001"
"""Where pages have a server and a chat model; those that stand in for them have other ports."""

SPARROW = "sparrow-decider serve --port {port}"
SERVES = re.compile(r"^(?:sparrow-decider|pytest-jevbench) serve\b.*--port 8000")
SHELL = re.compile(r"&&|\|\||[|<>;`]|\$\(|\$\w")
PLUGINS_OFF = ("-p", "no:randomly", "-p", "no:hypothesispytest")
REFERENCES = ("uniform", "random", "luce", "luce_biased")


class Done:
    """What a command printed, both streams in one, and its exit status."""

    def __init__(self, status: int, printed: str) -> None:
        self.status = status
        self.printed = printed


class Scratch:
    """Types commands in. ``pytest`` and ``pytest-jevbench`` run in this process, everything else in bash.

    What sparrow-decider answers to jevbench-mini is asked once for all pages: ``kept`` is the store that goes round.
    """

    def __init__(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, stack: ExitStack, kept: Path
    ) -> None:
        self._kept = kept
        self._has_kept = False
        self._pytester = pytester
        self._patch = monkeypatch
        self._stack = stack
        self._served = ""
        self._at: dict[str, str] = {}
        self.folder = pytester.path
        for name in list(os.environ):
            if name in ("CI", "NO_COLOR", "PYTEST_ADDOPTS", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY") or name.startswith(
                "JEVBENCH"
            ):
                monkeypatch.delenv(name)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        monkeypatch.chdir(self.folder)

    # Files and servers ------------------------------------------------------------------------------------------------

    def write(self, name: str, text: str) -> None:
        text = self._addressed(text)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def copy(self, told: str) -> None:
        """``NAME from PAGE.md``, or ``NAME from FILE`` of the repository."""
        name, _, source = told.partition(" from ")
        page = ROOT / ("" if source == "README.md" else "docs") / source
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, self.folder / name)
        else:
            is_page = source.endswith(".md")
            self.write(name, file_of(page, name) if is_page else (ROOT / source).read_text(encoding="utf-8"))

    def serve(self, model: str) -> None:
        """Let this model answer at the pages' address."""
        if self._served == model:
            return
        self._served = model
        if model in REFERENCES:
            url = self._stack.enter_context(replicas(1, model)).urls
        elif model == "chat":
            url = self._chat()
        else:
            command = [*shlex.split(model), "serve"]
            url = self._stack.enter_context(RunningServer([*command, "--port", "{port}"])).url
        self._at[ADDRESS] = url.removeprefix("http://")

    def _chat(self) -> str:
        return self._stack.enter_context(ScriptedServer([chat_model()], get=reply({"data": [{"id": NAME}]}))).url

    def _addressed(self, text: str) -> str:
        """The text with the real addresses; what it needs is started."""
        if ADDRESS in text and ADDRESS not in self._at:
            self.serve("sparrow-decider")
        if CHAT in text and CHAT not in self._at:
            self._at[CHAT] = self._chat().removeprefix("http://")
        for written, real in self._at.items():
            text = text.replace(written, real)
        return text

    def _start(self, command: str) -> Done:
        """A command that serves until the page ends."""
        words = shlex.split(command.replace("8000", "{port}"), comments=True)
        self._at[ADDRESS] = self._stack.enter_context(RunningServer(words)).url.removeprefix("http://")
        self._served = command
        return Done(0, "")

    # Commands ---------------------------------------------------------------------------------------------------------

    def type(self, command: str, *, small: bool = False) -> Done:
        """Run a command as it stands on the page."""
        if SERVES.match(command):
            return self._start(command)
        text = self._addressed(re.sub(r"^pip install [^&]*&& ", "", command))
        if ADDRESS in self._at:
            text = text.replace("PORT=8000", f"PORT={self._at[ADDRESS].split(':')[1]}")
        if small:
            text = re.sub(r"(?:jevbench:)?jevbench-(?:mini|240)\b", "jevbench-examples", text)
        exported = re.match(r"^export (\w+)=(\S+)$", text)
        if exported:
            self._patch.setenv(exported[1], exported[2])
            return Done(0, "")
        done = self._run(text)
        told = done.printed.replace(f"{self.folder}/", "").replace(str(self.folder), ".")
        for written, real in self._at.items():
            told = told.replace(real, written)
        return Done(done.status, told)

    def _run(self, text: str) -> Done:
        if SHELL.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", text)) or "$" in text:
            return self._shell(text)
        words = shlex.split(text, comments=True)
        if words[0] == "pytest":
            return self._pytest(words[1:])
        if words[0] == "pytest-jevbench":
            return self._command(words[1:])
        return self._shell(text)

    def _pytest(self, words: list[str]) -> Done:
        store = self.folder / ".jevbench" / "answers.sqlite"
        if self._has_kept or not self._asks_sparrow(words):
            return self._run_pytest(words)
        self._has_kept = True
        with FileLock(f"{self._kept}.lock"):
            if self._kept.exists():
                shutil.rmtree(store.parent, ignore_errors=True)
                store.parent.mkdir()
                shutil.copy(self._kept, store)
                return self._run_pytest(words)
            done = self._run_pytest(words)
            if not any("minimize" in word or "shard" in word for word in words):
                shutil.copy(store, self._kept)
            return done

    def _asks_sparrow(self, words: list[str]) -> bool:
        """Whether a run asks sparrow-decider, with its usual weights, the requests of jevbench-mini."""
        settings = self.folder / "pyproject.toml"
        text = " ".join(words) + (settings.read_text(encoding="utf-8") if settings.exists() else "")
        return SPARROW in text and "jevbench-mini" in text and "--jevbench-reference" not in text

    def _run_pytest(self, words: list[str]) -> Done:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            result = self._pytester.runpytest_inprocess(*PLUGINS_OFF, *words)
        self._patch.chdir(self.folder)
        return Done(int(result.ret), "\n".join([*result.outlines, *result.errlines]))

    def _command(self, words: list[str]) -> Done:
        printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                status = main(words)
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else 1
        printed.seek(0)
        return Done(status, printed.read())

    def _shell(self, text: str) -> Done:
        self._patch.setenv("PYTEST_ADDOPTS", " ".join(PLUGINS_OFF))
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", text],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self._patch.delenv("PYTEST_ADDOPTS")
        return Done(done.returncode, done.stdout)
