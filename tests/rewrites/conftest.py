"""Cases of one's own and the place of their bank."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewrites.parcels import write_cases


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return write_cases(tmp_path)


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return tmp_path / "bank.jsonl"
