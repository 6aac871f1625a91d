"""A large suite with an in-process model beside as many items that do nothing: time, memory, memory of workers.

Run it with ``python -m tests.benchmarks.large_suite [SUITE] [ROUNDS]``, on a machine with nothing else to do. Without a
store; medians are printed.
"""

from __future__ import annotations

import statistics
import sys

from pytest_jevbench.runs.planning import plan_run
from pytest_jevbench.runs.selection import Filters
from pytest_jevbench.suite_loading import load_suite
from tests.benchmarks.processes import Session, jevbench_session, tell, trivial_session


def main(suite: str = "jevbench:jevbench-240", rounds: int = 3) -> None:
    """Print both, and the ratio of what is left of the run's time without the model's own."""
    tests = len(plan_run(load_suite(suite), Filters(), checked=True).tests)
    cases = 240
    ours: list[Session] = []
    trivial: list[Session] = []
    for _ in range(rounds):
        trivial.append(trivial_session(cases, tests // cases))
        ours.append(jevbench_session(f"--jevbench-suite={suite}"))
    for name, runs in (("trivial items", trivial), (suite, ours)):
        wall, cpu, model, memory = (
            statistics.median(getattr(run, figure) for run in runs) for figure in ("wall", "cpu", "model", "memory")
        )
        tell(
            f"{name:24} {tests} tests {wall:6.2f} s wall {cpu:6.2f} s CPU, {model:5.2f} s of it the model's "
            f"{memory:5.0f} MiB"
        )
    ratios = [(our.wall - our.model) / their.wall for our, their in zip(ours, trivial, strict=True)]
    tell(f"time without the model's, ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    tell(f"MiB above the trivial items {ours[0].memory - trivial[0].memory:.0f}")
    shared = jevbench_session(f"--jevbench-suite={suite}", "-n", "2")
    told = ", ".join(f"{worker:.0f}" for worker in shared.workers)
    tell(f"-n 2: {shared.wall:.2f} s, controller {shared.memory:.0f} MiB, workers {told} MiB")


if __name__ == "__main__":
    main(*sys.argv[1:2], *(int(word) for word in sys.argv[2:3]))
