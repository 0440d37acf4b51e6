"""What a CSV cell means: CSV has no types, so the record's field gives the cell its type.

A cell that does not read as its field's type stays text, and the record's parser rejects it with
the reason; so "1.7" as a rank is 1.7, and no rank. Lists and objects are JSON in the cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.inspect import BoolType, FloatType, IntType, ListType, StructType, Type, UnionType

from analyzer.record import Chunk, Judgement, Request

_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})").fullmatch
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").fullmatch
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def value_of(column: str, *, decimal_comma: bool = False) -> Callable[[str], Any]:
    """How to read the cells of a column; unknown columns are text."""
    found = _READERS.get(column, str)
    return _with_comma if decimal_comma and found is _number else found


def _with_comma(cell: str) -> int | float | str:
    """A number with a comma for its point, as where cells are parted by semicolons."""
    return _number(cell.replace(",", ".") if cell.count(",") == 1 else cell)


def _number(cell: str) -> int | float | str:
    if _WHOLE(cell):
        return int(cell)
    return float(cell) if _NUMBER(cell) else cell


def _boolean(cell: str) -> bool | str:
    return _BOOLEANS.get(cell.lower(), cell)


def _json(cell: str) -> Any:
    try:
        return msgspec.json.decode(cell)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return cell


def _reader(kind: Type) -> Callable[[str], Any]:
    if isinstance(kind, UnionType):
        return next((reader for inner in kind.types if (reader := _reader(inner)) is not str), str)
    for kinds, reader in _BY_KIND:
        if isinstance(kind, kinds):
            return reader
    return str


_BY_KIND: list[tuple[tuple[type[Type], ...], Callable[[str], Any]]] = [
    ((IntType, FloatType), _number),
    ((BoolType,), _boolean),
    ((ListType, StructType), _json),
]

_READERS = {
    field.encode_name: _reader(msgspec.inspect.type_info(field.type))
    for kind in (Judgement, Chunk, Request)
    for field in msgspec.structs.fields(kind)
    if field.name != "chunks"
}
