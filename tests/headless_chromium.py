"""Drive a headless Chromium over its debugging pipe, with the standard library alone.

The page tests need four things of a browser: load a file, see every console message, policy
violation and request, evaluate an expression, and take a picture. The pipe (file descriptors 3
and 4, JSON messages closed by a zero byte) gives them without a port, a driver or a package.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

Message = dict[str, Any]

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)


def executable() -> str | None:
    return next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )


@dataclass
class Browser:
    """One page of a running browser, and everything it reported so far."""

    to_browser: int
    from_browser: int
    session: str = ""
    sent: int = 0
    events: list[Message] = field(default_factory=list)
    pending: bytes = b""

    def call(self, method: str, **params: Any) -> Message:
        """Send one command and return its result; events that arrive meanwhile are kept."""
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self.sent:
                assert "error" not in answer, answer
                result: Message = answer["result"]
                return result
            self.events.append(answer)

    def wait_for(self, method: str) -> Message:
        """The first event of that name, already seen or still to come."""
        for event in self.events:
            if event.get("method") == method:
                return event
        while True:
            event = self._receive()
            self.events.append(event)
            if event.get("method") == method:
                return event

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; promises are awaited."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def picture(self, path: Path, width: int, height: int = 0, dark: bool = False) -> None:
        """A PNG of the page at that width; height 0 takes the whole page."""
        self.resize(width, height or 900, dark)
        height = height or int(self.evaluate("document.documentElement.scrollHeight"))
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def resize(self, width: int, height: int, dark: bool = False) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        settled = "new Promise(r=>requestAnimationFrame(()=>requestAnimationFrame(()=>r(1))))"
        self.evaluate(settled)

    def pdf(self, path: Path) -> None:
        printed = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        path.write_bytes(base64.b64decode(printed["data"]))

    def load(self, page: Path, before: str = "") -> None:
        """Open a local page, with a script that runs before its own."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        if before:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.wait_for("Page.loadEventFired")

    def attach(self) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.session = session

    def requests(self) -> list[str]:
        """Addresses of everything the page asked for."""
        asked = [e for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in asked]

    def complaints(self) -> list[Message]:
        """Console errors and warnings, uncaught exceptions and log entries."""

        def bad(event: Message) -> bool:
            kind = event.get("params", {}).get("type", "error")
            method = event.get("method")
            return method in ("Runtime.exceptionThrown", "Log.entryAdded") or (
                method == "Runtime.consoleAPICalled" and kind in ("error", "warning", "assert")
            )

        return [event for event in self.events if bad(event)]

    def _receive(self) -> Message:
        while b"\0" not in self.pending:
            more = os.read(self.from_browser, 1 << 20)
            assert more, "the browser closed its pipe"
            self.pending += more
        text, _, self.pending = self.pending.partition(b"\0")
        message: Message = json.loads(text)
        return message


# Chromium wants its pipe at 3 and 4, whatever numbers the descriptors have here.
BECOME = """
import os, sys
theirs = [os.dup(int(fd)) for fd in sys.argv[1:3]]
high = [os.dup2(fd, 100 + at) for at, fd in enumerate(theirs)]
for at, fd in enumerate(high):
    os.dup2(fd, 3 + at)
os.execv(sys.argv[3], sys.argv[3:])
"""


@contextmanager
def browser(program: str, *flags: str) -> Iterator[Browser]:
    """A fresh browser with an empty profile, ended with the block."""
    their_in, to_browser = os.pipe()
    from_browser, their_out = os.pipe()
    become = [sys.executable, "-c", BECOME, str(their_in), str(their_out)]
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [*become, program, *FLAGS, *flags, f"--user-data-dir={profile}"],
            pass_fds=(their_in, their_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        page = Browser(to_browser, from_browser)
        try:
            page.attach()
            yield page
        finally:
            process.kill()
            process.wait()
            os.close(to_browser)
            os.close(from_browser)
