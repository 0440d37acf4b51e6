"""How a week is named: 2026-W47, or the date of its Monday."""

from __future__ import annotations

import re
from datetime import date, timedelta

from analyzer.errors import UsageError

_ISO_WEEK = re.compile(r"(\d{4})-?W(\d{1,2})", re.IGNORECASE)


def monday(named: str) -> date:
    """The Monday that opens the week called `named`; `UsageError` where it names none."""
    by_number = _ISO_WEEK.fullmatch(named)
    day = _by_number(named, *by_number.groups()) if by_number else _by_date(named)
    if day.weekday() != 0:
        opened = day - timedelta(days=day.weekday())
        raise UsageError(
            f"week {named} is a {day:%A}; a week is named by its Monday, here {opened}, "
            f"or as {name(opened)}"
        )
    return day


def name(opened: date) -> str:
    """The ISO name of the week that the Monday `opened` opens."""
    year, week, _ = opened.isocalendar()
    return f"{year:04}-W{week:02}"


def _by_number(named: str, year: str, week: str) -> date:
    try:
        return date.fromisocalendar(int(year), int(week), 1)
    except ValueError:
        raise UsageError(
            f"week {named} does not exist; {year} has weeks W01 to {_last_week(int(year))}"
        ) from None


def _by_date(named: str) -> date:
    try:
        return date.fromisoformat(named)
    except ValueError:
        raise UsageError(
            f"week {named!r} is no week; name it as 2026-W47 or by its Monday, 2026-11-16"
        ) from None


def _last_week(year: int) -> str:
    # 28 December always lies in the last week of its ISO year.
    return f"W{date(max(year, 1), 12, 28).isocalendar().week}"
