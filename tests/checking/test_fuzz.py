"""Whatever stands in a log, the linter comes to its end and counts every line."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st
from logs import logs
from test_record_fuzz import JSON

from analyzer import names
from analyzer.errors import CitelogError
from checking.clean import checked

LINES = st.lists(
    st.one_of(
        st.binary(max_size=40),
        JSON.map(lambda value: json.dumps(value).encode()),
        logs(largest=3).map(str.encode),
    ),
    max_size=6,
).map(b"\n".join)


@settings(max_examples=60, deadline=None)
@given(LINES)
@example(b"[null,{}]")
@example(b'[{"chunks":true}]')
@example(b'[{"chunks":[1]}]')
def test_any_bytes(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "log.jsonl"
        file.write_bytes(content)
        try:
            made = checked(file)
        except CitelogError:
            return
    lines = [line for line in content.replace(b"\r\n", b"\n").split(b"\n") if line.strip()]
    assert made.lines == made.requests + made.judgements + made.rejected
    most = max(len(lines), content.count(b",") + 1)  # a list of records is a log too
    assert made.rejected <= made.lines <= most
    for finding in made.findings:
        assert 0 < finding.count <= finding.of or finding.name == "stray"
        assert len(finding.at) <= 3
        assert names.shown(finding.name) == finding.name


@settings(max_examples=20, deadline=None)
@given(logs())
def test_any_legal_log_is_read_whole(text: str) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "log.jsonl"
        file.write_text(text)
        made = checked(file)
    assert (made.lines, made.rejected) == (len(text.splitlines()), 0)
