"""The published package's report command as a black box."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from pytest_jevbench.scoring.scores import Scores
from tests.servers.published import program

__all__ = ["assert_scores_agree", "published_scores", "published_table"]

WITHIN = 1e-12


def _report(path: Path, *options: str) -> str:
    command = [program("jevbench"), "report", str(path), *options]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def published_scores(path: Path, *options: str, bootstrap: int = 0) -> dict[str, Any]:
    """The scores that their tool computes from a report."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "scores.json")
        _report(path, "--bootstrap", str(bootstrap), "--json", str(out), *options)
        (scores,) = json.loads(out.read_text(encoding="utf-8")).values()
    return scores  # type: ignore[no-any-return]


def published_table(path: Path, *options: str) -> str:
    """What their tool prints of a report."""
    return _report(path, "--bootstrap", "0", *options)


def assert_scores_agree(ours: Scores, theirs: dict[str, Any]) -> None:
    """Every score, binary and graded, to 1e-12; not reported here is not reported there."""
    ours_found = {
        "overall": (ours.overall.score, ours.overall.graded),
        **{mean.name: (mean.score, mean.graded) for mean in (*ours.dimensions, *ours.groups)},
        **{row.name: (row.score, row.graded) for row in ours.relations},
    }
    binary = {"overall": theirs["overall"], **theirs["pillars"], **theirs["groups"], **theirs["relations"]}
    of_graded = theirs["graded"]
    graded = {"overall": of_graded["overall"], **of_graded["pillars"], **of_graded["groups"], **of_graded["relations"]}
    assert set(binary) <= set(ours_found)
    for name, pair in ours_found.items():
        for found, expected in zip(pair, (binary.get(name), graded.get(name)), strict=True):
            assert (found is None) == (expected is None), name
            assert found is None or abs(found - expected) <= WITHIN, name
    for row in ours.relations:
        check = theirs["checks"][f"{row.name}/{row.check}"] if row.judged else None
        assert check is None or (check["n"], check["planned"]) == (row.judged, row.planned)
    assert ours.cases == theirs["n_cases"]
