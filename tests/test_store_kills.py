"""Killed at any moment, a writer leaves the last published state; run again, it ends the same."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from loading.records import Json, label, packed, request
from loading.sites import Contents, Site

KILLS = 20
ROOT = Path(__file__).parent.parent
CITELOG = [sys.executable, "-c", "from analyzer.cli.main import main; main()"]


def logs(folder: Path) -> list[list[Path]]:
    """The files of each command: new requests, repeats, revisions, labels."""
    site = Site(folder)
    dice = random.Random(5)

    def requests(first: int, last: int, **fields: Any) -> list[Json]:
        return [
            request(
                f"r{number}",
                *({**chunk, "text_hash": f"{dice.getrandbits(64):016x}"} for chunk in packed(1, 2)),
                requested_at=f"2026-11-{1 + number % 28:02d}T12:00:00Z",
                **fields,
            )
            for number in range(first, last)
        ]

    old, revised = requests(0, 300), requests(100, 250, revision=1)
    return [
        [site.log("a.jsonl", *old[:200]), site.log("b.jsonl", *old[150:])],
        [site.log("c.jsonl", *revised), site.log("d.jsonl", *requests(300, 500))],
        [site.log("e.jsonl", *(label(f"r{n}", correct=n % 3 == 0) for n in range(0, 600, 2)))],
        [site.log("f.jsonl", *old[:50], *revised[:50], *requests(500, 700))],
    ]


@dataclass
class Command:
    """A running `citelog ingest`."""

    site: Site
    process: subprocess.Popen[bytes]

    def kill_after(self, seconds: float, *, from_draft: bool) -> None:
        """Kill it at a moment counted from its start, or from when it begins to write."""
        draft = self.site.folder / ".store.duckdb.draft"
        while from_draft and self.process.poll() is None and not draft.exists():
            time.sleep(0.001)
        time.sleep(seconds)
        self.process.kill()
        self.process.wait()

    def finish(self) -> None:
        assert self.process.wait() == 0


def start(site: Site, files: list[Path]) -> Command:
    arguments = ["ingest", *map(str, files), "--store", str(site.store)]
    process = subprocess.Popen(
        [*CITELOG, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    return Command(site, process)


def held(site: Site) -> Contents:
    """What a reader finds, but for unit hashes: every store has a key of its own."""
    if not site.store.exists():
        return {}
    requests = site.rows("SELECT * EXCLUDE (unit_hash) FROM requests")
    tables = ("chunks", "texts", "memberships", "judgements", "days", "cells", "batches")
    return {"requests": sorted(map(repr, requests)), **site.contents(tables)}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "store").mkdir()
    return Site(tmp_path / "store")


def test_twenty_kills_change_nothing_in_the_end(site: Site, tmp_path: Path) -> None:
    commands = logs(tmp_path)
    states = expected_states(tmp_path / "undisturbed", commands)
    dice = random.Random(2026)
    done = kills = drafts = 0
    while kills < KILLS:
        command = start(site, commands[done % len(commands)])
        command.kill_after(dice.uniform(0, 0.4), from_draft=dice.random() < 0.8)
        kills += 1
        drafts += (site.folder / ".store.duckdb.draft").exists()
        now = held(site)
        if done < len(commands) and now == states[done + 1]:
            done = min(done + 1, len(commands) - 1)
        else:
            assert now in (states[done], states[done + 1])
    assert drafts >= KILLS // 4, "too few kills met a writer at work"
    for files in commands:
        start(site, files).finish()
    assert held(site) == states[-1]
    assert sorted(path.name for path in site.folder.iterdir()) == [
        ".store.duckdb.lock",
        "store.duckdb",
    ]


def expected_states(folder: Path, commands: list[list[Path]]) -> list[Contents]:
    """What the store holds after each command, when nobody is killed."""
    folder.mkdir()
    site = Site(folder)
    site.settings.clear()
    states = [held(site)]
    for files in commands:
        site.load(*files, max_rejected=0.05)
        states.append(held(site))
    return states
