"""Parquet and CSV to lines: each record as if it had been logged as JSON, or refused by name."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import json
import os
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.errors import CitelogError
from analyzer.record import Judgement, Rejected, Request, parse
from analyzer.sources import Lines, Refused, Source, open_source

Row = dict[str, Any]


def read(source: Source) -> tuple[list[tuple[int, Row]], list[Refused]]:
    """Row number and content of every record, and what was refused."""
    found: list[tuple[int, Row]] = []
    refused: list[Refused] = []
    for block in source.blocks():
        if isinstance(block, Lines):
            assert block.offsets is None
            found += zip(block.numbers, map(json.loads, block.texts), strict=True)
        else:
            refused.append(block)
    return found, refused


def parquet(folder: Path, table: pa.Table | list[Row], **options: Any) -> Path:
    path = folder / "log.parquet"
    table = pa.Table.from_pylist(table) if isinstance(table, list) else table
    pq.write_table(table, path, **options)
    return path


def csv_file(folder: Path, text: str, name: str = "log.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode(errors="surrogateescape"))
    return path


def records(path: Path) -> list[Row]:
    with open_source(path) as source:
        found, refused = read(source)
    assert refused == []
    return [record for _, record in found]


def refusals(path: Path) -> list[tuple[int, str, str]]:
    with open_source(path) as source:
        _, refused = read(source)
    assert all(one.offset is None and len(one.digest) == 16 for one in refused)
    return [(one.number, one.path, one.reason) for one in refused]


def message(path: Path) -> str:
    with pytest.raises(CitelogError) as error, open_source(path) as source:
        list(source.blocks())
    assert "\n" not in str(error.value)
    return str(error.value)


# Nested Parquet


def test_a_row_is_the_record_and_nulls_are_absent(tmp_path: Path) -> None:
    rows: list[Row] = [
        {
            "request_id": "a",
            "chunks": [{"chunk_id": "x", "rank": 1, "score": 0.5}],
            "route": None,
            "origins": None,
        },
        {"request_id": "b", "chunks": [], "route": "faq", "origins": {"rank": "parsed"}},
        {"request_id": "c", "chunks": [{"chunk_id": "y"}, {"chunk_id": "z", "cited": True}]},
    ]
    with open_source(parquet(tmp_path, rows)) as source:
        assert source.format == "nested_parquet"
        found, refused = read(source)
    del rows[0]["route"], rows[0]["origins"]
    assert found == [(1, rows[0]), (2, rows[1]), (3, rows[2])]
    assert refused == []


def test_times_keep_their_offset_and_naive_ones_have_none(tmp_path: Path) -> None:
    noon = dt.datetime(2026, 11, 5, 12, 0, 0, 500)  # noqa: DTZ001  (the point of the test)
    table = pa.table(
        {
            "request_id": ["a"],
            "requested_at": pa.array(
                [noon.replace(tzinfo=dt.UTC)], pa.timestamp("ns", "Asia/Tokyo")
            ),
            "chunks": pa.array(
                [[{"chunk_id": "x", "indexed_at": noon}]],
                pa.list_(
                    pa.struct([("chunk_id", pa.string()), ("indexed_at", pa.timestamp("ns"))])
                ),
            ),
        }
    )
    (record,) = records(parquet(tmp_path, table))
    assert record["requested_at"] == "2026-11-05T12:00:00.000500Z"
    assert record["chunks"][0]["indexed_at"] == "2026-11-05T12:00:00.000500"
    with pytest.raises(Rejected) as rejected:
        parse(json.dumps(record).encode())
    assert rejected.value.path == "chunks[0].indexed_at"


def test_a_whole_float_is_an_integer_to_the_parser_and_a_broken_one_is_not(tmp_path: Path) -> None:
    rows = [
        {"request_id": "a", "chunks": [{"chunk_id": "x", "rank": 1.0}]},
        {"request_id": "b", "chunks": [{"chunk_id": "x", "rank": 1.7}]},
    ]
    whole, broken = records(parquet(tmp_path, rows))
    parsed = parse(json.dumps(whole).encode())
    assert isinstance(parsed, Request)
    assert parsed.chunks[0].rank == 1
    with pytest.raises(Rejected):
        parse(json.dumps(broken).encode())


@pytest.mark.parametrize(("value", "said"), [(float("nan"), "NaN"), (float("inf"), "infinite")])
def test_a_number_that_json_cannot_say_refuses_its_record(
    tmp_path: Path, value: float, said: str
) -> None:
    rows = [
        {"request_id": "a", "chunks": [{"chunk_id": "x", "score": 0.1}]},
        {"request_id": "b", "chunks": [{"chunk_id": "x"}, {"chunk_id": "y", "score": value}]},
        {"request_id": "null", "chunks": [{"chunk_id": "null"}]},
    ]
    path = parquet(tmp_path, rows)
    reason = f"is {said}, but a number is finite; leave it out"
    assert refusals(path) == [(2, "chunks[1].score", reason)]
    with open_source(path) as source:
        assert [number for number, _ in read(source)[0]] == [1, 3]


def test_an_embedding_with_a_nan_is_refused_at_its_place(tmp_path: Path) -> None:
    chunk = {"chunk_id": "x", "embedding": [0.0, float("nan")]}
    rows = [{"request_id": "a", "chunks": [chunk]}]
    assert refusals(parquet(tmp_path, rows))[0][1] == "chunks[0].embedding[1]"


def test_bytes_dictionaries_decimals_and_maps_are_plain_values(tmp_path: Path) -> None:
    table = pa.table(
        {
            "request_id": pa.array([b"a"], pa.binary()),
            "route": pa.array(["faq"]).dictionary_encode(),
            "sample_weight": pa.array([Decimal("2.50")], pa.decimal128(10, 2)),
            "origins": pa.array([[("rank", "parsed")]], pa.map_(pa.string(), pa.string())),
            "chunks": pa.array([[{"chunk_id": b"x"}]]),
        }
    )
    (record,) = records(parquet(tmp_path, table))
    assert record == {
        "request_id": "a",
        "route": "faq",
        "sample_weight": 2.5,
        "origins": {"rank": "parsed"},
        "chunks": [{"chunk_id": "x"}],
    }


def test_a_value_that_is_no_text_refuses_its_row_alone(tmp_path: Path) -> None:
    table = pa.table(
        {"request_id": ["a", "b", "c"], "route": [b"x", b"\xff", b"z"], "chunks": [[], [], []]}
    )
    path = parquet(tmp_path, table)
    reason = "holds bytes that are not UTF-8 text or a time that no calendar has"
    assert refusals(path) == [(2, "route", reason)]
    with open_source(path) as source:
        assert [record["request_id"] for _, record in read(source)[0]] == ["a", "c"]


def test_a_time_beyond_any_calendar_refuses_its_row_alone(tmp_path: Path) -> None:
    times = pa.array([0, 2**62], pa.timestamp("us", "UTC"))
    table = pa.table({"request_id": ["a", "b"], "requested_at": times, "chunks": [[], []]})
    assert [row[:2] for row in refusals(parquet(tmp_path, table))] == [(2, "requested_at")]


def test_a_record_over_the_limit_is_refused(tmp_path: Path) -> None:
    path = parquet(tmp_path, [{"request_id": "a" * 90, "chunks": [{"chunk_id": "x"}]}])
    with open_source(path, max_line_bytes=100) as source:
        _, refused = read(source)
    # {"request_id":"","chunks":[{"chunk_id":"x"}]} has 45 bytes without the 90.
    assert refused[0].reason == "is 135 bytes long, but a line may have at most 100"


def test_runs_have_at_most_500_records(tmp_path: Path) -> None:
    rows = [{"request_id": str(n), "chunks": [{"chunk_id": "x"}]} for n in range(1201)]
    with open_source(parquet(tmp_path, rows, row_group_size=333)) as source:
        runs = [block for block in source.blocks() if isinstance(block, Lines)]
        assert source.consumed == source.size
    assert max(len(run.texts) for run in runs) <= 500
    assert [number for run in runs for number in run.numbers] == list(range(1, 1202))


def test_a_table_of_judgements_gives_judgements(tmp_path: Path) -> None:
    judged = dt.datetime(2026, 11, 6, tzinfo=dt.UTC)
    rows = [{"request_id": "a", "judged_at": judged, "correct": True, "score": 0.5}]
    (record,) = records(parquet(tmp_path, rows))
    assert isinstance(parse(json.dumps(record).encode()), Judgement)


def test_a_parquet_file_that_breaks_off_is_refused(tmp_path: Path) -> None:
    path = parquet(tmp_path, [{"request_id": "a", "chunks": [{"chunk_id": "x"}]}])
    path.write_bytes(path.read_bytes()[:-20])
    said = message(path)
    assert said == f"{path}: is Parquet that breaks off or is damaged; write the file again"


def test_a_parquet_file_damaged_inside_is_an_error(tmp_path: Path) -> None:
    rows = [{"request_id": str(n), "chunks": [{"chunk_id": str(n * 7)}]} for n in range(3000)]
    path = parquet(tmp_path, rows)
    content = bytearray(path.read_bytes())
    content[10 : len(content) // 2] = b"\xff" * (len(content) // 2 - 10)
    path.write_bytes(content)
    assert "could not be read; the file is damaged or was changed meanwhile" in message(path)


def test_a_parquet_file_that_shrinks_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    rows = [{"request_id": str(n), "chunks": [{"chunk_id": str(n)}]} for n in range(5000)]
    path = parquet(tmp_path, rows, row_group_size=1000)
    with open_source(path) as source:
        blocks = source.blocks()
        next(blocks)
        os.truncate(path, 5000)
        with pytest.raises(CitelogError, match="could not be read"):
            list(blocks)


def test_a_table_of_something_else_is_refused_with_its_columns(tmp_path: Path) -> None:
    said = message(parquet(tmp_path, [{"id": 1, "chunks": [1]}]))
    assert said.endswith(
        "is not a citation log: its columns are 'id', 'chunks'; "
        "expected request_id and chunks or chunk_id or judged_at"
    )


def test_packed_parquet_is_refused(tmp_path: Path) -> None:
    path = parquet(tmp_path, [{"request_id": "a", "chunks": [{"chunk_id": "x"}]}])
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert "it is Parquet packed once more with gzip; unpack it" in message(path)


# Flat: one row is one chunk


FLAT = """\
request_id,route,prompt_tokens,correct,chunk_id,rank,position,score,cited
a,faq,900,true,x,1,2,0.5,TRUE
a,faq,900,true,y,2,1,,0
b,,,,z,1,,,
"""

NESTED: list[Row] = [
    {
        "request_id": "a",
        "route": "faq",
        "prompt_tokens": 900,
        "correct": True,
        "chunks": [
            {"chunk_id": "x", "rank": 1, "position": 2, "score": 0.5, "cited": True},
            {"chunk_id": "y", "rank": 2, "position": 1, "cited": False},
        ],
    },
    {"request_id": "b", "chunks": [{"chunk_id": "z", "rank": 1}]},
]


def test_rows_of_one_request_become_one_record_with_typed_fields(tmp_path: Path) -> None:
    with open_source(csv_file(tmp_path, FLAT)) as source:
        assert source.format == "flat_csv"
        found, refused = read(source)
    assert found == [(1, NESTED[0]), (3, NESTED[1])]
    assert refused == []


def test_flat_parquet_gives_the_same(tmp_path: Path) -> None:
    rows = [
        {**{name: value for name, value in record.items() if name != "chunks"}, **chunk}
        for record in NESTED
        for chunk in record["chunks"]
    ]
    path = parquet(tmp_path, pa.Table.from_pylist(rows))
    with open_source(path) as source:
        assert source.format == "flat_parquet"
        assert read(source) == ([(1, NESTED[0]), (3, NESTED[1])], [])
        assert source.consumed == source.size


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_csv_may_have_a_byte_order_mark_and_windows_line_ends(
    tmp_path: Path, line_end: str
) -> None:
    text = "\ufeff" + FLAT.replace("\n", line_end)
    assert records(csv_file(tmp_path, text)) == NESTED


def test_csv_may_be_packed_or_asked_for(tmp_path: Path) -> None:
    packed = tmp_path / "log.csv.gz"
    packed.write_bytes(gzip.compress(FLAT.encode()))
    assert records(packed) == NESTED
    with open_source(csv_file(tmp_path, FLAT, "log.txt"), format="flat_csv") as source:
        assert [record for _, record in read(source)[0]] == NESTED


def test_cells_are_read_as_the_fields_type_and_never_bent(tmp_path: Path) -> None:
    text = (
        "request_id,revision,citations,origins,chunk_id,rank,tokens,score,cited,text\n"
        '7,0,"[1, ""x""]","{""rank"": ""parsed""}",1e5,1.7,12,-2e3,yes,"two\nlines, ""one"" cell"\n'
        "8,,1;2,,y,05,12.0,NaN,1,\n"
        "9,,,,y,123456789012345678901,,,,\n"
    )
    first, second, third = records(csv_file(tmp_path, text))
    assert first == {
        "request_id": "7",
        "revision": 0,
        "citations": [1, "x"],
        "origins": {"rank": "parsed"},
        "chunks": [
            {
                "chunk_id": "1e5",
                "rank": 1.7,
                "tokens": 12,
                "score": -2000.0,
                "cited": "yes",
                "text": 'two\nlines, "one" cell',
            }
        ],
    }
    assert second == {
        "request_id": "8",
        "citations": "1;2",
        "chunks": [{"chunk_id": "y", "rank": "05", "tokens": 12.0, "score": "NaN", "cited": True}],
    }
    assert third["chunks"][0]["rank"] == 123456789012345678901.0


def test_an_infinite_cell_is_refused(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "request_id,chunk_id,score\na,x,1e999\n")
    reason = "is infinite, but a number is finite; leave it out"
    assert refusals(path) == [(1, "chunks[0].score", reason)]


def test_a_row_without_chunk_fields_is_a_request_without_chunks(tmp_path: Path) -> None:
    text = "request_id,outcome,chunk_id,rank\na,refused,,\nb,answered,,3\n"
    refused, without_id = records(csv_file(tmp_path, text))
    assert refused == {"request_id": "a", "outcome": "refused", "chunks": []}
    assert without_id["chunks"] == [{"rank": 3}]  # for the parser to reject


def test_an_empty_chunk_id_in_parquet_is_no_chunk_either(tmp_path: Path) -> None:
    rows = [{"request_id": "a", "chunk_id": ""}]
    assert records(parquet(tmp_path, rows)) == [{"request_id": "a", "chunks": []}]


def test_a_row_without_request_id_stands_alone_for_the_parser_to_reject(tmp_path: Path) -> None:
    text = "request_id,chunk_id\na,x\n,y\na,z\n,\n"
    with open_source(csv_file(tmp_path, text)) as source:
        found, _ = read(source)
    assert sorted(found) == [
        (1, {"request_id": "a", "chunks": [{"chunk_id": "x"}, {"chunk_id": "z"}]}),
        (2, {"chunks": [{"chunk_id": "y"}]}),
    ]


def test_two_values_of_one_field_refuse_the_request(tmp_path: Path) -> None:
    text = "request_id,route,chunk_id\na,faq,x\na,,y\na,search,z\nb,faq,x\n"
    path = csv_file(tmp_path, text)
    assert refusals(path) == [(1, "route", "differs between rows 1 and 3 of the request")]
    with open_source(path) as source:
        assert [record["request_id"] for _, record in read(source)[0]] == ["b"]


def test_a_field_may_stand_on_some_rows_only(tmp_path: Path) -> None:
    text = "request_id,answer,chunk_id\na,,x\na,yes [1],y\na,,z\n"
    (record,) = records(csv_file(tmp_path, text))
    assert record["answer"] == "yes [1]"


def test_revisions_of_one_request_are_records_of_their_own(tmp_path: Path) -> None:
    text = "request_id,revision,chunk_id\na,,x\na,0,y\na,1,x\nb,1.0,x\nb,1,y\n"
    found = records(csv_file(tmp_path, text))
    assert [(record["request_id"], len(record["chunks"])) for record in found] == [
        ("a", 2),
        ("a", 1),
        ("b", 2),
    ]


def test_judgements_may_stand_among_the_rows_of_requests(tmp_path: Path) -> None:
    text = (
        "request_id,chunk_id,score,judged_at,correct\n"
        "a,x,0.5,,\n"
        "a,,0.9,2026-11-06T00:00:00Z,false\n"
        "a,y,0.4,,\n"
    )
    judgement, request = records(csv_file(tmp_path, text))
    assert judgement == {
        "request_id": "a",
        "score": 0.9,
        "judged_at": "2026-11-06T00:00:00Z",
        "correct": False,
    }
    assert request["chunks"] == [
        {"chunk_id": "x", "score": 0.5},
        {"chunk_id": "y", "score": 0.4},
    ]


def test_csv_of_judgements_alone(tmp_path: Path) -> None:
    text = 'request_id,judged_at,expected_chunk_ids\na,2026-11-06T00:00:00Z,"[""x""]"\n'
    (record,) = records(csv_file(tmp_path, text))
    parsed = parse(json.dumps(record).encode())
    assert isinstance(parsed, Judgement)
    assert parsed.expected_chunk_ids == ["x"]


def test_unknown_columns_go_with_the_request(tmp_path: Path) -> None:
    text = "request_id,team,chunk_id\na,7,x\na,8,y\n"
    (record,) = records(csv_file(tmp_path, text))
    assert record == {
        "request_id": "a",
        "team": "7",
        "chunks": [{"chunk_id": "x"}, {"chunk_id": "y"}],
    }


def test_more_chunks_than_a_request_may_have_are_counted_not_held(tmp_path: Path) -> None:
    text = "request_id,chunk_id\n" + "".join(f"a,{n}\n" for n in range(1002)) + "b,x\n"
    path = csv_file(tmp_path, text)
    reason = "has 1002 items, but a request has at most 1000"
    assert refusals(path) == [(1, "chunks", reason)]


# Rows out of order


UNORDERED = "request_id,route,chunk_id\nb,faq,1\na,faq,2\nb,faq,3\nc,faq,4\na,faq,5\n,,6\nb,faq,7\n"
ORDERED = [
    (1, "b", ["1", "3", "7"]),
    (2, "a", ["2", "5"]),
    (4, "c", ["4"]),
    (6, None, ["6"]),
]


def outline(found: list[tuple[int, Row]]) -> list[tuple[int, str | None, list[str]]]:
    return [
        (number, record.get("request_id"), [chunk["chunk_id"] for chunk in record["chunks"]])
        for number, record in found
    ]


def test_rows_that_do_not_stand_together_are_sorted(tmp_path: Path) -> None:
    path = csv_file(tmp_path, UNORDERED)
    with open_source(path) as source:
        assert sorted(outline(read(source)[0])) == ORDERED
    rows = [
        {name: value or None for name, value in row.items()}
        for row in csv.DictReader(UNORDERED.splitlines())
    ]
    with open_source(parquet(tmp_path, pa.Table.from_pylist(rows))) as source:
        assert sorted(outline(read(source)[0])) == ORDERED


def test_sorting_keeps_every_kind_of_value(tmp_path: Path) -> None:
    noon = dt.datetime(2026, 11, 5, 12, tzinfo=dt.UTC)
    origins = pa.array([[("rank", "parsed")]] * 3, pa.map_(pa.string(), pa.string()))
    table = pa.table(
        {
            "request_id": ["a", "b", "a"],
            "requested_at": pa.array([noon] * 3, pa.timestamp("ms", "UTC")),
            "origins": origins,
            "citations": [["x"]] * 3,
            "chunk_id": ["x", "x", "y"],
            "rank": [1, 1, 2],
        }
    )
    first, _ = records(parquet(tmp_path, table))
    assert first == {
        "request_id": "a",
        "requested_at": "2026-11-05T12:00:00Z",
        "origins": {"rank": "parsed"},
        "citations": ["x"],
        "chunks": [{"chunk_id": "x", "rank": 1}, {"chunk_id": "y", "rank": 2}],
    }


# CSV that is not as it should be


def test_a_row_of_another_width_refuses_the_request_that_it_names(tmp_path: Path) -> None:
    text = "request_id,chunk_id,rank\na,x,1\na,y\nb,x,1\nc,x,1,9\nd,x,1\n"
    path = csv_file(tmp_path, text)
    assert refusals(path) == [
        (1, "", "has a row of 2 cells under a header of 3"),
        (4, "", "has a row of 4 cells under a header of 3"),
    ]
    with open_source(path) as source:
        assert outline(read(source)[0]) == [(3, "b", ["x"]), (5, "d", ["x"])]


def test_a_misfit_is_found_where_rows_are_sorted_too(tmp_path: Path) -> None:
    text = "request_id,chunk_id,rank\na,x,1\nb,x,1\na,y\n"
    path = csv_file(tmp_path, text)
    assert refusals(path) == [(1, "", "has a row of 2 cells under a header of 3")]


@pytest.mark.parametrize("more", ["", "a,z\n"])
def test_a_cell_that_is_no_text_refuses_its_request(tmp_path: Path, more: str) -> None:
    text = "request_id,chunk_id\na,x\nb,\udcff\n" + more
    assert refusals(csv_file(tmp_path, text)) == [(2, "chunk_id", "is not UTF-8 text")]


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "\nrequest_id,chunk_id\n\na,x\n,\n\nb,y\n")
    with open_source(path) as source:
        assert outline(read(source)[0]) == [(1, "a", ["x"]), (3, "b", ["y"])]


@pytest.mark.parametrize("text", ["", "request_id,chunk_id\n", "request_id,chunk_id"])
def test_csv_without_rows_has_no_records(tmp_path: Path, text: str) -> None:
    assert records(csv_file(tmp_path, text)) == []


def test_quotes_that_do_not_close_are_an_error_with_the_line(tmp_path: Path) -> None:
    path = csv_file(tmp_path, 'request_id,chunk_id\na,x\nb,"y\nc,z\n')
    assert message(path) == (
        f"{path}:4: is no CSV here (unexpected end of data); nothing of the file is loaded, "
        "as no one can say which rows are whole"
    )


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("request_id,route", "its columns are 'request_id', 'route'; expected request_id and"),
        ("request_id,chunk_id,chunk_id", "it has several columns named 'chunk_id'"),
        ("r1,what is my balance,4", "its columns are 'r1' and 2 that are no name; expected"),
    ],
)
def test_a_header_that_names_no_log_is_refused(tmp_path: Path, header: str, said: str) -> None:
    path = csv_file(tmp_path, f"{header}\n1,2,3\n")
    assert message(path).startswith(f"{path}: is not a citation log: {said}")


def cut_csv(folder: Path, rows: list[str]) -> Path:
    """A packed CSV whose last bytes are missing, so that it stops inside the last row."""
    text = "request_id,chunk_id\n" + "\n".join(rows)
    packed = gzip.compress(text.encode(), 0)
    path = folder / "log.csv.gz"
    path.write_bytes(packed[:-11])  # eight bytes of checksum and length, three of text
    return path


def test_a_cut_file_keeps_the_requests_before_the_cut(tmp_path: Path) -> None:
    path = cut_csv(tmp_path, ["a,x", "a,y", "b,x", "b,y", "b,zzzz"])
    with open_source(path) as source:
        found, refused = read(source)
        assert source.cut == (
            f"{path}: the compressed file ends early, 1 records before the cut are kept"
        )
    assert outline(found) == [(1, "a", ["x", "y"])]
    reason = "is cut off: the file ends among the rows of this request"
    assert [(one.number, one.path, one.reason) for one in refused] == [(3, "", reason)]


def test_a_cut_file_whose_rows_do_not_stand_together_is_an_error(tmp_path: Path) -> None:
    path = cut_csv(tmp_path, ["a,x", "b,x", "a,y", "b,zzzz"])
    assert message(path) == (
        f"{path}: the compressed file ends early, and as the rows of its requests do not stand "
        "together no request is known to be whole; pack it again"
    )


# Any table, against a naive recount


names = st.sampled_from(["a", "b", "c", "d"])
routes = {"a": "faq", "b": None, "c": "search", "d": "faq"}
chunk_rows = st.fixed_dictionaries(
    {
        "request_id": names,
        "chunk_id": st.sampled_from(["x", "y", "z w", 'q"']),
        "rank": st.none() | st.integers(1, 10**6),
        "score": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "cited": st.none() | st.booleans(),
    }
).map(lambda row: {**row, "route": routes[str(row["request_id"])]})


def naive_nested(rows: Sequence[Row]) -> list[tuple[int, Row]]:
    found: dict[str, tuple[int, Row]] = {}
    for number, row in enumerate(rows, start=1):
        fields = {name: value for name, value in row.items() if value is not None}
        request: Row = {}
        for name in ("request_id", "route"):
            request.update({name: fields.pop(name)} if name in fields else {})
        _, record = found.setdefault(row["request_id"], (number, {**request, "chunks": []}))
        record["chunks"].append(fields)
    return list(found.values())


@given(st.lists(chunk_rows, min_size=1, max_size=12))
def test_any_rows_give_the_requests_of_a_naive_recount(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row]
) -> None:
    folder = tmp_path_factory.mktemp("flat")
    schema = pa.schema(
        [
            ("request_id", pa.string()),
            ("route", pa.string()),
            ("chunk_id", pa.string()),
            ("rank", pa.int64()),
            ("score", pa.float64()),
            ("cited", pa.bool_()),
        ]
    )
    path = parquet(folder, pa.Table.from_pylist(rows, schema=schema))
    with open_source(path) as source:
        assert read(source) == (naive_nested(rows), [])
    path = folder / "log.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, schema.names)
        writer.writeheader()
        writer.writerows(rows)
    with open_source(path) as source:
        assert read(source) == (naive_nested(rows), [])


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_cells_may_be_parted_by_other_marks(mark: str, tmp_path: Path) -> None:
    rows = [
        ["request_id", "requested_at", "chunk_id", "rank", "position", "score"],
        ["1", "2026-11-10T09:00:00Z", "a, and b", "1", "2", "0,5" if mark == ";" else "0.5"],
        ["1", "2026-11-10T09:00:00Z", "c", "2", "1", "-1"],
    ]
    path = tmp_path / "log.csv"
    path.write_text("".join(mark.join(row) + "\n" for row in rows))
    with open_source(path) as source:
        [block] = source.blocks()
    assert isinstance(block, Lines)
    [found] = [json.loads(text) for text in block.texts]
    assert found["chunks"] == [
        {"chunk_id": "a, and b", "rank": 1, "position": 2, "score": 0.5},
        {"chunk_id": "c", "rank": 2, "position": 1, "score": -1},
    ]
