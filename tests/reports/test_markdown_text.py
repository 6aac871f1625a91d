"""Texts that nobody has vetted, through GitHub's own Markdown parser: they come out as they went in, and do nothing."""

from __future__ import annotations

from html.parser import HTMLParser

import cmarkgfm
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.json_text import printable
from pytest_jevbench.reports.markdown_text import code, details, escaped, fenced, table

HOSTILE = (
    "a|b",
    "`x` ``y``",
    "`",
    "a\\|b",
    "<img src=x onerror=alert(1)>",
    "</code></pre><script>",
    "*bold* _so_ ~~gone~~ $x$",
    "[link](https://evil.example) ![i](x) https://evil.example www.evil.example",
    "# heading",
    "- item",
    "line\nbreak\r\n| new | row |",
    "&lt;entity&amp;",
    "```\nout of the fence\n```",
    "state_with_names __init__",
    "\x1b[31mred\u202e",
    " ",
)
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text("ab|`\\<>&*_[]~$:/.w\n @#-", max_size=30), st.text(max_size=30))


class Page(HTMLParser):
    """The tags of a page, and the text inside each element of one kind."""

    def __init__(self, markdown: str, kind: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self._kind, self._inside = kind, False
        self.feed(cmarkgfm.github_flavored_markdown_to_html(markdown, cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == self._kind:
            self._inside = True
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != self._kind

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[-1] += data


def one_line(text: str) -> str:
    return " ".join(printable(text).split())


def test_the_parser_is_one_that_these_texts_can_break() -> None:
    page = Page("| a |\n| --- |\n| x <b>y</b> https://evil.example | z |", "td")
    assert "b" in page.tags
    assert "a" in page.tags


@given(st.lists(TEXTS, min_size=2, max_size=4))
def test_cells_of_prose_hold_their_text_and_no_markup(texts: list[str]) -> None:
    page = Page("\n".join(table([f"h{i}" for i in range(len(texts))], [[escaped(text) for text in texts]])), "td")
    assert [cell.replace("@\u200b", "@") for cell in page.texts] == [one_line(text) for text in texts]
    assert set(page.tags) <= {"table", "thead", "tbody", "tr", "th", "td"}


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_cells_of_code_hold_their_text(texts: list[str]) -> None:
    page = Page("\n".join(table(["h"] * len(texts), [[code(text) for text in texts]])), "code")
    assert [cell.strip() for cell in page.texts] == [one_line(text) for text in texts]
    assert set(page.tags) <= {"table", "thead", "tbody", "tr", "th", "td", "code"}


@given(TEXTS)
def test_a_code_span_in_a_line_of_prose(text: str) -> None:
    page = Page(f"before {code(text)} after", "code")
    assert [found.strip() for found in page.texts] == [one_line(text)]


@given(st.lists(TEXTS, max_size=5))
def test_nothing_gets_out_of_a_fence(lines: list[str]) -> None:
    page = Page("\n".join([*fenced(lines), "", "after"]), "code")
    (inner,) = page.texts
    assert inner == "".join(f"{printable(line)}\n" for line in lines)
    assert page.tags == ["pre", "code", "p"]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_opens_by_a_click_shows_its_title_alone(text: str) -> None:
    page = Page("\n".join([*details(text, ["- inner"]), "", "after"]), "summary")
    assert page.texts == [one_line(text)]
    assert page.tags == ["details", "summary", "ul", "li", "p"]


def test_nobody_is_mentioned() -> None:
    assert "@someone" not in escaped("ask @someone")
    assert escaped("a_b and 5 @ 3") == "a_b and 5 @ 3"
