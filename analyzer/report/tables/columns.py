"""A column with its meaning, kept in the schema of a table."""

from __future__ import annotations

import pyarrow as pa

_TYPES = {
    pa.string(): "VARCHAR",
    pa.date32(): "DATE",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
}


def column(name: str, kind: pa.DataType, meaning: str) -> pa.Field:
    """A field that knows what it means."""
    return pa.field(name, kind, metadata={"meaning": meaning})


def described(schema: pa.Schema) -> list[dict[str, str]]:
    """Name, type and meaning of each column that has one, as the header of a question tells it."""
    return [
        {
            "name": field.name,
            "type": _TYPES[field.type],
            "meaning": field.metadata[b"meaning"].decode(),
        }
        for field in schema
        if field.metadata
    ]
