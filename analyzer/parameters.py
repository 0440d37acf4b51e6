"""What a person or a program may give as the value of a question's parameter.

Values arrive as text (from the command line) or as Python values (from the API) and leave as
what DuckDB binds. Nothing is coerced silently: what does not fit is said in one sentence.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone

from analyzer.errors import UsageError

MOST = 9999
# The weeks that records may lie in (1970 to 2199, in any time zone); nothing counted from one of
# them leaves the calendar.
FIRST_DAY = date(1969, 12, 29)
LAST_DAY = date(2200, 1, 5)
_ISO_WEEK = re.compile(r"(?P<year>\d{4})-?W(?P<week>\d{2})")


def week_named(text: str) -> date:
    """The Monday of `2026-W47`, or `text` itself where it is a Monday's date.

    Raises `UsageError` for any other day of the week, for text that is no date and for weeks that
    no record lies in.
    """
    return _monday("week", day_named("week", text))


def monday_of(day: date) -> date:
    """The Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def offset_named(text: str) -> timezone:
    """The zone of an offset as `+02:00` or `Z`. Raises `UsageError` for other text."""
    try:
        offset = datetime.strptime(text.replace("Z", "+00:00"), "%z").utcoffset()
    except ValueError:
        offset = None
    if offset is None:
        raise UsageError(f"offset {text!r} is not one; write it as +02:00 or Z")
    return timezone(offset)


def value_of(name: str, sql_type: str, given: object) -> date | int | str:
    """`given` as the value of the parameter `name`; a parameter named `week` takes Mondays only."""
    if sql_type == "DATE":
        # What the program counts back from a legal week, as a date, may lie before all records.
        day = day_named(name, given) if isinstance(given, str) else _day(name, given)
        return _monday(name, day) if name == "week" else day
    if sql_type == "INTEGER":
        return _count(name, given)
    if not isinstance(given, str):
        raise UsageError(f"{name} is {given!r}, but text is needed")
    return given


def day_named(name: str, text: str) -> date:
    """The day that `text` gives for `name`; raises `UsageError`, as for days no record lies in."""
    day = _day(name, text)
    if not FIRST_DAY <= day <= LAST_DAY:
        raise UsageError(f"{name} {day} is outside the years 1970 to 2199, where all records lie")
    return day


def _day(name: str, given: object) -> date:
    if type(given) is date:  # a datetime is a date too, and would lose its hours
        return given
    try:
        return _parsed_day(str(given))
    except ValueError:
        example = "2026-W47 or its Monday 2026-11-16" if name == "week" else "2026-11-16"
        raise UsageError(f"{name} is {str(given)!r}, which is no such thing as {example}") from None


def _parsed_day(text: str) -> date:
    match = _ISO_WEEK.fullmatch(text)
    if match:
        return date.fromisocalendar(int(match["year"]), int(match["week"]), 1)
    return date.fromisoformat(text)


def _monday(name: str, day: date) -> date:
    if day.isoweekday() == 1:
        return day
    year, week, _ = day.isocalendar()
    raise UsageError(
        f"{name} {day} is a {day:%A}; a week is named by its Monday, here {monday_of(day)}, "
        f"or as {year}-W{week:02}"
    )


def _count(name: str, given: object) -> int:
    is_count = isinstance(given, int) and not isinstance(given, bool)
    is_digits = isinstance(given, str) and given.isascii() and given.isdigit()
    if (is_count or is_digits) and 0 <= int(str(given)) <= MOST:
        return int(str(given))
    raise UsageError(f"{name} is {given!r}, but a whole number from 0 to {MOST} is needed")
