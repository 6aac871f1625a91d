"""Completion, asked of the shells themselves where they are there; bash always is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pytest_jevbench.cli import COMMANDS, GROUP_HELP, build_parser, main
from pytest_jevbench.cli.command_tree import places
from pytest_jevbench.cli.completion_scripts import SCRIPTS, script


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the script of each shell."""
    folder = tmp_path_factory.mktemp("completion")
    for shell in SCRIPTS:
        (folder / shell).write_text(script(shell, places(build_parser())), encoding="utf-8")
    return folder


def run(*words: str, cwd: Path) -> str:
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    return done.stdout


def bash(scripts: Path, *words: str) -> list[str]:
    """What bash offers for the last of these words."""
    typed = " ".join(f"'{word}'" for word in words)
    asked = (
        f"source ./bash; COMP_WORDS=(pytest-jevbench {typed}); COMP_CWORD={len(words)}; "
        '_pytest_jevbench; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return run("bash", "-u", "-c", asked, cwd=scripts).split()


def test_bash_has_it_registered(scripts: Path) -> None:
    said = run("bash", "-c", "source ./bash; complete -p pytest-jevbench", cwd=scripts)
    assert said == "complete -o bashdefault -o default -F _pytest_jevbench pytest-jevbench\n"


def test_every_command_is_offered(scripts: Path) -> None:
    assert set(bash(scripts, "")) == {*GROUP_HELP, *(name for name in COMMANDS if "." not in name)}
    for group in GROUP_HELP:
        inner = {name.partition(".")[2] for name in COMMANDS if name.startswith(f"{group}.")}
        assert set(bash(scripts, group, "")) == inner


def test_options_and_their_values(scripts: Path) -> None:
    assert bash(scripts, "card", "rep") == ["report"]
    assert "--family-dir" in bash(scripts, "card", "report", "x.json", "--fam")
    assert set(bash(scripts, "card", "report", "--level", "")) == {
        "dimension",
        "group",
        "relation",
        "domain",
        "question",
    }
    assert bash(scripts, "card", "report", "--level", "=", "rel") == ["relation"]
    assert bash(scripts, "report", "--metric", "=") == ["binary", "graded"]
    assert bash(scripts, "board", "a.json", "-o", "") == []  # a path: the shell's own completion
    assert bash(scripts, "board", "-o", "card", "--b") == ["--by", "--bootstrap"]  # `card` is a value here
    assert bash(scripts, "completion", "z") == ["zsh"]
    assert bash(scripts, "nothing", "x") == []


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_command_prints_it(shell: str, scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert capsys.readouterr().out == (scripts / shell).read_text(encoding="utf-8")


def zsh_offers_the_same(scripts: Path) -> None:
    asked = (
        "compdef() {}; _describe() { print -l -- ${(P)2}; }; compadd() { shift; print -l -- $@; }; "
        "_files() { print FILES; }; "
        'source ./zsh; f() { words=(pytest-jevbench "$@"); CURRENT=$#words; PREFIX=${words[-1]}; _pytest_jevbench; }; '
    )
    assert "report:" in run("zsh", "-f", "-c", f"{asked} f card ''", cwd=scripts)
    assert "--family-dir:" in run("zsh", "-f", "-c", f"{asked} f card report x.json --", cwd=scripts)
    assert run("zsh", "-f", "-c", f"{asked} f report --metric ''", cwd=scripts).split() == ["binary", "graded"]
    assert run("zsh", "-f", "-c", f"{asked} f board -o ''", cwd=scripts) == "FILES\n"


def fish_offers_the_same(scripts: Path) -> None:
    def offered(typed: str) -> list[str]:
        said = run("fish", "--no-config", "-c", f"source ./fish; complete -C '{typed}'", cwd=scripts)
        return [line.partition("\t")[0] for line in said.splitlines()]

    assert "report" in offered("pytest-jevbench card ")
    assert "board" not in offered("pytest-jevbench card ")
    assert "--family-dir" in offered("pytest-jevbench card report x.json --fam")
    assert offered("pytest-jevbench report --metric ") == ["binary", "graded"]


OTHERS = {"zsh": zsh_offers_the_same, "fish": fish_offers_the_same}


@pytest.mark.parametrize("shell", [name for name in OTHERS if shutil.which(name)] or ["none of them is here"])
def test_other_shells_that_are_here_offer_the_same(shell: str, scripts: Path) -> None:
    OTHERS.get(shell, lambda _: None)(scripts)
