"""Buckets of the server, filled and looked into by plain requests that citelog has no part in."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

# The server asks for a signature and takes any.
_SIGNED = "AWS4-HMAC-SHA256 Credential=t/20260101/us-east-1/s3/aws4_request, Signature=t"

CUT, GONE, REFUSED = "cut", "gone", "refused"

# Whatever is said or written by anything, none of these may be in it.
SECRETS = {
    "AWS_ACCESS_KEY_ID": "AKIASENTINELKEY",
    "AWS_SECRET_ACCESS_KEY": "sentinel/secret+key",
    "AWS_SESSION_TOKEN": "sentinel-session-token",
}


class Buckets:
    """A running server."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def make(self, name: str) -> str:
        """A new bucket; its address."""
        self._ask("PUT", f"/{name}")
        return f"s3://{name}"

    def put(self, address: str, content: bytes) -> str:
        """Put an object there; its address."""
        self._ask("PUT", _path(address), content)
        return address

    def delete(self, address: str) -> None:
        self._ask("DELETE", _path(address))

    def get(self, address: str) -> bytes:
        return self._ask("GET", _path(address))

    def fault(self, faults: dict[str, str]) -> None:
        """What goes wrong from now on, by address."""
        told = {_path(address): fault for address, fault in faults.items()}
        self._ask("PUT", "/~fault", json.dumps(told).encode())

    def heard(self) -> list[str]:
        """What was asked of the server since the last time, as "GET /bucket/key"."""
        heard: list[str] = json.loads(self._ask("GET", "/~heard"))
        return heard

    def fetched(self) -> list[str]:
        """The objects whose bytes were asked for since the last time, each once."""
        asked = {word.removeprefix("GET /") for word in self.heard() if word.startswith("GET /")}
        return sorted(f"s3://{path}" for path in asked if "/" in path)

    def _ask(self, method: str, path: str, content: bytes | None = None) -> bytes:
        kind = {"Content-Type": "application/octet-stream", "Authorization": _SIGNED}
        asked = urllib.request.Request(
            self.url + quote(path, safe="/~"), content, kind, method=method
        )
        with urllib.request.urlopen(asked, timeout=20) as answer:
            found: bytes = answer.read()
        return found


def _path(address: str) -> str:
    return "/" + address.removeprefix("s3://")


@contextmanager
def serving() -> Iterator[Buckets]:
    """A server on a free port, which ends with the block."""
    program = [sys.executable, str(Path(__file__).with_name("server.py"))]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        yield Buckets(int(process.stdout.readline()))
        assert process.stdin
        process.stdin.close()
