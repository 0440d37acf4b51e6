"""The estimates of a week, one a route and measure, kept in `week_estimates`.

They are functions of the rollups alone; a change of the rollups of a day takes the estimates of
its week away, and `update` makes what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analyzer.measures.effect import effects
from analyzer.measures.orderings import UNTOLD, resolved
from analyzer.measures.rows import Scope, of_route, rows, week_of, whole
from analyzer.stats import jackknife, percentiles
from analyzer.stats.arrays import Floats
from analyzer.stats.jackknife import Estimate
from analyzer.stats.settings import DIP, ORDERING, EffectSettings
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

GROUPS = EffectSettings().groups
_TABLES = ("lengths", "ranks", "places", "ordering_groups")

# measure: what is counted, of what, and which requests decide whether the week is eligible
RATES = {
    "citation_free_rate": ("citation_free", "citations_known", "citations_known"),
    "stray_rate": ("stray", "citations", "citations_known"),
    "involved_rate": ("involved", "compared", "requests"),
    "largest_document_share": ("largest_document", "documented", "requests"),
    "accuracy": ("correct", "judged", "judged"),
    "missing_unit_rate": ("missing_unit", "requests", "requests"),
    "missing_prompt_tokens_rate": ("missing_prompt_tokens", "requests", "requests"),
    "missing_citations_rate": ("missing_citations", "with_context", "with_context"),
    "missing_positions_rate": ("without_context", "answered", "answered"),
    "missing_rank_rate": ("missing_rank", "packed", "requests"),
    "missing_tokens_rate": ("missing_tokens", "packed", "requests"),
    "missing_document_rate": ("missing_document", "packed", "requests"),
    "missing_text_rate": ("missing_text", "packed", "requests"),
}


@dataclass(frozen=True)
class WeekEstimate:
    """One row of `week_estimates`, its week aside."""

    route: str
    measure: str
    estimate: Estimate
    requests: int
    base: int
    size: float
    verdict: str = "OK"


def update(con: Connection, settings: EffectSettings | None = None) -> None:
    """Make the estimates that are missing: of every week that has requests and no estimates."""
    for (monday,) in con.execute(statement("measures/unmade_weeks")).fetchall():
        made = _table(monday, list(estimates(con, week_of(monday), settings)))
        con.register("estimates", made)
        con.execute(statement("measures/keep"))
        con.unregister("estimates")


def estimates(
    con: Connection, scope: Scope, settings: EffectSettings | None = None
) -> Iterator[WeekEstimate]:
    """Every measure of every route with requests in the scope."""
    counts = rows(con, "counts", scope)
    tables = {name: rows(con, name, scope) for name in _TABLES}
    for route in pc.unique(counts["route"]).to_pylist():
        yield from _of_route(
            route,
            of_route(counts, route),
            {name: of_route(table, route) for name, table in tables.items()},
        )
    yield from _dips(con, scope, counts, settings)


def _of_route(route: str, counts: pa.Table, tables: dict[str, pa.Table]) -> Iterator[WeekEstimate]:
    def of(column: str) -> Floats:
        return _by_group(counts, whole(counts, column))

    for measure, (part, base, eligible) in RATES.items():
        estimate = jackknife.rate(of(part), of(base))
        yield _plain(route, measure, estimate, of(eligible).sum(), of(base).sum())
    known = of("citations_known").sum()
    yield from _position_shares(route, tables["places"], known)
    yield _cited_rank(route, tables["ranks"], known)
    yield _length(route, tables["lengths"])
    yield from _orderings(route, tables["ordering_groups"])


def _position_shares(route: str, places: pa.Table, known: float) -> Iterator[WeekEstimate]:
    cited = whole(places, "cited")
    base = _by_group(places, cited)
    for place in ("start", "middle", "end"):
        here = np.asarray(pc.equal(places["place"], place).to_numpy(zero_copy_only=False), bool)
        estimate = jackknife.rate(_by_group(places, np.where(here, cited, 0)), base)
        yield _plain(route, f"position_{place}", estimate, known, base.sum())


def _cited_rank(route: str, ranks: pa.Table, known: float) -> WeekEstimate:
    cited = whole(ranks, "cited")
    base = _by_group(ranks, cited)
    logs = _by_group(ranks, cited * np.log2(np.maximum(whole(ranks, "rank"), 1)))
    return _plain(route, "mean_log2_cited_rank", jackknife.mean(logs, base), known, base.sum())


def _length(route: str, lengths: pa.Table) -> WeekEstimate:
    requests = whole(lengths, "requests")
    bins, counts = percentiles.by_group(
        whole(lengths, "context_bin"), whole(lengths, "unit_group"), requests, GROUPS
    )
    estimate = percentiles.log_percentile_estimate(bins, counts, 95) if len(bins) else _NOTHING
    return _plain(route, "ln_p95_context_tokens", estimate, requests.sum(), requests.sum())


_NOTHING = Estimate(None, None, 0, np.full(GROUPS, np.nan))


def _orderings(route: str, seen: pa.Table) -> Iterator[WeekEstimate]:
    """Of the requests that show their ordering, the share of each one that was seen."""
    columns = (seen[name].to_pylist() for name in ("ordering_seen", "k", "requests"))
    agreements = list(zip(*columns, strict=True))
    names = resolved(agreements)
    ordering = np.array([names[agreement] for agreement, _, _ in agreements], dtype=np.str_)
    requests = np.where(np.isin(ordering, UNTOLD), 0, whole(seen, "requests"))
    base = _by_group(seen, requests)
    for name in sorted({*ordering.tolist()}.difference(UNTOLD)):
        estimate = jackknife.rate(_by_group(seen, np.where(ordering == name, requests, 0)), base)
        yield _plain(route, f"{ORDERING}_{name}", estimate, base.sum(), base.sum())


def _dips(
    con: Connection, scope: Scope, counts: pa.Table, settings: EffectSettings | None
) -> Iterator[WeekEstimate]:
    for route, found in effects(con, scope, settings).items():
        effect = found.effect
        known = int(whole(of_route(counts, route), "citations_known").sum())
        yield WeekEstimate(
            route=route,
            measure=DIP,
            estimate=effect.log_ratio or _NOTHING,
            requests=known,
            base=effect.comparability.middle,
            size=effect.comparability.h,
            verdict=effect.verdict.code,
        )


def _plain(
    route: str, measure: str, estimate: Estimate, requests: float, base: float
) -> WeekEstimate:
    return WeekEstimate(route, measure, estimate, int(requests), int(base), float(requests))


def _by_group(table: pa.Table, values: np.typing.NDArray[np.generic]) -> Floats:
    summed = np.bincount(whole(table, "unit_group"), weights=values, minlength=GROUPS)
    return summed.astype(np.float64)


def _table(monday: date, made: list[WeekEstimate]) -> pa.Table:
    def column(of: Callable[[WeekEstimate], object], kind: pa.DataType) -> pa.Array:
        return pa.array([of(row) for row in made], kind)

    return pa.table(
        {
            "week": pa.array([monday] * len(made), pa.date32()),
            "route": column(lambda row: row.route, pa.string()),
            "measure": column(lambda row: row.measure, pa.string()),
            "value": column(lambda row: row.estimate.value, pa.float64()),
            "se": column(lambda row: row.estimate.se, pa.float64()),
            "df": column(lambda row: row.estimate.df, pa.int32()),
            "requests": column(lambda row: row.requests, pa.int64()),
            "base": column(lambda row: row.base, pa.int64()),
            "size": column(lambda row: row.size, pa.float64()),
            "verdict": column(lambda row: row.verdict, pa.string()),
            "leave_one_outs": column(
                lambda row: _finite(row.estimate.leave_one_outs), pa.list_(pa.float64())
            ),
        }
    )


def _finite(values: Floats) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]
