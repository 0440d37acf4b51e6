"""Ask a model over an OpenAI-compatible endpoint, with nothing but the standard library.

The key goes into one header and nowhere else: no message, no file, no other host (redirects are
not followed), and what a server says back is cleaned of it.
"""

from __future__ import annotations

import email.utils
import hashlib
import json
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPException
from typing import Any
from urllib.parse import SplitResult, urlsplit

from analyzer.addresses import Stay
from analyzer.errors import UsageError
from analyzer.swap.asking import (
    Prompt,
    Refused,
    Reply,
    Trouble,
    Unanswerable,
    decoded,
    reply_of,
    within,
)

MOST_BYTES = 16 * 2**20
LONGEST_WAIT = 300.0  # seconds; what a server asks for beyond that is not waited for
_MAY_PASS = (408, 409, 425, 429)
_CROWDED = (429, 503, 529)
_REFUSES_ALL = (401, 403, 404, 405)


@dataclass(frozen=True)
class Endpoint:
    """Where and what to ask. `body` is merged into every request; a null takes a field out."""

    url: str  # as https://host/v1; /chat/completions is added
    model: str
    key: str | None = field(default=None, repr=False)
    seconds: float = 120.0
    body: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = _parts(self.url)
        if parts.username or parts.password:
            raise UsageError("--endpoint holds a name or password; give a key in a variable")
        if self.key is not None and not (self.key.isascii() and self.key.isprintable()):
            raise UsageError("the key holds characters that no header can carry; set it again")

    @property
    def host(self) -> str:
        """What may be said of where it is."""
        return urlsplit(self.url).hostname or ""

    def __call__(self, prompt: Prompt) -> Reply:
        """The model's reply; raises `Trouble`, `Unanswerable` or `Refused`."""
        request = self._request(prompt)
        return within(self.seconds, lambda: reply_of(decoded(self._posted(request))))

    def _request(self, prompt: Prompt) -> urllib.request.Request:
        asked = {"model": self.model, "messages": prompt.messages} | self.body
        body = {name: value for name, value in asked.items() if value is not None}
        content = json.dumps(body).encode()
        # Asked again it has the same name; asked of another model, or otherwise, it has another.
        name = hashlib.sha256(prompt.name.encode() + content).hexdigest()[:32]
        headers = {"Content-Type": "application/json", "Idempotency-Key": name}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        address = self.url.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
        return urllib.request.Request(address, content, headers, method="POST")

    def _posted(self, request: urllib.request.Request) -> bytes:
        try:
            with urllib.request.build_opener(Stay).open(request, timeout=self.seconds) as answer:
                body = bytes(answer.read(MOST_BYTES + 1))
        except urllib.error.HTTPError as error:
            raise self._of_status(error) from None
        except urllib.error.URLError as error:
            reason = getattr(error.reason, "strerror", None) or error.reason
            raise Trouble(f"{self.host}: {self._clean(str(reason))}") from None
        except (OSError, HTTPException) as error:
            raise Trouble(f"{self.host}: {type(error).__name__}") from None
        if len(body) > MOST_BYTES:
            raise Trouble(f"{self.host}: the reply is larger than {MOST_BYTES:,} bytes")
        return body

    def _of_status(self, error: urllib.error.HTTPError) -> Exception:
        answered, words = f"{self.host} answered {error.code}", self._clean(_message(error))
        said = answered + words
        if error.code in _REFUSES_ALL or 300 <= error.code < 400:
            return Refused(f"{said}; check --endpoint, --model and the key")
        if error.code in _MAY_PASS or error.code >= 500:
            wait = seconds_of(error.headers.get("Retry-After"))
            return Trouble(answered, wait, crowded=error.code in _CROWDED, words=words)
        return Unanswerable(said)

    def _clean(self, text: str) -> str:
        return text.replace(self.key, "***") if self.key else text


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        there = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # brackets or a port that are none
        there = False
    if not there:
        raise UsageError("--endpoint is no http(s) address; write it as https://host/v1")
    return parts


def _message(error: urllib.error.HTTPError) -> str:
    """What the server says about it, where it says it in the usual form."""
    try:
        said = json.loads(error.read(2**16))["error"]
        return f" ({said['message'] if isinstance(said, dict) else said})"
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        return ""


def seconds_of(retry_after: str | None) -> float:
    """Seconds that a Retry-After header asks for, as a number or as a date; 0 for none."""
    if not retry_after:
        return 0.0
    try:
        wait = float(retry_after)
    except ValueError:
        try:
            until = email.utils.parsedate_to_datetime(retry_after)
        except ValueError:
            return 0.0
        wait = (until.astimezone(UTC) - datetime.now(UTC)).total_seconds()
    return min(max(0.0, wait), LONGEST_WAIT) if wait == wait else 0.0
