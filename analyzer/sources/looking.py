"""What a file is, found by looking at its first documents; or a sentence on what was looked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.errors import UsageError
from analyzer.sources import values
from analyzer.sources.documents import Input
from analyzer.sources.formats import signs
from analyzer.sources.formats.catalogue import FORMATS, NO_LOGS, Known
from analyzer.sources.formats.joining import Notes
from analyzer.sources.mapping import Mapping, mapped, shipped
from analyzer.sources.mapping.paths import path

RECORD = "record"
LOOKED_FOR = (
    "looked for citation log records and for "
    + ", ".join(known.name for known in FORMATS)
    + "; `citelog formats` tells them, `citelog map FILE` begins a mapping for a log of your own"
)


def look(sample: Sequence[Any]) -> Known | Mapping | str | None:
    """The format of a sample of documents: RECORD for our own, None where it is none.

    Of the formats the first that any document shows: an export may begin with something else.
    """
    if any(map(signs.record, sample)):
        return RECORD
    for known in (*NO_LOGS, *FORMATS):
        if any(map(known.sign, sample)):
            return known
    return next((each for each in shipped() if detected(each, sample)), None)


def detected(mapping: Mapping, sample: Sequence[Any]) -> bool:
    """Whether a mapping's signs are in the sample."""
    asked = mapping.detect
    if not asked.has:
        return False
    documents = [each for each in sample if all(_leads(one, each) for one in asked.has)]
    if not documents or any(_leads(one, documents[0]) for one in asked.lacks):
        return False
    if asked.some_false is None:
        return True
    found = [values.items(_at(asked.some_false, each)) for each in documents]
    return not any(found) or any(member is False for members in found for member in members)


def _leads(written: str, document: Any) -> bool:
    return any(_at(one, document) is not None for one in written.split("|"))


def _at(written: str, document: Any) -> Any:
    return path(written, "detect").of(document, {})


def named(name: str) -> Known:
    """The format of a name; raises UsageError that lists them."""
    for known in FORMATS:
        if known.name == name:
            return known
    listed = ", ".join(known.name for known in FORMATS)
    raise UsageError(f"no format is named {name!r}; there are auto, record, flat_csv, {listed}")


def reader(found: Known | Mapping) -> Any:
    """What turns documents of the format into records."""
    if isinstance(found, Mapping):

        def read(documents: Input, notes: Notes) -> Any:
            return mapped(found, iter(documents))

        return read
    return found.read
