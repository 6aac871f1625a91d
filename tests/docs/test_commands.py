"""Every command of README.md and docs/*.md is typed in, and prints what the page shows.

How to write a page so that its commands run:

- Commands stand in a ```console block, each behind ``$ ``; a backslash at the end of a line goes on in the next. They
  are run in their order, in one empty folder for each page: what a command leaves there is there for the next one.
  ``pytest`` and ``pytest-jevbench`` run in this process, other commands in bash. A comment behind ``#`` may follow.
- Lines below a command are compared with what it prints. ``...`` alone in a line leaves out any number of lines, at the
  end of a line the rest of that line. A command may print more before, between ``...`` and after. Times, dates, ports,
  sizes of files and the lengths of rules (``====``) are not compared, nor are blank lines and runs of blanks.
- A ```text block directly below a console block (nothing between) goes on with the output of its last command.
- Where a page has a server at http://127.0.0.1:8000, a real one stands in for it: sparrow-decider, if nothing else is
  said. ``sparrow-decider serve --port 8000`` and ``pytest-jevbench serve NAME --port 8000`` run until the page ends.
- A chat model answers at http://127.0.0.1:8001: requests of the dialect ``openai``, and briefs of ``datagen write``.
- Passing is exit status 0; for ``pytest`` and ``card gate`` also 1 (violations); where the shown output of ``pytest``
  begins with ``ERROR:``, 4.
- ``pip install ... && COMMAND`` is typed without its first half.
- A block that runs jevbench-mini or jevbench-240 is slow, and with it its page: it runs under ``-m slow``.

Comments directly before a block say the rest. They do not show on the page:

    <!-- file: parcels.yaml -->                    this block (of any language) is that file in the page's folder
    <!-- copy: parcels.yaml from own-cases.md -->  that file of another page; or one of the repository:
                                                   ``conftest.py from conftest_examples/gate.py``
    <!-- first: COMMAND -->                        type this before the block; before a ```text block: it shows what
                                                   this prints
    <!-- server: luce_biased -->                   what answers at the address from here on: a reference model,
                                                   ``chat``, ``sparrow-decider``, ``sparrow-decider --model nano-robot``
    <!-- exits: 16 -->                             the exit status of the block's last command; several: of each
    <!-- small -->                                 run jevbench-examples in the place of jevbench-mini, compare nothing
    <!-- slow -->                                  run this page under -m slow
    <!-- not compared: REASON -->                  run it, and do not compare what it prints

What cannot run on a test machine is in NOT_RUN, with its reason; what a test of its own runs is in ELSEWHERE.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.docs.compared import missing
from tests.docs.pages import PAGES, ROOT, Block, Command, blocks_of, named
from tests.docs.scratch import Done, Scratch

NOT_RUN: dict[tuple[str, str], str] = {
    ("README.md", r"python3 -m venv \.venv"): "sets up what the tests already run in",
    ("README.md", r"pip install -e .* && pytest -n auto"): "runs these tests themselves; .ci/run does",
    ("adding-a-relation.md", r"pytest tests/relations"): "runs tests of the project itself",
    ("quick-start.md", r"python3 -m venv \.venv"): "sets up what the tests already run in",
    ("quick-start.md", r"pip install "): "installs from a checkout and a package index",
    ("scaling.md", r"python -m execnet"): "needs a second machine",
    ("scaling.md", r"pytest .*http://(gpu1|a):8000"): "needs machines with GPUs",
}
"""Page and beginning of the command, and why it cannot be run here."""

ELSEWHERE: dict[str, str] = {"rewrites.md": "test_rewrites_page.py"}
"""Pages whose commands want more than a folder and a server (keys at a console), and the test that types them."""

SLOW = re.compile(r"^(?:pip install .* && )?pytest .*jevbench-(?:mini|240)\b")


def not_run(page: str, command: str) -> bool:
    return any(page == name and re.match(start, command) for name, start in NOT_RUN)


def is_slow(page: Path) -> bool:
    """Whether a page runs a whole suite."""
    blocks = blocks_of(page)
    typed = [command.text for block in blocks if not block.has("small") for command in block.commands]
    whole = any(SLOW.match(command) and not not_run(page.name, command) for command in typed)
    return whole or any(block.has("slow") for block in blocks)


def has_commands(page: Path) -> bool:
    return page.name not in ELSEWHERE and any(block.commands for block in blocks_of(page))


def passes(command: Command, done: Done, wanted: str) -> bool:
    if wanted:
        return done.status == int(wanted)
    if not re.match(r"(?:pip install .* && )?pytest(?: |-jevbench (?:card )?gate)", command.text):
        return done.status == 0
    return done.status in ((4,) if command.shown[:1] and command.shown[0].startswith("ERROR:") else (0, 1))


class Typist:
    """Types a page's blocks in, and says where the page is wrong."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._last = Done(0, "")
        self.typed: list[str] = []

    def block(self, block: Block) -> None:
        for directive in block.directives:
            if directive.name == "file":
                self._scratch.write(directive.value, block.text)
            elif directive.name == "copy":
                self._scratch.copy(directive.value)
            elif directive.name == "server":
                self._scratch.serve(directive.value)
            elif directive.name == "first":
                self._last = self._scratch.type(directive.value)
                assert self._last.status in (0, 1), f"{block.page}: {directive.value}\n{self._last.printed}"
        compared = not block.has("small") and not block.has("not compared")
        statuses = " ".join(block.values("exits")).split()
        for number, command in enumerate(block.commands):
            self.typed.append(command.text)
            if not_run(block.page, command.text):
                continue
            self._last = self._scratch.type(command.text, small=block.has("small"))
            wanted = (
                statuses[number] if len(statuses) > 1 else "".join(statuses) if command is block.commands[-1] else ""
            )
            place = f"{block.page}, line {block.line}: $ {command.text}\nexit status {self._last.status}\n"
            assert passes(command, self._last, wanted), place + self._last.printed
            if compared:
                self._compare(command.shown, place)
        if block.is_output and compared:
            self._compare(block.body, f"{block.page}, line {block.line}\n")

    def _compare(self, shown: tuple[str, ...], place: str) -> None:
        lacking = missing(shown, self._last.printed)
        assert not lacking, f"{place}does not print:\n{lacking}\n\nbut:\n{self._last.printed}"


def type_in(page: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, kept: Path) -> None:
    with ExitStack() as stack:
        typist = Typist(Scratch(pytester, monkeypatch, stack, kept))
        for block in blocks_of(page):
            typist.block(block)
    assert typist.typed == every_command(page)


def every_command(page: Path) -> list[str]:
    """All lines of a page that begin with ``$ ``, found without the reader of blocks."""
    text = re.sub(r" *\\\n *", " ", page.read_text(encoding="utf-8"))
    return re.findall(r"^\s*\$ (.*)$", text, re.MULTILINE)


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A place that all workers share."""
    base = tmp_path_factory.getbasetemp()
    return (base if worker_id == "master" else base.parent) / "sparrow-answers.sqlite"


@pytest.mark.parametrize("page", [page for page in PAGES if has_commands(page) and not is_slow(page)], ids=named)
def test_the_commands_of_a_page(
    page: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, kept: Path
) -> None:
    type_in(page, pytester, monkeypatch, kept)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if has_commands(page) and is_slow(page)], ids=named)
def test_the_commands_of_a_slow_page(
    page: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, kept: Path
) -> None:
    type_in(page, pytester, monkeypatch, kept)


def test_each_exception_is_of_a_command_that_there_is() -> None:
    for (name, start), reason in NOT_RUN.items():
        [page] = [page for page in PAGES if page.name == name]
        assert reason
        assert any(re.match(start, command) for command in every_command(page)), (name, start)
    for name, module in ELSEWHERE.items():
        assert f'"{name}"' in (Path(__file__).parent / module).read_text(encoding="utf-8")
        assert (ROOT / "docs" / name).exists()
    assert len(NOT_RUN) <= 12


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_stand_where_they_are_found(page: Path) -> None:
    """No block of another kind, and no indented lines, hold a command that would never be typed."""
    commands = [command.text for block in blocks_of(page) for command in block.commands]
    assert commands == every_command(page)
    others = [line for block in blocks_of(page) if block.language in ("", "sh", "bash", "shell") for line in block.body]
    others += re.findall(r"^    (\S.*)$", re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S), re.M)
    assert [line for line in others if re.match(r"(?:\$|pytest|pytest-jevbench|pip|sparrow-decider) ", line)] == []
