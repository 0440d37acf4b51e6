"""Log files to lines: where each stands, what is refused, what a broken file still gives."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from analyzer.errors import CitelogError
from analyzer.sources import Lines, Refused, Source, expand, open_source
from analyzer.sources.jsonl import cut_lines
from analyzer.sources.lines import Uncut, between_objects
from analyzer.sources.unpacking import EndsEarly, gunzip, unzstd

A, B, C = b'{"request_id":"a"}', b'{"request_id":"b"}', b'{"request_id":"c"}'


def sha(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]


def written(folder: Path, content: bytes, name: str = "log.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def lines_of(runs: Iterator[Lines | Uncut | Refused]) -> list[tuple[int, int, bytes]]:
    """Number, offset and text of every line; no line is refused."""
    found: list[tuple[int, int, bytes]] = []
    for run in runs:
        block = run.cut if isinstance(run, Uncut) else run
        assert isinstance(block, Lines)
        assert block.offsets is not None
        found += zip(block.numbers, block.offsets, block.texts, strict=True)
    return found


def texts_and_refused(source: Source) -> tuple[list[bytes], list[Refused]]:
    texts: list[bytes] = []
    refused: list[Refused] = []
    for block in source.blocks():
        if isinstance(block, Lines):
            texts += block.texts
        else:
            refused.append(block)
    return texts, refused


def message(path: Path | str) -> str:
    with pytest.raises(CitelogError) as error, open_source(path) as source:
        list(source.blocks())
    return str(error.value)


# Lines and their places


def test_each_line_has_its_number_and_byte_offset(tmp_path: Path) -> None:
    with open_source(written(tmp_path, A + b"\n" + B + b"\n")) as source:
        assert source.format == "jsonl"
        assert lines_of(source.blocks()) == [(1, 0, A), (2, 19, B)]


def test_a_last_line_without_line_end_is_a_line(tmp_path: Path) -> None:
    with open_source(written(tmp_path, A + b"\n" + B)) as source:
        assert lines_of(source.blocks()) == [(1, 0, A), (2, 19, B)]
        assert source.cut is None


def test_a_byte_order_mark_belongs_to_no_line(tmp_path: Path) -> None:
    with open_source(written(tmp_path, b"\xef\xbb\xbf" + A + b"\n" + B)) as source:
        assert lines_of(source.blocks()) == [(1, 3, A), (2, 22, B)]


def test_carriage_returns_are_not_part_of_a_line(tmp_path: Path) -> None:
    with open_source(written(tmp_path, A + b"\r\n" + B + b"\r\n\r\n" + C + b"\r")) as source:
        assert lines_of(source.blocks()) == [(1, 0, A), (2, 20, B), (4, 42, C)]


def test_blank_lines_are_left_out_but_counted(tmp_path: Path) -> None:
    with open_source(written(tmp_path, b"\n" + A + b"\n \t\n\n" + B + b"\n\n")) as source:
        assert lines_of(source.blocks()) == [(2, 1, A), (5, 24, B)]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n"])
def test_an_empty_file_has_no_lines(tmp_path: Path, content: bytes) -> None:
    with open_source(written(tmp_path, content)) as source:
        assert list(source.blocks()) == []


def test_a_run_has_at_most_500_lines(tmp_path: Path) -> None:
    with open_source(written(tmp_path, b"{}\r\n" * 1201)) as source:
        sizes = [len(run) for run in source.runs() if isinstance(run, Lines)]
    assert sizes == [500, 500, 201]


def test_objects_on_lines_of_their_own_stay_uncut_256_kb_at_a_time(tmp_path: Path) -> None:
    line = b'{"request_id":"' + b"x" * 1006 + b'"}'
    with open_source(written(tmp_path, (line + b"\n") * 600)) as source:
        runs = [run for run in source.runs() if isinstance(run, Uncut)]
    assert [len(run) for run in runs] == [257, 257, 86]
    assert [(run.number, run.offset) for run in runs] == [(1, 0), (258, 257 * 1024), (515, 526336)]
    assert runs[2].cut == Lines(
        [line] * 86, list(range(515, 601)), list(range(526336, 614400, 1024))
    )


@pytest.mark.parametrize(
    "block",
    [
        b'{}{}\n{"a":\n1}',  # two objects on a line, one on two: as many objects as lines
        b'{"a":[{}\n,{}]}',
        b"{}\n\n{}",
        b"{}\n {}",
        b"{}\r\n{}\r",
        b"1\n{}",
        b"{}\n1",
        b'{"a":"}\n{"}\n1',
        b"",
    ],
)
def test_what_is_not_between_objects_is_cut_line_by_line(block: bytes) -> None:
    assert between_objects(block) is None


def test_lines_are_handed_out_as_the_file_says_even_when_they_are_no_json(tmp_path: Path) -> None:
    odd = [b'{"half', b"NaN", b'{"text":"\xff"}', b" {} "]
    with open_source(written(tmp_path, b"\n".join([A, *odd]))) as source:
        assert [text for _, _, text in lines_of(source.blocks())] == [A, *odd]


def naive_lines(content: bytes) -> list[tuple[int, int, bytes]]:
    found, offset = [], 0
    for number, line in enumerate(content.split(b"\n"), start=1):
        start, text = offset, line
        if number == 1 and text.startswith(b"\xef\xbb\xbf"):
            start, text = 3, text[3:]
        if text.endswith(b"\r"):
            text = text[:-1]
        if text.strip():
            found.append((number, start, text))
        offset += len(line) + 1
    return found


contents = st.lists(
    st.sampled_from([b"\n", b"\r", b"\r\n", b"\xef\xbb\xbf", b"x", b"yy", b" ", b'{"a":1}'])
).map(b"".join)


@given(contents, st.integers(1, 9))
def test_pieces_of_any_size_give_the_lines_of_a_naive_split(content: bytes, size: int) -> None:
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    assert lines_of(cut_lines(pieces, 1 << 20)) == naive_lines(content)


@given(contents, st.integers(1, 9), st.integers(1, 6))
def test_exactly_the_lines_over_the_limit_are_refused(
    content: bytes, size: int, limit: int
) -> None:
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    kept, refused = [], []
    for block in cut_lines(pieces, limit):
        if isinstance(block, Refused):
            refused.append((block.number, block.digest))
        else:
            kept += block.texts
    lines = [(number, text) for number, _, text in naive_lines(content)]
    assert kept == [text for _, text in lines if len(text) <= limit]
    # A blank line over the limit is refused when it is too long to be held, else left out.
    over = [(number, sha(text)) for number, text in lines if len(text) > limit]
    assert [found for found in refused if found[0] in dict(lines)] == over


# Lines that are too long


def test_a_line_over_the_limit_is_refused_with_its_length_and_hash(tmp_path: Path) -> None:
    long = b'{"x":"' + b"y" * 100 + b'"}'
    with open_source(
        written(tmp_path, A + b"\n" + long + b"\r\n" + B + b"\n"), max_line_bytes=100
    ) as source:
        blocks = list(source.blocks())
    assert blocks == [
        Lines([A], [1], [0]),
        Refused(2, 19, "", "is 108 bytes long, but a line may have at most 100", sha(long)),
        Lines([B], [3], [129]),
    ]


def test_a_line_of_exactly_the_limit_is_kept(tmp_path: Path) -> None:
    with open_source(written(tmp_path, A + b"\r\n" + B), max_line_bytes=len(A)) as source:
        assert [text for _, _, text in lines_of(source.blocks())] == [A, B]


@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz", "log.jsonl.zst"])
def test_a_line_of_70_mb_is_refused_without_being_held(tmp_path: Path, name: str) -> None:
    size = 70 * 2**20
    path = tmp_path / name
    total = hashlib.sha256()
    with opened_to_write(path) as out:
        out.write(A + b"\n")
        for _ in range(70):
            out.write(b"x" * 2**20)
            total.update(b"x" * 2**20)
        out.write(b"\n" + B)
    limit = 4 * 2**20
    with open_source(path, max_line_bytes=limit) as source:
        tracemalloc.start()
        blocks = list(source.blocks())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    reason = f"is {size} bytes long, but a line may have at most {limit}"
    assert blocks == [
        Lines([A], [1], [0]),
        Refused(2, 19, "", reason, total.hexdigest()[:16]),
        Lines([B], [3], [20 + size]),
    ]
    assert peak < 3 * limit


def opened_to_write(path: Path) -> io.BufferedIOBase:
    if path.suffix == ".gz":
        return gzip.open(path, "wb", 1)
    if path.suffix == ".zst":
        return zstandard.open(path, "wb")  # type: ignore[no-any-return]
    return path.open("wb")


# Packed files


def packed(content: bytes, packing: str) -> bytes:
    if packing == "gzip":
        return gzip.compress(content)
    return zstandard.ZstdCompressor(write_checksum=True).compress(content)


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_packing_is_recognised_by_content_not_by_name(tmp_path: Path, packing: str) -> None:
    path = written(tmp_path, packed(A + b"\n" + B, packing), "log.jsonl")
    with open_source(path) as source:
        assert source.packing == packing
        assert lines_of(source.blocks()) == [(1, 0, A), (2, 19, B)]
    with open_source(written(tmp_path, A, "plain.jsonl.gz")) as source:
        assert lines_of(source.blocks()) == [(1, 0, A)]


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_files_packed_one_by_one_and_joined_are_one_file(tmp_path: Path, packing: str) -> None:
    half = packed(A + b"\n" + B[:5], packing)
    rest = packed(B[5:] + b"\n", packing)
    with open_source(written(tmp_path, half + packed(b"", packing) + rest)) as source:
        assert lines_of(source.blocks()) == [(1, 0, A), (2, 19, B)]
        assert source.cut is None


def test_zeros_after_a_gzip_member_are_padding(tmp_path: Path) -> None:
    with open_source(written(tmp_path, gzip.compress(A) + b"\0" * 700)) as source:
        assert lines_of(source.blocks()) == [(1, 0, A)]
        assert source.cut is None


def test_a_skippable_zstd_frame_is_skipped(tmp_path: Path) -> None:
    note = b"\x53\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"notes"
    path = written(tmp_path, note + packed(A, "zstd") + note)
    with open_source(path) as source:
        assert lines_of(source.blocks()) == [(1, 0, A)]
        assert source.cut is None


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
@given(
    content=st.binary(max_size=3000).map(lambda raw: raw * 40),
    size=st.integers(1, 5000),
)
def test_pieces_of_any_size_unpack_to_the_same(packing: str, content: bytes, size: int) -> None:
    stored = packed(content, packing) * 2
    pieces = [stored[at : at + size] for at in range(0, len(stored), size)]
    unpack = gunzip if packing == "gzip" else unzstd
    assert b"".join(unpack(pieces)) == content * 2


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
@given(data=st.data())
def test_a_cut_anywhere_keeps_what_came_before_it(packing: str, data: st.DataObject) -> None:
    content = b"".join(b'{"request_id":"%d"}\n' % (n * 7919) for n in range(200))
    stored = packed(content, packing)
    at = data.draw(st.integers(1, len(stored) - 1))
    before: list[bytes] = []
    with pytest.raises(EndsEarly, match="ends early"):
        before.extend((gunzip if packing == "gzip" else unzstd)([stored[:at]]))
    assert content.startswith(b"".join(before))
    if packing == "gzip":
        assert b"".join(before) == zlib.decompressobj(31).decompress(stored[:at])


def cut_gzip() -> tuple[bytes, list[bytes]]:
    """A gzip file cut in the middle of a line, and the whole lines before the cut."""
    lines = [b'{"request_id":"%s"}' % sha(bytes([n])).encode() for n in range(100)]
    stored = gzip.compress(b"\n".join(lines) + b"\n")
    stored = stored[: len(stored) // 2]
    text = zlib.decompressobj(31).decompress(stored)
    assert not text.endswith(b"\n")
    return stored, text.split(b"\n")


def test_a_truncated_gzip_gives_the_lines_before_the_cut_and_says_so(tmp_path: Path) -> None:
    stored, (*whole, half) = cut_gzip()
    with open_source(written(tmp_path, stored, "log.jsonl.gz")) as source:
        texts, refused = texts_and_refused(source)
        assert source.cut == (
            f"{tmp_path}/log.jsonl.gz: the compressed file ends early, "
            f"{len(whole)} lines before the cut are kept"
        )
    assert texts == whole
    reason = "is cut off: the file ends in the middle of this line"
    offset = sum(len(line) + 1 for line in whole)
    assert refused == [Refused(len(whole) + 1, offset, "", reason, sha(half))]


def test_a_cut_at_the_end_of_a_line_refuses_no_line(tmp_path: Path) -> None:
    stored = gzip.compress(A + b"\n")[:-8]
    with open_source(written(tmp_path, stored)) as source:
        assert texts_and_refused(source) == ([A], [])
        assert source.cut is not None
        assert "1 lines before the cut are kept" in source.cut


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_a_wrong_checksum_costs_no_line(tmp_path: Path, packing: str) -> None:
    stored = bytearray(packed(A + b"\n" + B + b"\n", packing))
    stored[-5 if packing == "gzip" else -1] ^= 1
    with open_source(written(tmp_path, bytes(stored))) as source:
        assert texts_and_refused(source) == ([A, B], [])
        assert source.cut is not None
        assert "the compressed file is damaged, 2 lines before the cut are kept" in source.cut


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_what_is_no_packed_data_after_a_packed_file_is_a_damage(
    tmp_path: Path, packing: str
) -> None:
    path = written(tmp_path, packed(A + b"\n", packing) + b"not packed at all")
    with open_source(path) as source:
        assert texts_and_refused(source) == ([A], [])
        assert source.cut is not None
        assert "is damaged" in source.cut


def test_a_second_pass_gives_the_same(tmp_path: Path) -> None:
    stored, _ = cut_gzip()
    with open_source(written(tmp_path, stored)) as source:
        first = list(source.blocks())
        assert source.consumed == source.size == len(stored)
        assert source.digest() == hashlib.sha256(stored).hexdigest()
        assert list(source.blocks()) == first


# Pipes, and files that change


def from_stdin(content: bytes, spool: Path) -> str:
    program = (
        "import sys, pathlib; from analyzer.sources import open_source\n"
        "with open_source('-', spool_dir=pathlib.Path(sys.argv[1])) as s:\n"
        "    n = sum(len(b.texts) for b in s.blocks())\n"
        "    print(s.name, s.path, s.packing, s.size, n, s.digest()[:16])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, spool],
        input=content,
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    return run.stdout.decode().strip()


def test_stdin_is_a_file_like_any_other_and_leaves_nothing_behind(tmp_path: Path) -> None:
    stored = gzip.compress(A + b"\n" + B)
    said = from_stdin(stored, tmp_path)
    assert said == f"stdin None gzip {len(stored)} 2 {sha(stored)}"
    assert list(tmp_path.iterdir()) == []


def test_a_closed_stdin_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert message("-") == "stdin: is closed; pipe a log into it or name a file"


def test_no_room_to_keep_a_pipe_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(A)))
    with pytest.raises(CitelogError) as error:
        open_source("-", spool_dir=tmp_path)
    assert str(error.value) == (
        f"stdin: could not be kept in {tmp_path} while it is read (No space left on device); "
        "make room there or name another folder in TMPDIR"
    )


def test_a_named_pipe_is_read_once_and_kept(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["sh", "-c", f"printf '{{}}\\n{{}}\\n' > '{pipe}'"])
    with open_source(pipe) as source:
        assert (
            lines_of(source.blocks()) == lines_of(source.blocks()) == [(1, 0, b"{}"), (2, 3, b"{}")]
        )
        assert source.path is None
    assert writer.wait() == 0


def test_what_is_appended_after_opening_is_not_read(tmp_path: Path) -> None:
    path = written(tmp_path, A + b"\n")
    with open_source(path) as source:
        with path.open("ab") as log:
            log.write(B + b"\n")
        assert lines_of(source.blocks()) == [(1, 0, A)]
        assert source.digest() == hashlib.sha256(A + b"\n").hexdigest()


def test_a_file_that_is_renamed_or_deleted_is_read_to_its_end(tmp_path: Path) -> None:
    path = written(tmp_path, A + b"\n")
    with open_source(path) as source:
        path.unlink()
        assert lines_of(source.blocks()) == [(1, 0, A)]


def test_a_file_that_shrinks_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path, (A + b"\n") * 200_000)
    with open_source(path) as source:
        blocks = source.blocks()
        next(blocks)
        os.truncate(path, 10)
        with pytest.raises(CitelogError, match="became shorter"):
            list(blocks)


# Files that are no logs


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert message(tmp_path / "no.jsonl") == (
        f"{tmp_path}/no.jsonl: there is no such file; "
        "name log files, folders of them, globs, or - for stdin"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, A)
    path.chmod(0)
    assert "this user may not read it" in message(path)


def test_a_refusal_of_the_system_becomes_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = written(tmp_path, A)
    monkeypatch.setattr(Path, "open", refuse)
    assert message(path) == (
        f"{path}: this user may not read it; change its permissions or run as another user"
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF\x02\x01\x01\0" + bytes(90), "its content is not text"),
        (bytes(range(1, 256)) * 300, "its content is not text"),
        (b"BZh91AY&SY", "it is packed with bzip2"),
        (b"\xfd7zXZ\0", "it is packed with xz"),
        (b"PK\x03\x04", "it is a zip archive"),
        ('{"request_id":"a"}'.encode("utf-16"), "its text is UTF-16"),
        ('{"request_id":"a"}'.encode("utf-16-le"), "its text is UTF-16 (little-endian, without"),
        ('{"request_id":"ä€"}'.encode("utf-16-be"), "its text is UTF-16 (big-endian, without"),
        ('{"request_id":"a"}'.encode("utf-32"), "its text is UTF-32"),
        (b'[\n {"question":"a"}]', "its objects have 'question'"),
        (gzip.compress(b"\x7fELF\0", mtime=0), "its content is not text"),
    ],
)
def test_a_file_that_is_no_log_is_refused_in_one_sentence(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    said = message(written(tmp_path, content))
    assert said.startswith(f"{tmp_path}/log.jsonl: is not a citation log: {reason}")
    assert "; " in said
    assert "\n" not in said


def test_a_log_with_zeros_from_a_crash_is_still_a_log(tmp_path: Path) -> None:
    long = A + b"\n" + b'{"x":"' + b"y" * 600 + b'"}\n' + b"\0" * 5000 + b"\n" + B
    with open_source(written(tmp_path, long)) as source:
        assert [number for number, _, _ in lines_of(source.blocks())] == [1, 2, 3, 4]


def test_text_in_any_language_is_text(tmp_path: Path) -> None:
    line = '{"request_id":"引用", "answer":"żółć 😀"}'.encode()
    with open_source(written(tmp_path, line * 2000)) as source:
        assert source.format == "jsonl"


# What was named and what is meant


def names(found: list[Path | str], folder: Path) -> list[str]:
    return [path if isinstance(path, str) else str(path.relative_to(folder)) for path in found]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in [
        "b.jsonl",
        "a.ndjson.gz",
        "deep/er/c.PARQUET",
        "deep/d.csv.zst",
        "deep/truth.json",
        "README.md",
        "_SUCCESS",
        ".hidden.jsonl",
        "_temporary/part.jsonl",
        "odd.log",
    ]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(A)
    return tmp_path


def test_a_folder_means_the_logs_in_it_and_below(folder: Path) -> None:
    found = expand([str(folder)])
    assert names([*found], folder) == [
        "a.ndjson.gz",
        "b.jsonl",
        "deep/d.csv.zst",
        "deep/er/c.PARQUET",
    ]


def test_a_file_that_is_named_is_taken_whatever_its_name(folder: Path) -> None:
    assert expand([str(folder / "odd.log")]) == [folder / "odd.log"]


def test_each_file_comes_once_and_stdin_last(folder: Path) -> None:
    (folder / "z.jsonl").symlink_to(folder / "b.jsonl")
    paths = ["-", str(folder / "z.jsonl"), f"{folder}/*.jsonl", f"{folder}/deep/../b.jsonl", "-"]
    assert names([*expand(paths)], folder) == ["b.jsonl", "-"]


def test_links_that_lead_nowhere_are_named_when_they_are_opened(tmp_path: Path) -> None:
    (tmp_path / "round.jsonl").symlink_to(tmp_path / "round.jsonl")
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "no.jsonl")
    gone, circle = expand([str(tmp_path)])
    assert "there is no such file" in message(gone)
    assert "could not be read (Too many levels of symbolic links)" in message(circle)


def test_a_glob_reaches_below_with_two_stars(folder: Path) -> None:
    assert names([*expand([f"{folder}/**/d.*"])], folder) == ["deep/d.csv.zst"]
    assert names([*expand([f"{folder}/de*"])], folder) == ["deep/d.csv.zst", "deep/er/c.PARQUET"]


def test_a_name_that_looks_like_a_glob_may_be_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, A, "day[1].jsonl")
    assert expand([str(path)]) == [path]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (
            "no.jsonl",
            "there is no such file; name log files, folders of them, globs, or - for stdin",
        ),
        ("none*.jsonl", "no file matches; check the pattern and the folder it starts from"),
        (
            "empty",
            "this folder holds no logs; logs are named .jsonl, .ndjson, .parquet, .csv, "
            "also with .gz or .zst",
        ),
    ],
)
def test_a_path_that_means_nothing_is_named(tmp_path: Path, path: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(CitelogError) as error:
        expand([f"{tmp_path}/{path}"])
    assert str(error.value) == f"{tmp_path}/{path}: {said}"
