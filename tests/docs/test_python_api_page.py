"""Every snippet of docs/python-api.md runs and prints what the page says; write the page's output anew with
``python -m tests.docs.test_python_api_page``."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.servers.modelled import replicas

PAGE = Path(__file__).parents[2] / "docs" / "python-api.md"
SNIPPET = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<told>.*?)```\n)?", re.DOTALL)
URL = "http://127.0.0.1:8000"
"""Where the page has a server; a real one stands in for it."""


def told_by(text: str) -> list[str]:
    """What the snippets of a page print, run one after the other in the working directory."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    told = []
    with replicas(1) as group:
        for number, snippet in enumerate(SNIPPET.finditer(text), 1):
            code = compile(snippet["code"].replace(URL, group.urls), f"snippet {number}", "exec")
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(code, scope)
            printed = "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())
            told.append(printed.replace(group.urls, URL))
    return told


def in_step(text: str) -> str:
    """The page with what its snippets print."""
    printed = iter(told_by(text))

    def written(snippet: re.Match[str]) -> str:
        told = next(printed)
        return f"```python\n{snippet['code']}```\n" + (f"\n```text\n{told}```\n" if told else "")

    return SNIPPET.sub(written, text)


def test_every_snippet_prints_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    shown = [snippet["told"] or "" for snippet in SNIPPET.finditer(text)]
    assert len(shown) == text.count("```python\n") > 10
    assert shown == told_by(text), "run python -m tests.docs.test_python_api_page"
    assert (tmp_path / "radar.svg").read_text(encoding="utf-8").startswith("<svg ")


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        PAGE.write_text(in_step(page), encoding="utf-8")
        os.chdir(PAGE.parent)
