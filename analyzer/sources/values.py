"""Total readers of foreign values: each gives what it is asked for, or None, and never raises.

Logs of other tools keep JSON inside strings, sometimes twice, and data frames written as CSV keep
Python literals in their cells; both are unfolded here.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

REDACTED = "__REDACTED__"
_MOST_LITERAL = 1 << 20
_WRAPPERS = {"array", "float64", "float32", "int64", "int32", "bool_", "str_"}
_NOTHING = {"nan", "inf", "None", "NaT"}
_DECODE = msgspec.json.Decoder().decode
_OPENINGS = frozenset('{["')
_DIGITS = re.compile(r"[0-9]{1,18}(\.0+)?").fullmatch


def obj(value: Any) -> dict[str, Any]:
    """An object, empty where the value is none; JSON in a string counts."""
    value = unfolded(value) if isinstance(value, str) else value
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """A list, empty where the value is none; JSON in a string counts."""
    value = unfolded(value) if isinstance(value, str) else value
    return value if isinstance(value, list) else []


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [each for each in items(value) if isinstance(each, dict)]


def text(value: Any) -> str | None:
    """A string that says something; what was redacted says nothing."""
    return value if isinstance(value, str) and value and value != REDACTED else None


def name(value: Any) -> str | None:
    """A name or an id: a string, or a whole number as one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text(value)


def number(value: Any) -> float | None:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def whole(value: Any) -> int | None:
    """A whole number, also as the float or the string of digits that exports make of it."""
    if isinstance(value, str):
        return int(value.partition(".")[0]) if _DIGITS(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if isinstance(value, int) or value.is_integer() else None


def count(value: Any) -> int | None:
    """A whole number from 0."""
    found = whole(value)
    return found if found is not None and found >= 0 else None


def first(*values: Any) -> Any:
    """The first value that is there."""
    return next((value for value in values if value is not None), None)


def unfolded(value: Any) -> Any:
    """What a string holds, if it holds JSON (also twice over) or a Python literal; else itself."""
    for _ in range(2):
        if not isinstance(value, str) or (value.lstrip()[:1] not in _OPENINGS):
            return value
        found = _decoded(value)
        if found is None:
            return value
        value = found
    return value


def _decoded(value: str) -> Any:
    try:
        return _DECODE(value)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return literal(value) if value.lstrip()[:1] in "{[" else None


def literal(value: str) -> Any:
    """The value of a Python literal, numpy's wrappers included; None where it is none."""
    if len(value) > _MOST_LITERAL:
        return None
    for attempt in (value, re.sub(r"\}\s+\{", "}, {", value)):
        try:
            return _evaluated(ast.parse(attempt.strip(), mode="eval").body)
        except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
            continue
    return None


def _evaluated(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=str(value)):
            # Python writes half a character where JSON cannot.
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case ast.Constant(value=value) if value is None or isinstance(value, int | float):
            return value
        case ast.List(elts=inner) | ast.Tuple(elts=inner):
            return [_evaluated(each) for each in inner]
        case ast.Dict(keys=keys, values=values):
            return {_key(k): _evaluated(v) for k, v in zip(keys, values, strict=True)}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluated(operand)
        case ast.Name(id=name) if name in _NOTHING:
            return None
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[inner, *_]):
            if name in _WRAPPERS:
                return _evaluated(inner)
    raise ValueError("is no literal")


def _key(node: ast.expr | None) -> Any:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str | int):
        raise ValueError("is no literal")
    return _evaluated(node)


def strings(value: Any) -> Iterator[str]:
    """Every string within a value, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def time(value: Any, naive_is_utc: bool = True) -> str | None:
    """A time as RFC 3339: from a time, a string, or a count of s, ms, µs or ns since 1970.

    What reads as no time is given back as it is, so that the record's parser says what is wrong.
    """
    if isinstance(value, str) and re.fullmatch(r"\d{9,19}(\.\d+)?", value):
        value = float(value) if "." in value else int(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _since_1970(value)
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value.strip())
        except ValueError:
            read = _written_otherwise(value.strip())
            if read is None:
                return value or None
            moment = read
    elif isinstance(value, datetime):
        moment = value
    else:
        return None
    if moment.tzinfo is None and naive_is_utc:
        moment = moment.replace(tzinfo=UTC)
    return moment.isoformat()


_WRITTEN = ("%d/%b/%Y:%H:%M:%S %z", "%Y/%m/%d %H:%M:%S")


def _written_otherwise(value: str) -> datetime | None:
    """A time as web servers, loggers and mails write it."""
    for written in _WRITTEN:
        try:
            return datetime.strptime(value, written)  # noqa: DTZ007 (who asks deals with offsets)
        except ValueError:
            continue
    try:
        return parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _since_1970(value: float) -> str | None:
    # A count says its unit itself: seconds have ten digits from 2001 to 2286.
    if not math.isfinite(value) or value < 1e8:
        return None
    for unit in (1e11, 1e14, 1e17):
        if value < unit:
            break
    else:
        unit = 1e20
    scale = {1e11: 1, 1e14: 10**3, 1e17: 10**6}.get(unit, 10**9)
    try:
        return datetime.fromtimestamp(value / scale, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None
