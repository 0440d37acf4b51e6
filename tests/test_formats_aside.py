"""Incomplete traces are kept aside until their other spans come in a later load."""

from __future__ import annotations

import json
import random
from contextlib import closing, suppress
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from loading.sites import NOW, Site
from nights import Service
from test_formats_fuzz import changed
from test_formats_traces import TEXTS, span, spans, written

from analyzer import markers, nightly, updating
from analyzer.errors import CitelogError, UsageError
from analyzer.sources import Incomplete, asked, open_source
from analyzer.sources.aside import Aside
from analyzer.sources.waiting import Waiting, folder_of, waiting
from analyzer.text import fingerprint

Json = dict[str, Any]
SAMPLES = Path(__file__).parent.parent / "sample_logs" / "formats"
KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
KEEP, REFUSE = Incomplete(), Incomplete("refuse")
ENCRYPT = Incomplete("encrypt", key=KEY)
SAME = ("requests", "chunks", "texts", "cells", "cells_by_position", "ranks", "units", "days")
SAME = (*SAME, "lengths", "documents")


def facts(site: Site) -> dict[str, list[tuple[Any, ...]]]:
    """Every fact and every count; hashes of records differ between a text and its fingerprint."""
    found = {}
    for table in SAME:
        left = "EXCLUDE (record_hash)" if table in ("requests", "chunks") else ""
        found[table] = sorted(site.rows(f"SELECT * {left} FROM {table}"), key=repr)
    return found


def loaded(folder: Path, runs: list[list[list[Json]]], how: Incomplete) -> Site:
    """A store after runs, each with some files of spans."""
    folder.mkdir()
    site = Site(folder)
    for at, files in enumerate(runs):
        paths = [written(folder / f"{at}-{n}.jsonl", each) for n, each in enumerate(files)]
        site.load(*paths, incomplete=how)
    return site


def reranked(number: int) -> list[Json]:
    """A trace with a reranker, which turns the order of the retriever round."""
    retrieve, model, root = spans(number, "[1][3]")
    documents = {
        f"reranker.output_documents.{at}.document.{name}": value
        for at, text in enumerate(reversed(TEXTS))
        for name, value in (("id", f"c{2 - at}"), ("content", text), ("score", 0.9 - at / 10))
    }
    rerank = span(retrieve["traceId"], "order", "query", "RERANKER", **documents)
    return [retrieve, rerank, model, root]


def test_the_root_comes_a_load_later(tmp_path: Path) -> None:
    retrieve, model, root = spans(1)
    site = loaded(tmp_path / "s", [[[retrieve, model]], [[root]]], KEEP)
    assert facts(site) == facts(loaded(tmp_path / "o", [[[retrieve, model, root]]], KEEP))


def test_the_prompt_comes_a_load_later(tmp_path: Path) -> None:
    retrieve, model, root = spans(1)
    site = loaded(tmp_path / "s", [[[retrieve]], [[model, root]]], KEEP)
    assert facts(site) == facts(loaded(tmp_path / "o", [[[retrieve, model, root]]], KEEP))
    assert site.rows("SELECT position_origin, cited FROM requests") == [("derived", 1)]


EVERY = [*reranked(1), *spans(2), *spans(3, "Nothing.")]


@st.composite
def splits(draw: st.DrawFn) -> list[list[list[int]]]:
    """The spans of three traces, by their places, in any order over some files of some loads."""
    order = draw(st.permutations(range(len(EVERY))))
    ends = sorted(draw(st.sets(st.integers(1, len(order) - 1), max_size=5)))
    parts = [order[start:end] for start, end in zip([0, *ends], [*ends, len(order)], strict=True)]
    # A file that seems to hold all of a trace settles it: nothing says that a reranker ran too, or
    # that what it was given was retrieved by a span.
    assume(not any({2, 3} <= set(part) and len({0, 1} & set(part)) == 1 for part in parts))
    runs: list[list[list[int]]] = [[]]
    for part in parts:
        if runs[-1] and draw(st.booleans()):
            runs.append([])
        runs[-1].append(part)
    return runs


def records_of(folder: Path, runs: list[list[list[Json]]], how: Incomplete) -> dict[str, Json]:
    """By trace the record that counts after loads of spans."""
    return counting(
        folder,
        [
            [written(folder / f"{at}-{n}.jsonl", each) for n, each in enumerate(files)]
            for at, files in enumerate(runs)
        ],
        how,
    )


def counting(folder: Path, runs: list[list[Path]], how: Incomplete) -> dict[str, Json]:
    """By trace the record that counts after loads that are read without a store."""
    found: dict[str, Json] = {}
    for paths in runs:
        asking = asked(paths)
        with closing(Aside(folder / "s.duckdb", how, date(2026, 12, 1))) as asking.aside:
            for path in paths:
                with open_source(path, asking=asking) as source, asking.kept_aside(path.stem):
                    for record in source.records():
                        if "chunks" not in record.fields:
                            continue
                        known = found.get(record.fields["request_id"], {"revision": 0})
                        if record.fields["revision"] > known["revision"]:
                            found[record.fields["request_id"]] = record.fields
            asking.aside.publish([path.stem for path in paths])
    return {name: without_text(record) for name, record in found.items()}


def without_text(record: Json) -> Json:
    """A record with fingerprints for its texts, and markers for its answer."""
    chunks = []
    for chunk in record["chunks"]:
        told = {name: value for name, value in chunk.items() if name != "text"}
        if "text" in chunk:
            made = fingerprint(chunk["text"])
            if made:
                told |= {"text_hash": made.text_hash, "signature": made.signature}
        chunks.append(told)
    answer = record.get("answer")
    cited = None if answer is None else markers.read(answer)
    return {**record, "answer": cited, "chunks": chunks}


def test_any_split_over_loads_and_any_order_makes_the_requests_of_one_load(
    tmp_path: Path,
) -> None:
    whole = records_of(tmp_path, [[EVERY]], KEEP)
    assert len(whole) == 3

    @settings(max_examples=60, deadline=None)
    @given(splits(), st.booleans())
    def holds(places: list[list[list[int]]], sealed: bool) -> None:
        runs = [[[EVERY[at] for at in part] for part in files] for files in places]
        with TemporaryDirectory(dir=tmp_path) as folder:
            found = records_of(Path(folder), runs, ENCRYPT if sealed else KEEP)
        if sealed:
            assert found == whole
        for name, record in found.items():
            lacks = record["origins"]["position"] == "assumed"
            assert lacks or record == whole[name]

    holds()


def test_a_night_tells_of_what_waits_and_a_dry_run_joins_it_on_a_copy(tmp_path: Path) -> None:
    service = Service(tmp_path, reports=False)
    retrieve, model, root = spans(1)
    written(service.logs / "a.jsonl", [*spans(2), retrieve])
    done = service.night(date(2026, 11, 30))
    assert done.summary()[3].endswith("; 1 incomplete trace waits for other spans")
    (service.logs / "a.jsonl").unlink()
    written(service.logs / "b.jsonl", [model, root])
    rehearsed = nightly.rehearse(service.plan(date(2026, 12, 1)))
    assert (rehearsed.lines("loaded"), rehearsed.waiting) == (1, Waiting())
    assert waiting(service.store).traces == 1
    assert service.night(date(2026, 12, 1)).waiting == Waiting()


def test_what_nobody_completes_is_given_up_and_counted(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.load(written(tmp_path / "a.jsonl", spans(1)[:1]))
    site.load(written(tmp_path / "b.jsonl", spans(2)), now=NOW + timedelta(days=7))
    Aside(site.store, Incomplete(days=10**12), date(2199, 1, 1)).close()
    assert waiting(site.store) == (1, 0)
    site.load(written(tmp_path / "c.jsonl", spans(3)), now=NOW + timedelta(days=8))
    assert waiting(site.store) == (0, 1)
    assert str(waiting(site.store).told()).startswith("1 trace given up in 100 days")
    site.load(written(tmp_path / "d.jsonl", spans(1)[1:]), now=NOW + timedelta(days=8))
    assert len(site.rows("FROM requests")) == 2


def test_what_is_kept_of_a_batch_that_the_store_does_not_hold_completes_nothing(
    tmp_path: Path,
) -> None:
    retrieve, model, root = spans(1)
    site = Site(tmp_path)
    [batch] = site.load(written(tmp_path / "a.jsonl", [retrieve]))
    [kept] = folder_of(site.store).glob("*.jsonl")
    text = kept.read_bytes()
    site.forget(batch)
    kept.write_bytes(text)  # as where the forgetting is killed before it is removed
    site.load(written(tmp_path / "b.jsonl", [model, root]))
    assert site.rows("FROM requests") == []
    assert not kept.exists()


def test_forgetting_what_completed_a_trace_waits_for_it_again(tmp_path: Path) -> None:
    retrieve, model, root = spans(1)
    site = loaded(tmp_path / "s", [[[retrieve]]], KEEP)
    before = facts(site), waiting(site.store)
    late = written(tmp_path / "late.jsonl", [model, root])
    [batch] = site.load(late)
    assert waiting(site.store) == (0, 0)
    site.forget(batch)
    assert (facts(site), waiting(site.store)) == before
    [batch] = site.load(late)
    assert batch.loaded == 1


def test_forgetting_a_part_takes_what_it_kept(tmp_path: Path) -> None:
    retrieve, model, root = spans(1)
    site = Site(tmp_path)
    [part] = site.load(written(tmp_path / "a.jsonl", [retrieve]))
    site.forget(part)
    assert waiting(site.store) == (0, 0)
    assert list(folder_of(site.store).iterdir()) == []
    site.load(written(tmp_path / "b.jsonl", [model, root]))
    assert site.rows("FROM requests") == []


def test_a_load_that_is_broken_off_leaves_nothing_and_is_done_again(tmp_path: Path) -> None:
    retrieve, model, root = spans(1)
    site = Site(tmp_path)
    early = written(tmp_path / "a.jsonl", [retrieve])

    def broken(con: object) -> None:
        raise CitelogError("the disk is full")

    with pytest.raises(CitelogError, match="disk is full"):
        site.load(early, then=broken)
    assert not any(folder_of(site.store).iterdir())
    site.load(early)
    site.load(written(tmp_path / "b.jsonl", [model, root]))
    assert site.rows("SELECT revision FROM requests") == [(3,)]


def test_no_word_of_a_text_is_kept(tmp_path: Path) -> None:
    retrieve, model, _ = spans(1)
    for at, (part, how) in enumerate(
        [([retrieve], KEEP), ([retrieve, model], KEEP), ([retrieve, model], ENCRYPT)]
    ):
        site = loaded(tmp_path / str(at), [[part]], how)
        [kept] = folder_of(site.store).iterdir()
        assert kept.stat().st_mode & 0o777 == 0o600
        text = kept.read_text()
        assert not any(word in text for word in ("euros", "Gift", "month", "Sources"))
        assert (how is ENCRYPT) == ('"c1"' not in text)


def test_a_prompt_without_its_texts_is_refused_unless_it_is_encrypted(tmp_path: Path) -> None:
    retrieve, model, root = spans(1)
    for how, requests in ((KEEP, 0), (ENCRYPT, 1), (REFUSE, 0)):
        site = Site(tmp_path / how.mode)
        site.folder.mkdir()
        [batch] = site.load(written(site.folder / "a.jsonl", [model, root]), incomplete=how)
        site.load(written(site.folder / "b.jsonl", [retrieve]), incomplete=how)
        assert len(site.rows("FROM requests")) == requests
        assert "traces without a retrieved document (1)" in str(batch.note)


def test_a_part_that_only_texts_could_join_is_refused_and_said(tmp_path: Path) -> None:
    site = Site(tmp_path)
    [batch] = site.load(written(tmp_path / "a.jsonl", spans(1)[1:2]))
    assert "1 incomplete trace not kept, because only the texts" in str(batch.note)
    assert waiting(site.store) == (0, 0)


def test_what_needs_a_text_that_was_not_kept_is_left_out_and_said(tmp_path: Path) -> None:
    """A second retrieval comes after the prompt was reduced to what the first one brought."""
    retrieve, model, root = spans(1)
    second = {"retrieval.documents.0.document.id": "d9"}
    second["retrieval.documents.0.document.content"] = "Another text."
    later = span(retrieve["traceId"], "again", "query", "RETRIEVER", **second)
    site = loaded(tmp_path / "s", [[[retrieve, model]]], KEEP)
    [batch] = site.load(written(tmp_path / "b.jsonl", [later, root]))
    assert "put together by their texts, of which no trace is kept" in str(batch.note)
    assert site.rows("SELECT revision FROM requests") == [(2,)]


def test_a_person_who_is_erased_does_not_wait_aside(tmp_path: Path) -> None:
    site = Site(tmp_path)
    parts = [each for number in (1, 2, 3) for each in spans(number)[::2]]
    site.load(written(tmp_path / "a.jsonl", parts))
    assert waiting(site.store).traces == 3
    today = date(2026, 12, 1)
    updating.erase(site.store, requests=[f"{2:032x}"], units=["s2"], today=today)
    assert waiting(site.store).traces == 1


@pytest.mark.parametrize(
    ("how", "first"), [(KEEP, slice(0, 2)), (ENCRYPT, slice(0, 1)), (ENCRYPT, slice(1, 3))]
)
def test_what_comes_later_of_a_request_that_was_erased_is_not_kept(
    tmp_path: Path, first: slice, how: Incomplete
) -> None:
    site = Site(tmp_path)
    rest = [each for each in spans(1) if each not in spans(1)[first]]
    site.load(written(tmp_path / "a.jsonl", [*spans(1)[first], *spans(2)[first]]), incomplete=how)
    updating.erase(site.store, requests=[f"{2:032x}"], today=NOW.date())
    [batch] = site.load(written(tmp_path / "b.jsonl", [*rest, *spans(3)[:2]]), incomplete=how)
    kept = "".join(file.read_text() for file in folder_of(site.store).glob("*.jsonl"))
    assert f"{2:032x}" not in kept
    assert '"s1"' not in kept
    assert (f"{3:032x}" in kept, f"{4:032x}" in kept) == (True, True)
    assert "1 trace kept aside" in str(batch.note)
    assert site.rows(f"SELECT 1 FROM requests WHERE request_id = '{2:032x}'") == []


@pytest.mark.parametrize("unit", ["visitor-0", "anna"])
def test_every_span_of_a_unit_that_is_erased_goes_whichever_names_it(
    tmp_path: Path, unit: str
) -> None:
    rows = (SAMPLES / "langfuse_observations.jsonl").read_text(encoding="utf-8").splitlines()
    site = Site(tmp_path)
    for at, row in enumerate(rows[:2]):
        told = json.loads(row)
        named = {"session_id": "visitor-0", "user_id": "anna"} if at else {"session_id": None}
        file = tmp_path / f"{at}.jsonl"
        file.write_text(json.dumps(told | named) + "\n")
        site.load(file)
    assert waiting(site.store).traces == 1
    updating.erase(site.store, requests=[], units=[unit], today=date(2026, 12, 1))
    kept = [file.read_text() for file in folder_of(site.store).glob("*.jsonl")]
    assert len(kept) == 2
    assert not any("lf-0" in text for text in kept)


def test_keys_are_asked_for_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(KEY + "\n")
    file.chmod(0o640)
    today = date(2026, 12, 1)
    store = tmp_path / "s.duckdb"
    for asked_for, kind, said in (
        (Incomplete("encrypt"), UsageError, "no key is given; set CITELOG_INPUTS_INCOMPLETE_KEY"),
        (Incomplete("encrypt", key="abc"), UsageError, "is not 32 bytes in base64; openssl"),
        (Incomplete("encrypt", key_file=file), CitelogError, "others can read this key; chmod"),
        (Incomplete("encrypt", key_file=tmp_path), CitelogError, "the key cannot be read"),
    ):
        with pytest.raises(kind, match=said):
            Aside(store, asked_for, today)
    file.chmod(0o600)
    Aside(store, Incomplete("encrypt", key_file=file), today)


def test_traces_under_another_key_are_not_read_and_that_is_said(tmp_path: Path) -> None:
    retrieve, model, root = spans(1)
    site = loaded(tmp_path / "s", [[[retrieve, root]]], ENCRYPT)
    other = Incomplete("encrypt", key=KEY.replace("M", "N"))
    [batch] = site.load(written(tmp_path / "b.jsonl", [model]), incomplete=other)
    assert "kept under another key; with that key, citelog forget" in str(batch.note)
    assert site.rows("SELECT revision FROM requests") == [(2,)]
    site.forget(batch)
    site.load(tmp_path / "b.jsonl", incomplete=ENCRYPT)
    assert site.rows("SELECT revision FROM requests") == [(3,)]


def test_a_damaged_folder_is_one_sentence(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.load(written(tmp_path / "a.jsonl", spans(1)[:1]))
    [kept] = folder_of(site.store).iterdir()
    kept.write_text(kept.read_text()[:-20])
    with pytest.raises(CitelogError, match="is no list of incomplete traces any more; remove it"):
        site.load(written(tmp_path / "b.jsonl", spans(2)))


def test_a_trace_whose_spans_are_lost_stops_neither_loading_nor_erasing(tmp_path: Path) -> None:
    retrieve, model, root = spans(1)
    site = loaded(tmp_path / "s", [[[retrieve, model]]], KEEP)
    [kept] = folder_of(site.store).iterdir()
    begin, line = kept.read_text().splitlines()
    lost = {name: value for name, value in json.loads(line).items() if name != "seen"}
    kept.write_text(f"{begin}\n{json.dumps(lost)}\n")
    site.load(written(tmp_path / "b.jsonl", [root]), incomplete=KEEP)
    updating.erase(site.store, units=["somebody"], today=NOW.date())
    assert waiting(site.store).traces == 0


def test_chats_without_a_retrieval_are_not_counted_as_incomplete(tmp_path: Path) -> None:
    for how in (KEEP, ENCRYPT):
        site = Site(tmp_path / how.mode)
        site.folder.mkdir()
        [batch] = site.load(written(site.folder / "a.jsonl", spans(1)[1:]), incomplete=how)
        assert str(batch.note).endswith("left out: traces without a retrieved document (1)")
        assert waiting(site.store) == (0, 0)


@pytest.mark.parametrize(
    "name",
    [
        "langfuse_observations.jsonl",
        "langsmith_runs.jsonl",
        "openinference.otlp.jsonl",
        "otel_genai.otlp.jsonl",
        "traceloop.otlp.jsonl",
    ],
)
@pytest.mark.parametrize("how", [KEEP, ENCRYPT], ids=lambda how: how.mode)
def test_every_tool_that_writes_spans_may_be_loaded_span_by_span(
    name: str, how: Incomplete, tmp_path: Path
) -> None:
    sample = SAMPLES / name
    whole = counting(tmp_path, [[sample]], how)
    lines = sample.read_text().splitlines(keepends=True)
    assert len(lines) > len(whole) > 0
    for order in (lines, lines[::-1]):
        folder = tmp_path / str(order is lines)
        folder.mkdir()
        runs = []
        for at, line in enumerate(order):
            runs.append([folder / f"{at}.jsonl"])
            runs[-1][0].write_text(line)
        found = counting(folder, runs, how)
        if how is ENCRYPT or order is lines:
            assert found == whole
        assert all(
            record["origins"]["position"] == "assumed" or record == whole[request]
            for request, record in found.items()
        )


@pytest.mark.parametrize(
    "name", ["langfuse_observations.jsonl", "langsmith_runs.jsonl", "openinference.otlp.jsonl"]
)
@pytest.mark.parametrize("how", [KEEP, ENCRYPT], ids=lambda how: how.mode)
def test_spoilt_spans_end_in_records_and_sentences_over_loads_too(
    name: str, how: Incomplete, tmp_path: Path
) -> None:
    dice = random.Random(f"{name} {how.mode}")
    lines = (SAMPLES / name).read_text().splitlines()
    for number in range(6):
        runs: list[list[Path]] = []
        folder = tmp_path / str(number)
        folder.mkdir()
        for at, line in enumerate(dice.sample(lines, len(lines))):
            spoilt = changed(json.loads(line), dice) if dice.random() < 0.5 else json.loads(line)
            runs.append([folder / f"{at}.jsonl"])
            runs[-1][0].write_text(json.dumps(spoilt) + "\n", "utf-8", errors="replace")
        for run in runs:
            with suppress(CitelogError):
                counting(folder, [run], how)
