"""Calls of a model as applications log them: the request and the response, in some wrapper.

Most responses say nothing of the sources that were not cited; the request does. Neither has a time
or a route: the wrapper may. Recordings of method, address, request and response are read too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from analyzer.sources import values

_REQUESTS = ("request", "request_body", "input", "body", "params", "kwargs")
_WRAPPED = ("response", "response_body")  # what no body of a response has
_RESPONSES = (*_WRAPPED, "output", "completion", "message", "result")
_OF_A_BODY = {"id", "candidates"}
_TIMES = ("requested_at", "timestamp", "created_at", "time", "ts", "at", "date")
_UNITS = ("unit_id", "session_id", "user_id", "user", "tenant")

# Where the fields that all calls have alike came from.
CAME = {
    **dict.fromkeys(("route", "release", "index_version"), "the wrapper of the call"),
    "requested_at": f"the first of {', '.join(_TIMES)} in the wrapper of the call",
    "unit_id": f"the first of {', '.join(_UNITS)} in the wrapper of the call",
    "answer": "text of the response",
    "answer_tokens": "usage of the response",
    "exposure": "what a response of this kind lists",
    "chunks[].doc_id": "title or address of the source",
    "chunks[].text": "text of the source",
    **dict.fromkeys(("chunks[].cited", "citations"), "citations of the response"),
}


DONE = {"done": True}  # the event of a line that ends a stream with a word: data: [DONE]


class Streamed(NamedTuple):
    """A response put together of events, and whether its stream said that it ended."""

    response: dict[str, Any]
    ended: bool


class Exchange(NamedTuple):
    """One call: both bodies (the response may be the text of a stream), and the wrapper.

    `ended` is false of a response whose stream broke off.
    """

    request: dict[str, Any]
    response: Any
    about: dict[str, Any]
    ended: bool = True

    def said(self) -> dict[str, Any]:
        """Those of `fields` that the wrapper has, for a response that has some itself."""
        return {name: held for name, held in self.fields().items() if held is not None}

    def fields(self) -> dict[str, Any]:
        """What the wrapper says of the request."""
        return {
            "requested_at": values.time(_named(self.about, _TIMES), naive_is_utc=False),
            "route": values.name(self.about.get("route")),
            "release": values.name(self.about.get("release")),
            "index_version": values.name(self.about.get("index_version")),
            "unit_id": values.name(_named(self.about, _UNITS)),
        }


def _named(about: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((about[name] for name in names if about.get(name) is not None), None)


def exchange(value: Any) -> Exchange:
    """A document as a call; one without a wrapper is the response alone."""
    held = values.obj(value)
    request = _named(held, _REQUESTS)
    response = _named(held, _RESPONSES)
    if "response_events" in held:
        response = held["response_events"]
    if isinstance(request, dict | str) and response is not None and "choices" not in held:
        found = values.obj(request)
        return Exchange(values.obj(found.get("body")) or found, _body(response), held)
    alone = isinstance(response, dict) and "id" not in held and _OF_A_BODY & response.keys()
    if alone or any(held.get(name) is not None for name in _WRAPPED):
        return Exchange({}, _body(response), held)
    return Exchange({}, value, {})


def calls(
    value: Any, messages: Callable[[Iterator[dict[str, Any]]], Iterator[Streamed]]
) -> Iterator[Exchange]:
    """The calls of a document: one, or those whose `messages` the events of a stream build up."""
    call = exchange(value)
    if not isinstance(call.response, str):
        yield call
        return
    for message in messages(events_in(call.response)):
        yield call._replace(response=message.response, ended=message.ended)


def events_in(stream: str) -> Iterator[dict[str, Any]]:
    """The objects that the events of a stream carry."""
    for line in re.findall(r"^data: *(\{.*|\[DONE\])", stream, re.MULTILINE):
        if line == "[DONE]":
            yield DONE
            continue
        try:
            yield values.obj(msgspec.json.decode(line))
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            continue


def _body(response: Any) -> Any:
    body = response.get("body") if isinstance(response, dict) else None
    return response if body is None else values.unfolded(body)
