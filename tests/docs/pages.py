"""The fenced blocks of the pages, with the directives before them, and the commands in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["DIRECTIVES", "PAGES", "ROOT", "Block", "Command", "Directive", "blocks_of", "file_of", "named"]

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

DIRECTIVES = ("file", "copy", "first", "server", "exits", "small", "slow", "not compared")
FENCE = re.compile(r"^(`{3,})([\w-]*)[ \t]*$")
COMMENT = re.compile(r"^<!-- ([a-z ]+?)(?:: (.*?))? -->$")


@dataclass(frozen=True)
class Directive:
    """``<!-- name: value -->`` before a block."""

    name: str
    value: str


@dataclass(frozen=True)
class Command:
    """What stands behind ``$``, and the lines shown below it."""

    text: str
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """A fenced block. ``line`` is that of its fence; ``follows``: nothing stands between it and a console block."""

    page: str
    line: int
    language: str
    body: tuple[str, ...]
    directives: tuple[Directive, ...] = ()
    follows: bool = False
    commands: tuple[Command, ...] = field(default=())

    def has(self, name: str) -> bool:
        return any(directive.name == name for directive in self.directives)

    def values(self, name: str) -> list[str]:
        return [directive.value for directive in self.directives if directive.name == name]

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.body)

    @property
    def is_output(self) -> bool:
        """Whether it shows what a command printed."""
        return self.language == "text" and (self.follows or self.has("first"))


def named(page: Path) -> str:
    return page.name


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page in their order. Raises ``ValueError`` at a directive that there is not."""
    blocks: list[Block] = []
    lines = page.read_text(encoding="utf-8").splitlines()
    directives: list[Directive] = []
    follows = False
    at = 0
    while at < len(lines):
        line = lines[at]
        fence = FENCE.match(line)
        comment = COMMENT.match(line)
        if fence:
            end = lines.index(fence[1], at + 1)
            body = tuple(lines[at + 1 : end])
            commands = _commands(body) if fence[2] == "console" else ()
            blocks.append(Block(page.name, at + 1, fence[2], body, tuple(directives), follows, commands))
            directives, follows = [], fence[2] == "console"
            at = end
        elif comment and comment[1] in DIRECTIVES:
            directives.append(Directive(comment[1], comment[2] or ""))
        elif line.strip():
            if directives:
                raise ValueError(f"{page.name}, line {at + 1}: {directives[-1]} stands before no block")
            follows = False
        at += 1
    return blocks


def _commands(body: tuple[str, ...]) -> tuple[Command, ...]:
    commands: list[Command] = []
    lines = iter(body)
    for line in lines:
        if line.startswith("$ "):
            text = line[2:]
            while text.endswith("\\"):
                text = f"{text[:-1].rstrip()} {next(lines).strip()}"
            commands.append(Command(text, ()))
        elif commands:
            commands[-1] = Command(commands[-1].text, (*commands[-1].shown, line))
        else:
            raise ValueError(f"a console block begins with output: {line}")
    return tuple(commands)


def file_of(page: Path, name: str) -> str:
    """The file that a page shows in a block under ``<!-- file: NAME -->``."""
    [text] = [block.text for block in blocks_of(page) if name in block.values("file")]
    return text
