"""Completion scripts for bash, zsh and fish. Where a path may stand, the shell's own completion of paths steps in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from pytest_jevbench.cli.command_tree import Option, Place

__all__ = ["SCRIPTS", "script"]

NAME = "pytest-jevbench"


def script(shell: str, places: Sequence[Place]) -> str:
    """The script for a shell of :data:`SCRIPTS`."""
    return "\n".join(SCRIPTS[shell](places)) + "\n"


def _at(place: Place) -> str:
    return " ".join(place.path)


def _quoted(text: str) -> str:
    """A text for any of the shells, in single quotes."""
    flat = " ".join(text.split()).replace("\\", "")
    return "'" + flat.replace("'", "’") + "'"


def _short(text: str) -> str:
    """The beginning of a help text: a completion has one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 70 else re.sub(r"[ ,;:]+\S*$", "", flat[:69]) + "…"


def _names(options: Sequence[Option]) -> list[str]:
    return [name for option in options for name in option.names]


def _walk(places: Sequence[Place], words: str) -> Iterator[str]:
    """Lines of bash and zsh that put the commands typed so far into ``at``, leaving out options and their values."""
    yield "  local at='' word skip=''"
    yield f'  for word in "{words}"; do'
    yield "    if [[ -n $skip ]]; then skip=''; continue; fi"
    yield '    case "$at:$word" in'
    known = [f"{_at(p)}:{name}" for p in places for name, _ in p.commands]
    for one in known:
        before, _, name = one.rpartition(":")
        yield f"      {_quoted(one)}) at={_quoted(f'{before} {name}'.strip())};;"
    for place in places:
        taking = [f"{_at(place)}:{name}" for option in place.options if option.takes for name in option.names]
        if taking:
            yield f"      {'|'.join(map(_quoted, taking))}) skip=1;;"
    yield "    esac"
    yield "  done"


def _bash(places: Sequence[Place]) -> Iterator[str]:
    yield f'# bash completion for {NAME}: eval "$({NAME} completion bash)"'
    yield "_pytest_jevbench() {"
    yield '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" values=\'\''
    yield "  # bash splits words at = and :; an option's value may stand behind one of them"
    yield "  if [[ $current == '=' ]]; then current=''"
    yield "  elif [[ $previous == '=' ]]; then previous=\"${COMP_WORDS[COMP_CWORD-2]}\"; fi"
    yield "  if [[ ${COMP_WORDS[COMP_CWORD]} == '=' ]]; then previous=\"${COMP_WORDS[COMP_CWORD-1]}\"; fi"
    yield from _walk(places, "${COMP_WORDS[@]:1:COMP_CWORD-1}")
    yield "  COMPREPLY=()"
    yield '  case "$at:$previous" in'
    for place in places:
        for option in place.options:
            if option.takes:
                patterns = "|".join(_quoted(f"{_at(place)}:{name}") for name in option.names)
                yield f"    {patterns}) values={_quoted(' '.join(option.choices))}"
                yield '      [[ -n $values ]] && COMPREPLY=($(compgen -W "$values" -- "$current")); return;;'
    yield "  esac"
    yield '  case "$at" in'
    for place in places:
        commands = [*(name for name, _ in place.commands), *place.words]
        yield f"    {_quoted(_at(place))})"
        yield f"      if [[ $current == -* ]]; then values={_quoted(' '.join(_names(place.options)))}"
        yield f"      else values={_quoted(' '.join(commands))}; fi;;"
    yield "  esac"
    yield '  COMPREPLY=($(compgen -W "$values" -- "$current"))'
    yield "}"
    yield f"complete -o bashdefault -o default -F _pytest_jevbench {NAME}"


def _zsh(places: Sequence[Place]) -> Iterator[str]:
    yield f"#compdef {NAME}"
    yield f'# zsh completion: put this into a file _{NAME} of $fpath, or eval "$({NAME} completion zsh)" after compinit'
    yield "_pytest_jevbench() {"
    yield "  local previous=${words[CURRENT-1]}"
    yield "  local -a offered"
    yield from _walk(places, "${(@)words[2,CURRENT-1]}")
    yield '  case "$at:$previous" in'
    for place in places:
        for option in place.options:
            if option.takes:
                patterns = "|".join(_quoted(f"{_at(place)}:{name}") for name in option.names)
                given = f"compadd -- {' '.join(map(_quoted, option.choices))}" if option.choices else "_files"
                yield f"    {patterns}) {given}; return;;"
    yield "  esac"
    yield '  case "$at" in'
    for place in places:
        yield f"    {_quoted(_at(place))})"
        yield "      if [[ $PREFIX == -* ]]; then offered=("
        for option in place.options:
            for name in option.names:
                yield f"        {_quoted(f'{name}:{_short(option.help)}')}"
        yield "      ); _describe option offered"
        offered = [*place.commands, *((word, "") for word in place.words)]
        if offered:
            yield "      else offered=("
            for name, text in offered:
                yield f"        {_quoted(f'{name}:{_short(text)}' if text else name)}"
            yield "      ); _describe command offered; fi;;"
        else:
            yield "      else _files; fi;;"
    yield "  esac"
    yield "}"
    yield "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then"
    yield '  _pytest_jevbench "$@"'
    yield f"else compdef _pytest_jevbench {NAME}; fi"


def _fish(places: Sequence[Place]) -> Iterator[str]:
    yield f"# fish completion: {NAME} completion fish > ~/.config/fish/completions/{NAME}.fish"
    yield "function __pytest_jevbench_at"
    yield "  set -l at ''"
    yield "  set -l skip ''"
    yield "  for word in (commandline -opc)[2..-1]"
    yield "    if test -n \"$skip\"; set skip ''; continue; end"
    yield '    switch "$at:$word"'
    for place in places:
        for name, _ in place.commands:
            yield f"      case {_quoted(f'{_at(place)}:{name}')}; set at {_quoted(' '.join((*place.path, name)))}"
        taking = [f"{_at(place)}:{name}" for option in place.options if option.takes for name in option.names]
        if taking:
            yield f"      case {' '.join(map(_quoted, taking))}; set skip 1"
    yield "    end"
    yield "  end"
    yield '  test "$at" = "$argv[1]"'
    yield "end"
    for place in places:
        here = f"complete -c {NAME} -n '__pytest_jevbench_at \"{_at(place)}\"'"
        for name, text in place.commands:
            yield f"{here} -f -a {_quoted(name)} -d {_quoted(_short(text))}"
        for word in place.words:
            yield f"{here} -f -a {_quoted(word)}"
        for option in place.options:
            names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names)
            takes = f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else " -r" if option.takes else ""
            yield f"{here} {names}{takes} -d {_quoted(_short(option.help))}"


SCRIPTS: Mapping[str, Callable[[Sequence[Place]], Iterator[str]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""The writers by shell."""
