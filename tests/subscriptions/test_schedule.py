"""When a subscription is due: month ends, leap years, weeks, years, and the calendar of the written date."""

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.models.subscriptions import Interval
from gateway.resolvers.subscriptions.schedule import CycleLimit, Recurrence, first_cycle, local, upcoming
from gateway.values.clock import SAO_PAULO


def dates(interval: Interval, every: int, first: str, count: int) -> list[str]:
    """The dates of a subscription, in the zone in which the first one was written."""
    written = datetime.fromisoformat(first)
    recurrence = Recurrence.starting(interval, every, written)
    found = islice(recurrence.cycles_from(written.astimezone(UTC)), count)
    return [date.astimezone(written.tzinfo).isoformat()[:16] for date in found]


@pytest.mark.parametrize(
    ("interval", "first", "expected"),
    [
        (
            "monthly",
            "2026-01-31T12:00:00-03:00",
            ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"],
        ),
        ("monthly", "2028-01-30T00:00:00+00:00", ["2028-01-30", "2028-02-29", "2028-03-30"]),
        ("monthly", "2027-01-31T00:00:00+00:00", ["2027-01-31", "2027-02-28", "2027-03-31"]),
        ("monthly", "2026-01-31T23:30:00-03:00", ["2026-01-31", "2026-02-28", "2026-03-31"]),
        (
            "monthly",
            "2026-11-30T09:00:00-03:00",
            ["2026-11-30", "2026-12-30", "2027-01-30", "2027-02-28", "2027-03-30"],
        ),
        ("weekly", "2026-12-28T09:00:00-03:00", ["2026-12-28", "2027-01-04", "2027-01-11"]),
        ("yearly", "2028-02-29T09:00:00-03:00", ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]),
        ("yearly", "2026-03-31T00:00:00+00:00", ["2026-03-31", "2027-03-31"]),
        (
            "quarterly",
            "2026-01-31T12:00:00-03:00",
            ["2026-01-31", "2026-04-30", "2026-07-31", "2026-10-31", "2027-01-31"],
        ),
        ("quarterly", "2027-11-30T12:00:00-03:00", ["2027-11-30", "2028-02-29", "2028-05-30"]),
        ("semiannual", "2026-08-31T12:00:00-03:00", ["2026-08-31", "2027-02-28", "2027-08-31", "2028-02-29"]),
    ],
)
def test_cycles_return_to_their_anchor_day(interval: str, first: str, expected: list[str]) -> None:
    found = dates(Interval(interval), 1, first, len(expected))
    assert [date[:10] for date in found] == expected
    assert {date[11:] for date in found} == {first[11:16]}


def test_dates_are_the_same_step_by_step_and_together() -> None:
    recurrence = Recurrence(Interval.monthly, 1, 31)
    cycle = datetime(2026, 1, 31, 15, tzinfo=UTC)
    whole = list(islice(recurrence.cycles_from(cycle), 40))
    for coming in whole[1:]:
        cycle = recurrence.after(cycle, cycle)
        assert cycle == coming


@given(
    interval=st.sampled_from(Interval),
    every=st.integers(1, 12),
    first=st.integers(0, 40 * 365 * 24 * 3600).map(
        lambda seconds: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    ),
    late=st.timedeltas(timedelta(0), timedelta(days=5000)),
    offset=st.sampled_from([None, 0, -180, 330, -720, 840]),
)
def test_the_next_cycle_is_the_first_one_after_the_time(
    interval: Interval, every: int, first: datetime, late: timedelta, offset: int | None
) -> None:
    recurrence = Recurrence(interval, every, local(first, offset).day, offset)
    when = first + late
    found = recurrence.after(first, when)
    assert found > when
    assert found == next(cycle for cycle in recurrence.cycles_from(first) if cycle > when)
    assert all(one < other for one, other in pairwise(islice(recurrence.cycles_from(first), 60)))
    assert local(found, offset).time() == local(first, offset).time()
    longest = {"weekly": 7, "monthly": 31, "quarterly": 92, "semiannual": 184, "yearly": 366}[interval]
    assert found - when <= timedelta(days=longest * every, hours=1)


def test_a_subscription_without_a_date_begins_an_interval_from_now_in_sao_paulo() -> None:
    late_evening = datetime(2027, 2, 1, 1, 30, tzinfo=UTC)  # Still the 31st of January in São Paulo.
    recurrence, first = first_cycle(Interval.monthly, 1, late_evening)
    assert recurrence == Recurrence(Interval.monthly, 1, 31)
    assert first.astimezone(SAO_PAULO).isoformat() == "2027-02-28T22:30:00-03:00"
    assert recurrence.after(first, first).astimezone(SAO_PAULO).isoformat() == "2027-03-31T22:30:00-03:00"
    assert first_cycle(Interval.weekly, 1, late_evening)[1] == late_evening + timedelta(days=7)
    assert first_cycle(Interval.weekly, 3, late_evening)[1] == late_evening + timedelta(days=21)


def test_a_preview_ends_with_the_subscription() -> None:
    first = datetime(2026, 12, 31, 15, tzinfo=UTC)
    recurrence = Recurrence(Interval.monthly, 1, 31)
    assert len(upcoming(recurrence, CycleLimit(0, None, None), first, 5, first)) == 5
    assert len(upcoming(recurrence, CycleLimit(3, 5, None), first, 5, first)) == 2
    assert upcoming(recurrence, CycleLimit(5, 5, None), first, 5, first) == []
    until = datetime(2027, 2, 28, 15, tzinfo=UTC)
    assert upcoming(recurrence, CycleLimit(0, None, until), first, 5, first)[-1] == until
    assert len(upcoming(recurrence, CycleLimit(0, None, until), first, 5, first)) == 3
    assert len(upcoming(recurrence, CycleLimit(0, None, until - timedelta(seconds=1)), first, 5, first)) == 2
