"""Logs and rollups in a bucket: what is published there is what is published in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from loading.sites import NOW
from storage.bucket import SECRETS, Buckets, serving

from analyzer import storage, updating
from analyzer.engine import published
from analyzer.engine.running import Wanted, run
from analyzer.places import Place
from engine import dirty


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Buckets]:
    pytest.importorskip("s3fs")
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    with serving() as buckets:
        given = {"AWS_ENDPOINT_URL": buckets.url, "AWS_DEFAULT_REGION": "us-east-1"}
        for name, value in (given | {"AWS_CONFIG_FILE": os.devnull} | SECRETS).items():
            monkeypatch.setenv(name, value)
        storage._made.cache_clear()
        yield buckets
        storage._made.cache_clear()


def digests(folder: Place) -> dict[str, str]:
    return {str(each.of): each.digest for each in published.manifests(folder, "days")}


def test_a_bucket_holds_what_a_folder_holds(server: Buckets, tmp_path: Path) -> None:
    bucket = server.make("box")
    files = dirty.write(tmp_path / "logs")[:3]
    for each in files:
        server.put(f"{bucket}/logs/{each.name}", each.read_bytes())
    for inputs, output in (
        ([str(each) for each in files], tmp_path / "out"),
        ([f"{bucket}/logs/"], f"{bucket}/rollups"),
    ):
        run(Wanted("duckdb", inputs, output, NOW, 1.0, unit_key="00"))
    assert digests(f"{bucket}/rollups") == digests(tmp_path / "out")
    loaded = updating.load_rollups(f"{bucket}/rollups", tmp_path / "s.duckdb")
    assert [str(day) for day in loaded.days] == sorted(digests(tmp_path / "out"))
