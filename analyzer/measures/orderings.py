"""Which ordering a route really used, decided over all its requests of a span of days.

One request agrees with several orderings, the more so the fewer chunks it has: of three chunks
every order is some ordering. What long prompts agree with alone is in use; a request that agrees
with several is given to the one of them that is, and to none where two are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

AMBIGUOUS = "ambiguous"
PLAIN = ("explored", "short", "unranked", "other")
UNTOLD = ("short", "unranked", AMBIGUOUS)  # requests that show no ordering, whatever they have
TELLING_K = 5  # 120 orders of five chunks: agreement by chance is rare
LEAST_SHARE = 0.01
LEAST_REQUESTS = 10  # or half of them, where there are fewer than twenty
# Of orderings that nothing tells apart the one that supposes least comes first.
PRECEDENCE = (
    "best_first",
    "best_last",
    "by_document",
    "edges_first",
    "edges_first_reversed",
    "source_order",
    "score_order",
    "edges_first_cut",
    "middle_first",
    "middle_first_reversed",
)

Seen = Iterable[tuple[str, int, int]]


def resolved(seen: Seen) -> dict[str, str]:
    """From what requests agree with to one ordering each: `seen` is (agreement, K, requests).

    An agreement is names joined by "|". Keys of the result are agreements as given.
    """
    rows = list(seen)
    used = _in_use(rows)
    return {agreement: _decided(agreement, used) for agreement, _, _ in rows}


def _in_use(rows: list[tuple[str, int, int]]) -> set[str]:
    telling = [row for row in rows if row[1] >= TELLING_K] or rows
    counts: Counter[str] = Counter()
    for agreement, _, requests in telling:
        counts[agreement] += requests
    least = max(min(LEAST_REQUESTS, counts.total() / 2), LEAST_SHARE * counts.total())
    used = {name for name, n in counts.items() if "|" not in name and n >= least} - set(PLAIN)
    # What no ordering in use explains, often enough, shows one more.
    for agreement, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        names = agreement.split("|")
        if len(names) > 1 and n >= least and not used.intersection(names):
            used.add(min(names, key=PRECEDENCE.index))
    return used


def _decided(agreement: str, used: set[str]) -> str:
    if agreement in PLAIN:
        return agreement
    names = used.intersection(agreement.split("|"))
    if len(names) == 1:
        return next(iter(names))
    return AMBIGUOUS if names else "other"


def told_apart(shares: Mapping[str, float]) -> dict[str, float]:
    """Of the requests that show their ordering, the share of each.

    How many requests agree with two of the orderings in use depends on K and on the documents, and
    on whether a rare ordering counts as in use; none of that is a change of ordering.
    """
    kept = {name: share for name, share in shares.items() if name not in UNTOLD}
    total = sum(kept.values())
    return {name: share / total for name, share in kept.items() if total}


def shares(seen: Seen, orderings: Mapping[str, str]) -> dict[str, float]:
    """Share of requests by ordering, those with fewer than three chunks left out; largest first."""
    counts: Counter[str] = Counter()
    for agreement, _, requests in seen:
        if agreement != "short":
            counts[orderings[agreement]] += requests
    total = counts.total()
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {name: n / total for name, n in ranked if total}
