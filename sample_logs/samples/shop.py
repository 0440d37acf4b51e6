"""A small shop's questions and answers, from which the samples of every format are made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]
FIRST = datetime(2026, 11, 10, 9, 0, tzinfo=UTC)

CHUNKS = {
    "care#0": ("care.md", "Wax the canvas of the tent once a year and let it dry in the shade."),
    "care#1": ("care.md", "Never store a wet sleeping bag in its compression sack."),
    "ship#0": ("shipping.md", "Orders placed before noon leave the warehouse on the same day."),
    "ship#1": ("shipping.md", "Islands are served twice a week by the ferry company."),
    "ret#0": ("returns.md", "Unused gear may be returned within sixty days with its receipt."),
    "ret#1": ("returns.md", "Climbing ropes are taken back only while their seal is unbroken."),
}
# question, what was retrieved best first, the order of the prompt, answer
ASKED = [
    (
        "How do I look after my tent?",
        ["care#0", "care#1", "ret#0"],
        ["care#1", "ret#0", "care#0"],
        "Wax it once a year [3]; do not pack it wet [1].",
    ),
    (
        "When will my order arrive on the island?",
        ["ship#1", "ship#0", "ret#0"],
        ["ship#0", "ret#0", "ship#1"],
        "It leaves the same day [1] and crosses with the ferry twice a week [3].",
    ),
    (
        "Can I return a rope?",
        ["ret#1", "ret#0", "ship#0"],
        ["ret#0", "ship#0", "ret#1"],
        "Yes, while the seal is unbroken [3].",
    ),
]


class Asked:
    """One question: who asked it when, what was found, what the prompt and the answer were."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.question, self.retrieved, self.packed, self.answer = ASKED[number]
        self.at = FIRST + timedelta(hours=number)
        self.trace = f"{0xA11CE0 + number:032x}"
        self.session = f"visitor-{number}"

    @property
    def prompt(self) -> str:
        """The prompt, which numbers its chunks from 1."""
        listed = "\n".join(f"[{at}] {CHUNKS[name][1]}" for at, name in enumerate(self.packed, 1))
        return f"Answer from these passages.\n{listed}\n\nQuestion: {self.question}"

    def span_id(self, at: int) -> str:
        """The id of a span of its trace."""
        return f"{0xBEE000 + self.number * 16 + at:016x}"

    def score(self, at: int) -> float:
        """What the retriever gave the chunk of a rank."""
        return round(0.92 - 0.11 * at, 2)

    def nanoseconds(self, at: int) -> int:
        """When a span of its trace began."""
        return int(self.at.timestamp()) * 10**9 + at * 10**6


def everything() -> list[Asked]:
    """The questions."""
    return [Asked(number) for number in range(len(ASKED))]


class Folder:
    """Where the samples are written."""

    def __init__(self, path: Path) -> None:
        path.mkdir(exist_ok=True)
        self.path = path

    def lines(self, name: str, values: Iterator[Json] | list[Json]) -> None:
        """JSON lines."""
        text = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
        (self.path / name).write_text(text, encoding="utf-8")

    def document(self, name: str, value: Any) -> None:
        """One JSON document over many lines."""
        text = json.dumps(value, ensure_ascii=False, indent=1)
        (self.path / name).write_text(text + "\n", encoding="utf-8")
