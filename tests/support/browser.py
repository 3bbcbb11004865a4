"""A headless Chromium that shows one page from a file, driven over a pipe by its DevTools protocol; nothing of it touches the network."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",  # our own pages only, often as root in a container
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0  # seconds for one answer: a machine under load is slow to start a browser


def chromium() -> str:
    """The program; "" where there is none. MAGUYVA_TEST_CHROMIUM names another."""
    chosen = os.environ.get("MAGUYVA_TEST_CHROMIUM", "")
    return chosen or next((found for name in NAMES if (found := shutil.which(name))), "")


class Browser:
    """with Browser(folder) as browser: browser.open(path); browser.run("1 + 1") == 2"""

    def __init__(self, folder: Path, width: int = 1400, height: int = 1000, dark: bool = False) -> None:
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        self._in, self._out = ours_in, ours_out

        high = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 100) for one in (theirs_in, theirs_out)]
        command = [chromium(), *FLAGS, f"--window-size={width},{height}", f"--user-data-dir={folder / 'profile'}", "about:blank"]
        nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
        pipes = [(os.POSIX_SPAWN_DUP2, one, number) for one, number in zip(high, (3, 4), strict=True)]  # where the browser looks for them
        self._process = os.posix_spawn(command[0], command, {**os.environ, "HOME": str(folder)}, file_actions=[*nowhere, *pipes])
        for one in (theirs_in, theirs_out, *high):
            os.close(one)
        self._number, self._rest, self._session = 0, b"", ""
        self.events: list[dict[str, Any]] = []
        target = next(one for one in self._ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self._session = self._ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Security"):
            self._ask(f"{domain}.enable")
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._ask("Emulation.setEmulatedMedia", features=scheme)
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self._in)
        os.close(self._out)

    def open(self, page: Path) -> None:
        """Shows a file and waits until it is there."""
        self.events.clear()
        self._ask("Page.navigate", url=page.resolve().as_uri())
        until = time.monotonic() + PATIENCE
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self._read(until)

    def run(self, script: str) -> Any:
        """A JavaScript expression -> its value. Raises AssertionError for one that throws."""
        found = self._ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def click(self, selector: str) -> None:
        """Presses and lets go of the mouse in the middle of the first element that matches."""
        spot = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'nearest'}}); "
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, *spot)

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        button = {"button": "left", "buttons": 1, "clickCount": 1} if kind != "mouseWheel" else {}
        self._ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **{**button, **more})

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"]))

    @property
    def requests(self) -> list[str]:
        """Every address that the page asked for."""
        return [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]

    @property
    def complaints(self) -> list[str]:
        """Errors and warnings: of scripts, of the policy, of anything."""
        said = [event["params"]["entry"]["text"] for event in self.events if event.get("method") == "Log.entryAdded"]
        thrown = [event for event in self.events if event.get("method") == "Runtime.exceptionThrown"]
        return said + [event["params"]["exceptionDetails"]["exception"].get("description", "") for event in thrown]

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            found = self._read(until)
            if found.get("id") == self._number:
                assert "error" not in found, f"{method}: {found['error']}"
                result: dict[str, Any] = found["result"]
                return result

    def _read(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(until - time.monotonic(), 0))
            assert ready, f"the browser gave no answer for {PATIENCE:g} seconds"
            piece = os.read(self._in, 1 << 20)
            assert piece, "the browser ended"
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        if "method" in found:
            self.events.append(found)
        return found
