"""Tell a receiver of alarms that are new or over, and never let it hold up or fail the night.

Each attempt has a time limit that holds whatever the receiver does, because it runs beside the
night and is left behind when the time is up. What was not taken is told again the next night.
"""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from analyzer.addresses import Stay
from analyzer.config import Webhook
from analyzer.nightly.alerts import Alarm, Alerts, plain

AT_MOST = 20  # alarms in one Slack text; the rest is counted
_GIVE_UP = range(400, 500)  # the receiver understood and refuses; asking again changes nothing
_TRY_AGAIN = (408, 425, 429)


@dataclass(frozen=True)
class Answer:
    """`taken`: the receiver has it. `why` names the host and never the address."""

    taken: bool
    attempts: int
    why: str = ""


def send(
    hook: Webhook,
    body: dict[str, Any],
    pause: Callable[[float], None] = time.sleep,
) -> Answer:
    """Post `body` as JSON, with as many attempts as are configured."""
    url = hook.url or ""
    host = urlsplit(url).hostname or "the receiver"
    trouble = ""
    for attempt in range(1, hook.attempts + 1):
        status = _within(hook.timeout_seconds, url, json.dumps(body).encode())
        if isinstance(status, int) and 200 <= status < 300:
            return Answer(True, attempt)
        trouble = f"{host} answered {status}" if isinstance(status, int) else f"{host}: {status}"
        if status in _GIVE_UP and status not in _TRY_AGAIN:
            return Answer(False, attempt, trouble)
        if attempt < hook.attempts:
            pause(hook.pause_seconds * 2 ** (attempt - 1))
    return Answer(False, hook.attempts, trouble)


def _within(seconds: float, url: str, body: bytes) -> int | str:
    """The status that the receiver answers, or what went wrong."""
    found: list[int | str] = []
    worker = threading.Thread(target=lambda: found.append(_posted(url, body, seconds)), daemon=True)
    worker.start()
    worker.join(seconds)
    return found[0] if found else f"no answer in {seconds:g} seconds"


def _posted(url: str, body: bytes, seconds: float) -> int | str:
    asked = urllib.request.Request(
        url, data=body, headers={"Content-Type": "application/json; charset=utf-8"}, method="POST"
    )
    try:
        with urllib.request.build_opener(Stay).open(asked, timeout=seconds) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except urllib.error.URLError as error:
        return str(getattr(error.reason, "strerror", None) or error.reason)
    except (OSError, HTTPException) as error:
        return str(error) or type(error).__name__


def slack(made: Alerts, new: Sequence[Alarm], over: Sequence[str]) -> dict[str, Any]:
    """A text as Slack and those that speak like it show it."""
    lines = [f"*citelog*, night of {made.night}: {len(new)} new, {len(made.loud)} open"]
    for one in new[:AT_MOST]:
        lines.append(f"*{_escaped(one['alarm'])}*\n{_escaped(one['sentence'])}")
        lines.append(f"`{_escaped(one['command'])}`")
    if len(new) > AT_MOST:
        lines.append(f"and {len(new) - AT_MOST} more; citelog alerts lists them")
    lines += [f"over: {_escaped(name)}" for name in over]
    return {"text": "\n".join(lines)}


def every_number(made: Alerts, new: Sequence[Alarm], over: Sequence[str]) -> dict[str, Any]:
    """What is new and over with all that is known of it."""
    return {
        "night": made.night.isoformat(),
        "new": [{name: plain(value) for name, value in one.items()} for one in new],
        "over": list(over),
        "open": [one["alarm"] for one in made.loud],
    }


def _escaped(text: object) -> str:
    """Names from logs must not become links or mentions."""
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
