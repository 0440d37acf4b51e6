"""Which night it is: the date on which it runs, in the store's time zone, and the days before it.

A night looks at days that are over: its own date is never among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from analyzer.measures.rows import Scope
from analyzer.parameters import monday_of

WEEK = timedelta(days=7)


@dataclass(frozen=True)
class Night:
    """The night of a date; `zone` cuts its days."""

    today: date
    zone: ZoneInfo

    @classmethod
    def of(cls, now: datetime, zone: str) -> Night:
        """The night that runs at `now`."""
        return cls(now.astimezone(ZoneInfo(zone)).date(), ZoneInfo(zone))

    @property
    def last_day(self) -> date:
        """The newest day that is over."""
        return self.today - timedelta(days=1)

    @property
    def monday(self) -> date:
        """Of the week that the last day lies in."""
        return monday_of(self.last_day)

    @property
    def seven_days(self) -> Scope:
        """The days that every night looks at."""
        return Scope(self.today - WEEK, self.today)

    def before(self, weeks: int) -> date:
        """The Monday so many whole weeks before the present one."""
        return monday_of(self.today) - weeks * WEEK

    def day_of(self, moment: datetime) -> date:
        """The day of a time; one without an offset is UTC, as the store keeps them."""
        at = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return at.astimezone(self.zone).date()


def words(day: date) -> str:
    """Tuesday 2026-11-17."""
    return f"{day:%A} {day}"
