"""Read CSV with a header row a few rows at a time, packed or not, whatever its rows hold.

The standard reader, because it gives back every row up to a cut and says which row does not fit;
the readers made for tables stop the whole file there.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from analyzer.errors import CitelogError
from analyzer.sources.cells import value_of
from analyzer.sources.rows import ROWS_AT_ONCE, Flaw, Rows
from analyzer.sources.stored import as_text
from analyzer.sources.unpacking import EndsEarly

_OTHER_MARKS = ";\t|"


class CsvRows:
    """A CSV file; `pieces` gives its unpacked bytes from the start at each call.

    Rows are counted without the header and without blank lines. Cells may be parted by semicolons
    (numbers then also have a comma for their point), tabs or bars, where the header shows that.
    """

    def __init__(
        self, name: str, pieces: Callable[[], Iterator[bytes]], max_cell_bytes: int
    ) -> None:
        self.name = name
        self._pieces = pieces
        # One setting for the whole process; it is only ever raised.
        csv.field_size_limit(max(csv.field_size_limit(), max_cell_bytes))
        self._mark = ","
        self._header = self._first_row()
        if len(self._header) == 1:
            self._mark = next((mark for mark in _OTHER_MARKS if mark in self._header[0]), ",")
            self._header = self._first_row()
        self.schema = pa.schema([(column, pa.large_string()) for column in self._header])

    def _first_row(self) -> list[str]:
        try:
            return [as_text(name) for name in next(self._lines(), [])]
        except EndsEarly:
            return []

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Rows]:
        rows = self._lines()
        next(rows, None)
        number = 1
        cut: EndsEarly | None = None
        while not cut:
            some: list[list[str]] = []
            try:
                some.extend(islice(rows, ROWS_AT_ONCE))
            except EndsEarly as early:
                cut = early
            if some:
                yield self._rows(number, some, columns)
            elif not cut:
                return
            number += len(some)
        raise cut

    def typed(self, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
        return {
            name: [value(cell) if cell else None for cell in cells]
            for name, cells in columns.items()
            for value in (value_of(name, decimal_comma=self._mark == ";"),)
        }

    def _lines(self) -> Iterator[list[str]]:
        text = io.TextIOWrapper(
            io.BufferedReader(_Unpacked(self._pieces()), 1 << 20),
            # A byte that is no text is kept as a surrogate, so that only its record is refused.
            encoding="utf-8-sig",
            errors="surrogateescape",
            newline="",
        )
        reader = csv.reader(text, strict=True, delimiter=self._mark)
        try:
            yield from filter(None, reader)
        except csv.Error as error:
            raise CitelogError(
                f"{self.name}:{reader.line_num}: is no CSV here ({error}); nothing of the file is "
                "loaded, as no one can say which rows are whole"
            ) from error

    def _rows(self, number: int, rows: list[list[str]], columns: Sequence[str] | None) -> Rows:
        width = len(self._header)
        numbers = range(number, number + len(rows))
        flaws = {}
        for at, row in enumerate(rows):
            if len(row) != width:
                reason = f"has a row of {len(row)} cells under a header of {width}"
                flaws[numbers[at]] = Flaw("", reason)
                row[:] = [*row, *[""] * width][:width]
        cells = dict(zip(self._header, map(list, zip(*rows, strict=True)), strict=True))
        for name, column in cells.items():
            for at in _not_text(column):
                column[at] = ""
                flaws.setdefault(numbers[at], Flaw(name, "is not UTF-8 text"))
        asked = {name: cells[name] for name in cells if columns is None or name in columns}
        return Rows(numbers, asked, flaws)


def _not_text(column: list[str]) -> list[int]:
    # Bytes that are no text were decoded to surrogates, which cannot be encoded.
    try:
        "".join(column).encode()
    except UnicodeEncodeError:
        return [at for at, cell in enumerate(column) if _has_surrogates(cell)]
    return []


def _has_surrogates(cell: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in cell)


class _Unpacked(io.RawIOBase):
    """Pieces of bytes as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._held = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._held:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._held = memoryview(piece)
        size = min(len(buffer), len(self._held))
        buffer[:size] = self._held[:size]
        self._held = self._held[size:]
        return size
