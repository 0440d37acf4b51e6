"""Whether a trace is complete, and what is kept of one that may go on in a later load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from analyzer.sources.formats.imprints import (
    Counting,
    Imprint,
    TextsNeeded,
    found_places,
    of_answer,
    of_document,
    prompt_of_names,
)
from analyzer.sources.formats.joining import Group, Notes
from analyzer.sources.formats.retrieving import Told, request_of, texts_of
from analyzer.sources.formats.seen import Call, Reading, Retrieved, Seen, Text
from analyzer.sources.formats.tree import Tree

UNFINISHED = (
    "traces whose other spans are not in these files; one ingest that names the other files too "
    "joins them"
)
NO_RETRIEVAL = "traces without a retrieved document"
NEEDS_TEXTS = (
    "traces that come in parts and are put together by their texts, of which no trace is kept; "
    'incomplete_traces = "encrypt" keeps them'
)
AFTER_ALL = "spans of traces that were complete without them"


def seen_in(group: Group[Any], see: Callable[[Any, bool], Seen]) -> list[Seen]:
    """The spans of a group; `see` is told of each whether it may be the root."""
    ids = {part.id for part in group.own}
    return [
        part if isinstance(part, Seen) else see(part, part.parent is None or part.parent not in ids)
        for part in group.parts
    ]


def complete(tree: Tree, told: Told | None) -> bool:
    """Whether nothing is lacking: a root, every parent, a retrieval, a call of a model."""
    return tree.whole and tree.linked and told is not None and bool(told.calls)


def may_be_loaded(
    group: Group[Any], of: str, seen: Sequence[Seen], tree: Tree, told: Told | None, notes: Notes
) -> bool:
    """Keep a trace aside that may go on; whether what there is of it now may become a request."""
    aside = notes.aside
    if aside is None:
        return True
    done = complete(tree, told)
    if done:
        aside.complete(of, group.name)
    # What came in parts may well come in more of them, be it complete now.
    if group.shared or (not done and any(span.of_model for span in seen)):
        # One with everything but a retrieval is mostly a chat of another kind.
        chat = told is None and tree.whole and tree.linked
        _keep(group, of, seen, told, notes, waits=not done and not chat)
    if not done and aside.completed(of, group.name):
        notes.left[AFTER_ALL] += 1
        return False
    return True


def _keep(
    group: Group[Any],
    of: str,
    seen: Sequence[Seen],
    told: Told | None,
    notes: Notes,
    waits: bool,
) -> None:
    aside = notes.aside
    if aside is None or aside.mode == "refuse":
        return
    own = list(seen[group.shared :])
    if aside.mode == "keep":
        try:
            own = [_without_texts(each, told, notes.count) for each in own]
        except TextsNeeded:
            notes.refused += waits
            return
    if aside.keep(of, group.name, own, waits=waits):
        notes.kept += waits


def requested(told: Told, tree: Tree, notes: Notes) -> dict[str, Any] | None:
    """The fields of the request; None where they can only be told from texts that were not kept."""
    if tree.route:
        told.fields["route"] = tree.route
        told.came["route"] = f"{notes.route} of the root, else of the first that has it"
    try:
        return request_of(told)
    except TextsNeeded:
        notes.left[NEEDS_TEXTS] += 1
        return None


def leave_out(notes: Notes, unfinished: bool) -> None:
    """Note a trace that becomes no request; of one that is kept aside, that is told elsewhere."""
    if not unfinished:
        notes.left[NO_RETRIEVAL] += 1
    elif notes.aside is None or notes.aside.mode == "refuse":
        notes.left[UNFINISHED] += 1


def _without_texts(seen: Seen, told: Told | None, count: Counting | None) -> Seen:
    readings = {name: _plain(read, told, count) for name, read in seen.readings.items()}
    return replace(seen, readings=readings)


def _plain(read: Reading, told: Told | None, count: Counting | None) -> Reading:
    return replace(
        read,
        documents=[_document(each, count) for each in read.documents],
        call=_call(read.call, told) if read.call else None,
        answer=_answer(read.answer),
    )


def _document(each: Retrieved, count: Counting | None) -> Retrieved:
    return replace(each, text=of_document(each.text, count)) if isinstance(each.text, str) else each


def _call(call: Call, told: Told | None) -> Call:
    if call.prompt is None or call.known is not None:
        return replace(call, answer=_answer(call.answer))
    if told is None:
        raise TextsNeeded
    texts = texts_of(told)
    prompt, known = prompt_of_names(texts, found_places(texts, call.prompt, None))
    return Call(prompt, _answer(call.answer), call.fields, known)


def _answer(answer: Text | None) -> Imprint | None:
    return of_answer(answer) if isinstance(answer, str) else answer
