"""The citation log record: what one log line may say, and why a line is rejected.

Everything that reads or writes records goes through this module: the ingester, the importers, and
an application that builds its records with `analyzer.record`. It therefore imports nothing heavy.

A line is one request (`Request`, it has `chunks`) or one label (`Judgement`, it has `judged_at`
and no `chunks`). Types are strict: 1.7 is no integer, "12" no number, 1 no boolean; but null is
absent, and 1.0 is the integer 1, because data frames write it so.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timezone
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from analyzer.record_fields import first_unknown
from analyzer.record_reasons import (
    Rejected,
    explain,
    not_finite,
    not_json,
    quoted,
    settle_numbers,
)
from analyzer.text import Fingerprint, fingerprint

__all__ = [
    "Chunk",
    "Fingerprint",
    "Judgement",
    "Parser",
    "Rejected",
    "Request",
    "check",
    "encode",
    "fingerprint",
    "parse",
    "record_hash",
    "record_hashes",
]

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)
MOST_CHUNKS = 1000

_TEXT_HASH = re.compile(r"[0-9a-fA-F]{16,}")
_SIGNATURE = re.compile(r"[0-9a-fA-F]{32}")

FromOne = Annotated[int, Meta(ge=1, le=2**31 - 1)]
FromZero = Annotated[int, Meta(ge=0, le=2**40)]
# The most tokens times the largest weight, in thousandths, of 1000 chunks fit 64 bits.
Tokens = Annotated[int, Meta(ge=0, le=10_000_000)]
Weight = Annotated[float, Meta(gt=0, le=100_000)]
Whole = Annotated[int, Meta(ge=-(2**62), le=2**62)]
RequestId = Annotated[str, Meta(min_length=1, max_length=200)]
MOST_LETTERS = 200
Label = Annotated[str, Meta(max_length=MOST_LETTERS)]  # a longer one is cut, see `_cut_labels`
Name = Annotated[str, Meta(max_length=2000)]
Origin = Literal["logged", "parsed", "counted", "derived", "estimated", "assumed"]


class Chunk(Struct, omit_defaults=True, forbid_unknown_fields=True, gc=False, kw_only=True):
    """One retrieved chunk: `rank` is the last scorer's order, `position` its place."""

    chunk_id: Annotated[str, Meta(min_length=1, max_length=2000)]
    doc_id: Name | None = None
    ordinal: Whole | None = None
    indexed_at: datetime | None = None
    doc_version: Name | None = None
    retrieval_id: Name | None = None
    rank: FromOne | None = None
    position: FromOne | None = None
    marker: Whole | None = None
    score: float | None = None
    rerank_score: float | None = None
    tokens: Tokens | None = None
    text: str | None = None
    text_hash: str | None = None
    signature: str | None = None
    embedding: list[float] | None = None
    cited: bool | None = None


class Origins(Struct, omit_defaults=True, forbid_unknown_fields=True, gc=False, kw_only=True):
    """Where five kinds of value came from; anything but "logged" narrows what can be said."""

    rank: Origin | None = None
    position: Origin | None = None
    tokens: Origin | None = None
    cited: Origin | None = None
    requested_at: Origin | None = None


class Request(Struct, omit_defaults=True, forbid_unknown_fields=True, gc=False, kw_only=True):
    """One question and its answer, with every retrieved chunk."""

    request_id: RequestId
    chunks: Annotated[list[Chunk], Meta(max_length=MOST_CHUNKS)]
    revision: Annotated[int, Meta(ge=0, le=2**62)] | None = None
    requested_at: datetime | None = None
    route: Label | None = None
    model: Label | None = None
    release: Label | None = None
    prompt_version: Label | None = None
    index_version: Label | None = None
    unit_id: str | None = None
    ordering: Label | None = None
    explored: bool | None = None
    outcome: Literal["answered", "refused", "error", "cached"] | None = None
    sample_weight: Weight | None = None
    question_tokens: FromZero | None = None
    prompt_tokens: FromZero | None = None
    answer_tokens: FromZero | None = None
    budget_tokens: FromZero | None = None
    answer: str | None = None
    citations: list[int | str] | None = None
    expected_chunk_ids: list[str] | None = None
    correct: bool | None = None
    exposure: Literal["packed", "cited_only", "pruned"] | None = None
    origins: Origins | None = None


class Judgement(Struct, omit_defaults=True, forbid_unknown_fields=True, gc=False, kw_only=True):
    """A label that came later: right or wrong, and which chunks hold the answer."""

    request_id: RequestId
    judged_at: datetime
    correct: bool | None = None
    expected_chunk_ids: list[str] | None = None
    score: float | None = None
    judge: Label | None = None


class Parser:
    """Lines to records under the settings of one load.

    `assume_timezone` is put on times without an offset, `assumed_time` on requests without a
    time (marked assumed). `unknown` counts, by name, the fields that the record does not have.
    """

    def __init__(
        self, assume_timezone: timezone | None = None, assumed_time: datetime | None = None
    ) -> None:
        self.unknown: Counter[str] = Counter()
        self._zone = assume_timezone
        self._assumed_time = assumed_time
        self._request = msgspec.json.Decoder(Request)
        self._decode = self._request.decode

    def parse(self, line: bytes) -> Request | Judgement:
        """One line to a checked record; raises `Rejected` with the field's path and the reason."""
        record = self.decode(line)
        if isinstance(record, Request):
            check_chunks(record.chunks)
        return record

    def decode(self, line: bytes) -> Request | Judgement:
        """The same without the rules between chunks, for a reader that checks many at once."""
        try:
            record: Request | Judgement = self._decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            record = self._second_look(line)
        if isinstance(record, Judgement):
            record.judged_at = self._utc(record.judged_at, "judged_at")
        else:
            self._time(record)
            _leave_out_defaults(record)
        return record

    def decode_lines(self, text: bytes) -> list[Request] | None:
        """Many lines at once; None where one of them is no plain request: look at each then."""
        try:
            records: list[Request] = self._request.decode_lines(text)
            if not _timed_plainly(records):
                for record in records:
                    self._time(record)
            for record in records:
                _leave_out_defaults(record)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, Rejected):
            return None
        return records

    def _second_look(self, line: bytes) -> Request | Judgement:
        try:
            value = msgspec.json.decode(line)
        except RecursionError:
            raise Rejected("", "is nested too deeply to be a record") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise not_json(line, error) from None
        return self._typed(value)

    def _typed(self, value: object) -> Request | Judgement:
        if not isinstance(value, dict):
            raise Rejected("", "is JSON, but a record is an object with request_id and chunks")
        kind = _kind(value)
        known = settle_numbers(value, kind, self.unknown)
        _cut_labels(known)
        try:
            return msgspec.convert(known, kind)
        except msgspec.ValidationError as error:
            raise explain(error, known) from None

    def _time(self, record: Request) -> None:
        if record.requested_at is not None:
            record.requested_at = self._utc(record.requested_at, "requested_at")
        elif self._assumed_time is not None:
            record.requested_at = self._assumed_time
            record.origins = record.origins or Origins()
            record.origins.requested_at = "assumed"
        for number, chunk in enumerate(record.chunks):
            if chunk.indexed_at is not None:
                chunk.indexed_at = self._utc(chunk.indexed_at, f"chunks[{number}].indexed_at")

    def _utc(self, time: datetime, path: str) -> datetime:
        if time.tzinfo is UTC and EARLIEST.year <= time.year < LATEST.year:
            return time
        if time.tzinfo is None:
            if self._zone is None:
                raise Rejected(
                    path, f"is {time.isoformat()} without an offset; log it as RFC 3339 with one"
                )
            time = time.replace(tzinfo=self._zone)
        try:
            time = time.astimezone(UTC)
        except OverflowError:
            raise Rejected(path, "is outside the years 1970 to 2200") from None
        if not EARLIEST <= time < LATEST:
            raise Rejected(path, f"is {time.isoformat()}, outside the years 1970 to 2200")
        return time


class _OfApplication(Parser):
    """For records that an application builds: there a field of another name is a slip."""

    def _typed(self, value: object) -> Request | Judgement:
        fault = first_unknown(value, _kind(value)) if isinstance(value, dict) else None
        if fault:
            raise fault
        return super()._typed(value)


def _kind(value: dict[str, Any]) -> type[Request | Judgement]:
    judged = value.get("judged_at") is not None and value.get("chunks") is None
    return Judgement if judged else Request


_REQUESTED_AT = attrgetter("requested_at")
_CHUNKS = attrgetter("chunks")
_INDEXED_AT = attrgetter("indexed_at")


def _timed_plainly(records: list[Request]) -> bool:
    """Whether nothing has to be done to the times of many records, as mostly nothing has."""
    times = map(_REQUESTED_AT, records)
    chunks = chain.from_iterable(map(_CHUNKS, records))
    return not any(map(_INDEXED_AT, chunks)) and all(
        time is not None and time.tzinfo is UTC and EARLIEST <= time < LATEST for time in times
    )


_LABELS = (
    "route", "model", "release", "prompt_version", "index_version", "ordering", "judge"
)  # fmt: skip


def _cut_labels(record: dict[str, Any]) -> None:
    """Let the beginning of an overlong label and a hash of all of it stand for it.

    A page of text as a route is a slip of the logging; it costs no request, and two such labels
    stay two.
    """
    for name in _LABELS:
        label = record.get(name)
        if isinstance(label, str) and len(label) > MOST_LETTERS:
            digest = hashlib.blake2b(label.encode("utf-8", "replace"), digest_size=8).hexdigest()
            record[name] = f"{label[: MOST_LETTERS - 1 - len(digest)]}…{digest}"


def _leave_out_defaults(record: Request) -> None:
    """A default that is written out says the same as none, so it must not hash otherwise."""
    if record.revision == 0:
        record.revision = None
    if record.outcome == "answered":
        record.outcome = None
    if record.exposure == "packed":
        record.exposure = None
    if record.sample_weight == 1:
        record.sample_weight = None
    if record.explored is False:
        record.explored = None


def check_chunks(chunks: list[Chunk]) -> None:
    """The rules between the chunks of one record; raises `Rejected`."""
    _reject_repeat(chunks, "position", "every packed chunk has its own")
    _reject_repeat(chunks, "rank", "a rank is given once in a retrieval")
    _reject_repeat(chunks, "chunk_id", "a chunk stands once in a retrieval")
    _check_fingerprints(chunks)


def _reject_repeat(chunks: list[Chunk], field: str, rule: str) -> None:
    """Positions are unique in the prompt, everything else within one retrieval."""
    seen: set[tuple[str, Any]] = set()
    for number, chunk in enumerate(chunks):
        value = getattr(chunk, field)
        key = ("" if field == "position" else chunk.retrieval_id or "", value)
        if value is not None and key in seen:
            path = f"chunks[{number}].{field}"
            raise Rejected(path, f"is {quoted(value, path)} a second time, but {rule}")
        seen.add(key)


def _check_fingerprints(chunks: list[Chunk]) -> None:
    for number, chunk in enumerate(chunks):
        if chunk.text_hash is not None and not _TEXT_HASH.fullmatch(chunk.text_hash):
            raise Rejected(
                f"chunks[{number}].text_hash", "is not a hash of at least 16 hexadecimal digits"
            )
        if chunk.signature is not None and not _SIGNATURE.fullmatch(chunk.signature):
            raise Rejected(
                f"chunks[{number}].signature", "is not a signature of 32 hexadecimal digits"
            )


_DEFAULT = Parser()
_OF_APPLICATION = _OfApplication()


def parse(line: bytes) -> Request | Judgement:
    """One line to a checked record with the default settings; raises `Rejected`."""
    return _DEFAULT.parse(line)


def check(record: Request | Judgement | dict[str, Any]) -> Request | Judgement:
    """A record built in an application, as a dict or a struct, checked; raises `Rejected`.

    Unlike `parse`, which counts them and leaves them out, it takes no field that the record does
    not have: nobody would see a misspelt one after `encode`.
    """
    try:
        line = _ENCODE(record)
    except (TypeError, ValueError, RecursionError) as error:
        raise Rejected("", f"holds what JSON cannot say: {error}") from None
    # A number that is not finite is written as null; it would pass as absent.
    fault = not_finite(msgspec.to_builtins(record)) if b"null" in line else None
    if fault:
        raise fault
    return _OF_APPLICATION.parse(line)


def encode(record: Request | Judgement) -> bytes:
    """The canonical form of a checked record: one JSON line without newline, times in UTC."""
    return _ENCODE(record)


_ENCODE = msgspec.json.Encoder().encode
_PACK = msgspec.msgpack.Encoder().encode


def record_hash(record: Request | Judgement) -> int:
    """64 signed bits (BLAKE2b) over the record as MessagePack: equal for equal content."""
    return record_hashes([record])[0]


def record_hashes(records: Sequence[Request | Judgement]) -> tuple[int, ...]:
    """`record_hash` of each."""
    try:
        packed = list(map(_PACK, records))
    except OverflowError:
        packed = list(map(_packed, records))
    digests = [hashlib.blake2b(each, digest_size=8).digest() for each in packed]
    return struct.unpack(f"<{len(packed)}q", b"".join(digests))


def _packed(record: Request | Judgement) -> bytes:
    try:
        return _PACK(record)
    except OverflowError:  # a citation can be a number of any length
        return _ENCODE(record)


def write(records: Iterable[Request | Judgement]) -> bytes:
    """Records as JSON lines, ready to be appended to a log."""
    return b"".join(_ENCODE(record) + b"\n" for record in records)
