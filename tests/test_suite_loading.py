"""Loading suites: hashes, bases, gold answers, and every way in which files can be wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError, SuiteError
from pytest_jevbench.plans.stored import check_tests
from pytest_jevbench.suite_freezing import freeze_mini, freeze_suite
from pytest_jevbench.suite_loading import list_suites, load_suite, suite_of_cases
from tests.suite_writing import MARKET, change_plan, published_suite, seal, write_lines, write_suite

CHOICE = {"type": "choice", "instructions": "Pick.", "criteria": {"a": "A", "b": "B"}}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A frozen suite of two cases in two domains, with gold answers."""
    second = {**MARKET, "id": "fair", "domain": "fairs"}
    directory = write_suite(tmp_path / "own", [MARKET, second])
    write_lines(directory / "gold.jsonl", [{"case": "fair", "answers": {"open": True, "goods": "fish"}}])
    freeze_suite(directory)
    return directory


def edit_manifest(suite: Path, **fields: Any) -> None:
    path = suite / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_what_a_suite_holds(suite: Path) -> None:
    loaded = load_suite(str(suite))
    assert (loaded.name, loaded.version, loaded.description, loaded.min_n) == ("own", "1", "for a test", 5)
    assert loaded.path == suite
    assert list(loaded.cases) == ["market", "fair"]
    assert loaded.domains == ("stalls", "fairs")
    assert loaded.gold == {"fair": {"open": True, "goods": "fish"}}
    assert len(loaded.plan.tests) == loaded.manifest["plan"]["tests"]
    check_tests(loaded.plan.tests)


def test_the_digest_is_of_what_the_tests_depend_on(suite: Path, tmp_path: Path) -> None:
    before = load_suite(str(suite)).digest
    assert len(before) == 64
    shutil.copytree(suite, tmp_path / "copy")
    edit_manifest(tmp_path / "copy", name="copy", description="another")
    assert load_suite(str(tmp_path / "copy")).digest == before
    write_lines(suite / "gold.jsonl", [{"case": "fair", "answers": {"open": False}}])
    seal(suite)
    assert load_suite(str(suite)).digest != before


def test_published_suites_load() -> None:
    examples, mini = load_suite("jevbench:examples"), load_suite("jevbench:jevbench-mini")
    assert (examples.name, examples.min_n, len(examples.plan.tests)) == ("jevbench.examples", 1, 50)
    assert (mini.name, mini.min_n, len(mini.plan.tests), len(mini.cases)) == ("jevbench.jevbench-mini", 5, 1200, 240)
    assert len(mini.domains) == 12
    assert mini.gold == {}
    check_tests(mini.plan.tests)


def test_a_published_suite_given_as_a_path_has_its_plain_name() -> None:
    assert load_suite(str(published_suite("jevbench-mini"))).name == "jevbench-mini"


@pytest.mark.parametrize("name", ["cases.jsonl", "gold.jsonl", "tests.jsonl.gz"])
def test_a_changed_file_is_named(name: str, suite: Path) -> None:
    with (suite / name).open("ab") as file:
        file.write(b"\n")
    with pytest.raises(SuiteError, match=rf"own/{name}: the content is not what manifest.json has the hash of"):
        load_suite(str(suite))


@pytest.mark.parametrize("name", ["cases.jsonl", "gold.jsonl", "tests.jsonl.gz"])
def test_a_missing_file_is_named(name: str, suite: Path) -> None:
    (suite / name).unlink()
    with pytest.raises(SuiteError, match=rf"own/{name}: the file is missing"):
        load_suite(str(suite))


@pytest.mark.parametrize("name", ["more.jsonl", "more.jsonl.gz"])
def test_a_file_that_is_not_listed_is_named(name: str, suite: Path) -> None:
    (suite / name).touch()
    (suite / "notes.md").touch()
    with pytest.raises(SuiteError, match=rf"own/{name}: manifest.json does not list this file"):
        load_suite(str(suite))


def test_a_renamed_file_is_told_by_its_name_before(suite: Path) -> None:
    (suite / "cases.jsonl").rename(suite / "cases2.jsonl")
    with pytest.raises(SuiteError, match=r"own/cases2.jsonl: this is the file that manifest.json lists as cases.jsonl"):
        load_suite(str(suite))


@pytest.mark.parametrize("name", ["cases.jsonl", "manifest.json"])
def test_a_directory_in_the_place_of_a_file_is_named(name: str, suite: Path) -> None:
    (suite / name).unlink()
    (suite / name).mkdir()
    with pytest.raises(InputError, match=rf"own/{name}: this is a directory"):
        load_suite(str(suite))


def test_an_empty_manifest_is_said_to_be_empty(suite: Path) -> None:
    (suite / "manifest.json").write_text("")
    with pytest.raises(InputError, match=r"manifest\.json: not JSON: it is empty"):
        load_suite(str(suite))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": ""}, "manifest.json, name: the suite has no name"),
        ({"name": ["own"]}, "manifest.json, name: found"),
        ({"min_n": 0}, "manifest.json, min_n: found 0"),
        ({"min_n": True}, "manifest.json, min_n: found true"),
        ({"files": []}, "manifest.json, files: found"),
        ({"files": {"../cases.jsonl": "0"}}, "manifest.json, files: .* is no plain file name"),
        ({"plan": None}, "manifest.json, plan: the suite has no frozen plan. .*suite freeze"),
        ({"plan": {"file": "other.jsonl.gz"}}, "manifest.json, files: the manifest lists no other.jsonl.gz"),
        ({"plan": {"file": "tests.jsonl.gz", "tests": 3}}, "manifest.json, plan.tests: the manifest says 3 tests"),
        ({"base": "../own"}, "A base is the bare name"),
        ({"base": "absent"}, 'the base suite "absent" .* is not beside it'),
    ],
)
def test_a_manifest_that_is_wrong(fields: dict[str, Any], message: str, suite: Path) -> None:
    edit_manifest(suite, **fields)
    with pytest.raises(SuiteError, match=message):
        load_suite(str(suite))


def test_no_manifest(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"there is no manifest\.json"):
        load_suite(str(tmp_path))


def test_a_manifest_that_is_no_object(suite: Path) -> None:
    (suite / "manifest.json").write_text("[]")
    with pytest.raises(SuiteError, match=r"manifest\.json: found \[\]"):
        load_suite(str(suite))


def test_a_version_written_as_a_number(suite: Path) -> None:
    edit_manifest(suite, version=2)
    assert load_suite(str(suite)).version == "2"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": "market"', r"cases\.jsonl, line 1: not JSON"),
        ("", r"cases\.jsonl: there is no case"),
        ("\n\n", r"cases\.jsonl: there is no case"),
        ("[]", r"cases\.jsonl, line 1: found \[\]"),
        ('{"id": "a", "questions": {}}', r"cases\.jsonl, line 1, state: this is missing"),
    ],
)
def test_cases_that_are_wrong(content: str, message: str, suite: Path) -> None:
    (suite / "cases.jsonl").write_text(content)
    seal(suite)
    with pytest.raises(SuiteError, match=message):
        load_suite(str(suite))


def test_a_plan_of_other_cases(suite: Path) -> None:
    write_lines(suite / "cases.jsonl", [MARKET])
    (suite / "gold.jsonl").unlink()
    seal(suite)
    with pytest.raises(SuiteError, match=r'tests\.jsonl\.gz, line 1, cases: there is no case "fair"'):
        load_suite(str(suite))


def test_a_wrong_trial_is_found_before_anything_is_asked(suite: Path) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[1]["requests"]["variant"][0][1] = {"@": "price"}

    change_plan(suite, change)
    loaded = load_suite(str(suite))
    with pytest.raises(SuiteError, match=r'tests\.jsonl\.gz, line 2, requests.* has no question "price"'):
        check_tests(loaded.plan.tests)


def test_rewrites_and_gold_answers_that_are_wrong(suite: Path) -> None:
    (suite / "rewrites.jsonl").write_text('{"kind": "paraphrase", "source": "Q?", "rewrite": "R?", "accepted": 1}\n')
    seal(suite)
    with pytest.raises(SuiteError, match=r"rewrites\.jsonl, line 1, accepted: found 1"):
        load_suite(str(suite))
    (suite / "rewrites.jsonl").unlink()
    write_lines(suite / "gold.jsonl", [{"case": "fair", "answers": {"open": "yes"}}])
    seal(suite)
    with pytest.raises(SuiteError, match=r"gold\.jsonl, line 1, answers\.open: found .yes."):
        load_suite(str(suite))


# --- derived suites ----------------------------------------------------------------------------------------


@pytest.fixture
def derived(suite: Path) -> Path:
    directory = suite.parent / "small"
    directory.mkdir()
    (directory / "manifest.json").write_text('{"name": "small", "version": "3", "min_n": 2}')
    freeze_mini(directory, "own", per_domain=1)
    return directory


def test_a_derived_suite_takes_cases_and_gold_of_its_base(derived: Path) -> None:
    loaded, base = load_suite(str(derived)), load_suite(str(derived.parent / "own"))
    assert (loaded.name, loaded.version, loaded.min_n) == ("small", "3", 2)
    assert loaded.cases == base.cases
    assert loaded.gold == base.gold
    assert {test.id for test in loaded.plan.tests} <= {test.id for test in base.plan.tests}
    check_tests(loaded.plan.tests)


def test_a_base_that_changed_since_is_refused(derived: Path) -> None:
    base = derived.parent / "own"
    write_lines(base / "gold.jsonl", [{"case": "fair", "answers": {"open": False}}])
    with pytest.raises(SuiteError, match=r"own/gold\.jsonl: the content is not"):
        load_suite(str(derived))
    seal(base)
    with pytest.raises(
        SuiteError, match=r"small/manifest\.json, base_files: gold\.jsonl of the base suite .* is not the one"
    ):
        load_suite(str(derived))


def test_a_base_without_recorded_hashes_or_with_a_base_of_its_own(derived: Path) -> None:
    edit_manifest(derived, base_files={})
    with pytest.raises(SuiteError, match=r"base_files: no hash of cases\.jsonl is recorded"):
        load_suite(str(derived))
    edit_manifest(derived, base="small")
    with pytest.raises(SuiteError, match="base: the base is a derived suite itself"):
        load_suite(str(derived))


# --- inputs that broke others ------------------------------------------------------------------------------


def own_cases(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(content)
    return path


def line(case_id: str, **fields: Any) -> bytes:
    return json.dumps({"id": case_id, "state": "s", "questions": {"q": CHOICE}, **fields}).encode()


def test_mark_crlf_and_blank_lines_change_nothing(tmp_path: Path) -> None:
    plain = suite_of_cases(own_cases(tmp_path, line("c1") + b"\n" + line("c2") + b"\n"))
    marked = suite_of_cases(own_cases(tmp_path, b"\xef\xbb\xbf" + line("c1") + b"\r\n\r\n" + line("c2")))
    assert list(marked.cases) == ["c1", "c2"]
    requests: Callable[[Any], list[str]] = lambda suite: [case.request().digest for case in suite.cases.values()]  # noqa: E731
    assert requests(marked) == requests(plain)
    assert [test.trials for test in marked.plan.tests] == [test.trials for test in plain.plan.tests]
    broken = own_cases(tmp_path, b"\xef\xbb\xbf" + line("c1") + b"\r\n\r\n" + line("c2", state=3))
    with pytest.raises(InputError, match=r"cases\.jsonl, line 3, state: found 3"):
        suite_of_cases(broken)


def test_a_question_key_twice_is_refused_with_key_and_line(tmp_path: Path) -> None:
    twice = b'{"id": "c1", "state": "s", "questions": {"q": {"type": "noul", "instructions": "A?"}, "q": {}}}'
    with pytest.raises(InputError, match=r'cases\.jsonl, line 2: key "q" stands twice in one object'):
        suite_of_cases(own_cases(tmp_path, line("c0") + b"\n" + twice))


STRANGE_IDS = ["not", "must remove", "x::y", "a[b]", "q'uote", "n\x00l", "esc\x1b[31m", "C:\\p", "x" * 300, "CON", ".."]


def test_strange_ids_stay_as_they_are(tmp_path: Path) -> None:
    suite = suite_of_cases(own_cases(tmp_path, b"\n".join(map(line, STRANGE_IDS))))
    assert list(suite.cases) == STRANGE_IDS
    assert {test.id.case_id for test in suite.plan.tests} == set(STRANGE_IDS)


def test_ids_that_are_nearly_the_same_are_two(tmp_path: Path) -> None:
    ids = ["Case", "case", "y" * 250 + "1", "y" * 250 + "2"]
    assert list(suite_of_cases(own_cases(tmp_path, b"\n".join(map(line, ids)))).cases) == ids


def test_an_empty_id_and_an_id_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2, id: found"):
        suite_of_cases(own_cases(tmp_path, line("a") + b"\n" + line("")))
    with pytest.raises(InputError, match=r'line 3, id: the id "esc\\u001b" stands on line 1 already'):
        suite_of_cases(own_cases(tmp_path, b"\n\n".join([line("esc\x1b"), line("esc\x1b")])))


def test_a_lone_surrogate_is_refused_with_line_and_field(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 1, state: the text has a lone surrogate"):
        suite_of_cases(own_cases(tmp_path, line("c1", state="x\ud800y")))
    with pytest.raises(InputError, match=r"line 2, state\.a\[1\]: the text has a lone surrogate"):
        suite_of_cases(own_cases(tmp_path, line("c1") + b"\n" + line("c2", state={"a": ["x", "\udfff"]})))


def test_numbers_that_are_not_json_are_refused(tmp_path: Path) -> None:
    for number in (b"NaN", b"1e999"):
        bad = line("c1", state=["N"]).replace(b'"N"', number)
        with pytest.raises(InputError, match="line 1"):
            suite_of_cases(own_cases(tmp_path, bad))


# --- suites of one's own cases -----------------------------------------------------------------------------


def test_own_cases_are_planned_in_every_variant(tmp_path: Path) -> None:
    write_lines(tmp_path / "mine.jsonl", [MARKET])
    write_lines(
        tmp_path / "bank.jsonl",
        [
            {
                "kind": "negation",
                "source": "Is the stall busy?",
                "rewrite": "Is it quiet?",
                "accepted": True,
                "audited": None,
            },
            {
                "kind": "negation",
                "source": "Is the stall busy?",
                "rewrite": "Is it calm?",
                "accepted": True,
                "audited": True,
            },
            {"kind": "negation", "source": "Is the stall busy?", "rewrite": "No?", "accepted": True, "audited": False},
        ],
    )
    mine = suite_of_cases(tmp_path / "mine.jsonl", rewrites=tmp_path / "bank.jsonl", seed=3, draws=4)
    assert (mine.name, mine.min_n, mine.plan.seed, mine.plan.draws) == ("mine", 5, 3, 4)
    by_relation = {test.id.relation: test for test in mine.plan.tests if test.id.key == "busy"}
    assert len(by_relation["negation_wrapper"].trials) == 3
    assert len(by_relation["key_rename"].trials) == 4
    negations = {trial.params["rewrite"] for trial in by_relation["natural_negation"].trials}
    assert negations <= {"Is it quiet?", "Is it calm?"}
    audited = suite_of_cases(tmp_path / "mine.jsonl", rewrites=tmp_path / "bank.jsonl", audited_only=True)
    (rewrite,) = {
        t.params["rewrite"]
        for test in audited.plan.tests
        if test.id.relation == "natural_negation"
        for t in test.trials
    }
    assert rewrite == "Is it calm?"
    assert audited.digest != mine.digest


def test_listed_suites_say_what_a_run_costs() -> None:
    listed = {summary.spec: summary for summary in list_suites()}
    mini = listed["jevbench:jevbench-mini"]
    assert (mini.cases, mini.domains, mini.tests, mini.requests) == (240, 12, 1200, 1248)
    examples = listed["jevbench-examples"]
    assert (examples.cases, examples.domains, examples.tests, examples.requests) == (1, 1, 50, 43)


BANK = [{"kind": "paraphrase", "source": "Something else?", "rewrite": "Other?", "accepted": True}]


@pytest.mark.parametrize(
    ("rows", "audited_only", "words"),
    [
        (BANK, False, r"none of its 1 texts stands in these cases"),
        (BANK, True, "none of its rewrites was confirmed by an audit"),
        ([], True, "none of its rewrites was confirmed by an audit"),
    ],
)
def test_a_bank_of_other_cases_is_not_used_in_silence(
    tmp_path: Path, rows: list[dict[str, Any]], audited_only: bool, words: str
) -> None:
    cases, bank = tmp_path / "cases.jsonl", tmp_path / "bank.jsonl"
    questions = {"q": {"type": "noul", "instructions": "Is it?"}}
    cases.write_text(json.dumps({"id": "c", "state": "s", "questions": questions}), encoding="utf-8")
    bank.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    with pytest.raises(InputError, match=rf"bank\.jsonl: {words}"):
        suite_of_cases(cases, rewrites=bank, audited_only=audited_only)
    fitting = {**BANK[0], "source": "Is it?", "audited": True}
    bank.write_text(json.dumps(fitting), encoding="utf-8")
    assert suite_of_cases(cases, rewrites=bank, audited_only=True).bank.texts
