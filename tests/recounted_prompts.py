"""Copies, lengths, documents and what is missing, counted again; rows without intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from recount import (
    Request,
    by_route,
    by_week_and_route,
    compared,
    groups,
    identical,
    near,
    prints,
    rate,
    redundant,
)

Row = dict[str, Any]


def near_copies(requests: list[Request]) -> Iterator[Row]:
    for week, route, own in by_week_and_route(requests):
        base = [each for each in own if compared(each)]
        involved = sum(len(g) for each in base for g in groups(each, near) if len(g) > 1)
        copies = [(each.weight, chunk) for each in base for chunk in redundant(each, near)]
        tokens = sum(weight * (chunk.get("tokens") or 0) for weight, chunk in copies)
        packed = sum(each.k for each in base)
        yield {
            "week": week,
            "route": route,
            "packed_compared": packed,
            "involved": involved,
            "redundant": len(copies),
            "redundant_exact": sum(len(redundant(each, identical)) for each in base),
            "involved_rate": rate(involved, packed),
            "redundant_rate": rate(len(copies), packed),
            "redundant_tokens": (tokens + 500) // 1000,
        }


def near_copy_documents(requests: list[Request]) -> Iterator[Row]:
    for week, route, own in by_week_and_route(requests):
        packed, cited, copies, tokens = (Counter[tuple[str, str]]() for _ in range(4))
        for request in own:
            extra = redundant(request, near) if compared(request) else []
            for index, chunk in enumerate(request.packed):
                key = str(chunk.get("doc_id")), request.record.get("index_version") or "unknown"
                packed[key] += 1
                cited[key] += index in request.cited
                copies[key] += chunk in extra
                tokens[key] += chunk.get("tokens") or 0 if chunk in extra else 0
        for (document, version), count in copies.items():
            if count and document != "None":
                yield {
                    "week": week,
                    "route": route,
                    "doc_id": document,
                    "index_version": version,
                    "packed": packed[document, version],
                    "cited": cited[document, version],
                    "copies": count,
                    "copies_share": rate(count, copies.total()),
                    "copy_tokens": tokens[document, version],
                }


def largest_document(requests: list[Request]) -> Iterator[Row]:
    for week, route, own in by_week_and_route(requests):
        counts = [Counter(chunk.get("doc_id") for chunk in each.packed) for each in own]
        whole = [each for each in counts if each and None not in each]
        largest, packed = sum(max(each.values()) for each in whole), sum(e.total() for e in whole)
        yield {
            "week": week,
            "route": route,
            "packed_documented": packed,
            "largest_document": largest,
            "largest_document_share": rate(largest, packed),
        }


def context_tokens(requests: list[Request]) -> Iterator[Row]:
    """Lengths, without percentiles: they are compared with the exact ones apart."""
    for week, route, own in by_week_and_route(requests):
        lengths = [each.tokens for each in own if each.k and each.tokens is not None]
        budgets, prompts = (
            [
                (each.record[name], each.tokens)
                for each in own
                if each.tokens is not None and each.record.get(name) is not None
            ]
            for name in ("budget_tokens", "prompt_tokens")
        )
        yield {
            "week": week,
            "route": route,
            "requests": len(lengths),
            "mean": rate(sum(lengths), len(lengths)),
            "budgeted": len(budgets),
            "at_budget": sum(20 * context >= 19 * budget for budget, context in budgets),
            "prompt_compared": len(prompts),
            "prompt_cut": sum(prompt < context for prompt, context in prompts),
        }


def data_quality(requests: list[Request]) -> Iterator[Row]:
    for route, own in by_route(requests):
        packed = [chunk for each in own for chunk in each.packed]
        answered = [each for each in own if each.outcome == "answered"]
        citable = [each for each in answered if each.k]
        holes = sum(each.packed[-1]["position"] - each.k for each in own if each.k)
        counts = {
            "requested_at": (len(own), 0),
            "packed chunks": (len(answered), sum(not each.listed for each in answered)),
            "cited": (len(citable), sum(not each.known for each in citable)),
            "position": (len(packed) + holes, holes),
            "text": (
                len(packed),
                sum(prints(chunk) == (None, None) for chunk in packed),
            ),
        }
        for name in ("rank", "tokens", "doc_id"):
            counts[name] = len(packed), sum(chunk.get(name) is None for chunk in packed)
        for name in ("model", "release", "prompt_version", "index_version", "unit_id"):
            counts[name] = len(own), sum(each.record.get(name) is None for each in own)
        counts["prompt_tokens"] = len(own), sum(e.record.get("prompt_tokens") is None for e in own)
        for name, (total, missing) in counts.items():
            yield {
                "route": route,
                "field": name,
                "total": total,
                "missing": missing,
                "missing_rate": rate(missing, total),
            }


def week_totals(requests: list[Request]) -> Iterator[Row]:
    known = [each for each in requests if each.known]
    yield {
        "requests": len(requests),
        "answers": len(known),
        "retrieved": sum(len(each.chunks) for each in known),
        "packed": sum(each.k for each in known),
        "cited": sum(len(each.cited) for each in known),
        "stray": sum(each.stray for each in known),
        "routes": len({each.route for each in requests}),
        "weighted_requests": sum(each.weight for each in requests) / 1000,
    }


def requests_per_day(requests: list[Request], first_day: date, days: int) -> Iterator[Row]:
    shown = [first_day + timedelta(days=n) for n in range(days)]
    for route, own in by_route(each for each in requests if each.day in shown):
        for day in shown:
            counts = Counter(each.outcome for each in own if each.day == day)
            yield {
                "day": day,
                "route": route,
                "requests": counts.total(),
                "answered": counts["answered"],
                "refused": counts["refused"],
                "errors": counts["error"],
                "cached": counts["cached"],
            }


def measures(own: list[Request]) -> dict[str, tuple[int, float | None]]:
    """Copies and documents of a route's week: (what the value rests on, value)."""
    [copies], [documents] = near_copies(own), largest_document(own)
    return {
        "involved_rate": (copies["packed_compared"], copies["involved_rate"]),
        "largest_document_share": (
            documents["packed_documented"],
            documents["largest_document_share"],
        ),
    }
