"""Wall time and peak memory beside the published package's, both asking the same in-process callable.

Run it with ``python -m tests.benchmarks.against_published [SUITE] [ROUNDS]``, on a machine with nothing else to do.
Both sides run in processes of their own, in turn, without a store, intervals included; ratios of medians are printed.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.uniform_model import UNIFORM

CONFTEST = (
    UNIFORM
    + """
import pytest

@pytest.fixture(scope="session")
def jevbench_model():
    return uniform
"""
)
THEIRS = (
    UNIFORM
    + """
import sys
import warnings
import jevbench

warnings.simplefilter("ignore")
print(jevbench.evaluate(jevbench.from_callable(uniform), suite=sys.argv[1], cache=None).scores["overall"])
"""
)
OURS = """
import sys
import pytest

plugins = ["-p", "pytest_jevbench.plugin", "-p", "xdist.plugin"]  # what a user has who installed this project alone
options = [*plugins, "-q", "--jevbench-fail-on=never", "--jevbench-store=off"]
sys.exit(pytest.main([f"--jevbench-suite=jevbench:{sys.argv[1]}", *options]))
"""


class Measured(NamedTuple):
    """Wall seconds, CPU seconds and peak MiB of one process."""

    wall: float
    cpu: float
    memory: float


def measure(script: str, suite: str, where: Path) -> Measured:
    """One run in a process of its own; the peak is that of the process alone."""
    path = where / "measured.py"
    wrapper = (
        "import atexit, json, resource, sys\n"
        "def tell():\n"
        "    own, forked = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))\n"
        "    seconds = own.ru_utime + own.ru_stime + forked.ru_utime + forked.ru_stime\n"
        "    open('used.json', 'w').write(json.dumps([seconds, own.ru_maxrss / 1024]))\n"
        "atexit.register(tell)\n"
    )
    path.write_text(wrapper + script, encoding="utf-8")
    began = time.perf_counter()
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run([sys.executable, str(path), suite], cwd=where, env=alone, check=True, capture_output=True)
    wall = time.perf_counter() - began
    cpu, memory = json.loads((where / "used.json").read_text(encoding="utf-8"))
    return Measured(wall, cpu, memory)


def main(suite: str = "jevbench-mini", rounds: int = 3) -> None:
    """Print both sides and the ratios."""
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        (where / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        for _ in range(rounds):
            theirs.append(measure(THEIRS, suite, where))
            ours.append(measure(OURS, suite, where))
    for name, runs in (("published", theirs), ("this plugin", ours)):
        wall, cpu, memory = (statistics.median(values) for values in zip(*runs, strict=True))
        print(f"{name:12} {wall:7.2f} s wall {cpu:7.2f} s CPU {memory:7.0f} MiB")  # noqa: T201
    for index, what in enumerate(Measured._fields):
        ratio = statistics.median(o[index] for o in ours) / statistics.median(t[index] for t in theirs)
        print(f"{suite}: {what} ratio {ratio:.2f}")  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:2], *(int(word) for word in sys.argv[2:3]))
