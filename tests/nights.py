"""A service and its nights: logs that arrive day by day, and the job that is run on them."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from loading.records import Json, lines, packed, request

from analyzer import config, nightly, watch
from analyzer.nightly import Done, Plan
from analyzer.store import reader

ROOT = Path(__file__).parent.parent
SMALL = (
    "drift.least_requests=40",
    "volume.least_requests=10",
    "volume.least_fields=10",
)


def of_day(
    day: date, route: str, requests: int, *, copies: int = 0, **fields: Any
) -> Iterator[Json]:
    """A day's requests of three packed chunks; in the first `copies` of them two are the same."""
    for number in range(requests):
        chunks = packed(1, 2, 3)
        for place, chunk in enumerate(chunks):
            same = number < copies and place == 1
            text = f"{hash_of(day, route, number, 0 if same else place):016x}"
            chunk |= {"text_hash": text, "tokens": 100 + number % 7, "doc_id": f"d{number % 5}"}
        yield request(
            f"{route}-{day}-{number}",
            *chunks,
            requested_at=f"{day}T{8 + number % 12:02d}:00:00Z",
            route=route,
            unit_id=f"u{number % 17}",
            citations=[1 + number % 3],
            **fields,
        )


def hash_of(day: date, route: str, number: int, place: int) -> int:
    """A text of its own for each chunk."""
    return (day.toordinal() * 10_000 + number * 10 + place) * 100 + len(route)


@dataclass
class Service:
    """A folder with logs, a configuration and a store; `said` holds what the nights told."""

    folder: Path
    settings: tuple[str, ...] = SMALL
    reports: bool = True
    said: list[tuple[str, dict[str, object]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.logs.mkdir(parents=True, exist_ok=True)
        (self.folder / "citelog.toml").write_text(
            'store = "store.duckdb"\n'
            "[inputs]\n"
            'paths = ["logs"]\nunit_key = "00"\n'
            "[alerts]\n"
            'file = "alerts.json"\ntextfile = "citelog.prom"\n'
            + ('[report]\nfolder = "reports"\nforms = ["json"]\n' if self.reports else "")
        )

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def store(self) -> Path:
        return self.folder / "store.duckdb"

    def log(self, name: str, records: Sequence[Json] | Iterator[Json]) -> Path:
        """A log file, packed where its name says so."""
        file = self.logs / name
        text = lines(records).encode()
        file.write_bytes(gzip.compress(text, mtime=0) if name.endswith(".gz") else text)
        return file

    def config(self, *more: str) -> config.Config:
        return config.load(self.folder / "citelog.toml", given=[*self.settings, *more])

    def night(self, day: date, *more: str, **plan: Any) -> Done:
        """The night of a date, at two in the morning."""
        return nightly.run(self.plan(day, *more, **plan))

    def plan(self, day: date, *more: str, **plan: Any) -> Plan:
        return Plan(
            config=self.config(*more),
            now=datetime.combine(day, time(2), UTC),
            version="test",
            tell=lambda step, said: self.said.append((step, said)),
            **plan,
        )

    def told(self, step: str) -> list[dict[str, object]]:
        return [said for name, said in self.said if name == step]

    def events(self) -> list[watch.Said]:
        with reader(self.store) as con:
            return watch.said(con, self.store)

    def apart(self, day: date, *more: str) -> subprocess.Popen[bytes]:
        """The same night as a process of its own, to be killed."""
        program = (
            "import sys; sys.path.insert(0, 'tests')\n"
            "from datetime import date; from pathlib import Path; from nights import Service\n"
            f"Service(Path({str(self.folder)!r}), {self.settings!r})"
            f".night(date.fromisoformat({str(day)!r}), *{more!r})\n"
        )
        return subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)


def days_from(first: date, count: int) -> list[date]:
    return [first + timedelta(days=n) for n in range(count)]
