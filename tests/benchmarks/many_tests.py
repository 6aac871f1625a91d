"""25,000, 50,000 and 100,000 tests on generated cases of one's own beside as many items that do nothing.

Run it with ``python -m tests.benchmarks.many_tests [TESTS,TESTS,...] [cases|suite]``, on a machine with nothing else to
do. The cases are copies of the bundled example, each with a state of its own: planned by the run itself (``cases``, 176
tests a case), or frozen before (``suite``, 50 tests a case). Printed are time and memory a test, which stay as they are
where both are linear.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from pytest_jevbench.suite_freezing import freeze_suite
from tests.benchmarks.processes import Session, jevbench_session, tell, trivial_session
from tests.suite_writing import EXAMPLES

PER_CASE = {"cases": 176, "suite": 50}


def write_cases(folder: Path, cases: int) -> Path:
    """So many cases, with rewrites beside them; the file of the cases."""
    case = json.loads((EXAMPLES / "cases.jsonl").read_text(encoding="utf-8"))
    copies = (
        {**case, "id": f"{case['id']}-{number:06}", "state": f"{case['state']}\nMessage {number}"}
        for number in range(cases)
    )
    path = folder / "cases.jsonl"
    path.write_text("".join(f"{json.dumps(copy)}\n" for copy in copies), encoding="utf-8")
    (folder / "rewrites.jsonl").write_bytes((EXAMPLES / "rewrites.jsonl").read_bytes())
    return path


def freeze(folder: Path) -> None:
    """Make a suite of the cases in a folder."""
    (folder / "manifest.json").write_text(json.dumps({"name": "many", "version": "1"}), encoding="utf-8")
    freeze_suite(folder)


def measure(size: int, kind: str) -> tuple[int, Session, Session]:
    """The number of tests, a run of them, and a run of as many that do nothing."""
    per_case = PER_CASE[kind]
    cases = size // per_case
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = write_cases(folder, cases)
        if kind == "suite":
            began = time.perf_counter()
            freeze(folder)
            tell(f"frozen in {time.perf_counter() - began:.0f} s")
            ours = jevbench_session(f"--jevbench-suite={folder}")
        else:
            ours = jevbench_session(f"--jevbench-cases={path}")
    return cases * per_case, ours, trivial_session(cases, per_case)


def main(sizes: str = "25000,50000,100000", kind: str = "cases") -> None:
    """Print a line a size, and what the sizes say of each other."""
    found = []
    for wanted in map(int, sizes.split(",")):
        size, ours, trivial = measure(wanted, kind)
        found.append((size, ours, trivial))
        tell(
            f"{size} tests: {ours.wall:6.1f} s wall {ours.cpu:6.1f} s CPU ({ours.model:.1f} s the model's) "
            f"{ours.memory:.0f} MiB; trivial {trivial.wall:6.1f} s wall {trivial.cpu:6.1f} s CPU "
            f"{trivial.memory:.0f} MiB; "
            f"{1e6 * (ours.cpu - ours.model) / size:.0f} and {1e6 * trivial.cpu / size:.0f} us CPU a test; "
            f"{(ours.memory - trivial.memory) * 1024 / size:.2f} KiB a test above the trivial ones"
        )
    (small, first, first_trivial), (large, last, last_trivial) = found[0], found[-1]
    if large > small:
        growth = (last.cpu - last.model) / (first.cpu - first.model) / (large / small)
        trivial_growth = last_trivial.cpu / first_trivial.cpu / (large / small)
        above = (last.memory - last_trivial.memory) - (first.memory - first_trivial.memory)
        tell(f"CPU a test grows by {growth:.2f} from {small} to {large}, that of trivial ones by {trivial_growth:.2f}")
        tell(f"{above * 1024 / (large - small):.2f} KiB a further test above a further trivial one")


if __name__ == "__main__":
    main(*sys.argv[1:3])
