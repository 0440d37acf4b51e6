"""A reader in which every id of a request, a chunk or a document is a pseudonym.

Views stand before the tables that hold ids, so whatever is asked (a question, a report, an
investigation) leaves the house without them, and nothing that asks needs to know. A pseudonym is a
keyed hash: the same id has the same one throughout, and with the same key in the next report too.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from analyzer import store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

SAYS = "Ids of requests, chunks and documents are pseudonyms here: keyed hashes, alike throughout."
RANDOM = "random"
FORM = re.compile(r"p-[0-9a-f]{12}")
_SWAP_SINCE = 2  # schema version
_CHUNK_FACTS_SINCE = 5


@contextmanager
def reader(path: Path, key: str | None = None) -> Iterator[Connection]:
    """Open a published store for reading behind pseudonyms; raises as `store.reader` does.

    `key` is any text: None stands for the store's own key, "random" for one that nobody keeps.
    """
    with store.reader(path):
        pass  # it says what is wrong with a store
    spill = path.with_name(f"{path.name}.spill{os.getpid()}")
    with store.answering(path, spill, lambda: _opened(path, spill, key)) as con:
        yield con


def derived(key: str) -> str:
    """What ids are hashed with: never a key that other hashes of the store are made with."""
    if key == RANDOM:
        return secrets.token_hex(16)
    return hashlib.blake2b(key.encode(), digest_size=16, person=b"citelog ids").hexdigest()


def pseudonym(con: Connection, name: str) -> str:
    """The pseudonym of one id, by a reader of this module."""
    [(found,)] = con.execute(store.statement("store/pseudonyms/one"), {"name": name}).fetchall()
    return str(found)


def hide(con: Connection) -> None:
    """Put pseudonyms into requests that were brought beside the store, by a reader of this module.

    Another reader is left as it is.
    """
    [(behind,)] = con.execute(store.statement("store/pseudonyms/behind")).fetchall()
    if behind:
        con.execute(store.statement("store/pseudonyms/brought"))


def _opened(path: Path, spill: Path, key: str | None) -> Connection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": store.READER_MEMORY,
        "temp_directory": str(spill),
        "python_enable_replacements": False,
    }
    con = duckdb.connect(config=config)
    con.execute("SET enable_progress_bar = false")
    con.execute(store.statement("store/pseudonyms/attach"), {"file": str(path)})
    con.execute(store.statement("store/pseudonyms/views"))
    held = store.settings(con)  # of this very file: another may have been published since
    made = derived(key or str(held["unit_key"]))
    con.execute(store.statement("store/pseudonyms/key"), {"key": made})
    version = int(str(held["schema_version"]))
    store.supply(con, version)
    con.execute(store.statement(f"store/pseudonyms/{_holding_chunks(version)}"))
    if version >= _SWAP_SINCE:
        con.execute(store.statement("store/pseudonyms/swap"))
    return con


def _holding_chunks(version: int) -> str:
    """The table that holds the ids of chunks."""
    return "chunk_facts" if version >= _CHUNK_FACTS_SINCE else "chunks"
