"""The radar: where its points lie, what it says in words, what it never draws."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_jevbench.reports.radar import Axis, Series, radar_svg

SVG = "{http://www.w3.org/2000/svg}"
FIVE = [Axis("REP", "Representation consistency"), Axis("BAT"), Axis("MEA"), Axis("LOG"), Axis("CHO")]
scores = st.none() | st.floats(0.0, 1.0)


def drawn(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def outlines(svg: str, style: str) -> list[list[tuple[float, float]]]:
    """The points of each line of one model."""
    [group] = [g for g in drawn(svg).iter(f"{SVG}g") if g.get("class") == style and g.find(f"{SVG}title") is not None]
    lines = [*group.iter(f"{SVG}polygon"), *group.iter(f"{SVG}polyline")]
    return [[tuple(map(float, point.split(","))) for point in line.attrib["points"].split()] for line in lines]  # type: ignore[misc]


def test_points_lie_on_their_axes_at_their_distance() -> None:
    values = [1.0, 0.5, 0.0, 0.25, 0.75]
    [points] = outlines(radar_svg(FIVE, [Series("m", values)], title="t"), "jr-0")
    middle = points[2]  # the score of 0
    radius = math.dist(middle, points[0])
    for index, (value, point) in enumerate(zip(values, points, strict=True)):
        angle = math.radians(72 * index)  # clockwise, from straight up
        wanted = (middle[0] + radius * value * math.sin(angle), middle[1] - radius * value * math.cos(angle))
        assert point == pytest.approx(wanted, abs=0.02)


def test_a_score_that_is_not_there_breaks_the_outline_and_is_named() -> None:
    svg = radar_svg(FIVE, [Series("m", [0.2, None, 0.4, 0.6, 0.8])], title="t")
    whole = outlines(radar_svg(FIVE, [Series("m", [0.2, 0.0, 0.4, 0.6, 0.8])], title="t"), "jr-0")[0]
    assert outlines(svg, "jr-0") == [[whole[2], whole[3], whole[4], whole[0]]]
    assert not list(drawn(svg).iter(f"{SVG}polygon"))[len("1234") :]  # the four rings alone are closed
    assert "m  (no score: BAT)" in "".join(drawn(svg).itertext())
    assert "BAT no score" in drawn(svg).findtext(f"{SVG}desc", "")


def test_it_says_in_words_what_it_shows() -> None:
    series = [Series("one", [0.5] * 5), Series("two", [1.0, 0.9999, 0.0, 0.1, None])]
    root = drawn(radar_svg(FIVE, series, title="Two models", notes=["of different suites"]))
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert title.text == "Two models"
    text = str(desc.text)
    assert "REP: Representation consistency" in text
    assert "two: REP 100.0, BAT 99.9, MEA 0.0, LOG 10.0, CHO no score" in text
    assert "of different suites" in text


def test_several_in_one_page_have_ids_of_their_own() -> None:
    ids = [re.findall(r'id="([^"]+)"', radar_svg(FIVE, [Series("m", [v] * 5)], title="t")) for v in (0.1, 0.2)]
    assert len({*ids[0], *ids[1]}) == 4


def test_models_are_told_apart_without_colour() -> None:
    svg = radar_svg(FIVE, [Series(f"m{i}", [0.1 * i] * 5) for i in range(5)], title="t")
    dashes = re.findall(r"\.jr-\d \.jr-line\{stroke-dasharray:([^}]+)\}", svg)
    assert len(dashes) == len(set(dashes)) >= 4


def test_light_and_dark() -> None:
    style = drawn(radar_svg(FIVE, [Series("m", [0.5] * 5)], title="t")).findtext(f"{SVG}style", "")
    light, dark = style.split("@media screen and (prefers-color-scheme:dark)")
    back = re.compile(r"jr-back\{fill:#(\w\w)")
    assert int(back.findall(light)[0], 16) > 200
    assert int(back.findall(dark)[0], 16) < 60


def test_the_reference_is_behind_all_and_not_among_the_models() -> None:
    svg = radar_svg(FIVE, [Series("m", [0.5] * 5), Series("uniform", [1.0] * 5, reference=True)], title="t")
    styles = [g.get("class") for g in drawn(svg).iter(f"{SVG}g")]
    assert styles[:2] == ["jr-ref", "jr-0"]


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.text(max_size=90), st.lists(scores, min_size=5, max_size=5)), max_size=8),
    st.text(max_size=120),
)
def test_whatever_it_is_given_it_is_xml_without_scripts(
    models: list[tuple[str, list[float | None]]], title: str
) -> None:
    series = [Series(name, values) for name, values in models]
    svg = radar_svg(FIVE, series, title=title, notes=[title])
    assert svg == radar_svg(FIVE, series, title=title, notes=[title])
    tags = {element.tag.removeprefix(SVG) for element in drawn(svg).iter()}
    assert tags <= {"svg", "title", "desc", "style", "rect", "text", "polygon", "polyline", "line", "circle", "g"}
    svg.encode("utf-8")
    heights = [float(e.attrib["y"]) for e in drawn(svg).iter(f"{SVG}text")]
    assert max(heights) < float(drawn(svg).attrib["height"])


@pytest.mark.parametrize("count", [1, 2, 11])
def test_any_number_of_axes(count: int) -> None:
    svg = radar_svg([Axis(f"a{i}") for i in range(count)], [Series("m", [0.5] * count)], title="t")
    assert (
        len([c for c in drawn(svg).iter(f"{SVG}circle") if c.get("class") == "jr-dot"]) == count + 1
    )  # and the legend's


@pytest.mark.parametrize(
    ("axes", "values", "told"),
    [([], [], "needs an axis"), (FIVE, [0.1], "1 values for 5 axes"), (FIVE, [0.1] * 4 + [41.2], "outside 0 to 1")],
)
def test_what_cannot_be_drawn_is_refused(axes: list[Axis], values: list[float], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        radar_svg(axes, [Series("m", values)], title="t")
