"""From the lines of one file to settled facts: repeats out, contests decided, days rolled up.

The outcome is a function of the records held and of which batches carry them, never of the order
of loading: of several records of one request the highest revision counts, then the smallest hash.
Records go into the facts as they are read, because almost all stay; what must not stay is taken
out again here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer import rollup
from analyzer.store import statement

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection as Connection

CHUNKS_A_SLICE = 400_000


def reject_sealed(con: Connection, batch: str) -> None:
    """Reject what the batch brought for sealed days and requests."""
    run(con, "store/load/sealed", batch=batch)
    run(con, "store/load/new_dimensions")


def reject_erased(con: Connection, batch: str) -> int:
    """Reject what the batch brought of erased requests; how many labels were among it.

    A label has no line number, so it is counted and not listed.
    """
    if not some(con, "store/erase/any"):
        return 0
    run(con, "store/erase/arriving", batch=batch)
    run(con, "store/load/new_dimensions")
    [(labels,)] = con.execute(statement("store/erase/labels")).fetchall()
    return int(labels)


def settle(con: Connection, batch: str) -> None:
    """Settle the facts, the books and the rollups after the batch's records were added."""
    shared = some(con, "store/load/any_repeats", batch=batch)
    if shared:
        run(con, "store/load/repeats", batch=batch)
        run(con, "store/load/contested", batch=batch)
        decide(con)
        run(con, "store/settle/dimensions")
    run(con, "store/load/settle_texts")
    run(con, "store/load/settle_judgements", batch=batch)
    run(con, "store/settle/labels")
    rollup.rebuild(con)
    if shared or some(con, "store/load/shared_judgements", batch=batch):
        run(con, "store/load/recounted", batch=batch)
        run(con, "store/settle/recount")
    else:
        run(con, "store/load/plain_counts", batch=batch)


def withdraw(con: Connection, batch: str) -> None:
    """Take a batch back: what only it carried goes, what it had superseded returns."""
    run(con, "store/forget/batch", batch=batch)
    decide(con)
    run(con, "store/settle/labels")
    run(con, "store/settle/orphans")
    run(con, "store/settle/dimensions")
    rollup.rebuild(con)
    run(con, "store/settle/recount")


def decide(con: Connection) -> None:
    """Choose the record that counts of every contested request.

    Slice by slice: a record is put aside whole, as one list of its chunks, and all of a night's
    at once would not fit the memory.
    """
    run(con, "store/settle/slices", chunks=CHUNKS_A_SLICE)
    for (part,) in con.execute(statement("store/settle/slice_names")).fetchall():
        run(con, "store/settle/slice", slice=part)
        run(con, "store/settle/choose")
        run(con, "store/settle/bring_back")
        run(con, "store/whole_chunks")


def some(con: Connection, name: str, **parameters: object) -> bool:
    """The answer of a statement that asks whether there is something."""
    row = con.execute(statement(name), parameters).fetchone()
    return bool(row and row[0])


def run(con: Connection, name: str, block: pa.Table | None = None, /, **parameters: object) -> None:
    """Every statement of one file, each with those of the parameters that it names.

    A statement finds `block` by this name among the variables here: a table that is registered
    with DuckDB is held until the transaction ends, and a transaction is a whole file.
    """
    for part in con.extract_statements(statement(name)):
        con.execute(part, {key: parameters[key] for key in part.named_parameters})
