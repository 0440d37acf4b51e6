"""What can go wrong, each as a change of a route from a moment on.

An incident knows nothing of how traffic is made: it gives back the route as it is while the
incident lasts. So it changes what it says and only that, and every incident can be combined.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from analyzer.errors import CitelogError
from analyzer.simulate.scenario import Incident, Route

_replace = msgspec.structs.replace
_Change = Callable[..., Route]


def reindex_copies(
    route: Route, *, copies: float = 0.5, documents: float = 0.6, index_version: str = ""
) -> Route:
    """A re-index leaves old versions: chunks of a share of documents come back with their copy."""
    left = _replace(
        route.copies, old=copies, recrawled=documents, generation=route.copies.generation + 1
    )
    index = index_version or f"{route.index_version}-reindexed"
    return _replace(route, copies=left, index_version=index)


def top_k_30(route: Route, *, k: int = 30, budget_tokens: int = 0) -> Route:
    """Top-k was raised: prompts become long and dear."""
    packer = _replace(route.packer, budget_tokens=budget_tokens)
    return _replace(route, k=_constant(route, k), packer=packer, fetched=max(route.fetched, k))


def _constant(route: Route, k: int) -> Any:
    return _replace(route.k, median=float(k), spread=0.0, most=max(k, route.k.most))


def ordering_switched(route: Route, *, ordering: str = "", declared: bool = True) -> Route:
    """Another ordering for everyone; undeclared, the log goes on naming none."""
    usual = "edges_first" if route.orderings == {"best_first": 1.0} else "best_first"
    return _replace(
        route,
        orderings={ordering or usual: 1.0},
        declares_ordering=declared and route.declares_ordering,
    )


def dip_deepens(
    route: Route, *, factor: float = 1.9, model: str = "model-b", release: str = ""
) -> Route:
    """A new model that reads the middle of the prompt worse."""
    return _replace(
        route,
        model=model,
        release=release or f"{route.release}-{model}",
        dip_factor=route.dip_factor * factor,
    )


def prompt_cut(route: Route, *, limit_tokens: int = 0, logged: str = "all") -> Route:
    """The server drops what does not fit from the end of the prompt, after the ordering."""
    usual = route.k.median * route.documents.tokens.median
    limit = limit_tokens or int(0.7 * usual)
    return _replace(route, cut=_replace(route.cut, limit_tokens=limit, logged=logged))


def retriever_drift(route: Route, *, ranks: float = 4.0, index_version: str = "") -> Route:
    """The retriever's order becomes noisy: good chunks come back at worse ranks."""
    return _replace(route, drift=ranks, index_version=index_version or route.index_version)


def mix_shift(route: Route, *, factor: float = 2.5, segment: str = "") -> Route:
    """More (or less) traffic on the route, or on one of its segments."""
    if not segment:
        return _replace(route, requests=route.requests * factor)
    return _replace(
        route,
        segments=tuple(
            _replace(part, share=part.share * factor) if part.name == segment else part
            for part in route.segments
        ),
    )


def logging_breaks(
    route: Route,
    *,
    missing: list[str] | None = None,
    share: float = 1.0,
    constant_positions: bool = False,
) -> Route:
    """Fields vanish from the log, or every position becomes 1."""
    fields = ("cited",) if missing is None and not constant_positions else tuple(missing or ())
    broken = _replace(
        route.logging, missing=fields, share=share, constant_positions=constant_positions
    )
    return _replace(route, logging=broken)


def score_order(route: Route) -> Route:
    """Sorted by the first-stage score after a reranker had run."""
    if not route.reranker:
        raise CitelogError(
            f"incident score_order: route {route.name} has no reranker, so its score and its rank "
            "agree; name only routes that have one"
        )
    return _replace(route, orderings={"score_order": 1.0})


def markers_off_by_one(route: Route, *, shift: int = -1) -> Route:
    """Markers are read with the wrong base: every citation points to a neighbour."""
    return _replace(route, logging=_replace(route.logging, marker_shift=shift))


KINDS: dict[str, _Change] = {
    change.__name__: change
    for change in (
        reindex_copies, top_k_30, ordering_switched, dip_deepens, prompt_cut, retriever_drift,
        mix_shift, logging_breaks, score_order, markers_off_by_one,
    )
}  # fmt: skip


def parameters(incident: Incident) -> dict[str, object]:
    """All parameters of the incident, those left at their default included."""
    known = inspect.signature(_kind(incident)).parameters
    defaults = {name: each.default for name, each in known.items() if name != "route"}
    strangers = incident.parameters.keys() - defaults.keys()
    if strangers:
        raise CitelogError(
            f"incident {incident.kind}: it has no parameter {min(strangers)!r}; "
            f"its parameters are {', '.join(defaults) or 'none'}"
        )
    return defaults | incident.parameters


def concerns(incident: Incident, route: Route) -> bool:
    """Whether the incident happens on this route."""
    return not incident.routes or route.name in incident.routes


def after(incident: Incident, route: Route, moment: datetime) -> Route:
    """The route at that moment, if this incident is all that happened to it."""
    if not concerns(incident, route) or moment < incident.since:
        return route
    changed = _changed(incident, route)
    if incident.until is None or moment < incident.until:
        return changed
    if incident.kind != reindex_copies.__name__:
        return route
    # Cleaning up removes the old versions; the new ones stay.
    return _replace(changed, copies=_replace(changed.copies, old=0.0))


def _changed(incident: Incident, route: Route) -> Route:
    try:
        changed = _kind(incident)(route, **parameters(incident))
        return msgspec.convert(msgspec.to_builtins(changed), Route)
    except (TypeError, msgspec.ValidationError) as reason:
        raise CitelogError(f"incident {incident.kind}, its parameters: {reason}") from None


def _kind(incident: Incident) -> _Change:
    if incident.kind not in KINDS:
        raise CitelogError(
            f"incident {incident.kind!r} is not known; the kinds are {', '.join(KINDS)}"
        )
    return KINDS[incident.kind]
