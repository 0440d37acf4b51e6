"""Answers that were logged as they were streamed: the events of one, put together again.

Events come as the text of an event stream, as a list, or each as a document of its own. Those of
the last kind have no wrapper, so they are told apart only by an id that they share; where they
have none, all that follow one another are one answer. A stream that does not say its end broke
off, as when the client goes away: what its answer would have cited nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from analyzer.sources import values
from analyzer.sources.documents import Document
from analyzer.sources.formats.exchanges import events_in
from analyzer.sources.formats.joining import Notes

Name = Callable[[Any], str | None]


def assembled(documents: Iterable[Document], name: Name) -> Iterator[Document]:
    """Documents; events that follow one another as documents are one, which is their list.

    `name` tells which answer an event is of, and None of what is no event.
    """
    number, last, events = 0, None, list[Any]()
    for document in documents:
        own = None if document.flaw else name(document.value)
        if events and (own is None or (own and last and own != last)):
            yield Document(number, events)
            events = []
        if own is None:
            yield document
            continue
        if not events:
            number, last = document.number, own
        last = last or own
        events.append(document.value)
    if events:
        yield Document(number, events)


def streamed(response: Any) -> list[dict[str, Any]]:
    """The events of a response that was logged as such; none of any other."""
    if isinstance(response, str):
        return list(events_in(response))
    listed = values.obj(response).get("stream") if isinstance(response, dict) else response
    return values.objects(listed)


def broken_off(fields: dict[str, Any], notes: Notes) -> dict[str, Any]:
    """Fields of an answer that breaks off, without what only a whole one tells; it is counted.

    The part that came is no answer whose markers could be read, nor are the citations in it all.
    """
    notes.broken_off += 1
    told = _without(fields, "answer", "answer_tokens", "citations")
    told["chunks"] = [_without(chunk, "cited") for chunk in fields["chunks"]]
    if "origins" in told:
        told["origins"] = _without(told["origins"], "cited")
    return told


def _without(fields: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: held for name, held in fields.items() if name not in names}
