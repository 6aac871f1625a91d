"""A generated suite of 25,000, 50,000 and 100,000 tests beside as many items that do nothing.

Run it with ``python -m tests.benchmarks.many_tests [TESTS,TESTS,...]``, on a machine with nothing else to do. The cases
are copies of the bundled example, each with a state of its own: 50 tests and 43 requests a case. Printed are time and
memory a test, which stay as they are where both are linear.
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

PER_CASE = 50


def write_suite(folder: Path, cases: int) -> None:
    """Freeze a suite of so many cases."""
    case = json.loads((EXAMPLES / "cases.jsonl").read_text(encoding="utf-8"))
    copies = (
        {**case, "id": f"{case['id']}-{number:06}", "state": f"{case['state']}\nMessage {number}"}
        for number in range(cases)
    )
    (folder / "cases.jsonl").write_text("".join(f"{json.dumps(copy)}\n" for copy in copies), encoding="utf-8")
    (folder / "rewrites.jsonl").write_bytes((EXAMPLES / "rewrites.jsonl").read_bytes())
    (folder / "manifest.json").write_text(json.dumps({"name": "many", "version": "1"}), encoding="utf-8")
    freeze_suite(folder)


def main(sizes: str = "25000,50000,100000") -> None:
    """Print a line a size, and what the sizes say of each other."""
    found: list[tuple[int, Session, Session]] = []
    for size in map(int, sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            suite = Path(folder) / "many"
            suite.mkdir()
            began = time.perf_counter()
            write_suite(suite, size // PER_CASE)
            frozen = time.perf_counter() - began
            ours = jevbench_session(str(suite))
        trivial = trivial_session(size // PER_CASE, PER_CASE)
        found.append((size, ours, trivial))
        tell(
            f"{size} tests (frozen in {frozen:.0f} s): {ours.wall:6.1f} s, {ours.model:.1f} s of it the model's, "
            f"{ours.memory:.0f} MiB; trivial {trivial.wall:6.1f} s {trivial.memory:.0f} MiB; "
            f"{1e6 * (ours.wall - ours.model) / size:.0f} and {1e6 * trivial.wall / size:.0f} us a test; "
            f"{(ours.memory - trivial.memory) * 1024 / size:.2f} KiB a test above the trivial ones"
        )
    (small, first, first_trivial), (large, last, last_trivial) = found[0], found[-1]
    if large > small:
        growth = (last.wall - last.model) / (first.wall - first.model) / (large / small)
        trivial_growth = last_trivial.wall / first_trivial.wall / (large / small)
        above = (last.memory - last_trivial.memory) - (first.memory - first_trivial.memory)
        tell(f"time a test grows by {growth:.2f} from {small} to {large}, that of trivial ones by {trivial_growth:.2f}")
        tell(f"{above * 1024 / (large - small):.2f} KiB a further test above a further trivial one")


if __name__ == "__main__":
    main(*sys.argv[1:2])
