"""A receiver of webhooks on this machine: it answers, fails, stalls or hangs up as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

STALL, HANG_UP, DRIP = "stall", "hang up", "drip"


class Receiver:
    """`answers` are used up one a request, then everything is taken; `got` are the bodies."""

    def __init__(self) -> None:
        self.answers: list[int | str] = []
        self.got: list[Any] = []
        self.heard = 0
        self.stopped = threading.Event()
        self.url = ""


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on a free port, which stops with the block."""
    receiver = Receiver()
    handler = type("Handler", (_Handler,), {"receiver": receiver})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook/secret"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.stopped.set()
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    receiver: Receiver

    def do_POST(self) -> None:
        self.receiver.heard += 1
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = self.receiver.answers.pop(0) if self.receiver.answers else 200
        if answer == STALL:
            self.receiver.stopped.wait(30)
        elif answer == HANG_UP:
            self.connection.close()
        elif answer == DRIP:
            self._drip()
        else:
            self._answer(int(answer), body)

    def _answer(self, status: int, body: bytes) -> None:
        if status == 200:
            self.receiver.got.append(json.loads(body))
        self.send_response(status)
        self.send_header("Location", self.receiver.url)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _drip(self) -> None:
        """A header that never ends, a letter at a time: each keeps the connection alive."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not self.receiver.stopped.wait(0.02):
            self.wfile.write(b"x")
            self.wfile.flush()

    def do_GET(self) -> None:
        self.receiver.heard += 1000  # nobody may be led here

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""
