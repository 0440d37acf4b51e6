"""What synthetic traffic is made of: routes, documents, units, models, releases, files.

A scenario is data and can be written as TOML; every field has a default, so a file says only what
is different. Volumes are requests a week.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from analyzer.simulate.traits import (
    Copies,
    Count,
    Cut,
    Documents,
    Judging,
    Logging,
    Name,
    NotNegative,
    Outcomes,
    Packer,
    Part,
    Relevance,
    Segment,
    Share,
    Spread,
    TopK,
    Units,
)


class Release(Part, frozen=True):
    """What is deployed from a moment on; a field left empty stays as it was."""

    since: datetime | None = None
    release: str = ""
    model: str = ""
    prompt_version: str = ""
    index_version: str = ""


class Model(Part, frozen=True):
    """theta(x) = edge - dip loss(T) bump(x), the illustrative curve; dip = 0 is a flat model."""

    edge: Share = 0.90
    dip: NotNegative = 1.0
    citing: Literal["independent", "compete"] = "independent"


class Route(Part, frozen=True):
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
    dip_factor: NotNegative = 1.0  # times the dip of the model
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


class Noise(Part, frozen=True):
    """Week-to-week noise that is no incident: AR(1) in the logarithm of each; 0 means stable."""

    phi: Annotated[float, Meta(ge=0.0, lt=1.0)] = 0.5
    volume: NotNegative = 0.0
    relevance: NotNegative = 0.0
    copies: NotNegative = 0.0


class Incident(Part, frozen=True):
    """Something that goes wrong at a moment; `parameters` are those of its kind."""

    kind: str
    since: datetime
    until: datetime | None = None
    routes: tuple[str, ...] = ()  # empty: all routes
    parameters: dict[str, float | int | str | bool | list[str]] = msgspec.field(
        default_factory=dict
    )


class Late(Part, frozen=True):
    """A day of one route whose lines arrive in a file of their own."""

    route: str
    day: datetime
    arrives: datetime


class Layout(Part, frozen=True):
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


class Scenario(Part, frozen=True):
    """All of it; `first_day` is a Monday at midnight UTC."""

    first_day: datetime = datetime(2026, 5, 25, tzinfo=UTC)
    weeks: Count = 4
    seed: int = 1
    routes: tuple[Route, ...] = (Route(name="support"),)
    models: dict[str, Model] = msgspec.field(default_factory=dict)
    weekdays: tuple[float, ...] = _WORKDAYS
    hours: tuple[float, ...] = _HOURS
    noise: Noise = Noise()
    incidents: tuple[Incident, ...] = ()
    layout: Layout = Layout()

    def model(self, route: Route) -> Model:
        """The route's model; one that the scenario does not describe has the plain curve."""
        model = self.models.get(route.model, Model())
        return msgspec.structs.replace(model, dip=model.dip * route.dip_factor)


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
