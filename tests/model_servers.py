"""An OpenAI-compatible model on this machine, which loses answers in the middle of its prompt.

It reads the prompt as it is sent, finds where the chunk with the answer stands, and is right as
often as was planted for that place. It can fail in every way that real ones do.
"""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

STALL, HANG_UP, GARBAGE, NO_TEXT, DRIP = "stall", "hang up", "garbage", "no text", "drip"
EDGE, MIDDLE = 0.9, 0.6

Asked = tuple[str, int]  # question and position of its chunk


def secret(question: str) -> str:
    """The answer to a question, as its expected chunk gives it."""
    return f"{random.Random(question).getrandbits(40):010x}"


def is_right(question: str, position: int, k: int, middle: float = MIDDLE) -> bool:
    """Whether the model finds the answer there: always the same for the same prompt."""
    edge = position in (1, k)
    return random.Random(f"{question}/{position}").random() < (EDGE if edge else middle)


class Model:
    """`heard` counts what came, `answered` what was answered; `faults` are used up one a request.

    After `forbidden` is set it refuses all; its refusal repeats the key that it was shown.
    """

    def __init__(self) -> None:
        self.faults: list[int | str | None] = []
        self.heard: Counter[Asked] = Counter()
        self.answered: Counter[Asked] = Counter()
        self.names: dict[Asked, str] = {}
        self.bodies: list[dict[str, Any]] = []
        self.keys: set[str | None] = set()
        self.forbidden = 0
        self.delay = 0.0
        self.middle = MIDDLE
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self.url = ""


@contextmanager
def serving() -> Iterator[Model]:
    """A model on a free port, which stops with the block."""
    model = Model()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": model}))
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield model
    finally:
        model.stopped.set()
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    model: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][0]["content"]
        question = re.findall(r"Question: (\S+)\?", prompt)[-1]
        chunks = re.findall(r"^\[\d+\] (.*)$", prompt, re.MULTILINE)
        position = next(n for n, text in enumerate(chunks, 1) if secret(question) in text)
        model, asked = self.model, (question, position)
        with model.lock:
            model.heard[asked] += 1
            model.names[asked] = self.headers["Idempotency-Key"]
            model.bodies.append(body)
            model.keys.add(self.headers["Authorization"])
            fault = model.faults.pop(0) if model.faults else None
        time.sleep(model.delay)
        if model.forbidden:
            self._refuse(model.forbidden)
        elif fault is not None:
            self._fail(fault)
        else:
            right = is_right(question, position, len(chunks), model.middle)
            with model.lock:
                model.answered[asked] += 1
            self._answer(secret(question) if right else "I do not know", prompt)

    def _answer(self, text: str, prompt: str) -> None:
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": 3}
        message = {"role": "assistant", "content": f"It is {text} [1]."}
        self._send(200, {"choices": [{"message": message}], "usage": usage})

    def _refuse(self, status: int) -> None:
        said = f"wrong key {self.headers['Authorization']}\x1b[31m"
        self._send(status, {"error": {"message": said}})

    def _fail(self, fault: int | str) -> None:
        if fault == STALL:
            self.model.stopped.wait(30)
        elif fault == HANG_UP:
            self.connection.close()
        elif fault == GARBAGE:
            self._send(200, b'{"choices": [{"mess')
        elif fault == NO_TEXT:
            self._send(200, {"choices": [{"message": {"content": None}}]})
        elif fault == DRIP:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while not self.model.stopped.wait(0.02):
                self.wfile.write(b"x")
        else:
            self._send(int(fault), {"error": {"message": "not now"}})

    def _send(self, status: int, value: dict[str, Any] | bytes) -> None:
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Retry-After", "0.01")
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        self.model.heard["nobody may be led here", 0] += 1

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""
