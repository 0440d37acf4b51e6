"""Figures of a night for a Prometheus textfile collector, in OpenMetrics text.

Gauges only and no time stamps, as the collector asks; a night that did not end leaves the old
file, so that `citelog_night_timestamp_seconds` grows old and can alarm by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from analyzer import files

Labels = Mapping[str, str]


@dataclass(frozen=True)
class Gauge:
    """One metric family: `unit` ends its name where it has one."""

    name: str
    says: str
    samples: tuple[tuple[Labels, float], ...]
    unit: str = ""


def gauge(name: str, says: str, value: float, unit: str = "") -> Gauge:
    """A family of one sample without labels."""
    return Gauge(name, says, (({}, value),), unit)


def write(gauges: Iterable[Gauge], file: Path) -> None:
    """The file, whole or not at all."""
    files.write_text(file, text(gauges))


def text(gauges: Iterable[Gauge]) -> str:
    """OpenMetrics text, which a parser of the older format reads as well."""
    lines = [line for one in gauges for line in _family(one)]
    return "\n".join([*lines, "# EOF"]) + "\n"


def _family(one: Gauge) -> Iterable[str]:
    if not one.samples:
        return
    yield f"# TYPE {one.name} gauge"
    if one.unit:
        yield f"# UNIT {one.name} {one.unit}"
    yield f"# HELP {one.name} {_escaped(one.says)}"
    for labels, value in one.samples:
        pairs = ",".join(f'{name}="{_escaped(said)}"' for name, said in labels.items())
        yield f"{one.name}{{{pairs}}} {_number(value)}" if pairs else f"{one.name} {_number(value)}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _number(value: float) -> str:
    return (
        str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
    )
