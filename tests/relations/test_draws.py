"""Draws are a pure function of what is drawn."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

from pytest_jevbench.relations.draws import Draw
from tests.relations.trial_digest import digest

ROOT = Path(__file__).parents[2]


def _identity(**changes: Any) -> Any:
    return {"seed": 0, "case_id": "c", "family": "f", "key": "k", "draw": 0, "variant": 0, **changes}


def test_a_draw_is_sha_256_in_counter_mode() -> None:
    """The first words, worked out from the definition with nothing but hashlib."""
    identity = b'[0,"c","f","k",0,0]'
    words = [
        int.from_bytes(sha256(identity + b"/" + str(block).encode()).digest()[start : start + 8], "big")
        for block in range(2)
        for start in range(0, 32, 8)
    ]
    draw = Draw(**_identity())
    assert [draw.below(2**32) for _ in range(8)] == [word % 2**32 for word in words]


def test_every_part_of_the_identity_matters() -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"seed": 1},
        {"case_id": "d"},
        {"family": "g"},
        {"key": "l"},
        {"draw": 1},
        {"variant": 1},
    ]
    streams = [tuple(Draw(**_identity(**change)).below(1000) for _ in range(6)) for change in changes]
    assert all(a != b for a, b in combinations(streams, 2))


def test_draws_are_even_and_samples_do_not_repeat() -> None:
    counts = [0] * 6
    for seed in range(6000):
        counts[Draw(**_identity(seed=seed)).below(6)] += 1
    # 1000 expected of each, standard deviation 29
    assert all(abs(count - 1000) < 120 for count in counts)
    for seed in range(50):
        assert sorted(Draw(**_identity(seed=seed)).shuffle(range(9))) == list(range(9))
        assert len(set(Draw(**_identity(seed=seed)).sample("abcdefg", 4))) == 4


def _pythons() -> list[str]:
    """This Python, and all other versions that are installed and supported."""
    others = [shutil.which(f"python3.{minor}") for minor in range(10, 16) if minor != sys.version_info.minor]
    working = [path for path in others if path and _runs([path, "-c", ""], "0").returncode == 0]
    return [sys.executable, *working]


def _runs(command: list[str], hash_seed: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_trials_are_the_same_bytes_on_every_python_and_hash_seed() -> None:
    here = digest()
    for python in _pythons():
        for hash_seed in ("1", "4711"):
            done = _runs([python, "-m", "tests.relations.trial_digest"], hash_seed)
            assert (done.returncode, done.stderr) == (0, "")
            assert done.stdout.strip() == here, f"{python}, PYTHONHASHSEED={hash_seed}"
