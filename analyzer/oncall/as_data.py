"""An investigation as data for programs: every number exact, times in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from analyzer.oncall.began import Onset, Unknown
from analyzer.oncall.carried import Carried, Dimension
from analyzer.oncall.examples import Example
from analyzer.oncall.investigation import Found
from analyzer.oncall.questions import Investigation
from analyzer.telling.spans import plain
from analyzer.watch.weighing import Candidate


def as_data(one: Investigation) -> dict[str, Any]:
    """What JSON holds; parts of an investigation that are not known are null."""
    return {
        "subject": one.subject,
        "measure": one.measure,
        "sentence": plain(one.headline),
        "week": plain(one.week) or None,
        **(_facts(one.found) if one.found else {}),
        "cause": _cause(one.cause) if one.cause else None,
        "other_causes": [_cause(each) for each in one.others],
        "command": one.command,
    }


def _facts(found: Found) -> dict[str, Any]:
    window = found.window
    return {
        "route": window.route,
        "release": window.release,
        "against": window.against,
        "first_day": window.first_day.isoformat(),
        "next_day": window.next_day.isoformat(),
        **_began(found.began),
        "dated_by": found.dated_by,
        "switches": [
            {"kind": each.kind, "label": each.label, "first_seen": _time(each.first_seen)}
            for each in found.switches
        ],
        "sides_meet": _time(found.moment) if found.moment else None,
        "long_tokens": found.long_tokens,
        "change": _change(found.carried) if found.carried else None,
        "requests": [_request(each) for each in found.examples],
        "requests_from": found.requests_from,
    }


def _began(began: Onset | Unknown) -> dict[str, Any]:
    onset = began if isinstance(began, Onset) else None
    return {
        "began": _time(onset.moment) if onset else None,
        "began_after": _time(onset.earliest) if onset else None,
        "began_before": _time(onset.latest) if onset else None,
        "began_unknown": began.why if isinstance(began, Unknown) else None,
    }


def _time(moment: datetime) -> str:
    return moment.replace(tzinfo=UTC).isoformat()


def _change(carried: Carried) -> dict[str, Any]:
    before, since = carried.requests
    counted = {"requests_before": before, "requests_since": since, "too_few": carried.too_few}
    wholes = {"whole_before": carried.wholes[0], "whole_since": carried.wholes[1]}
    if carried.too_few:
        return counted | wholes | dict.fromkeys(_OF_RATES) | {"dimensions": []}
    ends = carried.change.interval() or (None, None)
    told = (*carried.dimensions, *filter(None, [carried.documents]))
    leading = carried.leading
    values = (*carried.levels, carried.change.value, *ends, vars(leading) if leading else None)
    known = dict(zip(_OF_RATES, values, strict=True))
    return counted | wholes | known | {"dimensions": [_dimension(each) for each in told]}


_OF_RATES = ("before", "since", "change", "low", "high", "leading")  # null where too few


def _dimension(of: Dimension) -> dict[str, Any]:
    labels = [{**vars(one), "total": one.total, "presence": one.presence} for one in of.labels]
    return {
        "dimension": of.name,
        "change": of.change,
        "behaviour": of.behaviour,
        "mix": of.mix,
        "labels": labels,
    }


def _cause(cause: Candidate) -> dict[str, Any]:
    return {
        "cause": cause.code,
        "title": cause.title,
        "points": cause.points,
        "speaks_for": list(cause.speaks_for),
        "speaks_against": list(cause.speaks_against),
    }


def _request(one: Example) -> dict[str, Any]:
    return {**vars(one), "requested_at": _time(one.requested_at)}
