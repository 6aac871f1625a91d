"""Gated runs: nothing that is missing passes, and a run, its workers and its saved card say the same."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.acceptance.small_project import PLAIN, SERIAL_AND_N2, Done, Project, freeze_cases

TEN = [f"c{i}" for i in range(10)]
ALWAYS = "--jevbench-require=max_violation_rate=1"
"""A gate that every whole run passes."""

workers = pytest.mark.parametrize("workers", SERIAL_AND_N2, ids=["serial", "n2"])


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten cases, one test each."""
    return freeze_cases(tmp_path_factory.mktemp("ten"), 10)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, ten: Path) -> Path:
    """A baseline of the ten in which c0, c1 and c2 are violated."""
    return Project(tmp_path_factory.mktemp("recorded"), ten).record(broken=TEN[:3])


@pytest.fixture
def project(tmp_path: Path, ten: Path) -> Project:
    return Project(tmp_path / "project", ten)


def same_as_saved(project: Project, done: Done, *args: str) -> int:
    """The exit status of the card's gate, after its lines were found in the run's output."""
    saved = project.gate(*args)
    words = " ".join(done.out.split())
    for line in [done.gate["reasons"] and done.gate["reasons"][0], *(c["text"] for c in done.gate["conditions"])]:
        if line:
            assert " ".join(line.split()) in words
            assert " ".join(line.split()) in " ".join(saved.out.split())
    assert f"gate {done.gate['decision']}" in saved.out
    return saved.status


# Scores beside their limits ------------------------------------------------------------------------------------------


@workers
def test_three_of_ten_meet_a_maximum_of_three_in_ten(project: Project, workers: tuple[str, ...]) -> None:
    done = project.run("--jevbench-require=max_violation_rate=0.3", *workers, broken=TEN[:3])
    assert done.status == 0
    assert (done.counts["violated"], done.gate["decision"]) == (3, "passed")
    assert same_as_saved(project, done, "--require=max_violation_rate=0.3") == 0


@workers
def test_a_score_a_hair_under_its_minimum_fails_and_shows_it(project: Project, workers: tuple[str, ...]) -> None:
    # graded: 1 - (deviation - 0.05) / 0.95 = 0.9499 for a deviation of 0.097595
    almost = PLAIN.replace("0.9 if", "0.297595 if")
    hair = Project(project.folder, project.suite, model=almost)
    done = hair.run("--jevbench-require=min_graded.key_rename=0.95", *workers, broken=TEN)
    assert done.status == 1
    assert "0.9499, at least 0.9500" in " ".join(done.out.split())
    assert same_as_saved(hair, done, "--require=min_graded.key_rename=0.95") == 1
    assert hair.gate("--require=min_graded.key_rename=0.9499").status == 0


# Known, new, fixed ---------------------------------------------------------------------------------------------------


@workers
def test_known_new_and_fixed_violations(project: Project, recorded: Path, workers: tuple[str, ...]) -> None:
    conditions = ["--jevbench-require=max_new_violations=1"]
    options = [f"--jevbench-baseline={recorded}", "--junitxml=out.xml", "-v", *conditions]
    done = project.run(*options, *workers, broken=["c1", "c2", "c3"])
    assert done.status == 0
    assert "against the baseline: 1 new violation, 2 known, 1 fixed" in done.out
    assert "  fixed  small::c0::key_rename-q" in done.out
    worst = done.out.partition("worst violations")[2]
    assert worst.index("small::c3::key_rename-q   (new)") < worst.index("(known from the baseline)")
    [suite] = ET.parse(project.folder / "out.xml").getroot()
    failed = [test for test in suite.iter("testcase") if test.find("failure") is not None]
    assert [(test.get("classname"), test.get("name")) for test in failed] == [("small.c3", "key_rename-q")]
    again = project.run(*options, "--lf", broken=["c1", "c2", "c3"])
    assert again.counts["judged"] == 1
    assert again.status == 16  # a part of the tests decides nothing
    assert "a subset: 9 planned tests were deselected" in again.out


def test_more_new_violations_than_allowed_fail_the_run(project: Project, recorded: Path) -> None:
    done = project.run(f"--jevbench-baseline={recorded}", "--jevbench-require=max_new_violations=0", broken=TEN[:4])
    assert done.status == 1
    assert same_as_saved(project, done, "--baseline", str(recorded), "--require=max_new_violations=0") == 1


def test_a_baseline_alone_asks_that_nothing_dropped(project: Project, recorded: Path) -> None:
    done = project.run(f"--jevbench-baseline={recorded}", broken=TEN)
    assert done.status == 1
    [condition] = done.gate["conditions"]
    assert condition["name"] == "no_significant_drop REP"
    assert condition["p"] == 2.0**-7  # seven of ten changed, all for the worse
    assert same_as_saved(project, done, "--baseline", str(recorded)) == 1
    assert project.run(f"--jevbench-baseline={recorded}", broken=TEN[:6]).status == 0  # three changed


# What is missing never passes ----------------------------------------------------------------------------------------


@workers
def test_stopped_at_the_first_failure_it_is_incomplete(
    project: Project, recorded: Path, workers: tuple[str, ...]
) -> None:
    options = [f"--jevbench-baseline={recorded}", "--jevbench-require=max_new_violations=5"]
    done = project.run("-x", *options, *workers, broken=["c4"])
    assert done.status == 16
    assert done.gate["decision"] == "incomplete"
    assert done.counts["judged"] + done.counts["unjudged"]["lost"] == 10
    assert any("cut short" in reason for reason in done.gate["reasons"])
    assert same_as_saved(project, done, "--baseline", str(recorded), "--require=max_new_violations=5") == 16


INTERRUPTED = (
    PLAIN.replace("def model(state, questions):", "def answer(state, questions):")
    + """
import pathlib
import signal

calls = 0

def model(state, questions):
    global calls
    calls += 1
    if calls == int(os.environ["KILL_AT"]):
        try:
            pathlib.Path("killed").touch(exist_ok=False)
        except FileExistsError:
            return answer(state, questions)
        controller = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
        os.kill(controller, signal.SIGINT)
    return answer(state, questions)
"""
)


@pytest.mark.parametrize(
    ("workers", "seed"), [((), 1), ((), 2), ((), 3), (("-n", "2"), 4)], ids=["serial1", "serial2", "serial3", "n2"]
)
def test_interrupted_by_a_person_it_is_incomplete(project: Project, workers: tuple[str, ...], seed: int) -> None:
    killed = Project(project.folder, project.suite, model=INTERRUPTED)
    at = random.Random(seed).randrange(2, 8 if workers else 20)
    done = killed.run(ALWAYS, *workers, env={"KILL_AT": str(at)})
    assert done.status == 2  # pytest's own status for an interrupted run goes before
    assert done.gate["decision"] == "incomplete"
    assert done.counts["planned"] == 10
    assert done.counts["judged"] + done.counts["unjudged"]["total"] == 10
    assert done.counts["unjudged"]["lost"] > 0
    assert killed.gate("--require=max_violation_rate=1").status == 16


def test_a_subset_never_passes_and_a_selection_does(project: Project) -> None:
    done = project.run(ALWAYS, "-k", "c1 or c2")
    assert (done.status, done.gate["decision"]) == (16, "incomplete")
    assert "a subset: 8 planned tests were deselected" in done.out
    assert same_as_saved(project, done, "--require=max_violation_rate=1") == 16
    chosen = project.run(ALWAYS, "--jevbench-case=c1", "--jevbench-case=c2")
    assert (chosen.status, chosen.counts["planned"]) == (0, 2)


def test_nothing_to_run_is_no_pass(project: Project) -> None:
    assert project.run(ALWAYS, "-k", "nothing_is_called_so").status == 5


LOSING = """

def pytest_runtest_protocol(item, nextitem):
    return True if "c4" in item.nodeid else None
"""


@workers
def test_fewer_judged_than_planned_is_an_error_where_pytest_says_nothing(
    project: Project, workers: tuple[str, ...]
) -> None:
    losing = Project(project.folder, project.suite, model=PLAIN + LOSING)
    for asked in ([ALWAYS], ["--jevbench-fail-on=never"])[: 1 if workers else 2]:
        done = losing.run(*asked, *workers)
        assert done.status == 16
        assert (done.counts["planned"], done.counts["judged"], done.counts["unjudged"]["lost"]) == (10, 9, 1)


DYING = PLAIN.replace("    case = ", "    'of c5.' in state and 'q' not in questions and os._exit(1)\n    case = ")


def test_a_worker_that_dies_loses_its_test_by_name(project: Project, tmp_path: Path) -> None:
    eight = Project(tmp_path / "eight", freeze_cases(tmp_path, 8), model=DYING)
    done = eight.run(ALWAYS, "-n", "2")
    assert done.status == 16
    assert (done.counts["planned"], done.counts["judged"], done.counts["unjudged"]["lost"]) == (8, 7, 1)
    assert done.card is not None
    assert [test["case"] for test in done.card["tests"] if test["verdict"] == "unjudged"] == ["c5"]
    assert done.gate["decision"] == "incomplete"


ODD = """
import numpy as np

def model(state, questions):
    if "of c7." in state:
        raise RuntimeError("half a character: \\ud800")
    return {key: {"type": "noul", "noul": np.float32(0.25), "note": "\\udfff"} for key in questions}
"""


@workers
def test_numpy_numbers_and_half_characters_reach_the_card_as_plain_json(
    project: Project, workers: tuple[str, ...]
) -> None:
    odd = Project(project.folder, project.suite, model=ODD)
    done = odd.run(ALWAYS, *workers)
    assert done.status == 16
    assert (done.counts["judged"], done.counts["unjudged"]["total"], done.counts["unjudged"]["lost"]) == (9, 1, 0)
    assert done.card is not None
    assert "half a character" in done.card["errors"][0]["message"]
    assert "Traceback" not in done.out
    assert "INTERNALERROR" not in done.out


# One card, however it is run -----------------------------------------------------------------------------------------

NO_XDIST = "import sys\nsys.modules['xdist'] = None\n"


def test_without_cache_or_xdist_the_card_is_the_same(project: Project, recorded: Path) -> None:
    gate = [f"--jevbench-baseline={recorded}", "--jevbench-require=max_new_violations=1"]
    project.write("no_xdist.py", NO_XDIST)
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "no_xdist,pytest_jevbench.plugin"}
    ways: list[tuple[list[str], dict[str, str]]] = [
        ([], {}),
        (["-n", "2"], {}),
        (["-n", "0"], {}),
        (["-p", "no:xdist"], {}),
        (["-p", "no:cacheprovider"], {}),
        ([], {**alone, "PYTHONPATH": f"{project.folder}:{Path(__file__).parents[2]}"}),
    ]
    cards = []
    for options, env in ways:
        done = project.run(*gate, *options, broken=["c1", "c8", "c9"], env=env)
        assert done.status == 1
        assert done.card is not None
        done.card.pop("run")
        done.card["identity"].pop("versions")
        cards.append(done.card)
    assert all(card == cards[0] for card in cards)


# Stopping early ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def forty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return freeze_cases(tmp_path_factory.mktemp("forty"), 40, domains=("a", "b", "c", "d"))


@workers
def test_a_run_that_can_only_fail_stops_and_one_that_passes_does_not(
    tmp_path: Path, forty: Path, workers: tuple[str, ...]
) -> None:
    project = Project(tmp_path, forty)
    baseline = project.record()
    options = [f"--jevbench-baseline={baseline}", "--jevbench-require=no_significant_drop=0.05"]
    every = [f"c{i}" for i in range(40)]
    stopped = project.run(*options, "--jevbench-stop-when-decided", *workers, broken=every)
    assert stopped.status == 1
    assert stopped.gate["decision"] == "failed"
    assert stopped.gate["decided_early"]["cases"] < 25
    if not workers:  # workers have their share of the tests already when the controller decides
        assert stopped.counts["judged"] == stopped.gate["decided_early"]["cases"]
        assert stopped.card is not None
        assert stopped.card["run"]["requests"] <= 2 * stopped.counts["judged"] + 1
    assert "decided early: REP dropped" in stopped.out
    assert same_as_saved(project, stopped, "--baseline", str(baseline), "--require=no_significant_drop=0.05") == 1
    whole = project.run(*options, "--jevbench-stop-when-decided", *workers, broken=every[:2])
    assert (whole.status, whole.gate["decision"], whole.counts["judged"]) == (0, "passed", 40)
    assert whole.gate["decided_early"] is None


def test_a_gate_that_nothing_decides_early_is_decided_at_the_end(tmp_path: Path, forty: Path) -> None:
    project = Project(tmp_path, forty)
    options = [f"--jevbench-baseline={project.record()}", "--jevbench-require=max_violation_rate=0.5"]
    for broken, status in (([], 0), ([f"c{i}" for i in range(40)], 1)):
        done = project.run(*options, "--jevbench-stop-when-decided", broken=broken)
        assert (done.status, done.counts["judged"]) == (status, 40)
        assert done.gate["decided_early"] is None
        assert "stops nothing here" in done.out


def test_a_baseline_that_is_not_there_is_to_be_recorded(project: Project) -> None:
    done = project.run("--jevbench-baseline=nowhere.json")
    assert done.status == 4
    assert "nowhere.json: there is no such file. Record a baseline first" in done.out
