"""Workers in processes that pytest-xdist did not start, as on other machines."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.servers.modelled import replicas
from tests.servers.published import free_port

Run = Callable[..., pytest.RunResult]
SUITE = ("--jevbench-suite=jevbench-mini", "--jevbench-domain=finance_ops")
SERVER = ("-u", "-m", "execnet.script.socketserver")
ELSEWHERE = ("unshare", "--uts", "sh", "-c", 'hostname elsewhere && exec "$0" "$@"')


@contextmanager
def socket_worker(folder: Path, *, other_host: bool = False) -> Iterator[str]:
    """A process that waits for a controller; its ``--tx``. On another host its own folder is all it has."""
    folder.mkdir()
    address = f"127.0.0.1:{free_port()}"
    command = [*(ELSEWHERE if other_host else ()), sys.executable, *SERVER, address]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        assert process.stdout is not None
        assert "Accept loop" in process.stdout.readline()
        try:
            yield f"--tx=socket={address}//chdir={folder}"
        finally:
            process.kill()


def card(pytester: pytest.Pytester) -> Any:
    made = json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))
    made["identity"]["model"].pop("address")
    return made


def may_rename_itself() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*ELSEWHERE, "true"], check=False, capture_output=True).returncode == 0


@pytest.mark.parametrize("other_host", [False, True], ids=["same host", "another host"])
def test_socket_workers_ask_replicas_by_url_and_give_the_serial_card(
    run_jevbench: Run, pytester: pytest.Pytester, other_host: bool
) -> None:
    if other_host and not may_rename_itself():
        other_host = False  # the card must be right all the same
    with replicas(1) as group:
        run_jevbench(*SUITE, f"--jevbench-url={group.urls}", "--jevbench-store=off")
        distinct = len(group.bodies)
    serial = card(pytester)
    with replicas(2) as group, ExitStack() as stack:
        workers = [
            stack.enter_context(socket_worker(pytester.path / f"host{i}", other_host=other_host)) for i in range(2)
        ]
        result = run_jevbench(*SUITE, f"--jevbench-url={group.urls}", "--dist=worksteal", *workers)
        assert result.ret == 1, result.stdout.str() + result.stderr.str()
        assert all(server.asked for server in group.servers)
        assert len(group.bodies) == distinct
    made = card(pytester)
    assert made["run"]["workers"] == 2
    made.pop("run")
    serial.pop("run")
    assert made == serial
    assert [(pytester.path / f"host{i}" / ".jevbench").is_dir() for i in range(2)] == [other_host] * 2


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((f"--jevbench-launch={sys.executable} --port {{port}}",), "--jevbench-launch"),
        (("--jevbench-url=http://h", "--jevbench-max-usd=1", "--jevbench-price-in=1", "--jevbench-price-out=1"), "one"),
    ],
)
def test_what_other_machines_cannot_share_is_refused(run_jevbench: Run, args: tuple[str, ...], words: str) -> None:
    result = run_jevbench(*SUITE, *args, "--dist=load", "--tx=socket=127.0.0.1:1")
    assert result.ret == 4
    assert words in result.stderr.str()
