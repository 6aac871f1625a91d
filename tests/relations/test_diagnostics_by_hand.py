"""What the two diagnostics measure, on numbers worked out by hand."""

from __future__ import annotations

import pytest

from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import Measurement
from tests.relations.worked_rows import make_reading, noul

CONFIDENCE = {"x": {"type": "choice", "confidence": 0.75}, "y": {"type": "choice", "confidence": 0.5}}


def test_confidence_is_compared_with_the_definition_that_fits_best() -> None:
    source = {"x": {"a": 0.75, "b": 0.25, "c": 0.0}, "y": {"a": 0.5, "b": 0.25, "c": 0.25}}
    reading = make_reading(key="x", targets=("x", "y"), source=source, raw_source=CONFIDENCE)
    measured = registry.get("confidence_consistency").measure(reading)
    assert isinstance(measured, list)
    assert [(m.targets, m.deviation, m.flip) for m in measured] == [(("x",), 0.0, None), (("y",), 0.0, None)]


def test_the_definition_is_one_for_the_whole_case() -> None:
    """One answer states its largest probability, the other its margin: margins are off by 0.25, maxima by 0.25 too."""
    source = {"x": {"a": 0.75, "b": 0.25}, "y": {"a": 0.75, "b": 0.25}}
    raw = {"x": {"confidence": 0.75}, "y": {"confidence": 0.5}}
    reading = make_reading(key="x", targets=("x", "y"), source=source, raw_source=raw)
    measured = registry.get("confidence_consistency").measure(reading)
    assert isinstance(measured, list)
    assert max(m.deviation for m in measured) == 0.25


@pytest.mark.parametrize("value", [None, True, "0.9", float("nan")])
def test_an_answer_without_a_readable_confidence_is_left_out(value: object) -> None:
    raw = {"x": {"confidence": value}}
    reading = make_reading(key="x", targets=("x",), source={"x": noul(0.75)}, raw_source=raw)
    assert registry.get("confidence_consistency").measure(reading) == []


def test_confidence_as_one_less_the_normalised_entropy() -> None:
    # H = 1 bit of the log2(4) = 2 bits possible
    source = {"x": {"a": 0.5, "b": 0.5, "c": 0.0, "d": 0.0}}
    reading = make_reading(key="x", targets=("x",), source=source, raw_source={"x": {"confidence": 0.5}})
    measured = registry.get("confidence_consistency").measure(reading)
    assert isinstance(measured, list)
    assert measured[0].deviation == pytest.approx(0.0, abs=1e-15)


def test_routing_counts_the_requests_that_cross_the_threshold() -> None:
    params = {"read": {"neutral_key": "n", "reversed_options": "q", "solo": "q"}}
    follow_ups = {
        "neutral_key": {"n": {"a": 0.8, "b": 0.2}},  # at the threshold: accepted
        "reversed_options": {"q": {"b": 0.25, "a": 0.75}},
        "solo": {"q": {"a": 0.9, "b": 0.1}},
    }
    reading = make_reading(params=params, source={"q": {"a": 0.85, "b": 0.15}}, follow_ups=follow_ups)
    measured = registry.get("routing_stability").measure(reading)
    assert isinstance(measured, Measurement)
    assert measured.deviation == pytest.approx(1 / 3)
    assert measured.flip is True


def test_routing_goes_by_the_stated_confidence_where_there_is_one() -> None:
    reading = make_reading(
        params={"read": {"neutral_key": "n"}},
        source={"q": {"a": 0.85, "b": 0.15}},
        follow_ups={"neutral_key": {"n": {"a": 0.85, "b": 0.15}}},
        raw_source={"q": {"confidence": 0.7}},
        raw_follow_ups={"neutral_key": {"n": {"confidence": 0.7}}},
    )
    measured = registry.get("routing_stability").measure(reading)
    assert isinstance(measured, Measurement)
    assert (measured.deviation, measured.flip) == (0.0, False)
    assert measured.expected == {"neutral_key": 0.0}
