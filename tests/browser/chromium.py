"""A headless Chromium that a test drives by its own protocol, over a WebSocket."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-port=0"),
    *("--disable-dev-shm-usage",),
)
WAIT = 30.0


def find_chromium() -> str | None:
    """The browser's command, or None where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Page:
    """One tab. ``problems`` are errors and warnings of its console, what the page threw, and refused requests."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self.problems: list[str] = []
        self.requested: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a command of the protocol; events that come before it are taken in."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            told = self._next()
            if told.get("id") == self._number:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                return dict(told["result"])

    def _next(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self._socket.recv(timeout=WAIT))
        method, params = told.get("method"), told.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(params["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.problems.append(json.dumps(params["args"])[:500])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requested.append(params["request"]["url"])
        return told

    def open(self, path: Path) -> float:
        """Open a file, and return the seconds until it was loaded and its script had run."""
        began = time.monotonic()
        self.call("Page.navigate", url=path.as_uri())
        while self._next().get("method") != "Page.loadEventFired":
            pass
        self.run("document.body.offsetHeight")
        return time.monotonic() - began

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is awaited."""
        told = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in told:
            raise AssertionError(json.dumps(told["exceptionDetails"])[:1000])
        return told["result"].get("value")

    def size(self, width: int, height: int = 900) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )

    def scheme(self, name: str, media: str = "") -> None:
        """``light`` or ``dark``; ``media`` may be ``print``."""
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def press(self, key: str, code: int) -> None:
        text = {"Enter": "\r", " ": " "}.get(key)
        more = {"text": text} if text else {}
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code={" ": "Space"}.get(key, key),
                windowsVirtualKeyCode=code,
                **(more if kind == "keyDown" else {}),
            )

    def picture(self, path: Path, *, top: float = 0, width: float = 0, height: float = 0, scale: float = 1) -> None:
        """A part of the page as a PNG, from ``top`` on; without sizes, all of it."""
        whole = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {
            "x": 0,
            "y": top,
            "width": width or whole["width"],
            "height": height or whole["height"],
            "scale": scale,
        }
        told = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(told["data"]))

    def pdf(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))


@contextmanager
def chromium(command: str, folder: Path) -> Iterator[Page]:
    """A browser with a profile of its own in ``folder``, ended with the block."""
    profile = folder / "profile"
    process = subprocess.Popen(
        [command, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        with connect(_tab(profile, process), max_size=None, open_timeout=WAIT) as socket:
            yield Page(socket)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _tab(profile: Path, process: subprocess.Popen[bytes]) -> str:
    """The address of the first tab; the browser writes its port into its profile."""
    port, until = profile / "DevToolsActivePort", time.monotonic() + WAIT
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"Chromium ended with status {process.returncode}")
        if port.exists() and (lines := port.read_text().splitlines()):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{lines[0]}/json/list", timeout=5) as reply:
                    tabs = [tab for tab in json.load(reply) if tab["type"] == "page"]
                if tabs:
                    return str(tabs[0]["webSocketDebuggerUrl"])
            except OSError:
                pass
        time.sleep(0.05)
    raise RuntimeError("Chromium did not open a tab")
