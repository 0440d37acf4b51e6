"""Nights without a file, and nights whose files are rejected more than others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from analyzer.config import Volume
from analyzer.nightly.calendar import WEEK, Night, words
from analyzer.nightly.silence.judged import Judged, share
from analyzer.watch.raising import Raising

NO_FILE, REJECTED = "no_file", "rejected_lines"


@dataclass(frozen=True)
class Loaded:
    """What was loaded on one day: files and their lines."""

    files: int = 0
    read: int = 0
    rejected: int = 0

    def __add__(self, other: Loaded) -> Loaded:
        return Loaded(
            self.files + other.files, self.read + other.read, self.rejected + other.rejected
        )


def no_file(
    loads: Mapping[date, Loaded], first: date | None, night: Night, volume: Volume
) -> Judged:
    """Whether a file came tonight, as on the same weekday of every week before."""
    before = [night.today - n * WEEK for n in range(1, volume.weeks + 1)]
    watched = [day for day in before if first is not None and day >= first]
    usual = len(watched) >= min(2, volume.weeks) and all(day in loads for day in watched)
    missing = True if usual else None
    told = Raising(
        measure=NO_FILE,
        sentence=f"No new file was found in the night of {words(night.today)}; on the same weekday "
        f"of each of the {len(watched)} weeks before there was one",
        command="citelog batches",
    )
    return Judged(None, "no-file", False if night.today in loads else missing, told)


def rejected_lines(loads: Mapping[date, Loaded], night: Night, volume: Volume) -> Judged:
    """The rejected share of what was loaded tonight against that of the weeks before."""
    tonight = loads.get(night.today, Loaded())
    since = night.today - volume.weeks * WEEK
    before = sum((one for day, one in loads.items() if since <= day < night.today), Loaded())
    now, usual = share(tonight.rejected, tonight.read), share(before.rejected, before.read)
    many = tonight.rejected >= volume.least_rejected and now >= usual + volume.rejected
    told = Raising(
        measure=REJECTED,
        sentence=f"{now:.1%} of {tonight.read:,} lines of the night of {words(night.today)} were "
        f"rejected; before it was {usual:.1%}",
        command="citelog rejected",
        usual=usual,
    )
    return Judged(None, "rejected-lines", many if tonight.read else None, told)
