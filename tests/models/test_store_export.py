"""Exports: small, reproducible, complete or refused; and what statistics and pruning do."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import AnswerFormatError, InputError, Refused
from pytest_jevbench.json_text import DuplicateKeys
from pytest_jevbench.models.protocol import Identity, Reply
from pytest_jevbench.models.store import AnswerStore
from pytest_jevbench.models.store_export import ImportReport, export_answers, import_answers, is_export
from pytest_jevbench.models.store_upkeep import PruneReport, prune, stats
from tests.models.stored import MODEL, Counting, of_model, reply, request


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with AnswerStore.open(tmp_path / "answers.sqlite") as store:
        yield store


def filled(store: AnswerStore, order: range, seconds: float = 0.02) -> None:
    answers = of_model(store)
    for number in order:
        answers.put(request(number), replace(reply(number), seconds=seconds))


def odd_replies() -> dict[int, Any]:
    doubled = DuplicateKeys({"noul": 0.5})
    doubled.repeated = ("noul",)
    return {
        1000: Reply({"urgent": doubled}, "m-2"),
        1001: Reply({"urgent": {"noul": float("nan")}, "\ud800": [1, True, None]}, "other"),
        1002: Refused("too long", status=413, body="at most 12,000 bytes"),
        1003: AnswerFormatError("no answers"),
    }


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl"])
def test_an_export_replays_without_a_model(store: AnswerStore, tmp_path: Path, name: str) -> None:
    filled(store, range(20))
    for number, recorded in odd_replies().items():
        of_model(store).put(request(number), recorded)
    of_model(store).put(request(3), reply(77), repeat=4)
    assert export_answers(store, tmp_path / name) == 25
    with AnswerStore.open(tmp_path / name, mode="offline") as replay:
        answers = of_model(replay, None)
        for number in range(20):
            got, hit = answers.answer(request(number), Counting())
            assert hit
            assert got == replace(reply(number), seconds=0.0)
        assert answers.get(request(3), repeat=4) == replace(reply(77), seconds=0.0)
        doubled = answers.get(request(1000))
        assert isinstance(doubled, Reply)
        assert isinstance(doubled.answers["urgent"], DuplicateKeys)
        odd = answers.get(request(1001))
        assert isinstance(odd, Reply)
        assert str(odd.answers) == str(odd_replies()[1001].answers)
        with pytest.raises(Refused, match="too long"):
            answers.answer(request(1002), Counting())
        with pytest.raises(AnswerFormatError, match="no answers"):
            answers.answer(request(1003), Counting())
        assert answers.answered_names() == {"m-2": 22, "other": 1}


def test_equal_answers_make_equal_bytes_whenever_and_however_fast_they_came(tmp_path: Path) -> None:
    exports = []
    for number, (order, seconds) in enumerate([(range(30), 0.02), (range(29, -1, -1), 7.0)]):
        with AnswerStore.open(tmp_path / f"{number}.sqlite", clock=lambda number=number: 1e9 + number) as store:
            filled(store, order, seconds)
            for suffix in ("jsonl.gz", "jsonl"):
                export_answers(store, tmp_path / f"{number}.{suffix}")
        exports.append([(tmp_path / f"{number}.{suffix}").read_bytes() for suffix in ("jsonl.gz", "jsonl")])
    assert exports[0] == exports[1]
    assert gzip.decompress(exports[0][0]) == exports[0][1]


def test_an_import_is_exported_as_the_same_file(store: AnswerStore, tmp_path: Path) -> None:
    filled(store, range(10))
    for number, recorded in odd_replies().items():
        of_model(store).put(request(number), recorded)
    export_answers(store, tmp_path / "a.jsonl")
    with AnswerStore.open(tmp_path / "other.sqlite") as other:
        assert import_answers(other, tmp_path / "a.jsonl") == ImportReport(added=14)
        assert import_answers(other, tmp_path / "a.jsonl") == ImportReport(equal=14)
        export_answers(other, tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_only_the_wanted_models_and_requests_are_exported(store: AnswerStore, tmp_path: Path) -> None:
    filled(store, range(5))
    store.answers_of(replace(MODEL, name="n"), None).put(request(0), reply(0))
    assert export_answers(store, tmp_path / "a.jsonl", wanted=lambda key: key.parts["name"] == "n") == 1
    digests = frozenset(request(number).digest for number in (1, 2, 99))
    assert export_answers(store, tmp_path / "b.jsonl", digests=digests) == 2


def test_what_an_unnamed_function_answered_is_not_exported(store: AnswerStore, tmp_path: Path) -> None:
    store.answers_of(Identity("callable", "f", stable=False), None).put(request(0), reply(0))
    assert export_answers(store, tmp_path / "a.jsonl") == 0


def test_an_import_keeps_what_is_stored_unless_told_otherwise(store: AnswerStore, tmp_path: Path) -> None:
    filled(store, range(3))
    export_answers(store, tmp_path / "a.jsonl")
    with AnswerStore.open(tmp_path / "other.sqlite") as other:
        of_model(other).put(request(0), reply(50))
        assert import_answers(other, tmp_path / "a.jsonl") == ImportReport(added=2, different=1)
        assert of_model(other).get(request(0)) == reply(50)
        assert import_answers(other, tmp_path / "a.jsonl", replace=True) == ImportReport(equal=2, different=1)
        assert of_model(other).get(request(0)) == replace(reply(0), seconds=0.0)


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (lambda lines: lines[:-1], 4),
        (lambda lines: [*lines[:-1], lines[-1][:5]], 5),
        (lambda lines: [*lines[:2], lines[2][: len(lines[2]) // 2]], 3),
        (lambda lines: [*lines[:2], *lines[3:]], 4),
        (lambda lines: [lines[0].replace(b"1", b"2"), *lines[1:]], 1),
        (lambda lines: [b"{}\n", *lines[1:]], 1),
        (lambda lines: [lines[0], *lines[2:]], 2),
        (lambda lines: [*lines[:2], b'["00", 0, "answered", "{}", null]\n', *lines[2:]], 3),
        (lambda lines: [lines[0], b'{"model": "zz", "base": "00", "parts": {}}\n', *lines[2:]], 2),
        (lambda lines: [*lines[:2], b"\xff\n", *lines[2:]], 3),
    ],
)
def test_a_spoilt_export_is_refused_with_its_line_and_nothing_of_it_is_kept(
    store: AnswerStore, tmp_path: Path, spoil: Any, line: int
) -> None:
    filled(store, range(2))
    export_answers(store, tmp_path / "a.jsonl")
    (tmp_path / "a.jsonl").write_bytes(b"".join(spoil(lines_of(tmp_path / "a.jsonl"))))
    with AnswerStore.open(tmp_path / "other.sqlite") as other:
        with pytest.raises(InputError) as caught:
            import_answers(other, tmp_path / "a.jsonl")
        assert caught.value.place.line == line
        assert other.models() == []


def test_a_cut_compressed_export_is_refused(store: AnswerStore, tmp_path: Path) -> None:
    filled(store, range(50))
    path = tmp_path / "a.jsonl.gz"
    export_answers(store, path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="not an export of answers"):
        AnswerStore.open(path, mode="offline")


def test_stores_and_exports_are_told_apart(store: AnswerStore, tmp_path: Path) -> None:
    filled(store, range(2))
    for name in ("a.jsonl", "a.jsonl.gz", "named.oddly"):
        export_answers(store, tmp_path / name)
        assert is_export(tmp_path / name)
    assert store.path is not None
    assert not is_export(store.path)
    assert not is_export(tmp_path / "absent")


def test_no_state_no_time_and_no_key_is_in_an_export(store: AnswerStore, tmp_path: Path) -> None:
    launched = Identity("systemone", "m", launch="serve --port {port} sk-test-123456")
    store.answers_of(launched, None).put(request(123456), reply(1))
    export_answers(store, tmp_path / "a.jsonl")
    text = (tmp_path / "a.jsonl").read_text()
    assert "sk-test-123456" not in text
    assert "123456" not in text
    assert "seconds" not in text
    assert "Which team?" not in text


def test_statistics_count_by_model(tmp_path: Path) -> None:
    now = [1000.0]
    with AnswerStore.open(tmp_path / "answers.sqlite", clock=lambda: now[0]) as store:
        filled(store, range(3))
        of_model(store).put(request(0), reply(5), repeat=1)
        for number, recorded in odd_replies().items():
            of_model(store).put(request(number), recorded)
        now[0] = 2000.0
        store.answers_of(replace(MODEL, name="n"), None).claim(request(9))
        store.answers_of(replace(MODEL, name="n"), None).put(request(8), reply(8, model=None))
        found = stats(store)
        assert found.in_flight == 1
        assert [model.key.parts["name"] for model in found.models] == ["n", "m"]
        of_m = found.models[1]
        assert (of_m.distinct, of_m.answers, of_m.refused, of_m.malformed) == (7, 8, 1, 1)
        assert (of_m.last_stored, of_m.last_used, of_m.other_names) == (1000.0, 1000.0, {"other": 1})
        with_log = sum(
            f.stat().st_size for f in tmp_path.iterdir() if f.name in ("answers.sqlite", "answers.sqlite-wal")
        )
        assert found.bytes == with_log


def test_pruning_removes_what_fits_all_criteria(tmp_path: Path) -> None:
    now = [1000.0]
    with AnswerStore.open(tmp_path / "answers.sqlite", clock=lambda: now[0]) as store:
        filled(store, range(200))
        of_model(store).put(request(500), Refused("no", status=422))
        now[0] = 2000.0
        store.answers_of(replace(MODEL, name="n"), None).put(request(0), reply(0))

        assert prune(store, stored_before=1500.0, wanted=lambda key: key.parts["name"] == "n").answers == 0
        assert prune(store, only_refused=True).answers == 1
        assert of_model(store).get(request(500)) is None
        assert prune(store, used_before=1500.0, dry_run=True) == PruneReport(0, 0, 0)
        assert prune(store, stored_before=1500.0, dry_run=True) == PruneReport(200, 1, 0)
        assert of_model(store).get(request(0)) == reply(0)
        report = prune(store, stored_before=1500.0)
        assert (report.answers, report.models) == (200, 1)
        assert report.bytes > 50_000
        assert [model.key.parts["name"] for model in store.models()] == ["n"]


def test_pruning_without_criteria_removes_no_answer_and_frees_dead_claims(tmp_path: Path) -> None:
    now = [1000.0]
    with AnswerStore.open(tmp_path / "answers.sqlite", clock=lambda: now[0], lease_seconds=10.0) as store:
        filled(store, range(3))
        of_model(store).claim(request(7))
        store.answers_of(Identity("callable", "f", stable=False), None).put(request(0), reply(0))
        assert prune(store).answers == 0
        assert stats(store).in_flight == 1
        now[0] += 86_401.0
        prune(store)
        assert stats(store).in_flight == 0
        assert [(model.key.parts["name"], model.answers) for model in store.models()] == [("m", 3)]


def test_an_export_is_a_fraction_of_the_store(store: AnswerStore, tmp_path: Path) -> None:
    filled(store, range(300))
    export_answers(store, tmp_path / "a.jsonl.gz")
    assert (tmp_path / "a.jsonl.gz").stat().st_size < 300 * 100
    assert json.loads(gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()).splitlines()[-1]) == {"answers": 300}
