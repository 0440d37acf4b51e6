"""Citation measures, counted again: rows as the questions answer them, without intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from recount import Request, by_route, depth, expected_place, fate, place, rate

Row = dict[str, Any]
OUTCOMES = ("not_retrieved", "cut", "uncited", "cited", "unknown_citation")


def cited_by_position(requests: list[Request]) -> Iterator[Row]:
    for route, own in by_route(requests):
        packed, cited = Counter[int](), Counter[int]()
        for request in filter(lambda each: each.known, own):
            packed.update(range(1, request.k + 1))
            cited.update(index + 1 for index in request.cited)
        for position, count in packed.items():
            yield {
                "route": route,
                "position": position,
                "answers": sum(each.known for each in own),
                "packed": count,
                "cited": cited[position],
                "cited_rate": rate(cited[position], count),
                "packed_share": rate(count, packed.total()),
                "cited_share": rate(cited[position], cited.total()),
            }


def cited_by_depth(requests: list[Request]) -> Iterator[Row]:
    for route, own in by_route(requests):
        packed, cited = Counter[int](), Counter[int]()
        for request in filter(lambda each: each.known and each.k > 1, own):
            packed.update(depth(p, request.k) for p in range(1, request.k + 1))
            cited.update(depth(index + 1, request.k) for index in request.cited)
        for tenth, count in packed.items():
            yield {
                "route": route,
                "depth": tenth,
                "packed": count,
                "cited": cited[tenth],
                "cited_rate": rate(cited[tenth], count),
                "packed_share": rate(count, packed.total()),
            }


def cited_by_rank(requests: list[Request]) -> Iterator[Row]:
    for route, own in by_route(requests):
        retrieved, packed, cited = Counter[int](), Counter[int](), Counter[int]()
        for request in filter(lambda each: each.known, own):
            retrieved.update(c["rank"] for c in request.chunks if c.get("rank") is not None)
            packed.update(c["rank"] for c in request.packed if c.get("rank") is not None)
            used = [request.packed[index] for index in request.cited]
            cited.update(c["rank"] for c in used if c.get("rank") is not None)
        for rank, count in retrieved.items():
            yield {
                "route": route,
                "rank": rank,
                "retrieved": count,
                "packed": packed[rank],
                "cited": cited[rank],
                "cited_rate": rate(cited[rank], count),
            }


def rank_by_position(requests: list[Request]) -> Iterator[Row]:
    for route, own in by_route(requests):
        packed, cited = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
        for request in filter(lambda each: each.known, own):
            for index, rank in enumerate(request.ranks):
                if rank is not None:
                    packed[rank, index + 1] += 1
                    cited[rank, index + 1] += index in request.cited
        for (rank, position), count in packed.items():
            yield {
                "route": route,
                "packed_rank": rank,
                "position": position,
                "packed": count,
                "cited": cited[rank, position],
            }


def funnel(requests: list[Request]) -> Iterator[Row]:
    for route, own in by_route(requests):
        known = [each for each in own if each.known]
        counts = {
            "retrieved": sum(len(each.chunks) for each in known),
            "packed": sum(each.k for each in known),
            "cited": sum(len(each.cited) for each in known),
        }
        before = None
        for stage, chunks in counts.items():
            yield {
                "route": route,
                "stage": stage,
                "answers": len(known),
                "chunks": chunks,
                "per_answer": rate(chunks, len(known)),
                "share": None if before is None else rate(chunks, before),
            }
            before = chunks


def citation_faults(requests: list[Request]) -> Iterator[Row]:
    for route, own in by_route(requests):
        known = [each for each in own if each.known]
        answered = [each for each in own if each.outcome == "answered"]
        citations, stray = sum(e.citations for e in known), sum(e.stray for e in known)
        free = sum(not each.cited for each in known)
        yield {
            "route": route,
            "answers": len(known),
            "citations": citations,
            "stray": stray,
            "stray_rate": rate(stray, citations),
            "citation_free": free,
            "citation_free_rate": rate(free, len(known)),
            "without_context": sum(each.listed and each.k == 0 for each in answered),
            "missing_citations": sum(each.k > 0 and not each.known for each in answered),
            "refused": sum(each.outcome == "refused" for each in own),
            "errors": sum(each.outcome == "error" for each in own),
            "cached": sum(each.outcome == "cached" for each in own),
            "unlisted": sum(not each.listed for each in answered),
        }


def expected_funnel(requests: list[Request]) -> Iterator[Row]:
    for route, own in by_route(requests):
        labelled = [each for each in own if fate(each) is not None]
        wrong = [each for each in labelled if each.correct is False]
        for judged_as, base in (("all", labelled), ("wrong", wrong)):
            counts = Counter(fate(each) for each in base)
            for outcome in OUTCOMES if base else ():
                yield {
                    "route": route,
                    "judged_as": judged_as,
                    "outcome": outcome,
                    "labelled": len(base),
                    "requests": counts[outcome],
                    "share": rate(counts[outcome], len(base)),
                }


def accuracy_by_place(requests: list[Request]) -> Iterator[Row]:
    for route, own in by_route(requests):
        judged, correct = Counter[str](), Counter[str]()
        for request in own:
            where = expected_place(request)
            if where is not None and request.correct is not None:
                judged[where] += 1
                correct[where] += request.correct
        for where, count in judged.items():
            yield {
                "route": route,
                "place": where,
                "judged": count,
                "correct": correct[where],
                "accuracy": rate(correct[where], count),
            }


def measures(own: list[Request]) -> dict[str, tuple[int, float | None]]:
    """The citation measures of a route's week: (what the value rests on, value)."""
    known = [each for each in own if each.known]
    used = [(each, index) for each in known for index in each.cited]
    ranks = [each.packed[i]["rank"] for each, i in used if each.packed[i].get("rank") is not None]
    [faults] = citation_faults(own)
    values = {
        "requests": (len(own), len(own)),
        "cited_rate": share(len(used), sum(each.k for each in known)),
        "citation_free_rate": share(faults["citation_free"], len(known)),
        "stray_rate": share(faults["stray"], faults["citations"]),
        "accuracy": share(*_judged(own)),
    }
    if any(chunk.get("rank") is not None for each in known for chunk in each.chunks):
        log2 = sum(map(math.log2, ranks))
        values["mean_log2_cited_rank"] = len(ranks), log2 / len(ranks) if ranks else None
    if any(each.k > 1 and each.outcome == "answered" for each in own):
        places = Counter(place(i + 1, each.k) for each, i in used if each.k > 1)
        for where in ("start", "middle", "end"):
            values[f"position_{where}"] = share(places[where], places.total())
    return values


def share(part: int, whole: int) -> tuple[int, float | None]:
    return whole, rate(part, whole)


def _judged(own: list[Request]) -> tuple[int, int]:
    judged = [e.correct for e in own if e.outcome == "answered" and e.correct is not None]
    return sum(judged), len(judged)
