"""The real Gradio app, run once for all tests that ask it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.published import free_port

ROOT = Path(__file__).parents[2]
QUIET = {"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


@contextmanager
def running_form() -> Iterator[str]:
    """The URL of the app, which answers."""
    port = free_port()
    command = [sys.executable, "-m", "tests.servers.gradio_form", str(port)]
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **QUIET}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as app:
        try:
            deadline = time.monotonic() + 60
            while not _answers(url):
                if app.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"the app did not start (exit status {app.poll()})")
                time.sleep(0.05)
            yield url
        finally:
            app.kill()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/gradio_api/info", timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False
