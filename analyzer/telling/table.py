"""Alarms as a table for programs: every number exact, in the measure's own unit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import pyarrow as pa

from analyzer.stats.episodes import Episode
from analyzer.telling.findings import next_command
from analyzer.telling.sentences import what
from analyzer.telling.spans import plain
from analyzer.watch.alarms import Alarms
from analyzer.watch.causes import Explanation
from analyzer.watch.events import Said
from analyzer.watch.naming import monday_of
from analyzer.watch.raising import raising
from analyzer.watch.weighing import Candidate

_SCHEMA = pa.schema(
    [
        ("alarm", pa.string()),
        ("state", pa.string()),  # raised, persistent, cleared, re-baselined
        ("route", pa.string()),
        ("measure", pa.string()),
        ("began", pa.date32()),  # Monday; the likeliest week
        ("began_earliest", pa.date32()),
        ("began_latest", pa.date32()),
        ("raised", pa.date32()),
        ("rule", pa.string()),
        ("baseline", pa.float64()),
        ("change", pa.float64()),  # at the time of the alarm
        ("low", pa.float64()),  # 95 % interval
        ("high", pa.float64()),
        ("p", pa.float64()),
        ("weeks", pa.int64()),  # held against the baseline
        ("cause", pa.string()),  # its code in the table of causes
        ("cause_points", pa.int64()),  # 0 to 10
        ("speaks_for", pa.string()),
        ("speaks_against", pa.string()),
        ("sentence", pa.string()),
        ("command", pa.string()),
    ]
)


def alarm_table(found: Alarms, explanations: Mapping[str, Explanation]) -> pa.Table:
    """Alarms that stand, those of silence last, and those that ended in the week."""
    open_, ended = (
        [_row(one, found, explanations[one.id].cause) for one in episodes]
        for episodes in (found.open, found.ended)
    )
    silent = [silence_row(one) for one in found.silences]
    return pa.Table.from_pylist([*open_, *silent, *ended], _SCHEMA)


def silence_row(one: Said) -> dict[str, object]:
    """What is missing as a row; change, interval and cause stay empty."""
    what_is_missing = raising(one)
    return {
        "alarm": one.alarm,
        "state": "raised",
        "route": one.route,
        "measure": what_is_missing.measure,
        "raised": one.week,
        "rule": "silence",
        "baseline": what_is_missing.usual,
        "sentence": what_is_missing.sentence,
        "command": what_is_missing.command,
    }


def _row(one: Episode, found: Alarms, cause: Candidate) -> dict[str, object]:
    change, began, week = one.at_first, one.began, found.week_of(one)
    return {
        "alarm": one.id,
        "state": one.state,
        "route": one.route,
        "measure": one.measure,
        "began": _monday(began.week if began else one.opened),
        "began_earliest": _monday(began.earliest if began else one.opened),
        "began_latest": _monday(began.latest if began else one.opened),
        "raised": _monday(one.raised),
        "rule": one.rule,
        "baseline": change.baseline if change else None,
        "change": change.delta if change else None,
        "low": change.low if change else None,
        "high": change.high if change else None,
        "p": change.p if change else None,
        "weeks": change.weeks if change else None,
        "cause": cause.code,
        "cause_points": cause.points,
        "speaks_for": "; ".join(cause.speaks_for),
        "speaks_against": "; ".join(cause.speaks_against),
        "sentence": plain(what(one, week)),
        "command": next_command(one, cause, week),
    }


def _monday(week: int | None) -> date | None:
    return None if week is None else monday_of(week)
