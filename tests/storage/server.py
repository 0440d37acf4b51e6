"""An S3 server as a process of its own: moto's, with an ear at the door and faults on demand.

It says its port on stdout and ends with whoever started it, because their end closes its stdin.
GET /~heard tells what was asked for since the last time; PUT /~fault takes {path: fault}, one of
refused, gone and cut (the answer stops before its end).
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

_SAYS = "<Error><Code>AccessDenied</Code><Message>no</Message></Error>"

Start = Callable[..., Any]


class Door:
    """What stands before the server."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.faults: dict[str, str] = {}
        self._server = DomainDispatcherApplication(create_backend_app)

    def __call__(self, asked: dict[str, Any], start: Start) -> Iterable[bytes]:
        path, method = asked["PATH_INFO"], asked["REQUEST_METHOD"]
        if path == "/~heard":
            heard, self.heard = self.heard, []
            return _answer(start, "200 OK", json.dumps(heard))
        if path == "/~fault":
            self.faults = json.loads(asked["wsgi.input"].read(int(asked["CONTENT_LENGTH"])))
            return _answer(start, "200 OK", "")
        self.heard.append(f"{method} {path}")
        fault = self.faults.get(path)
        if fault == "refused":
            return _answer(start, "403 Forbidden", "" if method == "HEAD" else _SAYS)
        if fault == "gone":
            return _answer(start, "404 Not Found", "")
        if fault == "cut" and method == "GET":
            return [b"".join(self._server(asked, start))[:-9]]  # fewer than the header announces
        answer: Iterable[bytes] = self._server(asked, start)
        return answer


def _answer(start: Start, status: str, text: str) -> list[bytes]:
    start(status, [("Content-Type", "text/xml"), ("Content-Length", str(len(text)))])
    return [text.encode()]


class _Quiet(WSGIRequestHandler):
    def log(self, *said: object, **more: object) -> None:
        pass


def main() -> None:
    """Serve until stdin is closed."""
    server = make_server("127.0.0.1", 0, Door(), threaded=True, request_handler=_Quiet)
    print(server.port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
