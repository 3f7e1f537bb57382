"""When a subscription is due: pure reckoning, in the calendar that the merchant thinks in.

A monthly subscription of the 31st is due on the last day of shorter months and returns to the 31st; a yearly one of
29 February is due on the 28th until the next leap year. Hours stay what they were on the merchant's wall.
"""

from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from itertools import islice

from msgspec import Struct

from gateway.models.subscriptions import Interval
from gateway.values.clock import SAO_PAULO

MONTHS = {Interval.monthly: 1, Interval.yearly: 12}
WEEK = timedelta(weeks=1)


class Rhythm(Struct, frozen=True):
    """How a subscription's cycles follow one another. `anchor_day` is the day of the month that they return to, in the
    calendar of `utc_offset` (minutes east of UTC) or, where that is None, of São Paulo.
    """

    interval: Interval
    anchor_day: int
    utc_offset: int | None = None

    @classmethod
    def starting(cls, interval: Interval, first: datetime) -> "Rhythm":
        """The rhythm of a subscription whose first date is `first`, which has the zone in which it was written."""
        offset = first.utcoffset()
        if offset is None or offset == first.astimezone(SAO_PAULO).utcoffset():
            return cls(interval, first.astimezone(SAO_PAULO).day)
        return cls(interval, first.day, int(offset.total_seconds() // 60))

    def after(self, cycle: datetime, moment: datetime) -> datetime:
        """The first cycle after `cycle` that is later than `moment`, in UTC."""
        there = local(cycle, self.utc_offset)
        steps = max(1, self._steps(there, moment) - 1)
        while (found := self._at(there, steps)) <= moment:
            steps += 1
        return found

    def cycles_from(self, first: datetime) -> Iterator[datetime]:
        """`first` and all cycles that follow, in UTC."""
        there, steps = local(first, self.utc_offset), 0
        while True:
            yield self._at(there, steps) if steps else first
            steps += 1

    def _steps(self, there: datetime, moment: datetime) -> int:
        """About how many cycles lie between; never too many by more than one."""
        if self.interval is Interval.weekly:
            return (moment - there) // WEEK
        reached = moment.astimezone(there.tzinfo)
        months = (reached.year - there.year) * 12 + reached.month - there.month
        return months // MONTHS[self.interval]

    def _at(self, there: datetime, steps: int) -> datetime:
        if self.interval is Interval.weekly:
            # On the wall clock: a change to summer time moves no charge.
            return (there + steps * WEEK).astimezone(UTC)
        year, month = divmod(there.year * 12 + there.month - 1 + steps * MONTHS[self.interval], 12)
        day = min(self.anchor_day, monthrange(year, month + 1)[1])
        return there.replace(year=year, month=month + 1, day=day).astimezone(UTC)


def first_cycle(interval: Interval, now: datetime, date: datetime | None = None) -> tuple[Rhythm, datetime]:
    """The rhythm of a new schedule and its first date, in UTC: the one that was asked for, or one interval from now, in
    São Paulo.
    """
    if date is not None:
        return Rhythm.starting(interval, date), date.astimezone(UTC)
    rhythm = Rhythm.starting(interval, now.astimezone(SAO_PAULO))
    return rhythm, rhythm.after(now, now)


class Extent(Struct, frozen=True):
    """How long a subscription goes on: `cycles` charged so far, of at most `most`, and none after `until`."""

    cycles: int
    most: int | None
    until: datetime | None

    def holds(self, cycle: datetime | None) -> bool:
        """Whether there is a further cycle, at this moment."""
        if self.most is not None and self.cycles >= self.most:
            return False
        return self.until is None or cycle is None or cycle <= self.until


def upcoming(rhythm: Rhythm, extent: Extent, first: datetime, count: int) -> list[datetime]:
    """The next `count` cycles, or as many as are left."""
    left = count if extent.most is None else min(count, extent.most - extent.cycles)
    found = islice(rhythm.cycles_from(first), max(0, left))
    return [cycle for cycle in found if extent.until is None or cycle <= extent.until]


def local(moment: datetime, utc_offset: int | None) -> datetime:
    """The moment on the wall of a calendar."""
    return moment.astimezone(_zone(utc_offset))


@cache
def _zone(utc_offset: int | None) -> tzinfo:
    return SAO_PAULO if utc_offset is None else timezone(timedelta(minutes=utc_offset))
