"""What is asked of files: their format, found by looking unless it is named, and what goes with it.

A format of our own, as JSON lines or a table, is read by the modules that are made for it; all
others become an import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from analyzer.errors import CitelogError
from analyzer.sources import looking, values
from analyzer.sources.aside import Aside
from analyzer.sources.documents import Documents, Input
from analyzer.sources.formats.catalogue import Known
from analyzer.sources.formats.joining import Notes
from analyzer.sources.importing import Import
from analyzer.sources.mapping import Mapping
from analyzer.sources.records import Record
from analyzer.sources.table_documents import TableDocuments
from analyzer.sources.together import Together

AUTO = "auto"
OWN = (looking.RECORD, "flat_csv", "jsonl")
_OWN_FIELDS = {"request_id", "chunks", "judged_at"}


@dataclass
class Asking:
    """How files are to be read.

    `format` is the name of one, or AUTO; `mapping` wins over it; `count` counts the tokens of
    texts; `together` knows the other files of the load, `aside` what earlier ones kept;
    `route` is the attribute of spans that names the route.
    """

    format: str = AUTO
    mapping: Mapping | None = None
    count: Callable[[str], int] | None = None
    together: Together | None = field(default=None, repr=False)
    aside: Aside | None = field(default=None, repr=False)
    route: str | None = None

    @contextmanager
    def kept_aside(self, batch: str) -> Iterator[None]:
        """What is kept of incomplete traces in the block is of this batch."""
        if self.aside is None:
            yield
            return
        with self.aside.begun(batch):
            yield


def imported(documents: Documents | TableDocuments, asking: Asking) -> Import | None:
    """How to read documents of another format; None for our own. CitelogError for what is none."""
    found: Known | Mapping | None = asking.mapping
    if found is None and asking.format not in (AUTO, *OWN):
        found = looking.named(asking.format)
    if found is None and asking.format == AUTO:
        found = _looked(documents)
    if found is None:
        return _array_of_ours(documents)
    notes = Notes(
        elsewhere=asking.together, aside=asking.aside, count=asking.count, route=asking.route
    )
    narrowed = _narrowed(documents, found, asking.route)
    return Import(found.name, narrowed, looking.reader(found), asking.count, notes)


def _looked(documents: Documents | TableDocuments) -> Known | Mapping | None:
    """What looking says; what is no format of others is left to the readers of our own."""
    if isinstance(documents, TableDocuments):
        if _OWN_FIELDS & set(documents.columns):
            return None
        nothing: dict[str, Any] = dict.fromkeys(documents.columns)
        sample = [nothing | row for row in documents.sample()[:1] or [{}]]
    else:
        sample = documents.sample()
    found = looking.look(sample)
    if isinstance(found, str) or (_is_ours(documents, sample) and found is None):
        return None
    if isinstance(found, Known) and found.refused:
        raise CitelogError(f"{documents.name}: is not a citation log: {found.refused}")
    if found is None and isinstance(documents, Documents):
        raise CitelogError(
            f"{documents.name}: is not a citation log: {_seen(sample)}; {looking.LOOKED_FOR}"
        )
    return found


def _is_ours(documents: Documents | TableDocuments, sample: list[Any]) -> bool:
    """Whether the readers of our own say best what is wrong with it, line by line."""
    if not isinstance(documents, Documents):
        return True
    if any(each == {} or _OWN_FIELDS & values.obj(each).keys() for each in sample):
        return True
    return not sample and documents.layout == "lines" and documents.opens_objects()


def _seen(sample: list[Any]) -> str:
    if not sample:
        return "it holds no JSON"
    if isinstance(sample[0], str):
        return "it is an event stream of something else"
    names = list(values.obj(sample[0]))
    if not names:
        return "it holds JSON that is no object"
    return "its objects have " + ", ".join(map(repr, names[:6])) + (" …" if len(names) > 6 else "")


def _narrowed(
    documents: Documents | TableDocuments, found: Known | Mapping, route: str | None
) -> Input:
    """Of a table, only the columns that the format reads, and the one that names routes."""
    if isinstance(documents, TableDocuments) and isinstance(found, Known) and found.columns:
        named = [name for name in documents.columns if route and name == f"attributes.{route}"]
        return documents.only([*found.columns(documents.columns), *named])
    return documents


def _array_of_ours(documents: Documents | TableDocuments) -> Import | None:
    if not isinstance(documents, Documents) or documents.layout == "lines":
        return None

    def read(held: Input, notes: Notes) -> Iterator[Record]:
        return (Record(each.number, values.obj(each.value)) for each in held)

    return Import(looking.RECORD, documents, read)
