"""Groups of documents put together by a name that they share, such as the spans of a trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from analyzer.numbers import counted
from analyzer.sources.aside import Aside
from analyzer.sources.documents import Document, Input, Keys
from analyzer.sources.formats.seen import Seen
from analyzer.sources.rows import Flaw
from analyzer.sources.unpacking import EndsEarly

Part = TypeVar("Part")

MOST_SHARED = 50_000
OTHER_KEY = (
    "traces of which a part is kept under another key; with that key, citelog forget takes this "
    "batch back and a load joins them"
)

NARROW = {
    "cited_only": "only what was cited: no cited rate and no measure of position is made of that",
    "pruned": "a used part of what was packed, in an order that need not be the prompt's: no cited "
    "rate and no measure of position is made of that",
}


class Elsewhere(Protocol):
    """Other files of one load."""

    def parts(self, name: str, keys: Keys, wanted: set[str]) -> Iterator[Document]:
        """Documents of the files but `name` that hold one of the `wanted` names."""


@dataclass
class Notes:
    """What an importer says beside its records: what it left out, and what a file cannot tell.

    `elsewhere` are the other files of the load, `aside` what earlier loads kept; `count` is the
    tokenizer, `route` the attribute that names routes. `kept` traces wait for their other spans,
    `refused` ones would need their texts. `broken_off` answers were streamed and have no end.
    """

    left: Counter[str] = field(default_factory=Counter)
    narrow: Counter[str] = field(default_factory=Counter)
    elsewhere: Elsewhere | None = None
    aside: Aside | None = None
    count: Callable[[str], int] | None = None
    route: str | None = None
    kept: int = 0
    refused: int = 0
    broken_off: int = 0

    def begin(self) -> None:
        """Forget what was noted of an earlier pass."""
        self.left.clear()
        self.narrow.clear()
        self.kept = self.refused = self.broken_off = 0

    def told(self) -> str | None:
        """A sentence on what was left out and what cannot be told; None where all can."""
        left = [f"{what} ({number:,})" for what, number in self.left.most_common()]
        said = ["left out: " + "; ".join(left)] if left else []
        if self.kept:
            said.append(f"{counted(self.kept, 'trace')} kept aside, waiting for other spans")
        if self.refused:
            said.append(
                f"{counted(self.refused, 'incomplete trace')} not kept, because only the texts "
                'could join the parts; incomplete_traces = "encrypt" keeps those too'
            )
        if self.broken_off:
            one = self.broken_off == 1
            breaks, cites = ("breaks", "it cites") if one else ("break", "they cite")
            answers = counted(self.broken_off, "answer")
            said.append(f"{answers} {breaks} off; what {cites} is not known")
        said += [
            f"{number:,} {'request lists' if number == 1 else 'requests list'} {NARROW[exposure]}"
            for exposure, number in self.narrow.most_common()
        ]
        return "; ".join(said) or None


class Group(NamedTuple, Generic[Part]):
    """What shares a name: the number of its first document, and its parts in the file's order.

    Before them are the `shared` ones: those that an earlier load kept, then those of other files.
    """

    number: int
    parts: list[Part]
    flaw: Flaw | None = None
    shared: int = 0
    name: str = ""

    @property
    def own(self) -> list[Part]:
        """The parts that stand in the file itself: those of other files come first."""
        return self.parts[self.shared :]


def joined(
    documents: Input,
    keys: Keys,
    parts_in: Callable[[object], Iterator[tuple[str, Part]]],
    notes: Notes,
    of: str,
) -> Iterator[Group[Part]]:
    """Groups in the order in which they are complete; documents that cannot be read stand alone.

    `of` is the name under which their parts are kept from load to load. Raises EndsEarly again
    after all that came before the cut.
    """
    last, cut = _last_documents(documents, keys)
    shared = _shared(documents, keys, set(last), parts_in, notes)
    open_: dict[str, Group[Part]] = {}
    try:
        for names, document in documents.keyed(keys, decode=True):
            if document.flaw:
                yield Group(document.number, [], document.flaw)
                continue
            for name, part in parts_in(document.value):
                if name not in open_:
                    kept = _kept(notes, of, name)
                    others: list[Any] = [*kept, *shared.get(name, [])]
                    open_[name] = Group(document.number, others, None, len(others), name)
                open_[name].parts.append(part)
            complete = (name for name in names if last.get(name) == document.number)
            yield from (open_.pop(name) for name in complete if name in open_)
    except EndsEarly as early:
        cut = early
    yield from open_.values()
    if cut:
        raise cut


def _kept(notes: Notes, of: str, name: str) -> list[Seen]:
    """What earlier loads brought of a group."""
    if notes.aside is None:
        return []
    found = notes.aside.parts(of, name)
    if found is None:
        notes.left[OTHER_KEY] += 1
    return found or []


def _last_documents(documents: Input, keys: Keys) -> tuple[dict[str, int], EndsEarly | None]:
    last: dict[str, int] = {}
    try:
        for names, document in documents.keyed(keys, decode=False):
            for name in names:
                last[name] = document.number
    except EndsEarly as early:
        return last, early
    return last, None


def _shared(
    documents: Input,
    keys: Keys,
    names: set[str],
    parts_in: Callable[[object], Iterator[tuple[str, Part]]],
    notes: Notes,
) -> dict[str, list[Part]]:
    """Parts of this file's groups that stand in other files of the load."""
    found: dict[str, list[Part]] = {}
    if notes.elsewhere is None:
        return found
    held = 0
    for document in notes.elsewhere.parts(documents.name, keys, names):
        for name, part in parts_in(document.value):
            if name in names:
                found.setdefault(name, []).append(part)
                held += 1
        if held > MOST_SHARED:
            # A file that lies there twice shares all its names; it must not fill the memory.
            notes.left[f"what other files hold beyond {MOST_SHARED:,} parts of the same"] += 1
            break
    return found
