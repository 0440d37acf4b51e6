"""Documents to the fields of records, as a mapping says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import msgspec

from analyzer.sources import values
from analyzer.sources.documents import Document
from analyzer.sources.hashing import content_name
from analyzer.sources.identity import distinct, named_after
from analyzer.sources.mapping.file import Mapping, Rule, Taken
from analyzer.sources.mapping.packing import Packing
from analyzer.sources.mapping.passages import passages_of
from analyzer.sources.mapping.paths import rule
from analyzer.sources.records import Record
from analyzer.sources.rows import Flaw

_NUMBERS = ("rank", "position", "marker", "ordinal", "revision")
_ALIASES = {"position": "rank", "rank": "position"}

Names = dict[str, Any]
Take = Callable[[Any, Names], Any]


def mapped(mapping: Mapping, documents: Iterator[Document]) -> Iterator[Record]:
    """The records that a mapping finds in documents."""
    applying = _Applying(mapping)
    for document in documents:
        if document.flaw:
            yield Record(document.number, {}, document.flaw)
        else:
            for fields in applying.records(document):
                yield Record(document.number, *fields, applying.came)


class _Applying:
    def __init__(self, mapping: Mapping) -> None:
        self._mapping = mapping
        where = mapping.name or "mapping"
        self._request = {name: _take(name, each, where) for name, each in mapping.request.items()}
        self._chunk = {
            name: _take(name, each, where)
            for name, each in mapping.chunk.items()
            if each not in ("order", _ALIASES.get(name))
        }
        self._ordered = [name for name, each in mapping.chunk.items() if each == "order"]
        self._aliased = [n for n, each in mapping.chunk.items() if each == _ALIASES.get(n)]
        self._where = _take("", mapping.records.from_ or [], where)
        self._each = rule(mapping.records.each, where) if mapping.records.each else None
        self._list = _take("", mapping.chunks.from_ or [], where)
        limit = mapping.chunks.limit
        self._limit = rule(limit, where) if isinstance(limit, str) else None
        self._packing = Packing(mapping.chunks, where)
        self._called = re.compile(mapping.markers.pattern) if mapping.markers.pattern else None
        self._origins = self._known_origins()
        self.came = self._described()

    def records(self, document: Document) -> Iterator[tuple[dict[str, Any], Flaw | None]]:
        """The fields of each record of a document, and its flaw."""
        names: Names = {"$doc": document.value, "$line": document.number}
        whole = self._where(document.value, names) if self._mapping.records.from_ else None
        found = whole if isinstance(whole, list) else [document.value if whole is None else whole]
        for record in found:
            for member in self._members(record, names):
                yield self._record(record, {**names, "$record": record, **member})

    def _members(self, record: Any, names: Names) -> list[Names]:
        if self._each is None:
            return [{}]
        several = self._each.of(record, names)
        pairs = several.items() if isinstance(several, dict) else enumerate(values.items(several))
        return [
            {"$key": key, "$value": value, "$index": index}
            for index, (key, value) in enumerate(pairs)
        ]

    def _record(self, record: Any, names: Names) -> tuple[dict[str, Any], Flaw | None]:
        # The hash is of all that makes this request: of members of one record, each has its own.
        names["$hash"] = content_name([record, names.get("$key"), names.get("$index")])
        found = {name: take(record, names) for name, take in self._request.items()}
        chunks, flaw = self._chunks(record, names)
        self._cite(found)
        if self._origins:
            found["origins"] = dict(self._origins)
        return {**found, "chunks": chunks}, flaw

    def _chunks(self, record: Any, names: Names) -> tuple[list[dict[str, Any]], Flaw | None]:
        cut, flaw = passages_of(self._mapping.passages, record, names)
        listed: Any = cut
        if self._mapping.chunks.from_:
            listed = self._list(record, names)
            if not isinstance(listed, list):
                return [], Flaw("chunks", f"is no list at {self._mapping.chunks.from_}")
            if cut is not None and len(cut) != len(listed):
                reason = f"has {len(listed)} members, but the prompt has {len(cut)} passages"
                flaw = flaw or Flaw("chunks", reason)
        listed = (listed or [])[: self._most(record, names)]
        texts = dict(enumerate(cut or []))
        chunks = []
        for at, item in enumerate(listed):
            own = {"$item": item, "$order": at + 1, "$passage": texts.get(at)}
            chunks.append(self._one(item, {**names, **own}, at + 1))
        chunks, unplaced = self._packing.placed(chunks, record, names)
        distinct(chunks)
        for chunk in chunks:
            self._call(chunk)
        return chunks, flaw or unplaced

    def _most(self, record: Any, names: Names) -> int | None:
        limit = self._limit.of(record, names) if self._limit else self._mapping.chunks.limit
        return values.count(limit)

    def _one(self, item: Any, names: Names, order: int) -> dict[str, Any]:
        chunk = {name: take(item, names) for name, take in self._chunk.items()}
        for name in self._ordered:
            chunk[name] = order
        for name in self._aliased:
            chunk[name] = chunk.get(_ALIASES[name])
        most = self._mapping.chunks.packed
        if isinstance(most, int) and (values.whole(chunk.get("rank")) or order) > most:
            chunk["position"] = None
        if chunk.get("chunk_id") is None:
            chunk["chunk_id"] = named_after(chunk.get("doc_id"), chunk.get("text"))
        return {name: value for name, value in chunk.items() if value is not None}

    def _call(self, chunk: dict[str, Any]) -> None:
        """What the prompt called a chunk, where it counts from a base."""
        base, position = self._mapping.markers.base, values.whole(chunk.get("position"))
        if base is not None and position and chunk.get("marker") is None:
            chunk["marker"] = position + base - 1

    def _cite(self, found: dict[str, Any]) -> None:
        answer = found.get("answer")
        if isinstance(answer, list):
            found["answer"] = answer = " ".join(filter(None, map(values.text, answer)))
        if self._called and isinstance(answer, str):
            called = (each[1] for each in self._called.finditer(answer) if each[1])
            found["citations"] = [values.first(values.whole(each), each) for each in called]

    def _known_origins(self) -> dict[str, str]:
        said = msgspec.to_builtins(self._mapping.origins)
        origins = {name: value for name, value in said.items() if value}
        for name in self._aliased:
            origins[name] = "assumed"
        for name in {"rank", "position"}.intersection(self._ordered):
            origins.setdefault(name, "derived")  # a list has an order, but nobody logged a place
        if self._mapping.chunks.prompt:
            origins.setdefault("position", "derived")
        if self._called:
            origins.setdefault("cited", "parsed")
        constant = self._mapping.request.get("requested_at")
        if isinstance(constant, Taken) and constant.constant is not None:
            origins["requested_at"] = "assumed"
        return origins

    def _described(self) -> dict[str, str]:
        rules = {**self._mapping.request}
        rules |= {f"chunks[].{name}": each for name, each in self._mapping.chunk.items()}
        listed = self._mapping.chunks.from_
        return {
            "chunks": _said(listed) if listed else "the passages of the prompt",
            "chunks[].marker": f"position, counted from {self._mapping.markers.base}",
            "chunks[].position": self._packing.came,
            "citations": f"what {self._mapping.markers.pattern} finds in the answer",
            **{name: _said(each) for name, each in rules.items()},
        }


def _take(name: str, each: Rule, where: str) -> Take:
    """How a field is taken from a value."""
    if isinstance(each, Taken):
        return _more(name, each, where)
    paths = [rule(path, where) for path in ([each] if isinstance(each, str) else each)]
    if len(paths) == 1:
        return lambda root, names: _typed(name, paths[0].of(root, names))
    return partial(_first, name, paths)


def _first(name: str, paths: list[Any], root: Any, names: Names) -> Any:
    for path in paths:
        found = _typed(name, path.of(root, names))
        # A serialised object may hold its class where another holds an id.
        if found is not None and not (name.endswith("_id") and isinstance(found, list | dict)):
            return found
    return None


def _more(name: str, taken: Taken, where: str) -> Take:
    if taken.path is None:
        return lambda root, names: taken.constant
    plain = _take(name, taken.path, where)
    pattern = re.compile(taken.pattern) if taken.pattern else None

    def take(root: Any, names: Names) -> Any:
        found = plain(root, names)
        if pattern and isinstance(found, str):
            match = pattern.search(found)
            found = match[1] if match else None
            found = values.first(values.whole(found), found) if name in _NUMBERS else found
        if taken.values is not None:
            found = taken.values.get(str(found).lower() if found is not None else "")
        if taken.plus and isinstance(found, int):
            found += taken.plus
        return taken.constant if found is None else found

    return take


def _typed(name: str, found: Any) -> Any:
    """Ids as text, times as RFC 3339; everything else is left for the record's parser to judge."""
    if name.endswith("_id") or name == "doc_version":
        return values.name(found) or (found if isinstance(found, list | dict) else None)
    if name.endswith("_at"):
        return values.time(found, naive_is_utc=False)
    if name.endswith("_ids") and isinstance(found, list):
        return [values.name(each) or each for each in found]
    return None if name == "text" and found == "" else found


def _said(each: Rule) -> str:
    if isinstance(each, Taken):
        return f"constant {each.constant!r}" if each.path is None else f"from {each.path}"
    return f"from {each}" if isinstance(each, str) else f"from the first of {', '.join(each)}"
