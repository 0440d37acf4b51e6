"""One open log file: its name, its digest, and its lines with their places."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from types import TracebackType

from analyzer.record import EARLIEST, LATEST
from analyzer.sources.content import Format
from analyzer.sources.csv_rows import CsvRows
from analyzer.sources.documents import Input
from analyzer.sources.flat import flat_records, stand_together
from analyzer.sources.importing import Import
from analyzer.sources.jsonl import runs_of_lines
from analyzer.sources.lines import Lines, Refused, Uncut
from analyzer.sources.nested_parquet import nested_records
from analyzer.sources.parquet import ParquetRows
from analyzer.sources.records import Record, record_lines
from analyzer.sources.stored import Stored
from analyzer.sources.unpacking import EndsEarly, Packing, unpacked


class Source:
    """One log file, open until it is closed (a context manager).

    `name` is its path as it was given ("stdin" for a pipe), `size` its bytes as stored, `path`
    where another reader finds the same bytes (None for a pipe or an object). `cut` is set once
    `blocks()` has met a packed file's early end: a sentence that says so.
    """

    def __init__(
        self,
        stored: Stored,
        packing: Packing,
        format: Format,
        table: ParquetRows | CsvRows | None,
        max_line_bytes: int,
        imported: Import | None = None,
    ) -> None:
        self.name = stored.name
        self.path = stored.path
        self.packing: Packing = packing
        self.format: Format = format
        self.cut: str | None = None
        self._stored = stored
        self._table = table
        self._imported = imported
        self._max_line_bytes = max_line_bytes
        self._first_pass = self._second_pass = False

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives the file back; a pipe's copy is gone then."""
        self._stored.file.close()

    @property
    def size(self) -> int:
        return self._stored.size

    @property
    def written_at(self) -> datetime | None:
        """When it was last written, UTC; None for a pipe, and for a time that no store holds."""
        time = self._stored.written_at
        try:
            if self.path is not None:
                time = datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
        except (OSError, OverflowError, ValueError):  # gone meanwhile, or beyond all years
            return None
        return time if time and EARLIEST <= time < LATEST else None

    @property
    def consumed(self) -> int:
        """How many of the stored bytes the pass that runs has read.

        A flat file is read twice; each time counts for half of its bytes.
        """
        read = self._stored.consumed
        if isinstance(self._table, ParquetRows):
            read = self.size * self._table.rows_read // max(self._table.rows, 1)
        if self._first_pass:
            return read // 2
        return (self.size + read) // 2 if self._second_pass else read

    @property
    def told(self) -> str | None:
        """What `blocks()` left out and what the file cannot tell; None where nothing is to say."""
        said = self._imported.notes.told() if self._imported else None
        if not self.size:
            said = "is empty; looked for citation log records and what `citelog formats` lists"
        return f"{self.name}: {said}" if said else None

    @property
    def documents(self) -> Input | None:
        """The documents of a file in another format; None for one of our own."""
        return self._imported.documents if self._imported else None

    def records(self) -> Iterator[Record]:
        """The records of a file in another format, with where their fields came from."""
        return self._imported.records() if self._imported else iter(())

    def digest(self) -> str:
        """SHA-256 of the file as stored, 64 hex digits; reads the whole file."""
        return self._stored.digest()

    def blocks(self) -> Iterator[Lines | Refused]:
        """`runs`, every one of them cut into lines."""
        for run in self.runs():
            yield run.cut if isinstance(run, Uncut) else run

    def runs(self) -> Iterator[Lines | Uncut | Refused]:
        """Every line in the order of the file, from the start at each call.

        Raises CitelogError when the file cannot be read to its end; that a packed file stops
        early is no error: what came before is handed out, then `cut` says so.
        """
        self.cut = None
        kept = 0
        try:
            for block in self._runs():
                kept += 0 if isinstance(block, Refused) else len(block)
                yield block
        except EndsEarly as early:
            kind = "lines" if self.format == "jsonl" else "records"
            self.cut = (
                f"{self.name}: the compressed file {early}, {kept} {kind} before the cut are kept"
            )

    def _runs(self) -> Iterator[Lines | Uncut | Refused]:
        if self._imported:
            return record_lines(self._imported.records(), self._max_line_bytes)
        if self._table is None:
            return runs_of_lines(unpacked(self._stored, self.packing), self._max_line_bytes)
        if self.format == "nested_parquet":
            return record_lines(nested_records(self._table), self._max_line_bytes)
        self._first_pass, self._second_pass = True, False
        together = stand_together(self._table)
        self._first_pass, self._second_pass = False, True
        return record_lines(flat_records(self._table, together), self._max_line_bytes)
