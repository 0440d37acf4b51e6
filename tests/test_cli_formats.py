"""The commands around formats: what is read, what a file would become, a mapping begun."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.cli import main
from analyzer.sources.formats.catalogue import FORMATS
from analyzer.sources.mapping import shipped

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def samples(repo_root: Path) -> Path:
    return repo_root / "sample_logs" / "formats"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_formats_says_of_each_what_it_gives_and_lacks(capsys: Captured) -> None:
    assert main.run(["formats"]) == 0
    said = capsys.readouterr().out
    for name in [*(known.name for known in FORMATS), *(each.name for each in shipped())]:
        assert f"\n{name}: " in said
    assert said.count("\n    gives ") == said.count("\n    lacks ") == len(FORMATS) + len(shipped())


def test_explain_says_where_each_field_came_from_and_loads_nothing(
    samples: Path, tmp_path: Path, capsys: Captured
) -> None:
    assert main.run(["ingest", "--explain", str(samples / "openinference.otlp.jsonl")]) == 0
    said = capsys.readouterr().out
    lines = {line.split()[0]: line for line in said.splitlines()[1:]}
    assert said.splitlines()[0].endswith("openinference.otlp.jsonl: openinference")
    assert lines["request_id"].endswith("<- trace id")
    assert "where the text stands in the prompt (derived)" in lines["chunks[].position"]
    assert "order of the documents that the last reranker" in lines["chunks[].rank"]
    assert lines["chunks[].tokens"].endswith("17  <- estimated")
    assert "the [n] markers of the answer (parsed)" in lines["chunks[].cited"]
    assert "Wax" not in said  # texts are told by their length
    assert not (tmp_path / "citations.duckdb").exists()


@pytest.mark.parametrize(
    "name",
    [
        *("alce.json", "azure.json", "bedrock.json", "gemini.json", "openai.json"),
        *("anthropic.jsonl", "cohere.jsonl", "langchain.jsonl", "llamaindex.jsonl"),
        *("langfuse_observations.jsonl", "langsmith_runs.jsonl", "trec_rag.jsonl"),
        *("openinference.otlp.jsonl", "otel_genai.otlp.jsonl", "traceloop.otlp.jsonl"),
    ],
)
def test_explain_names_a_place_for_every_field(samples: Path, name: str, capsys: Captured) -> None:
    assert main.run(["ingest", "--explain", str(samples / name)]) == 0
    _, *fields = capsys.readouterr().out.splitlines()
    assert [line for line in fields if line.endswith(" reader")] == []


def test_explain_of_a_mapping_tells_its_paths(samples: Path, capsys: Captured) -> None:
    assert main.run(["ingest", "--explain", str(samples / "llamaindex.jsonl")]) == 0
    said = capsys.readouterr().out
    assert "<- from the first of node.id_, node.node_id" in said
    assert "<- from order (derived)" in said


def test_explain_tells_a_field_once_where_flags_and_markers_both_say_it(
    tmp_path: Path, capsys: Captured
) -> None:
    mapping = tmp_path / "own.toml"
    mapping.write_text(
        '[request]\nrequest_id = "id"\nanswer = "reply"\n[chunks]\nfrom = "hits"\n'
        '[chunk]\nchunk_id = "key"\nposition = "slot"\ncited = "used"\n[markers]\nbase = 1\n'
    )
    hits = [{"key": "x", "slot": 1, "used": True}, {"key": "y", "slot": 2, "used": False}]
    log = tmp_path / "own.jsonl"
    log.write_text(json.dumps({"id": "a1", "hits": hits, "reply": "Yes [1]"}))
    assert main.run(["ingest", "--explain", "--mapping", str(mapping), str(log)]) == 0
    told = [line.split() for line in capsys.readouterr().out.splitlines() if ".cited" in line]
    assert told == [["chunks[].cited", "true", "<-", "from", "used"]]


def test_explain_of_our_own_records_and_of_what_holds_none(
    samples: Path, tmp_path: Path, capsys: Captured
) -> None:
    own = tmp_path / "own.jsonl"
    own.write_text(json.dumps({"request_id": "r", "chunks": [{"chunk_id": "c", "rank": 1}]}))
    assert main.run(["ingest", "--explain", str(own)]) == 0
    assert "chunks[].rank" in capsys.readouterr().out
    assert main.run(["ingest", "--explain", str(samples / "langfuse_scores.jsonl")]) == 0
    assert "judged_at" in capsys.readouterr().out
    tone = tmp_path / "tone.jsonl"
    tone.write_text((samples / "langfuse_scores.jsonl").read_text().splitlines()[1])
    assert main.run(["ingest", "--explain", str(tone)]) == 0
    told = capsys.readouterr()
    assert "it holds no request" in told.out
    assert "labels called tone, which do not say right or wrong (1)" in told.err


def test_a_map_is_begun_and_loads_the_log(tmp_path: Path, capsys: Captured) -> None:
    log = tmp_path / "own.jsonl"
    passages = [{"id": "a", "content": "Alpha."}, {"id": "b", "content": "Beta."}]
    told = {"trace_id": "t", "response": "It is alpha [1].", "passages": passages}
    log.write_text(json.dumps(told) + "\n")
    assert main.run(["map", str(log)]) == 0
    said = capsys.readouterr()
    assert "citelog ingest --mapping" in said.err
    (tmp_path / "m.toml").write_text(said.out)
    assert main.run(["ingest", "--mapping", "m.toml", str(log)]) == 0
    assert "1 line = 1 loaded" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--format", "phoenix"], "no format is named 'phoenix'; there are auto, record, flat_csv"),
        (["--mapping", "mine"], "mine: no such mapping file could be read; shipped ones are alce"),
        (["--tokenizer", "gone.json"], "gone.json"),
    ],
)
def test_names_that_mean_nothing_are_usage(
    words: list[str], said: str, samples: Path, capsys: Captured
) -> None:
    assert main.run(["ingest", str(samples / "azure.json"), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_format_by_name_wins_over_looking(samples: Path, capsys: Captured) -> None:
    path = str(samples / "openinference.otlp.jsonl")
    assert main.run(["ingest", path, "--format", "anthropic", "--store", "s.duckdb"]) == 0
    said = capsys.readouterr()
    assert "0 lines = 0 loaded" in said.out
    assert "left out: calls without sources (9)" in said.err
