"""Every statement of the on-call room on requests whose sums were worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from math import log2
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from duckdb import DuckDBPyConnection as Connection
from loading.records import request
from loading.sites import Site
from oncall_world import world

from analyzer.assets import shipped
from analyzer.oncall.began import Onset, onset
from analyzer.oncall.measured import Daily, Measured, Window
from analyzer.store import reader, statement

FIRST, START, NEXT = date(2026, 11, 2), date(2026, 11, 3), date(2026, 11, 4)
MOMENT = datetime.fromisoformat("2026-11-03")
ALL = ("a1", "a2", "b1", "b2", "b3")
DAYS = {"before_to": START, "since_from": START}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world(tmp_path_factory.mktemp("world"))


@pytest.fixture
def con(store: Path) -> Iterator[Connection]:
    with reader(store) as opened:
        yield opened


def window(measure: str, route: str = "support", **releases: str) -> Window:
    return Window(measure, route, FIRST, START, NEXT, **releases)


def measured(con: Connection, measure: str, route: str = "support", **releases: str) -> Measured:
    return Measured(con, window(measure, route, **releases), ZoneInfo("UTC"))


def moment(text: str) -> datetime:
    """UTC, without saying so, as the store holds it."""
    return datetime.fromisoformat(text)


def near(expected: dict[str, tuple[float, float]]) -> dict[str, Any]:
    return {name: pytest.approx(sums) for name, sums in expected.items()}


def by_request(con: Connection) -> dict[str, tuple[float, float]]:
    """Part and whole of every request that is measured."""
    rows = con.execute(
        "SELECT request_id, part, whole FROM measured JOIN requests USING (record_hash)"
    )
    return {name: (part, whole) for name, part, whole in rows.fetchall()}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # Only b2 cites nothing.
        ("citation_free_rate", {**dict.fromkeys(ALL, (0, 1)), "b2": (1, 1)}),
        # Of b3's two citations one points to marker 9; b2 makes none, so it has no whole.
        ("stray_rate", {"a1": (0, 2), "a2": (0, 1), "b1": (0, 2), "b3": (1, 2)}),
        # Copies of one text: 2, 3, 2 of four packed.
        ("involved_rate", {"a1": (0, 4), "a2": (2, 4), "b1": (3, 4), "b2": (2, 4), "b3": (0, 4)}),
        # Two documents share four places evenly.
        ("largest_document_share", dict.fromkeys(ALL, (2, 4))),
        # Nobody judged an answer; nothing lacks a unit; no prompt tokens are logged at all.
        ("accuracy", {}),
        ("missing_unit_rate", dict.fromkeys(ALL, (0, 1))),
        ("missing_prompt_tokens_rate", dict.fromkeys(ALL, (1, 1))),
        ("missing_citations_rate", dict.fromkeys(ALL, (0, 1))),
        ("missing_rank_rate", dict.fromkeys(ALL, (0, 4))),
        # Each prompt holds 1,000 tokens: none is longer than the 95th percentile before.
        ("ln_p95_context_tokens", dict.fromkeys(ALL, (0, 1))),
        ("ordering_best_first", dict.fromkeys(ALL, (1, 1))),
    ],
)  # fmt: skip
def test_measured_requests(
    con: Connection, measure: str, expected: dict[str, tuple[float, float]]
) -> None:
    measured(con, measure)
    assert by_request(con) == expected


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # Cited at 1 and 2; 4; 2 and 3; 1. The middle is 2 and 3.
        ("position_middle", {"a1": (1, 2), "a2": (0, 1), "b1": (2, 2), "b3": (0, 1)}),
        ("position_start", {"a1": (1, 2), "a2": (0, 1), "b1": (0, 2), "b3": (1, 1)}),
        ("position_end", {"a1": (0, 2), "a2": (1, 1), "b1": (0, 2), "b3": (0, 1)}),
        # log2 of 1 x 2; 4; 2 x 3; 1.
        ("mean_log2_cited_rank", {"a1": (1, 2), "a2": (2, 1), "b1": (log2(6), 2), "b3": (0, 1)}),
    ],
)
def test_measured_citations(
    con: Connection, measure: str, expected: dict[str, tuple[float, float]]
) -> None:
    measured(con, measure)
    assert by_request(con) == near(expected)


def test_edges_and_measured_middle(con: Connection) -> None:
    """Before: rank 1 is at an edge once (cited) and in the middle twice, weight 1 / 3; rank 2 at an
    edge twice (never cited) and in the middle once, weight 2 / 3. Since: once each way, all of the
    edges cited, weight 1 / 2. d1's middle expects nothing, so it is not measured."""
    found = measured(con, "dip", "docs")
    rows = con.execute("SELECT later, packed_rank, rate, weight FROM edges WHERE route = 'docs'")
    assert sorted(rows.fetchall()) == [
        (False, 1, 1.0, pytest.approx(1 / 3)),
        (False, 2, 0.0, pytest.approx(2 / 3)),
        (True, 1, 1.0, 0.5),
        (True, 2, 1.0, 0.5),
    ]
    assert by_request(con) == near(
        {"d2": (1 / 3, 1 / 3), "d3": (0, 1 / 3), "d4": (0, 0.5), "d5": (0, 0.5)}
    )
    # documents_middle: in the middle stood rank 1 of d2 and d3, then rank 2 of d4 and rank 1 of d5.
    assert found.run("documents", **DAYS) == [
        (False, "doc-1", pytest.approx(1 / 3), pytest.approx(2 / 3)),
        (True, "doc-1", 0.0, 0.5),
        (True, "doc-2", 0.0, 0.5),
    ]
    # segments_middle: the same from cells.
    sums = summed(found.run("segments", route="docs", **DAYS))
    assert sums == {False: pytest.approx((1 / 3, 2 / 3)), True: (0.0, 1.0)}


def summed(rows: list[tuple[Any, ...]]) -> dict[bool, tuple[float, float]]:
    """Parts and wholes of both sides."""
    return {
        side: (
            sum(row[-2] for row in rows if row[0] is side),
            sum(row[-1] for row in rows if row[0] is side),
        )
        for side in (False, True)
    }


def test_hours(con: Connection) -> None:
    found = measured(con, "involved_rate")
    assert found.run("hours") == [
        (moment("2026-11-02T10:00"), 2, 8, 2),
        (moment("2026-11-03T09:00"), 3, 4, 1),
        (moment("2026-11-03T11:00"), 2, 8, 2),
    ]
    assert found.requests_since(moment("2026-11-03T09:30")) == 3


def labels_of(found: Measured) -> dict[int, tuple[str, ...]]:
    return {key: (model, release) for key, model, release, *_ in found.run("labels")}


def test_labels_and_carriers(con: Connection) -> None:
    found = measured(con, "involved_rate")
    known = labels_of(found)
    assert sorted(known.values()) == [("m1", "r1"), ("m2", "r1"), ("m2", "r2")]
    carried = {known[key]: (first, n) for key, first, n in found.run("carriers")}
    assert carried == {
        ("m1", "r1"): (moment("2026-11-02T10:10"), 3),
        ("m2", "r1"): (moment("2026-11-03T09:00"), 1),
        ("m2", "r2"): (moment("2026-11-03T11:30"), 1),
    }


def test_slices(con: Connection) -> None:
    found = measured(con, "involved_rate")
    known = labels_of(found)
    sums: dict[tuple[bool, tuple[str, ...]], tuple[float, float]] = {}
    for since, key, _, _, part, whole in found.run("slices", moment=MOMENT):
        was = sums.get((since, known[key]), (0.0, 0.0))
        sums[since, known[key]] = (was[0] + part, was[1] + whole)
    assert sums == {
        (False, ("m1", "r1")): (2, 8),
        (True, ("m1", "r1")): (0, 4),
        (True, ("m2", "r1")): (3, 4),
        (True, ("m2", "r2")): (2, 4),
    }


def test_slices_of_two_releases(con: Connection) -> None:
    found = measured(con, "involved_rate", release="r2", against="r1")
    assert summed(found.run("slices", moment=MOMENT)) == {False: (5, 16), True: (2, 4)}


@pytest.mark.parametrize(
    ("measure", "before", "since"),
    [
        ("involved_rate", (2, 8), (5, 12)),
        ("citation_free_rate", (0, 2), (1, 3)),
        ("stray_rate", (0, 3), (1, 4)),
        ("position_middle", (1, 3), (2, 3)),
        ("mean_log2_cited_rank", (3, 3), (log2(6), 3)),
        ("ln_p95_context_tokens", (0, 2), (0, 3)),
        ("missing_prompt_tokens_rate", (2, 2), (3, 3)),
        ("ordering_best_first", (2, 2), (3, 3)),
    ],
)
def test_segments(
    con: Connection, measure: str, before: tuple[float, float], since: tuple[float, float]
) -> None:
    rows = Daily(con, window(measure), ZoneInfo("UTC")).run("segments", **DAYS)
    assert {row[1] for row in rows} == {"support"}
    assert summed(rows) == {False: pytest.approx(before), True: pytest.approx(since)}


def test_segments_of_every_route_and_of_two_releases(con: Connection) -> None:
    daily = Daily(con, window("citation_free_rate"), ZoneInfo("UTC"))
    # docs: one of three before, none of two since.
    assert summed(daily.run("segments", route=None, **DAYS)) == {False: (1, 5), True: (1, 5)}
    beside = window("citation_free_rate", release="r2", against="r1")
    rows = Daily(con, beside, ZoneInfo("UTC")).run("segments", before_to=NEXT, since_from=FIRST)
    assert summed(rows) == {False: (0, 4), True: (1, 1)}


def test_documents(con: Connection) -> None:
    """Odd chunks are 1 and 3, even ones 2 and 4. Copies: 1 and 4; then 1, 2, 4 and 2, 3."""
    assert measured(con, "involved_rate").run("documents", **DAYS) == [
        (False, "even", 1, 4),
        (False, "odd", 1, 4),
        (True, "even", 3, 6),
        (True, "odd", 2, 6),
    ]
    # Cited before: 1, 2, 4; since: 2, 3, 1. The middle is 2 and 3.
    assert measured(con, "position_middle").run("documents", **DAYS) == [
        (False, "even", 1, 2),
        (False, "odd", 0, 1),
        (True, "even", 1, 1),
        (True, "odd", 1, 2),
    ]


def test_examples_are_the_largest_of_each_unit(con: Connection) -> None:
    """Beyond 1 in 4: b1 3 - 1 = 2, b2 2 - 1 = 1, b3 0 - 1 = -1; b1 and b2 are of one unit."""
    found = measured(con, "involved_rate")
    asked = {"moment": MOMENT, "sign": 1, "level": 0.25, "most": 5}
    rows = found.run("examples", labels=list(labels_of(found)), **asked)
    assert [(row[0], row[2], row[4], row[5], row[6]) for row in rows] == [
        ("b1", 4, 3, 4, 2),
        ("b3", 4, 0, 4, -1),
    ]
    only = [key for key, labels in labels_of(found).items() if labels == ("m2", "r2")]
    assert [row[0] for row in found.run("examples", labels=only, **asked)] == ["b2"]
    down = found.run("examples", labels=list(labels_of(found)), **(asked | {"sign": -1, "most": 1}))
    assert [row[0] for row in down] == ["b3"]


def asked(con: Connection, name: str, **parameters: object) -> list[tuple[Any, ...]]:
    return con.execute(statement(f"oncall/{name}"), parameters).fetchall()


def test_find_requests(con: Connection) -> None:
    assert asked(con, "find_requests", beginning="b", most=2) == [("b1", START), ("b2", START)]
    assert asked(con, "find_requests", beginning="d5", most=9) == [("d5", START)]
    assert asked(con, "find_requests", beginning="%", most=9) == []


def test_request_and_request_chunks(con: Connection) -> None:
    which = {"day": START, "request_id": "b3"}
    row = dict(
        zip(
            (column[0] for column in con.execute(statement("oncall/request"), which).description),
            asked(con, "request", **which)[0],
            strict=True,
        )
    )
    told = ("retrieved", "packed", "cited", "citations", "stray", "expected_outcome")
    assert [row[name] for name in told] == [5, 4, 1, 2, 1, "cut"]
    chunks = asked(con, "request_chunks", **which)
    assert [(chunk[0], chunk[2], chunk[4], chunk[12]) for chunk in chunks] == [
        ("b3-1", 1, 1, True),
        ("b3-2", 2, 2, False),
        ("b3-3", 3, 3, False),
        ("b3-4", 4, 4, False),
        ("b3-5", 5, None, None),
    ]


def test_sealed_request(con: Connection) -> None:
    assert asked(con, "sealed_request", request_id="a1") == []


def test_week_of_both(con: Connection) -> None:
    pair = {"release": "r1", "against": "r2"}
    for least in (1, 50):  # where no week has enough, the last that has any
        assert asked(con, "week_of_both", route=None, least=least, **pair) == [(FIRST,)]
    assert asked(con, "week_of_both", route="docs", least=1, **pair) == [(None,)]


def test_the_last_week_with_enough_of_both_releases_comes_before_later_ones(tmp_path: Path) -> None:
    """Two and two requests in the week of 2 November, three and one in that of 9 November."""
    served = (("2026-11-02", "old", 2), ("2026-11-03", "new", 2), ("2026-11-09", "old", 1))
    site = Site(tmp_path)
    site.load_log(
        "log.jsonl",
        *(
            request(f"{day}-{release}-{n}", requested_at=f"{day}T10:00:00Z", release=release)
            for day, release, many in (*served, ("2026-11-10", "new", 3))
            for n in range(many)
        ),
    )
    pair = {"release": "new", "against": "old", "route": None}
    with reader(site.store) as con:
        assert asked(con, "week_of_both", least=2, **pair) == [(FIRST,)]
        assert asked(con, "week_of_both", least=1, **pair) == [(date(2026, 11, 9),)]


def test_served(con: Connection) -> None:
    """Requests with m1: a1 and a2 before, b3 since; b1 and b2 with m2, b2 alone of r2."""
    daily = Daily(con, window("involved_rate"), ZoneInfo("UTC"))
    assert daily.run("served", route="support", **DAYS) == [
        (False, "support", "m1", "r1", 2.0),
        (True, "support", "m1", "r1", 1.0),
        (True, "support", "m2", "r1", 1.0),
        (True, "support", "m2", "r2", 1.0),
    ]
    beside = Daily(con, window("involved_rate", release="r2", against="r1"), ZoneInfo("UTC"))
    rows = beside.run("served", route="support", before_to=NEXT, since_from=FIRST)
    assert [(row[0], *row[2:]) for row in rows] == [
        (False, "m1", "r1", 3.0),
        (False, "m2", "r1", 1.0),
        (True, "m2", "r2", 1.0),
    ]


def test_two_releases_are_put_on_two_days_and_taken_away_again(con: Connection) -> None:
    """beside/counts, beside/dip, beside/drop: r1 served four requests of support, r2 one."""
    whole = con.execute("SELECT sum(requests) FROM days").fetchall()
    beside = window("involved_rate", release="r2", against="r1")
    for part in con.extract_statements(statement("oncall/beside/counts")):
        known = {"since_day": START, **vars(beside)}
        con.execute(part, {name: known[name] for name in part.named_parameters})
    days = con.execute("SELECT day, sum(requests) FROM days GROUP BY day ORDER BY day").fetchall()
    assert days == [(FIRST, 4), (START, 1)]
    cells = con.execute("SELECT day, sum(packed) FROM cells_by_position GROUP BY ALL ORDER BY 1")
    assert cells.fetchall() == [(FIRST, 16), (START, 4)]
    ranks = con.execute("SELECT day, sum(retrieved) FROM ranks GROUP BY ALL ORDER BY 1")
    assert ranks.fetchall() == [(FIRST, 20), (START, 5)]
    dip = {"day": START, "route": "support", "value": -0.1, "se": 0.02, "size": 300.0}
    con.execute(statement("oncall/beside/dip"), dip)
    held = con.execute("SELECT week, measure, value, se, size FROM week_estimates").fetchall()
    assert held == [(START, "dip", -0.1, 0.02, 300.0)]
    con.execute(statement("oncall/beside/drop"))
    assert con.execute("SELECT sum(requests) FROM days").fetchall() == whole


def test_every_statement_has_its_case() -> None:
    here = Path(__file__).read_text(encoding="utf-8")
    names = [file.stem for file in (shipped("queries") / "oncall").glob("**/*.sql")]
    assert [name for name in names if name not in here] == []


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/St_Johns"])
def test_the_hour_of_a_change_is_right_in_every_zone(tmp_path: Path, zone: str) -> None:
    """An answer an hour for four days; from 19:00 UTC of the third on none cites anything."""
    changed = moment("2026-11-04T19:00")
    hours = [moment("2026-11-02T12:00") + timedelta(hours=n) for n in range(96)]
    site = Site(tmp_path, time_zone=zone)
    site.load_log(
        "log.jsonl",
        *(
            request(
                f"r{n}",
                {"rank": 1, "position": 1, "cited": at < changed},
                requested_at=f"{at + timedelta(minutes=20):%Y-%m-%dT%H:%M}:00Z",
                route="support",
            )
            for n, at in enumerate(hours)
        ),
    )
    days = (date(2026, 11, 2), date(2026, 11, 4), date(2026, 11, 7))
    with reader(site.store) as con:
        found = onset(
            Measured(con, Window("citation_free_rate", "support", *days), ZoneInfo(zone)),
            date(2026, 11, 3),
            date(2026, 11, 6),
        )
    assert found == Onset(
        moment=changed,
        earliest=changed - timedelta(hours=1),
        latest=changed + timedelta(hours=1),
        counted="55 answers before, 41 since",
    )
