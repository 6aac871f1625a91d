"""docs/plugin.md is in step with the options; write it anew with ``python -m tests.docs.test_plugin_page``."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_jevbench.plugin.options_markdown import options_table

PAGE = Path(__file__).parents[2] / "docs" / "plugin.md"
SECTION = re.compile(r"(?<=<!-- options:start -->\n).*?(?=<!-- options:end -->)", re.DOTALL)


def in_step(text: str) -> str:
    table = options_table()
    return SECTION.sub(lambda _: f"{table}\n", text)


def test_the_table_of_options_is_in_step() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == in_step(text), "run python -m tests.docs.test_plugin_page"


if __name__ == "__main__":
    PAGE.write_text(in_step(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
