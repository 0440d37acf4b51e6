"""What citelog is held against: the same log into two tables, without a single check.

Each runs in a process of its own, so that its memory is its own, and says what it then holds.

    python -m tests.bench.contenders NAME LOG OUTPUT
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

Held = tuple[int, int]  # requests, chunks


def duckdb(log: Path, output: Path) -> Held:
    """The floor: a typed `read_json` and an unnest, into a database file."""
    import duckdb

    with duckdb.connect(output) as con:
        con.execute("SET VARIABLE log = $log", {"log": str(log)})
        con.execute((HERE / "floor.sql").read_text(encoding="utf-8"))
        held = con.table("requests").shape[0], con.table("chunks").shape[0]
    return held


def chdb(log: Path, output: Path) -> Held:
    """ClickHouse inside the process, into two MergeTree tables."""
    from chdb import session

    with session.Session(str(output)) as con:
        con.query("CREATE DATABASE bench")
        con.query("USE bench")
        for statement in (HERE / "clickhouse.sql").read_text(encoding="utf-8").split(";\n"):
            con.query(statement, params={"log": str(log.resolve())})
        counts = con.query("SELECT (SELECT count() FROM requests), (SELECT count() FROM chunks)")
        requests, chunks = map(int, counts.data().split(","))
    return requests, chunks


def pandas(log: Path, output: Path) -> Held:
    """The whole file as one frame, its lists exploded, into two Parquet files."""
    import pandas as pd

    requests = pd.read_json(log, lines=True, dtype=False)
    requests["requested_at"] = pd.to_datetime(requests["requested_at"])
    pairs = requests[["request_id", "chunks"]].explode("chunks", ignore_index=True)
    chunks = pd.DataFrame(pairs["chunks"].tolist())
    chunks.insert(0, "request_id", pairs["request_id"])
    if "text" in chunks:
        chunks["text_digest"] = pd.util.hash_array(chunks.pop("text").to_numpy(dtype=object))
    output.mkdir()
    requests.drop(columns="chunks").to_parquet(output / "requests.parquet")
    chunks.to_parquet(output / "chunks.parquet")
    return len(requests), len(chunks)


if __name__ == "__main__":
    name, log, output = sys.argv[1:]
    contend = {"duckdb": duckdb, "chdb": chdb, "pandas": pandas}[name]
    print(json.dumps(contend(Path(log), Path(output))))
