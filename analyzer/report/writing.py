"""From a row to what stands in a cell or a note: the pieces of a panel's plan, filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from analyzer import names, numbers
from analyzer.report.dashboard import Piece
from analyzer.report.model import Kind

Row = dict[str, Any]

_UNITS = {"rate": "rate", "count": "count", "plain": "fine", "change": "change"}


def _text(value: Any) -> str:
    return numbers.UNKNOWN if value is None else names.shown(str(value))


def _sentence(value: Any) -> str:
    return numbers.UNKNOWN if value is None else names.shown(str(value), 200)


def _said(value: Any) -> str:
    return numbers.UNKNOWN if value is None else names.shown(str(value), 800)


def money(value: float | None) -> str:
    """Two decimals, in the currency of the prices; what is small but not zero never reads 0."""
    if value is None:
        return numbers.UNKNOWN
    return "<0.01" if 0 < value < 0.005 else f"{value:,.2f}"


_WRITERS: dict[str, Callable[[Any], str]] = {
    "text": _text,
    "sentence": _sentence,
    "said": _said,
    "rate": numbers.rate,
    "change": numbers.change,
    "count": numbers.count,
    "mean": numbers.mean,
    "fine": numbers.fine,
    "points": numbers.points,
    "money": money,
    "day": numbers.day,
    "week": numbers.iso_week,
}


def cell(row: Row, pieces: Iterable[Piece], unit: str = "rate") -> str:
    """The pieces of one row, one after the other."""
    return "".join(written(row, piece, unit) for piece in pieces)


def note(rows: Sequence[Row], row: Row | None, pieces: Iterable[Piece], unit: str = "rate") -> str:
    """The pieces beside a name, of `row` or summed over `rows`; those without a value left out."""
    said = []
    for piece in pieces:
        if piece.sum:
            total = sum(each[piece.sum] or 0 for each in rows)
            said.append(f"{piece.before}{_WRITERS[piece.write](total)}{piece.after}")
        elif row is not None and row[piece.show] is not None:
            said.append(written(row, piece, unit))
    return "".join(said)


def written(row: Row, piece: Piece, unit: str = "rate") -> str:
    """One piece with what stands around it; nothing where it needs what is not there."""
    if (piece.needs and row[piece.needs] is None) or (piece.nonzero and not row[piece.show]):
        return ""
    write = _WRITERS[_UNITS[unit] if piece.write == "unit" else piece.write]
    if piece.to:
        value = numbers.bounds(row[piece.show], row[piece.to], write)
    else:
        value = write(row[piece.show])
    return f"{piece.before}{value}{piece.after}"


def kind(piece: Piece) -> Kind:
    """What a column of such pieces holds."""
    if piece.write in ("sentence", "said"):
        return "sentence"
    return "text" if piece.write in ("text", "day", "week") else "number"
