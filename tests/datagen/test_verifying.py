"""Planned facts against texts: by patterns, and by a blind reader over a scripted chat server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.datagen.domain import Domain
from pytest_jevbench.datagen.folders import DomainFolder
from pytest_jevbench.datagen.planned import CasePlan, PlannedFact
from pytest_jevbench.datagen.text_checks import check_text
from pytest_jevbench.datagen.verification import read_verification
from pytest_jevbench.datagen.verifying import compare
from tests.datagen.domains import small_domain, small_folder, write_all
from tests.servers.chat import says, speaks
from tests.servers.scripted import ScriptedServer

FACTS = {
    "parcel": PlannedFact("missing", "implied"),
    "refund": PlannedFact(False, "absent"),
    "visit": PlannedFact(True, "explicit"),
    "days": PlannedFact(7, "explicit"),
    "weight_kg": PlannedFact(3, "absent"),
    "writer": PlannedFact("Declan Foy", "explicit"),
}
PLAN = CasePlan("parcel_desk-001", "present", "email", "short", "", "", FACTS, ())
GOOD = "Declan Foy here. I have been at the desk. It is seven days now, and the neighbours know nothing."


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    return small_domain(tmp_path)


def problems(domain: Domain, text: str) -> list[str]:
    return [str(finding) for finding in check_text(domain, PLAN, text)[0]]


def test_a_text_that_gives_every_fact_as_planned(domain: Domain) -> None:
    assert problems(domain, GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (
            "seven",
            "eight",
            "days (7, explicit): is to be stated outright, and none of its patterns is found: `{value} days`",
        ),
        (
            "Declan",
            "D.",
            "writer (Declan Foy, explicit): is to be stated outright, and none of its patterns is found: `{value}`",
        ),
        (
            "the neighbours know",
            "we know",
            "parcel (missing, implied): is to be implied, and none of its patterns is found: `neighbours`, `shed`",
        ),
        (
            "It is",
            "It has not arrived. It is",
            "parcel (missing, implied): is to be implied, and the text says it outright: `not arrived`",
        ),
        ("It is", "A refund. It is", "refund (no, absent): is to be absent, and the text says `refund`"),
        ("It is", "It weighs 9 kilos. It is", "weight_kg (3, absent): is to be absent, and the text says `9 kilos`"),
    ],
)
def test_a_mismatch_is_named(domain: Domain, old: str, new: str, named: str) -> None:
    assert problems(domain, GOOD.replace(old, new)) == [named]


def test_what_speaks_against_a_value(tmp_path: Path) -> None:
    folder = small_folder(
        tmp_path,
        **{"explicit: ['been at the desk']": "explicit: ['been at the desk']\n      against: ['not been at the desk']"},
    )
    assert problems(folder.domain(), GOOD.replace("have been", "have not been")) == [
        "visit (yes, explicit): the text says `not been at the desk` against it"
    ]


def test_facts_without_a_pattern_wait_for_a_reader(domain: Domain) -> None:
    assert check_text(domain, PLAN, GOOD)[1] == []
    absent = {**FACTS, "visit": PlannedFact(False, "absent")}
    assert check_text(domain, CasePlan("x", "", "", "", "", "", absent, ()), GOOD)[1] == ["visit"]


READ: dict[str, Any] = {
    "parcel": {"mention": "implied", "value": "missing"},
    "refund": {"mention": "absent", "value": None},
    "visit": {"mention": "stated", "value": "yes"},
    "days": {"mention": "stated", "value": 7},
    "weight_kg": {"mention": "absent", "value": None},
    "writer": {"mention": "stated", "value": "declan foy"},
}


def test_a_reading_that_confirms_the_plan(domain: Domain) -> None:
    assert compare(domain, PLAN, READ) == []
    again = {**READ, "days": {"mention": "stated", "value": "7"}, "visit": {"mention": "Stated", "value": True}}
    assert compare(domain, PLAN, {**again, "refund": {"mention": "implied", "value": "no"}}) == []


@pytest.mark.parametrize(
    ("fact", "read", "problem"),
    [
        ("days", {"mention": "stated", "value": 8}, 'was read as "8"'),
        ("days", {"mention": "absent", "value": None}, "was not found in the text"),
        ("parcel", {"mention": "stated", "value": "missing"}, "was read as explicit"),
        ("refund", {"mention": "stated", "value": "no"}, 'is to be absent, and was read as "no" (explicit)'),
        ("refund", {"mention": "implied", "value": "yes"}, 'is to be absent, and was read as "yes" (implied)'),
        ("weight_kg", {"mention": "implied", "value": 3}, 'is to be absent, and was read as "3" (implied)'),
        ("visit", None, "the reader gave no usable answer (null)"),
        ("visit", {"mention": "perhaps"}, 'the reader gave no usable answer ({"mention": "perhaps"})'),
    ],
)
def test_a_reading_that_does_not(domain: Domain, fact: str, read: Any, problem: str) -> None:
    (finding,) = compare(domain, PLAN, {**READ, fact: read})
    assert (finding.fact, finding.problem) == (fact, problem)


@pytest.fixture
def folder(tmp_path: Path) -> DomainFolder:
    made = small_folder(tmp_path / "parcel_desk")
    assert main(["datagen", "plan", str(made.path), "--cases", "3"]) == 0
    write_all(made, made.domain())
    return made


def confirming(folder: DomainFolder) -> Any:
    """A reader that finds every planned fact; the plan is told to the test, never to the server."""
    domain = folder.domain()
    known = {}
    for plan in folder.planned(domain):
        name = str(plan.facts["writer"].value)
        known[name] = {
            fact: {
                "mention": {"explicit": "stated"}.get(planned.mention, planned.mention),
                "value": planned.value,
            }
            for fact, planned in plan.facts.items()
        }

    def answer(message: str) -> str:
        document = message.split("Document:")[1]
        return "```json\n" + json.dumps(next(read for name, read in known.items() if name in document)) + "\n```"

    return answer


def verify(folder: DomainFolder, server: ScriptedServer) -> int:
    return main(
        ["datagen", "verify", str(folder.path), "--chat-url", server.url, "--model", "reader", "--concurrency", "1"]
    )


def test_a_model_reads_without_being_told_the_plan(folder: DomainFolder) -> None:
    answer = confirming(folder)
    with ScriptedServer([speaks(answer)]) as server:
        assert verify(folder, server) == 0
        assert len(server.asked) == 3
        assert verify(folder, server) == 0
        assert len(server.asked) == 3
        items = server.asked[0].json["messages"][-1]["content"].split("Document:")[0]
        assert "explicit" not in items
        assert "implied" not in items
        changed = next(iter(folder.drafts.iterdir()))
        changed.write_text(changed.read_text("utf-8").replace("Well,", "Oh,").replace(" w", " v", 1), "utf-8")
        assert verify(folder, server) == 0
        assert len(server.asked) == 4
    rows = read_verification(folder.verification)
    assert {row.by for row in rows.values()} == {"reader"}
    assert {row.verdict for row in rows.values()} == {"accepted"}


def test_a_model_that_reads_otherwise_rejects_by_name(folder: DomainFolder, capsys: pytest.CaptureFixture[str]) -> None:
    right = confirming(folder)

    def wrong(message: str) -> str:
        return right(message).replace('"mention": "stated", "value": "', '"mention": "stated", "value": "not ')

    with ScriptedServer([speaks(wrong)]) as server:
        assert verify(folder, server) == 1
    out = capsys.readouterr().out
    assert "parcel_desk-001: writer (" in out
    assert 'was read as "not ' in out
    assert "3 rejected" in out


def test_a_model_that_answers_nothing_usable_leaves_a_text_unread(
    folder: DomainFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer([says(None), says("no JSON"), speaks(confirming(folder))]) as server:
        assert verify(folder, server) == 1
        assert len(server.asked) == 4
        out = capsys.readouterr().out
        assert "2 accepted, 0 rejected, 1 unread" in out
        assert "not usable: there is no JSON object" in out
        assert verify(folder, server) == 0
        assert len(server.asked) == 5


def test_a_draft_that_is_none_is_one_rejection(folder: DomainFolder, capsys: pytest.CaptureFixture[str]) -> None:
    domain = folder.domain()
    plans = folder.planned(domain)
    record = next(plan for plan in plans if plan.style == "record")
    email, other = [plan for plan in plans if plan.style == "email"]
    folder.draft(domain, record).write_text('{"note": "cut', "utf-8")
    folder.draft(domain, email).rename(folder.drafts / f"{email.id}.json")
    for content, words in ((b"", "a text"), (b"caf\xe9", "UTF-8"), (None, "directory")):
        folder.draft(domain, other).unlink()
        if content is None:
            folder.draft(domain, other).mkdir()
        else:
            folder.draft(domain, other).write_bytes(content)
        capsys.readouterr()
        assert main(["datagen", "verify", str(folder.path)]) == 1
        told = capsys.readouterr()
        assert told.err == ""
        assert "0 accepted, 3 rejected, 0 unread, 0 without a draft" in told.out
        (line,) = [line for line in told.out.splitlines() if line.startswith(f"{other.id}: ")]
        assert words in line
        assert f"{email.id}: the style email wants {email.id}.txt, and {email.id}.json is there" in told.out
    assert {row.verdict for row in read_verification(folder.verification).values()} == {"rejected"}
