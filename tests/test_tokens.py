"""Tokens of a text: counted by a tokenizer that is named, else estimated; each says what it is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from imported import records

from analyzer import tokens
from analyzer.errors import CitelogError, UsageError


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a", 1), ("four", 1), ("fives", 2), ("für", 1), ("保修期", 3)]
)
def test_an_estimate_is_a_quarter_of_the_bytes(text: str, count: int) -> None:
    assert tokens.estimated(text) == count


class Encoding:
    """Counts words, as an encoding of tiktoken counts tokens."""

    def encode(self, text: str, disallowed_special: tuple[str, ...]) -> list[str]:
        assert disallowed_special == ()
        return text.split()


@pytest.fixture
def tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    """tiktoken with one encoding and one model; the real one fetches its tables."""

    def encoding_for_model(name: str) -> Encoding:
        if name != "model-1":
            raise KeyError(name)
        return Encoding()

    module = ModuleType("tiktoken")
    module.list_encoding_names = lambda: ["words_base"]  # type: ignore[attr-defined]
    module.get_encoding = lambda name: Encoding()  # type: ignore[attr-defined]
    module.encoding_for_model = encoding_for_model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tiktoken", module)
    monkeypatch.setitem(sys.modules, "bpe_openai", None)


@pytest.mark.parametrize("name", ["words_base", "model-1"])
def test_encodings_and_models_are_named_as_tiktoken_names_them(tiktoken: None, name: str) -> None:
    assert tokens.counter(name)("one two three") == 3


def test_a_name_that_is_none_lists_those_there_are(tiktoken: None) -> None:
    with pytest.raises(UsageError, match=r"'m-2'; tiktoken has words_base, and a path"):
        tokens.counter("m-2")


def test_bpe_openai_counts_what_tiktoken_does_not_know_or_cannot_fetch(
    tiktoken: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Letters(Encoding):
        def encode(self, text: str, disallowed_special: tuple[str, ...]) -> list[str]:
            return list(text)

    def unreachable(name: str) -> None:
        raise OSError("no network")

    module = ModuleType("bpe_openai")
    module.list_encoding_names = lambda: ["voyage3_base", "words_base"]  # type: ignore[attr-defined]
    module.get_encoding = lambda name: Letters()  # type: ignore[attr-defined]
    module.encoding_for_model = {}.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "bpe_openai", module)
    assert tokens.counter("voyage3")("one two") == 7
    assert tokens.counter("words")("one two") == 2
    with pytest.raises(
        UsageError, match=r"tiktoken has words_base; bpe_openai has voyage3_base, w"
    ):
        tokens.counter("m-2")
    monkeypatch.setattr(sys.modules["tiktoken"], "get_encoding", unreachable)
    assert tokens.counter("words_base")("one two") == 7
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    with pytest.raises(CitelogError, match=r"could not be fetched \(no network\)"):
        tokens.counter("words_base")


def test_the_real_bpe_openai_counts() -> None:
    pytest.importorskip("bpe_openai", reason="the extra bpe-openai is not installed")
    assert tokens.counter("cl100k")("hello world") == 2
    assert tokens.counter("voyage3")("<|endoftext|>") > 1


@pytest.mark.parametrize(
    ("name", "package"),
    [("gpt-4o", "tiktoken"), ("t.json", "tokenizers"), ("voyage3", "bpe-openai")],
)
def test_what_is_not_installed_is_said(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in ("tiktoken", "bpe_openai", "tokenizers"):
        monkeypatch.setitem(sys.modules, each, None)
    with pytest.raises(UsageError, match=rf"needs {package}; pip install {package} brings it"):
        tokens.counter(name)


def test_a_tokenizer_file_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tokenizer:
        @staticmethod
        def from_file(path: str) -> Tokenizer:
            if path == "broken.json":
                raise ValueError("no vocabulary")
            return Tokenizer()

        def encode(self, text: str, add_special_tokens: bool) -> SimpleNamespace:
            return SimpleNamespace(ids=list(text))

    module = ModuleType("tokenizers")
    module.Tokenizer = Tokenizer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tokenizers", module)
    assert tokens.counter("own.json")("abc") == 3
    with pytest.raises(UsageError, match=r"broken.json: no tokenizer could be read there"):
        tokens.counter("broken.json")


def test_a_real_tokenizer_file(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="the extra tokenizers is not installed")
    vocabulary = {"[UNK]": 0, "wax": 1, "the": 2, "tent": 3}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}
    file = tmp_path / "tokenizer.json"
    told = {"version": "1.0", "model": model, "pre_tokenizer": {"type": "Whitespace"}}
    file.write_text(json.dumps(told))
    assert tokens.counter(str(file))("wax the red tent") == 4


def test_chunks_of_other_formats_are_counted_where_a_tokenizer_is_named(
    tiktoken: None, repo_root: Path
) -> None:
    path = repo_root / "sample_logs" / "formats" / "openinference.otlp.jsonl"
    counted = records(path, tokenizer="words_base")[0]
    assert [c["tokens"] for c in counted["chunks"]] == [16, 10, 11]
    assert counted["origins"]["tokens"] == "counted"
    assert records(path)[0]["origins"]["tokens"] == "estimated"


def test_tokens_that_are_logged_stay(tmp_path: Path) -> None:
    log = tmp_path / "own.jsonl"
    log.write_text(json.dumps({"q": "1", "docs": [{"id": "a", "text": "Alpha beta", "n": 40}]}))
    (tmp_path / "m.toml").write_text(
        '[request]\nrequest_id = "q"\n[chunks]\nfrom = "docs"\n'
        '[chunk]\nchunk_id = "id"\ntext = "text"\ntokens = "n"\n'
    )
    [found] = records(log, mapping=str(tmp_path / "m.toml"))
    assert found["chunks"][0]["tokens"] == 40
    assert "origins" not in found
