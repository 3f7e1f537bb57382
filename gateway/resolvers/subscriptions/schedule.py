"""When a subscription is due: pure calendar functions.

A monthly subscription of the 31st is due on the last day of shorter months, a quarterly one too: 31 January, 30 April,
31 July. A yearly one of 29 February is due on the 28th until the next leap year. The local time of day never changes.
"""

from calendar import monthrange
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from itertools import islice
from typing import Any

from msgspec import Struct

from gateway.models.subscriptions import Interval
from gateway.values.clock import SAO_PAULO

MONTHS = {Interval.monthly: 1, Interval.quarterly: 3, Interval.semiannual: 6, Interval.yearly: 12}


class Recurrence(Struct, frozen=True):
    """The rule from one cycle to the next: every `count` intervals. Cycles return to `anchor_day` of the month, in the
    calendar of `utc_offset` (minutes east of UTC) or, if that is None, of São Paulo.
    """

    interval: Interval
    count: int
    anchor_day: int
    utc_offset: int | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Recurrence":
        """The recurrence of a subscription's row."""
        return cls(Interval(row["interval"]), row["interval_count"], row["anchor_day"], row["utc_offset"])

    @classmethod
    def starting(cls, interval: Interval, count: int, first: datetime) -> "Recurrence":
        """The recurrence of a subscription whose first date is `first`, in the time zone of that date."""
        offset = first.utcoffset()
        if offset is None or offset == first.astimezone(SAO_PAULO).utcoffset():
            return cls(interval, count, first.astimezone(SAO_PAULO).day)
        return cls(interval, count, first.day, int(offset.total_seconds() // 60))

    def after(self, cycle: datetime, time: datetime) -> datetime:
        """The first cycle after `cycle` that is later than `time`, in UTC."""
        return next(each for each in islice(self.cycles_from(cycle), 1, None) if each > time)

    def cycles_from(self, first: datetime) -> Iterator[datetime]:
        """`first` and all cycles after it, in UTC."""
        start, steps = local(first, self.utc_offset), 0
        while True:
            yield self._at(start, steps) if steps else first
            steps += 1

    def _at(self, start: datetime, steps: int) -> datetime:
        if self.interval is Interval.weekly:
            # Local time arithmetic: a change to summer time moves no charge.
            return (start + timedelta(weeks=steps * self.count)).astimezone(UTC)
        months = steps * self.count * MONTHS[self.interval]
        year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
        day = min(self.anchor_day, monthrange(year, month + 1)[1])
        return start.replace(year=year, month=month + 1, day=day).astimezone(UTC)


def first_cycle(
    interval: Interval, count: int, now: datetime, date: datetime | None = None
) -> tuple[Recurrence, datetime]:
    """The recurrence of a new schedule and its first date, in UTC. The default date is `count` intervals from now, in
    São Paulo.
    """
    if date is not None:
        return Recurrence.starting(interval, count, date), date.astimezone(UTC)
    recurrence = Recurrence.starting(interval, count, now.astimezone(SAO_PAULO))
    return recurrence, recurrence.after(now, now)


class CycleLimit(Struct, frozen=True):
    """The end of a subscription: at most `max_cycles`, of which `cycles` are charged, and none after `until`."""

    cycles: int
    max_cycles: int | None
    until: datetime | None

    def allows(self, cycle: datetime | None) -> bool:
        """Whether one more cycle may be charged, at this time."""
        if self.max_cycles is not None and self.cycles >= self.max_cycles:
            return False
        return self.until is None or cycle is None or cycle <= self.until


def upcoming(recurrence: Recurrence, limit: CycleLimit, first: datetime, count: int, now: datetime) -> list[datetime]:
    """The next `count` cycles, or as many as are left: the first, and those after `now`."""
    left = count if limit.max_cycles is None else min(count, limit.max_cycles - limit.cycles)
    cycles = (cycle for cycle in recurrence.cycles_from(first) if cycle == first or cycle > now)
    found = islice(cycles, max(0, left))
    return [cycle for cycle in found if limit.until is None or cycle <= limit.until]


def local(time: datetime, utc_offset: int | None) -> datetime:
    """The time in the calendar of the offset, or of São Paulo."""
    return time.astimezone(_zone(utc_offset))


@cache
def _zone(utc_offset: int | None) -> tzinfo:
    return SAO_PAULO if utc_offset is None else timezone(timedelta(minutes=utc_offset))
