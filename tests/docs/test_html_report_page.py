"""The section of docs/html-report.md works as it stands there, and its table names the sections that there are."""

from __future__ import annotations

import re
import sys
from types import ModuleType

import jinja2
import pytest

from pytest_jevbench.reports.html import registry, rendering
from pytest_jevbench.reports.html.page import report_page
from pytest_jevbench.reports.html.section import report_of
from tests.docs.pages import ROOT, file_of
from tests.reports.cards import card
from tests.reports.html.parsing import Parsed

PAGE = ROOT / "docs" / "html-report.md"
NAME = "pytest_jevbench.reports.html.cases_section"


def test_the_section_of_the_page_stands_where_the_registry_says(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType(NAME)
    exec(compile(file_of(PAGE, "cases_section.py"), PAGE.name, "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, NAME, module)
    monkeypatch.setattr(registry, "SECTIONS", ("summary", "cases_section", "run_section"))
    environment = rendering._environment()
    mine = jinja2.DictLoader({"cases.html.j2": file_of(PAGE, "cases.html.j2")})
    monkeypatch.setattr(environment, "loader", jinja2.ChoiceLoader([mine, environment.loader]))  # type: ignore[list-item]
    found = Parsed(report_page(report_of([card()])))
    assert [attributes["id"] for attributes in found.all("section")] == ["summary", "cases-0", "run"]
    told = " ".join(" ".join(found.texts).split())
    # the first 1, 2, 3, 4 and 5 of ten cases are violated in five relations
    assert "Cases of m Cases by tests that break their law case violated c0 5 c1 4 c2 3 c3 2 c4 1" in told


def test_every_section_has_its_row() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("| section |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ([A-Z][^|]*?) \|", table, re.MULTILINE)
    assert len(rows) == len(registry.SECTIONS)
