"""The traits of a route, each a small part of a scenario with sensible defaults.

Shares and rates are 0 to 1, lengths are tokens, effects are on the logarithm of relevance.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Count = Annotated[int, Meta(ge=1)]
NotNegative = Annotated[float, Meta(ge=0.0)]
Name = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[^\s/\\]+$")]
Missing = Literal[
    "cited", "position", "rank", "tokens", "unit_id", "doc_id", "prompt_tokens", "score", "text"
]


class Part(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A piece of a scenario: never changed in place, and no misspelt field passes."""


class Spread(Part, frozen=True):
    """A lognormal length: its median in tokens and the standard deviation of its logarithm."""

    median: Annotated[float, Meta(gt=0.0)] = 430.0
    spread: NotNegative = 0.45


class TopK(Part, frozen=True):
    """How many chunks a prompt should hold: a lognormal, rounded and clipped."""

    median: Annotated[float, Meta(gt=0.0)] = 8.0
    spread: NotNegative = 0.65
    least: Count = 1
    most: Annotated[int, Meta(ge=1, le=200)] = 40


class Packer(Part, frozen=True):
    """What the packer leaves out on its walk from best to worst; 0 switches a limit off."""

    drops_copies: bool = False
    per_document: Annotated[int, Meta(ge=0)] = 0
    budget_tokens: Annotated[int, Meta(ge=0)] = 0


class Documents(Part, frozen=True):
    """The index of a route: documents of equally many chunks, some far more popular than others."""

    count: Annotated[int, Meta(ge=2)] = 307
    chunks: Annotated[int, Meta(ge=1, le=999)] = 11
    tokens: Spread = Spread()
    popularity: NotNegative = 0.8  # exponent of the Zipf law
    fresh: Share = 0.7  # chance that the next rank comes from a document not retrieved before


class Copies(Part, frozen=True):
    """Near-copies among the retrieved chunks, always on the rank after their original."""

    mirrors: Share = 0.01  # the same text under another document
    old: Share = 0.0  # an old version left beside its re-indexed one
    exact: Share = 0.3  # of all copies, those with identical text
    recrawled: Share = 1.0  # share of documents that the last re-index touched
    generation: Annotated[int, Meta(ge=0)] = 0  # how often the route was re-indexed
    relevance: NotNegative = 0.5  # of a copy, against its original


class Units(Part, frozen=True):
    """Who asks: a heavy tail of users, each with a relevance of its own."""

    count: Count = 400
    tail: NotNegative = 1.0  # exponent of the Zipf law of requests over users
    sd: NotNegative = 0.3  # of the logarithm of relevance


class Relevance(Part, frozen=True):
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


class Segment(Part, frozen=True):
    """A kind of traffic inside a route that no log field names."""

    name: Name
    share: NotNegative = 1.0
    shift: float = 0.0  # added to the logarithm of relevance
    orderings: dict[str, float] = {}  # in place of the route's


class Outcomes(Part, frozen=True):
    """Shares of requests that were not answered, and of answers that cite nothing."""

    refused: Share = 0.02
    error: Share = 0.005
    cached: Share = 0.01
    uncited: Share = 0.03  # answered without a citation
    unknown_citations: Share = 0.0  # answered, but the log says nothing about citations


class Judging(Part, frozen=True):
    """Labels that come later; chances that an answer is right by the fate of the expected chunk."""

    share: Share = 0.0
    delay_days: NotNegative = 4.0  # mean
    inline: Share = 0.0  # of the judged, those whose label stands in the record itself
    expected: Share = 1.0  # of the judged, those whose expected chunk is named
    not_retrieved: Share = 0.08
    right_when_cited: Share = 0.95
    right_when_packed: Share = 0.40
    right_when_absent: Share = 0.25


class Logging(Part, frozen=True):
    """What the application writes wrongly or not at all."""

    missing: tuple[Missing, ...] = ()
    share: Share = 1.0  # of requests whose record lacks them
    constant_positions: bool = False  # every position is 1: such lines are rejected
    holes: Share = 0.0  # of requests whose positions skip one number
    marker_shift: int = 0  # what the log adds to the number of a cited position


class Cut(Part, frozen=True):
    """The server drops what does not fit, from the end of the prompt."""

    limit_tokens: Annotated[int, Meta(ge=0)] = 0  # of the whole prompt; 0 means no limit
    logged: Literal["all", "kept"] = "all"  # whether the lost chunks keep their position in the log
