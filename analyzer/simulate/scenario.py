"""What synthetic traffic is made of: routes, documents, units, models, releases, files.

A scenario is data and can be written as TOML; every field has a default, so a file says only what
is different. Shares and rates are 0 to 1, lengths are tokens, volumes are requests a week.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Count = Annotated[int, Meta(ge=1)]
NotNegative = Annotated[float, Meta(ge=0.0)]
Name = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[^\s/\\]+$")]
Missing = Literal[
    "cited", "position", "rank", "tokens", "unit_id", "doc_id", "prompt_tokens", "score", "text"
]


class _Part(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A piece of a scenario: never changed in place, and no misspelt field passes."""


class Spread(_Part, frozen=True):
    """A lognormal length: its median in tokens and the standard deviation of its logarithm."""

    median: Annotated[float, Meta(gt=0.0)] = 430.0
    spread: NotNegative = 0.45


class TopK(_Part, frozen=True):
    """How many chunks a prompt should hold: a lognormal, rounded and clipped."""

    median: Annotated[float, Meta(gt=0.0)] = 8.0
    spread: NotNegative = 0.65
    least: Count = 1
    most: Annotated[int, Meta(ge=1, le=200)] = 40


class Packer(_Part, frozen=True):
    """What the packer leaves out on its walk from best to worst; 0 switches a limit off."""

    drops_copies: bool = False
    per_document: Annotated[int, Meta(ge=0)] = 0
    budget_tokens: Annotated[int, Meta(ge=0)] = 0


class Documents(_Part, frozen=True):
    """The index of a route: documents of equally many chunks, some far more popular than others."""

    count: Annotated[int, Meta(ge=2)] = 307
    chunks: Annotated[int, Meta(ge=1, le=999)] = 11
    tokens: Spread = Spread()
    popularity: NotNegative = 0.8  # exponent of the Zipf law
    fresh: Share = 0.7  # chance that the next rank comes from a document not retrieved before


class Copies(_Part, frozen=True):
    """Near-copies among the retrieved chunks, always on the rank after their original."""

    mirrors: Share = 0.01  # the same text under another document
    old: Share = 0.0  # an old version left beside its re-indexed one
    exact: Share = 0.3  # of all copies, those with identical text
    recrawled: Share = 1.0  # share of documents that the last re-index touched
    generation: Annotated[int, Meta(ge=0)] = 0  # how often the route was re-indexed
    relevance: NotNegative = 0.5  # of a copy, against its original


class Units(_Part, frozen=True):
    """Who asks: a heavy tail of users, each with a relevance of its own."""

    count: Count = 400
    tail: NotNegative = 1.0  # exponent of the Zipf law of requests over users
    sd: NotNegative = 0.3  # of the logarithm of relevance


class Relevance(_Part, frozen=True):
    """P(cited) without the place: min(.97, exp(a) top exp(-decay (rank - 1)) + floor)."""

    top: Share = 0.62
    decay: NotNegative = 0.20
    floor: Share = 0.02
    request_sd: NotNegative = 0.4
    document_sd: NotNegative = 0.0  # a draw that chunks of one document share in a request
    document_fixed_sd: NotNegative = 0.0  # a draw that a document keeps in all requests
    document_pull: Share = 0.0  # how far a chunk's rank gives way to its document's best rank
    per_log_k: float = 0.0  # added to a for each ln(K / 8)
    per_copy_share: float = 0.0  # added to a times the share of copies among the retrieved
    shift: float = 0.0  # added to a


class Segment(_Part, frozen=True):
    """A kind of traffic inside a route that no log field names."""

    name: Name
    share: NotNegative = 1.0
    shift: float = 0.0  # added to the logarithm of relevance
    orderings: dict[str, float] = {}  # in place of the route's


class Outcomes(_Part, frozen=True):
    """Shares of requests that were not answered, and of answers that cite nothing."""

    refused: Share = 0.02
    error: Share = 0.005
    cached: Share = 0.01
    uncited: Share = 0.03  # answered without a citation
    unknown_citations: Share = 0.0  # answered, but the log says nothing about citations


class Judging(_Part, frozen=True):
    """Labels that come later; chances that an answer is right by the fate of the expected chunk."""

    share: Share = 0.0
    delay_days: NotNegative = 4.0  # mean
    inline: Share = 0.0  # of the judged, those whose label stands in the record itself
    expected: Share = 1.0  # of the judged, those whose expected chunk is named
    not_retrieved: Share = 0.08
    right_when_cited: Share = 0.95
    right_when_packed: Share = 0.40
    right_when_absent: Share = 0.25


class Logging(_Part, frozen=True):
    """What the application writes wrongly or not at all."""

    missing: tuple[Missing, ...] = ()
    share: Share = 1.0  # of requests whose record lacks them
    constant_positions: bool = False  # every position is 1: such lines are rejected
    holes: Share = 0.0  # of requests whose positions skip one number
    marker_shift: int = 0  # what the log adds to the number of a cited position


class Cut(_Part, frozen=True):
    """The server drops what does not fit, from the end of the prompt."""

    limit_tokens: Annotated[int, Meta(ge=0)] = 0  # of the whole prompt; 0 means no limit
    logged: Literal["all", "kept"] = "all"  # whether the lost chunks keep their position in the log


class Release(_Part, frozen=True):
    """What is deployed from a moment on; a field left empty stays as it was."""

    since: datetime | None = None
    release: str = ""
    model: str = ""
    prompt_version: str = ""
    index_version: str = ""


class Model(_Part, frozen=True):
    """theta(x) = edge - dip loss(T) bump(x), the illustrative curve; dip = 0 is a flat model."""

    edge: Share = 0.90
    dip: NotNegative = 1.0
    citing: Literal["independent", "compete"] = "independent"


class Route(_Part, frozen=True):
    """One pipeline: what it retrieves, packs, orders, asks and logs."""

    name: Name
    requests: NotNegative = 5000.0
    k: TopK = TopK()
    fetched: Annotated[int, Meta(ge=0, le=400)] = 0  # retriever depth; at least K is retrieved
    packer: Packer = Packer()
    orderings: dict[str, float] = msgspec.field(default_factory=lambda: {"edges_first": 1.0})
    ordering_by: Literal["request", "unit"] = "request"
    declares_ordering: bool = True
    explored: Share = 0.0
    reranker: bool = True
    documents: Documents = Documents()
    copies: Copies = Copies()
    units: Units = Units()
    relevance: Relevance = Relevance()
    segments: tuple[Segment, ...] = ()
    drift: NotNegative = 0.0  # noise of the retriever's order, in ranks
    model: str = "model-a"
    release: str = "r1"
    prompt_version: str = "p1"
    index_version: str = "index-1"
    releases: tuple[Release, ...] = ()
    outcomes: Outcomes = Outcomes()
    judging: Judging = Judging()
    logging: Logging = Logging()
    cut: Cut = Cut()
    overhead_tokens: Annotated[int, Meta(ge=0)] = 350
    question: Spread = Spread(median=24.0, spread=0.5)
    answer: Spread = Spread(median=180.0, spread=0.5)


class Noise(_Part, frozen=True):
    """Week-to-week noise that is no incident: AR(1) in the logarithm of each; 0 means stable."""

    phi: Annotated[float, Meta(ge=0.0, lt=1.0)] = 0.5
    volume: NotNegative = 0.0
    relevance: NotNegative = 0.0
    copies: NotNegative = 0.0


class Incident(_Part, frozen=True):
    """Something that goes wrong at a moment; `parameters` are those of its kind."""

    kind: str
    since: datetime
    until: datetime | None = None
    routes: tuple[str, ...] = ()  # empty: all routes
    parameters: dict[str, float | int | str | bool | list[str]] = {}


class Late(_Part, frozen=True):
    """A day of one route whose lines arrive in a file of their own."""

    route: str
    day: datetime
    arrives: datetime


class Layout(_Part, frozen=True):
    """How the records are written."""

    per: Literal["day", "week"] = "day"
    by_route: bool = False
    compression: Literal["none", "gz", "zst"] = "none"
    content: Literal["fingerprints", "text", "none"] = "fingerprints"
    citations: Literal["flags", "list", "markers"] = "flags"
    dirty: Share = 0.0  # broken lines added, as a share of good ones
    repeated: Share = 0.0  # lines delivered twice
    revised: Share = 0.0  # requests logged first without citations, then again as revision 1
    late: tuple[Late, ...] = ()


_WORKDAYS = (1.25, 1.3, 1.25, 1.2, 1.05, 0.5, 0.45)
_HOURS = (1, 1, 1, 1, 1, 2, 4, 8, 14, 18, 19, 17, 14, 17, 19, 18, 15, 11, 8, 7, 6, 5, 3, 2)


class Scenario(_Part, frozen=True):
    """All of it; `first_day` is a Monday at midnight UTC."""

    first_day: datetime = datetime(2026, 5, 25, tzinfo=UTC)
    weeks: Count = 4
    seed: int = 1
    routes: tuple[Route, ...] = (Route(name="support"),)
    models: dict[str, Model] = {}
    weekdays: tuple[float, ...] = _WORKDAYS
    hours: tuple[float, ...] = _HOURS
    noise: Noise = Noise()
    incidents: tuple[Incident, ...] = ()
    layout: Layout = Layout()

    def model(self, name: str) -> Model:
        """The model of that name; one that the scenario does not describe has the plain curve."""
        return self.models.get(name, Model())


def in_utc(value: object) -> object:
    """The same TOML data with every date and time as a UTC time; a date is its midnight."""
    if isinstance(value, dict):
        return {key: in_utc(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [in_utc(inner) for inner in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return value


def with_seed(scenario: Scenario, seed: int) -> Scenario:
    """The same scenario drawn anew."""
    return msgspec.structs.replace(scenario, seed=seed)
