"""The picture of the README, made again from a card: ``python -m tests.browser.picture CARD OUT.png``.

It shows the first screen, and the worst violation of ``description_swap`` as the browser of tests opens it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pytest_jevbench.cli import main as command_line
from tests.browser.chromium import chromium, find_chromium

WIDTH, SCALE = 1100, 1.25
SHORTENED = """(() => {
  document.querySelectorAll("main > section:not(#summary, #violations)").forEach((node) => node.remove());
  const filters = document.querySelector(".filters");
  filters.elements.relation.value = "description_swap";
  filters.dispatchEvent(new Event("input", { bubbles: true }));
  document.querySelectorAll("#browser tbody tr").forEach((row, at) => { if (at > 3) row.remove(); });
  document.querySelector("#browser .open").click();
  return document.querySelector("#browser .frame").getBoundingClientRect().bottom + scrollY;
})()"""


def main(card: str, out: str) -> None:
    command = find_chromium()
    assert command is not None, "Chromium is not installed"
    with tempfile.TemporaryDirectory() as folder:
        page_file = Path(folder, "report.html")
        assert command_line(["card", "report", card, "--html", str(page_file)]) == 0
        with chromium(command, Path(folder)) as page:
            page.size(WIDTH)
            page.scheme("light")
            page.open(page_file)
            page.picture(Path(out), width=WIDTH, height=page.run(SHORTENED), scale=SCALE)


if __name__ == "__main__":
    main(*sys.argv[1:])
