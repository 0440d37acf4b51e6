"""Addresses: what is one, and that nothing of it lets anybody in once it is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer import storage
from analyzer.cli import main
from analyzer.errors import UsageError
from analyzer.places import is_address, place, within, without_credentials

SECRET = st.text("abcXYZ019+/=%_-", min_size=12).map(lambda text: f"SENTINEL{text}SENTINEL")


@pytest.mark.parametrize("named", ["s3://b/k", "gs://b", "az://b/k", "https://host/path?a=b"])
def test_an_address_stays_as_it_stands(named: str) -> None:
    assert is_address(named)
    assert place(named) == named


@pytest.mark.parametrize("named", ["logs", "./s3/x", "/a/b:c//d", "-", "C:x", "2026://x"])
def test_anything_else_is_a_path(named: str) -> None:
    assert not is_address(named)
    assert place(named) == Path(named)


def test_a_name_goes_within_a_folder_of_either_kind() -> None:
    assert within(Path("reports"), "a.html") == Path("reports/a.html")
    assert within("s3://b/reports/", "a.html") == within("s3://b/reports", "a.html")
    assert within("s3://b", "a.html") == "s3://b/a.html"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("s3://AKIA:key/with+signs@bucket/a.jsonl", "s3://...@bucket/a.jsonl"),
        ("s3://user@bucket/a.jsonl", "s3://...@bucket/a.jsonl"),
        ("s3://AKIA:key/bucket", "s3://AKIA:..."),
        ("https://host/a.gz?X-Amz-Signature=abc&b=c", "https://host/a.gz?..."),
        ("az://box/a.gz?sv=1&sig=a/b%3D: is not there", "az://box/a.gz?...: is not there"),
        ("s3:/AKIA:key@bucket: there is no such file", "s3:/...@bucket: there is no such file"),
        ("http://user:key@127.0.0.1:9000/x", "http://...@127.0.0.1:9000/x"),
        ("sc://host:443/;token=a/b=;x-id=7: it gave up", "sc://host:443/;...: it gave up"),
    ],
)
def test_who_asks_and_what_is_signed_is_cut_out(written: str, shown: str) -> None:
    assert without_credentials(written) == shown


@pytest.mark.parametrize(
    "text",
    [
        "s3://bucket/day=2026-11-0?/a@b.jsonl",
        "s3://bucket/**/x-[0-9].jsonl.gz: no object is there",
        "s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/box/key",
        "s3://bucket: there is no bucket bucket",
        "sc://host:15002: the engine gave up; nothing is published",
        "a@b.jsonl:17: position is 0, but positions start at 1",
    ],
)
def test_what_lets_nobody_in_stays(text: str) -> None:
    assert without_credentials(text) == text


@given(SECRET, st.sampled_from(["s3", "gs", "az"]))
def test_no_part_of_a_secret_is_left(secret: str, scheme: str) -> None:
    for address in (
        f"{scheme}://key:{secret}@bucket/a.jsonl",
        f"{scheme}://{secret.replace('/', '')}@bucket/a.jsonl",
        f"{scheme}://key:{secret}/bucket/a.jsonl",
        f"{scheme}://bucket/a.jsonl?sig={secret}",
        f"{scheme}://bucket/a.jsonl?X-Amz-Date=1&X-Amz-Signature={secret}&x=y",
    ):
        assert "SENTINEL" not in without_credentials(f"'{address}': is something")
        with pytest.raises(UsageError) as error:
            storage.check(address)
        assert "SENTINEL" not in str(error.value)


@pytest.mark.parametrize(
    ("command", "exit"),
    [
        (["ingest", "s3://k:SENTINEL@b/a.jsonl"], 2),
        (["ingest", "https://h/a.jsonl?X-Amz-Signature=SENTINEL"], 2),
        (["check", "s3://k:SENTINEL@b/a.jsonl"], 2),
        (["report", "s3://k:SENTINEL@b/a.jsonl"], 2),
        (["report", "-o", "s3://k:SENTINEL@b/a.html"], 2),
        (["report", "--store", "s3://k:SENTINEL@b/a.duckdb"], 1),
        (["query", "labels_seen", "-o", "s3://k:SENTINEL@b/a.csv"], 1),
        (["--set", "inputs.paths=5", "alerts"], 2),
        (["--set", 'report.folder=["s3://k:SENTINEL@b"]', "alerts"], 1),
        (["init", "--input", "s3://k:SENTINEL@b/logs/"], 2),
        (["nightly", "--input", "s3://k:SENTINEL@b/logs/"], 2),
        (["nightly", "--log", "json", "--input", "s3://k:SENTINEL@b/logs/"], 2),
    ],
)
def test_no_command_repeats_what_was_put_into_an_address(
    command: list[str],
    exit: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code = main.run(command)
    assert "SENTINEL" not in "".join(capsys.readouterr())
    assert code == exit
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or b"SENTINEL" not in file.read_bytes()
