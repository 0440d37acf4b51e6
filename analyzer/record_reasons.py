"""Why a line is rejected, in words; and the numbers that data frames write as floats.

Only lines that the strict decoder refused come here, so this may be slow and thorough.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any, get_args, get_type_hints

import msgspec

_PATH = re.compile(r" - at `(?:key in )?\$(?P<path>[^`]*)`$")
_MOST = re.compile(r"Expected `(?:int|float)` <= (?P<most>\d+)")
_BYTE = re.compile(r"\(byte (?P<byte>\d+)\)$")
_NAMES_OF_NO_NUMBER = re.compile(rb"-?(?:NaN|Infinity|inf|nan)")
_NUMBER = re.compile(r"[-+0-9.,_e\[\]#]{1,24}|nan|-?inf|none|null|n/a|true|false", re.I)
_TRUTH = re.compile(r"true|false|yes|no|y|n|t|f|0|1|none|null|n/a", re.I)
_TIME = re.compile(r"[-+0-9:.,/TZ ]{1,35}", re.I)
_WORD = re.compile(r"[a-z_]{1,16}", re.I)
_ID = re.compile(r"[!-~]{1,24}")
_PRIVATE = {"text", "answer", "question", "unit_id"}
_LONGEST_NUMBER = 24
_MOST_NAMES = 1000
_OTHER_NAMES = "(other names)"

_NAME = "it is a string of at most 2,000 characters"
_RULES = {
    "request_id": "a request id is a string of 1 to 200 characters",
    "chunk_id": "a chunk id is a string of 1 to 2,000 characters",
    "doc_id": _NAME,
    "doc_version": _NAME,
    "retrieval_id": _NAME,
    "rank": "ranks are whole numbers from 1",
    "position": "positions are whole numbers that start at 1",
    "marker": "markers are whole numbers",
    "ordinal": "an ordinal is a whole number",
    "revision": "revisions are whole numbers from 0",
    "score": "a score is a finite number",
    "rerank_score": "a score is a finite number",
    "sample_weight": "a sample weight is a number above 0",
    "cited": "cited is true, false or null",
    "correct": "correct is true, false or null",
    "explored": "explored is true, false or null",
    "outcome": "an outcome is answered, refused, error or cached",
    "exposure": "an exposure is packed, cited_only or pruned",
    "requested_at": "a time is RFC 3339 with an offset, as 2026-11-05T12:00:00Z",
    "judged_at": "a time is RFC 3339 with an offset, as 2026-11-05T12:00:00Z",
    "indexed_at": "a time is RFC 3339 with an offset, as 2026-11-05T12:00:00Z",
    "chunks": "chunks is a list of 0 to 1000 retrieved chunks",
    "citations": "citations is a list of positions or chunk ids",
    "expected_chunk_ids": "it is a list of chunk ids",
    "embedding": "an embedding is a list of finite numbers",
    "origins": ("origins is an object of logged, parsed, counted, derived, estimated or assumed"),
}
_COUNTS = "token counts are whole numbers from 0"
_STRING = "it is a string"


class Rejected(Exception):
    """A line that cannot become a record. `path` is the field ("" = the whole line)."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} {reason}" if path else reason)
        self.path = path
        self.reason = reason


def explain(error: msgspec.ValidationError, value: dict[str, Any]) -> Rejected:
    """The decoder's complaint about `value` as a sentence that says what holds instead."""
    message = str(error)
    match = _PATH.search(message)
    path = match["path"].removeprefix(".") if match else ""
    missing = re.search(r"missing required field `(\w+)`", message)
    if missing:
        whose = "chunk" if path else "record"
        return Rejected(_joined(path, missing[1]), f"is missing, but every {whose} has it")
    found = quoted(_value_at(value, path), path)
    most = _MOST.search(message)
    if most:
        return Rejected(path, f"is {found}, but the most that is taken is {int(most['most']):,}")
    return Rejected(path, f"is {found}, but {_rule(path)}")


def not_json(line: bytes, error: Exception) -> Rejected:
    """Why a line is no JSON, and where."""
    said = str(error)
    if "UTF-8" in said:
        return Rejected("", "is not UTF-8 text")
    if "truncated" in said:
        return Rejected("", "is not JSON: it ends too early")
    if "out of range" in said:
        return Rejected("", "is not JSON: it holds a number that is out of range")
    place = _BYTE.search(said)
    start = int(place["byte"]) if place else 0
    if _NAMES_OF_NO_NUMBER.match(line, start) or _NAMES_OF_NO_NUMBER.match(line, start - 1):
        return Rejected("", "is not JSON: NaN and infinities are no JSON numbers; write null")
    fault = said.removeprefix("JSON is malformed: ").replace("invalid", "wrong")
    return Rejected("", f"is not JSON: {fault}")


def not_finite(value: Any, path: str = "") -> Rejected | None:
    """The first number within `value` that JSON cannot say, with its path."""
    if isinstance(value, float) and not math.isfinite(value):
        return Rejected(path, f"is {value}, but a number is finite; leave it out")
    inner: Any = ()
    if isinstance(value, dict):
        inner = ((_joined(path, str(name)), member) for name, member in value.items())
    elif isinstance(value, list):
        inner = ((f"{path}[{number}]", member) for number, member in enumerate(value))
    return next((found for name, member in inner if (found := not_finite(member, name))), None)


def _joined(path: str, field: str) -> str:
    return f"{path}.{field}" if path else field


# What a text may look like to be quoted where something else belongs: anything longer or wordier
# may be what somebody asked, in the wrong field.
_QUOTED = {
    "chunk_id": _ID,
    "rank": _NUMBER,
    "position": _NUMBER,
    "marker": _NUMBER,
    "ordinal": _NUMBER,
    "revision": _NUMBER,
    "score": _NUMBER,
    "rerank_score": _NUMBER,
    "sample_weight": _NUMBER,
    "tokens": _NUMBER,
    "cited": _TRUTH,
    "correct": _TRUTH,
    "explored": _TRUTH,
    "outcome": _WORD,
    "exposure": _WORD,
    "origins": _WORD,
    "requested_at": _TIME,
    "judged_at": _TIME,
    "indexed_at": _TIME,
}


def _rule(path: str) -> str:
    field = _field(path)
    return _COUNTS if field == "tokens" else _RULES.get(field, _STRING)


def _field(path: str) -> str:
    """The field that a path leads to; those of origins and of token counts are alike."""
    fields = re.findall(r"[A-Za-z_]\w*", path)
    if "origins" in fields:
        return "origins"
    field = fields[-1] if fields else ""
    return "tokens" if field.endswith("tokens") else field


def _value_at(value: Any, path: str) -> Any:
    for step in re.findall(r"\w+|\[\d+\]|\[\.\.\.\]", path):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step[1:-1].isdigit():
            value = value[int(step[1:-1])]
        else:
            return value
    return value


def quoted(value: Any, path: str) -> str:
    """`value` as it may be shown: never a text that could be one of those that are not stored."""
    if isinstance(value, str):
        return _quoted_text(value, path)
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    written = msgspec.json.encode(value).decode()
    if value is None or isinstance(value, bool):
        return written
    return "a number" if _field(path) in _PRIVATE or len(written) > _LONGEST_NUMBER else written


def _quoted_text(text: str, path: str) -> str:
    if not text:
        return "an empty text"
    harmless = _QUOTED.get(_field(path))
    shown = harmless is not None and harmless.fullmatch(text)
    return f'the text "{text}"' if shown else f"a text of {len(text):,} characters"


def settle_numbers(value: dict[str, Any], kind: type, unknown: Counter[str]) -> dict[str, Any]:
    """`value` without unknown fields (counted by name), 1.0 as 1 where `kind` has integers."""
    known: dict[str, Any] = {}
    fields = hints(kind)
    for name, found in value.items():
        if name not in fields:
            _count(name, unknown)
        elif isinstance(found, list):
            known[name] = [_settled(item, fields[name], unknown) for item in found]
        else:
            known[name] = _settled(found, fields[name], unknown)
    return known


def _count(name: str, unknown: Counter[str]) -> None:
    # Ids used as field names would otherwise fill the memory.
    unknown[name if name in unknown or len(unknown) < _MOST_NAMES else _OTHER_NAMES] += 1


def _settled(found: Any, hint: tuple[type | None, bool], unknown: Counter[str]) -> Any:
    struct, whole = hint
    if isinstance(found, float) and whole and found.is_integer():
        return int(found)
    if isinstance(found, dict) and struct is not None:
        return settle_numbers(found, struct, unknown)
    return found


_KNOWN: dict[type, dict[str, tuple[type | None, bool]]] = {}


def hints(kind: type) -> dict[str, tuple[type | None, bool]]:
    """By field of a struct: the struct that it holds, if one, and whether it holds integers."""
    if kind not in _KNOWN:
        _KNOWN[kind] = {name: _summary(hint) for name, hint in get_type_hints(kind).items()}
    return _KNOWN[kind]


def _summary(hint: Any) -> tuple[type | None, bool]:
    """Which struct a field holds, if one, and whether it holds integers."""
    parts = _parts(hint)
    struct = next((p for p in parts if isinstance(p, type) and issubclass(p, msgspec.Struct)), None)
    return struct, int in parts


def _parts(hint: Any) -> list[Any]:
    inner = get_args(hint)
    if not inner:
        return [hint]
    return [part for each in inner for part in _parts(each)]
