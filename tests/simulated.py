"""Small worlds that the tests of synthetic traffic share, and naive readings of what they wrote."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import zstandard

from analyzer.simulate import Incident, Route, Scenario, simulate
from analyzer.simulate.generate import Traffic
from analyzer.simulate.run import periods
from analyzer.simulate.traits import Copies, Documents, Outcomes, Spread, TopK

MONDAY = datetime(2026, 8, 17, tzinfo=UTC)
ANSWERED = Outcomes(refused=0.0, error=0.0, cached=0.0, uncited=0.0)


def small_route(name: str = "support", **traits: Any) -> Route:
    """A route with short prompts and a small index."""
    usual: dict[str, Any] = {
        "requests": 300.0,
        "k": TopK(median=6.0, spread=0.4, least=2, most=12),
        "documents": Documents(count=47, chunks=5, tokens=Spread(median=120.0, spread=0.4)),
    }
    return Route(name=name, **(usual | traits))


def small_world(*routes: Route, **traits: Any) -> Scenario:
    """One week of these routes."""
    usual: dict[str, Any] = {"first_day": MONDAY, "weeks": 1}
    return Scenario(routes=routes or (small_route(),), **(usual | traits))


def plain_route(**traits: Any) -> Route:
    """The generator whose results are published: no packer, no copies, no other outcomes."""
    usual: dict[str, Any] = {
        "requests": 5000.0,
        "copies": Copies(mirrors=0.0),
        "outcomes": ANSWERED,
        "overhead_tokens": 0,
        "question": Spread(median=1.0, spread=0.0),
    }
    return Route(name="plain", **(usual | traits))


def happening(kind: str, since: datetime, *routes: str, **parameters: Any) -> Incident:
    """An incident of that kind on those routes, all of them if none is named."""
    return Incident(kind=kind, since=since, routes=routes, parameters=parameters)


def written(scenario: Scenario, folder: Path, **layout: Any) -> dict[str, bytes]:
    """Simulate into the folder; the bytes of every log file, unpacked."""
    changed = msgspec.structs.replace(scenario.layout, **layout)
    simulate(msgspec.structs.replace(scenario, layout=changed), folder)
    return {path.name: unpacked(path) for path in sorted(folder.glob("*.jsonl*"))}


def unpacked(path: Path) -> bytes:
    """The bytes of a log file, whatever packs it."""
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".zst":
        with zstandard.ZstdDecompressor().stream_reader(path.read_bytes()) as reader:
            return reader.read()
    return path.read_bytes()


def records(files: dict[str, bytes]) -> Iterator[dict[str, Any]]:
    """Every request of the files, as plain JSON."""
    for content in files.values():
        for line in content.splitlines():
            record = msgspec.json.decode(line)
            if "chunks" in record:
                yield record


def made(scenario: Scenario) -> list[Traffic]:
    """All traffic of a scenario as arrays."""
    return list(periods(scenario))


def column(traffic: list[Traffic], name: str) -> np.ndarray[Any, Any]:
    """One column of the chunks of many periods."""
    return np.concatenate([getattr(period.chunks, name) for period in traffic])


def prompt(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The packed chunks of a record in prompt order."""
    packed = [chunk for chunk in record["chunks"] if "position" in chunk]
    return sorted(packed, key=lambda chunk: int(chunk["position"]))
