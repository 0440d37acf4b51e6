"""Charts: tables in, drawings and sentences out, on numbers small enough to see through."""

from __future__ import annotations

import json
import re
from datetime import date
from itertools import pairwise, product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer import charts, numbers
from analyzer.charts import days, heat, look
from analyzer.query import load_query
from analyzer.report.dashboard import PanelPlan, load_dashboard, load_tokens
from analyzer.report.tables import effects, evaluations, lengths, orderings, weeks

ARROW = {
    "VARCHAR": pa.string(),
    "DATE": pa.date32(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
}
MADE = {
    "effects": effects.SCHEMA,
    "orderings": orderings.SCHEMA,
    "judged_weeks": weeks.SCHEMA,
    "lengths": lengths.SCHEMA,
    "evaluated_places": evaluations.PLACED,
}
WORKED_OUT = {"strips": {"step", "named", "latest"}}  # columns that a chart adds itself
DRAWN = [panel for panel in load_dashboard("weekly").panel if panel.chart]
RATES = ("rate", "share", "low", "high", "accuracy")


def promised(query: str) -> pa.Schema:
    """The columns that the query's header promises."""
    return pa.schema([(column.name, ARROW[column.type]) for column in load_query(query).columns])


def made_up(panel: PanelPlan) -> pa.Table:
    """Three rows of two routes with a value of the right type in every promised column."""
    schema = MADE[panel.made] if panel.made else promised(panel.query)
    rows = [
        {**{field.name: value_of(field, number) for field in schema}, "route": route}
        for route, number in product(("a", "b"), (1, 2, 3))
    ]
    steps = [{**row, "step": number} for number, row in enumerate(rows)] if panel.words else rows
    if panel.words:
        schema = schema.append(pa.field("step", pa.int64()))
    return pa.Table.from_pylist(steps, schema=schema)


def value_of(field: pa.Field, number: int) -> Any:
    if field.type == pa.string():
        return f"word {number}"
    if field.type == pa.bool_():
        return number == 2
    if field.type == pa.date32():
        return date(2026, 11, 2 + 7 * (number - 1))
    if field.type == pa.float64():
        return number / 10 if field.name.endswith(RATES) else 10.5 * number
    return number if field.type == pa.int32() else 100 * number


def options(panel: PanelPlan) -> list[dict[str, Any]]:
    """The panel's chart with the options of each of its groups."""
    groups = panel.groups or [None]
    return [{**panel.chart, **(group.options if group else {})} for group in groups]


def drawings(panel: PanelPlan) -> list[dict[str, Any]]:
    table = made_up(panel)
    return [charts.specification(one.pop("kind"), table, **one) for one in options(panel)]


@pytest.mark.parametrize("panel", DRAWN, ids=lambda panel: panel.name)
def test_every_field_of_a_drawing_is_a_column_that_its_query_promises(panel: PanelPlan) -> None:
    columns = set(made_up(panel).column_names) | WORKED_OUT.get(panel.chart["kind"], set())
    for drawing in drawings(panel):
        assert fields_of(drawing) <= columns
        assert fields_of(drawing) <= set(drawing["data"]["values"][0])


def fields_of(drawing: dict[str, Any]) -> set[str]:
    """Every field and every `datum.x` over rows, read from the JSON text and not by the program."""
    without = {key: value for key, value in drawing.items() if key not in ("data", "config")}
    text = re.sub(r'"labelExpr": "(\\.|[^"\\])*"', "", json.dumps(without))
    return set(re.findall(r'"field": "(\w+)"', text)) | set(re.findall(r"datum\.(\w+)", text))


@pytest.mark.parametrize("panel", DRAWN, ids=lambda panel: panel.name)
def test_a_drawing_passes_the_checks_of_altair(panel: PanelPlan) -> None:
    table = made_up(panel)
    for one in options(panel):
        drawing = charts.KINDS[one.pop("kind")].chart(table, **one)
        assert drawing.to_dict(validate=True)["layer"]


@pytest.mark.parametrize("panel", DRAWN, ids=lambda panel: panel.name)
def test_a_drawing_names_colours_by_their_role(panel: PanelPlan) -> None:
    roles = load_tokens()["light"]
    for drawing in drawings(panel):
        text = json.dumps(drawing)
        assert not re.search(r"#[0-9a-fA-F]{3,8}\b", text)
        assert set(re.findall(r"var\(--(\w+)\)", text)) <= set(roles)


@pytest.mark.parametrize("panel", DRAWN, ids=lambda panel: panel.name)
def test_a_drawing_holds_numbers_alone_and_no_row_twice(panel: PanelPlan) -> None:
    for drawing in drawings(panel):
        for row in drawing["data"]["values"]:
            assert all(isinstance(value, int | float | str) for value in row.values())
        assert len(drawing["data"]["values"]) == 6


def test_a_misspelt_field_is_noticed() -> None:
    columns = charts.columns_read(
        {
            "encoding": {"x": {"field": "depht"}, "y2": {"field": "high"}},
            "mark": {"text": {"expr": "datum.cited_rtae"}},
            "axis": {"labelExpr": "datum.value"},
            "data": {"values": [{"field": "a row's own word"}]},
        }
    )
    assert columns == {"depht", "high", "cited_rtae"}


DEPTHS = pa.table(
    {
        "route": ["a", "a", "a", "b"],
        "depth": [1, 2, 10, 1],
        "packed": [200, 100, 200, 80],
        "cited_rate": [0.5, 0.1234567, 0.4, 0.9],
        "low": [0.45, 0.1, 0.35, 0.8],
        "high": [0.55, 0.15, 0.45, 0.97],
        "baseline_rate": [0.5, None, 0.4, None],
        "baseline_low": [0.49, None, 0.39, None],
        "baseline_high": [0.51, None, 0.41, None],
    }
)


def test_routes_share_the_scale_of_their_largest_value() -> None:
    drawing = charts.specification("profile", DEPTHS, x="depth")
    scales = {json.dumps(layer["encoding"]["y"]["scale"]["domain"]) for layer in drawing["layer"]}
    assert scales == {"[0.0, 1.0]"}  # 0.97 on route b, rounded up to a tick


def test_what_is_not_known_is_null_and_values_are_short() -> None:
    rows = charts.specification("profile", DEPTHS, x="depth")["data"]["values"]
    assert rows[1]["baseline_rate"] is None
    assert rows[1]["cited_rate"] == 0.1235


def test_a_profile_says_its_ends_and_its_lowest_point() -> None:
    said = charts.sentence("profile", DEPTHS.slice(0, 3), x="depth")
    assert said == (
        "50.0% at tenth 1 (n 200), 12.3% at tenth 2 (n 100), 40.0% at tenth 10 (n 200); "
        "lowest at tenth 2"
    )


def test_a_funnel_says_its_means_and_shares() -> None:
    steps = pa.table(
        {
            "stage": ["retrieved", "packed", "cited"],
            "per_answer": [20.0, 10.06, 3.4],
            "share": [None, 0.503, 0.338],
        }
    )
    assert charts.sentence("funnel", steps) == (
        "per answer: 20.0 retrieved, 10.1 packed (50.3% of those), 3.4 cited (33.8% of those)"
    )


def cells(packed: list[int], rates: list[float]) -> pa.Table:
    return pa.table(
        {
            "packed_rank": [1, 2, 2],
            "position": [1, 2, 3],
            "packed": packed,
            "cited": [0, 0, 0],
            "cited_rate": rates,
            "low": [0.0, 0.0, 0.0],
            "high": [0.0, 0.0, 0.0],
        }
    )


def test_a_map_leaves_small_cells_to_a_dot() -> None:
    table = cells([49, 50, 200], [0.9, 0.2, 0.1])
    filters = {
        (layer["mark"]["type"], layer["transform"][0]["filter"])
        for layer in charts.specification("heat", table)["layer"]
    }
    assert filters == {
        ("point", "datum.packed < 50"),
        ("rect", "datum.packed >= 50"),
        ("text", "datum.packed >= 50"),
    }
    assert charts.sentence("heat", table) == (
        "highest 20.0% at packed rank 2, position 2 (n 50), "
        "lowest 10.0% at packed rank 2, position 3 (n 200)"
    )


def test_a_map_of_small_cells_says_so() -> None:
    assert charts.sentence("heat", cells([1, 2, 3], [0.5, 0.5, 0.5])) == "no cell has 50 chunks"


def test_a_map_writes_numbers_only_where_they_fit() -> None:
    wide = cells([50, 50, 50], [0.1, 0.2, 0.3]).set_column(1, "position", [[1, 2, 13]])
    marks = [layer["mark"]["type"] for layer in charts.specification("heat", wide)["layer"]]
    assert "text" not in marks
    assert heat.WRITTEN_UP_TO == 12


WEEKS = pa.table(
    {
        "week": [date(2026, 11, 9), date(2026, 11, 16)],
        "value": [0.346, 0.292],
        "low": [0.34, 0.285],
        "high": [0.352, 0.298],
        "n": [1000, 1200],
    }
)


def test_weeks_stand_at_midnight_utc_whatever_the_reader_lives_in() -> None:
    rows = charts.specification("small", WEEKS)["data"]["values"]
    assert [row["week"] for row in rows] == [1794182400000, 1794787200000]
    labels = charts.specification("small", WEEKS)["encoding"]["x"]["axis"]["labelExpr"]
    assert labels == "'W' + utcFormat(datum.value, '%V')"


def test_a_small_line_says_where_it_started_and_where_it_is() -> None:
    assert charts.sentence("small", WEEKS) == (
        "34.6% in W46, 29.2% (95% interval 28.5 to 29.8%) in W47"
    )


def test_a_measure_without_a_value_says_so() -> None:
    nothing = WEEKS.set_column(1, "value", pa.array([None, None], pa.float64()))
    assert charts.sentence("small", nothing) == "no value"


def test_days_count_silent_ones() -> None:
    table = pa.table(
        {
            "day": [date(2026, 11, 16), date(2026, 11, 17), date(2026, 11, 18)],
            "requests": [5, 0, 12],
        }
    )
    assert days.describe(table) == (
        "17 requests in 3 days, at most 12 on 18 November, none on 1 days"
    )


@given(st.floats(1e-9, 1e9))
def test_ticks_are_few_even_and_reach_the_top(top: float) -> None:
    at = look.ticks(top)
    gaps = [second - first for first, second in pairwise(at)]
    assert at[0] == 0
    assert at[-1] >= top * (1 - 1e-6)
    assert 3 <= len(at) <= 7
    assert max(gaps) - min(gaps) <= 1e-6 * at[-1]


def test_ticks_of_nothing_are_still_an_axis() -> None:
    assert look.ticks(0) == [0, 0.2, 0.4, 0.6, 0.8, 1.0]


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_a_span_holds_what_it_is_made_for(low: float, more: float) -> None:
    first, last = look.span(low, low + more)
    room = 1e-6 * max(abs(first), abs(last), 1e-9)
    assert first <= low + room
    assert last >= low + more - room
    assert first < last


@given(st.integers(0, 200), st.integers(2, 9))
def test_labels_are_few_and_name_both_ends(length: int, at_most: int) -> None:
    indices = look.spread(length, at_most)
    assert len(indices) <= at_most
    assert indices == sorted(set(indices))
    if length:
        assert indices[0] == 0
        assert indices[-1] == length - 1


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (numbers.rate(0.34561), "34.6%"),
        (numbers.rate(0.0), "0.0%"),
        (numbers.rate(0.0001), "<0.1%"),
        (numbers.rate(None), "–"),
        (numbers.count(1234567), "1,234,567"),
        (numbers.mean(10.06), "10.1"),
        (numbers.fine(-0.126), "−0.13"),
        (numbers.points(-0.0541), "−5.4 points"),
        (numbers.points(0.012), "+1.2 points"),
        (numbers.points(-0.0001), "0.0 points"),
        (numbers.bounds(0.285, 0.298, numbers.rate), "28.5 to 29.8%"),
        (numbers.bounds(None, 0.298, numbers.rate), "–"),
        (numbers.days(date(2026, 11, 16), date(2026, 11, 22)), "16 to 22 November"),
        (numbers.days(date(2026, 11, 30), date(2026, 12, 6)), "30 November to 6 December"),
        (numbers.iso_week(date(2024, 12, 30)), "2025-W01"),
        (numbers.week(date(2026, 1, 5)), "W02"),
    ],
)
def test_numbers_are_written_for_people(said: str, expected: str) -> None:
    assert said == expected


def linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """WCAG 2 contrast ratio."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_marks_stand_out_from_what_is_behind(scheme: str) -> None:
    colours = load_tokens()[scheme]  # type: ignore[index]
    for text in ("ink", "ink2", "ink3", "accent"):
        assert contrast(colours[text], colours["surface"]) >= 4.5
        assert contrast(colours[text], colours["bg"]) >= 4.5
    assert contrast(colours["ink2"], colours["code"]) >= 4.5
    assert contrast(colours["base"], colours["surface"]) >= 3
    assert contrast(colours["ink"], colours["fill"]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_shade_of_the_map_is_further_from_the_surface(scheme: str) -> None:
    colours = load_tokens()[scheme]  # type: ignore[index]
    steps = [contrast(colours[f"heat{step}"], colours["surface"]) for step in range(1, 6)]
    assert all(second / first > 1.2 for first, second in pairwise(steps))
    for step, ink in ((1, "ink"), (2, "ink"), (3, "ink"), (4, "surface"), (5, "surface")):
        assert contrast(colours[f"heat{step}"], colours[ink]) >= 3.8, (step, ink)


# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
SEEN_BY = {
    "protan": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deutan": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritan": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}


@pytest.mark.parametrize(("scheme", "eye"), list(product(("light", "dark"), SEEN_BY)))
def test_this_week_and_before_differ_for_every_eye(scheme: str, eye: str) -> None:
    colours = load_tokens()[scheme]  # type: ignore[index]
    seen = [
        [sum(weight * part for weight, part in zip(row, linear(colours[role]), strict=True))
         for row in SEEN_BY[eye]]
        for role in ("accent", "base")
    ]  # fmt: skip
    assert sum((a - b) ** 2 for a, b in zip(*seen, strict=True)) ** 0.5 > 0.08
