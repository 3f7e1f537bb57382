"""Parsing of dates, shared by all transports."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.values.clock import SAO_PAULO
from gateway.values.dates import (
    RESOLUTION,
    day_of,
    first_instant,
    is_last_instant,
    last_instant,
    read_beginning,
    read_end,
    read_zone,
)

DAYS = st.dates(date(1901, 1, 2), date(8999, 12, 30))
ZONES = st.sampled_from(["America/Sao_Paulo", "America/Manaus", "Asia/Tokyo", "Pacific/Kiritimati", "America/Havana"])


@pytest.mark.parametrize(
    ("text", "beginning", "end"),
    [
        ("2026-12-25", "2026-12-25T03:00:00", "2026-12-26T02:59:59.999999"),
        ("20261225", "2026-12-25T03:00:00", "2026-12-26T02:59:59.999999"),
        (" 2026-12-25 ", "2026-12-25T03:00:00", "2026-12-26T02:59:59.999999"),
        # Summer time began at midnight of 4 November 2018 and ended at midnight of 17 February 2019.
        ("2018-11-04", "2018-11-04T03:00:00", "2018-11-05T01:59:59.999999"),
        ("2018-12-25", "2018-12-25T02:00:00", "2018-12-26T01:59:59.999999"),
        ("2019-02-16", "2019-02-16T02:00:00", "2019-02-17T02:59:59.999999"),
        ("2019-02-17", "2019-02-17T03:00:00", "2019-02-18T02:59:59.999999"),
        ("2019-11-03", "2019-11-03T03:00:00", "2019-11-04T02:59:59.999999"),
    ],
)
def test_a_date_alone_is_a_day_of_sao_paulo(text: str, beginning: str, end: str) -> None:
    assert read_beginning(text) == datetime.fromisoformat(beginning).replace(tzinfo=UTC)
    assert read_end(text) == datetime.fromisoformat(end).replace(tzinfo=UTC)


@given(DAYS, st.times(timezones=st.none() | st.just(UTC)), st.integers(-14 * 60, 14 * 60) | st.none())
def test_a_time_is_the_same_instant_as_beginning_and_end(day: date, at: time, offset: int | None) -> None:
    zone = at.tzinfo if offset is None else timezone(timedelta(minutes=offset))
    timestamp = datetime.combine(day, at, zone)
    expected = timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)
    assert read_beginning(timestamp.isoformat()) == read_end(timestamp.isoformat(sep=" ")) == expected
    assert read_beginning(timestamp.isoformat()).utcoffset() == expected.utcoffset()


@given(DAYS, ZONES)
def test_days_follow_one_another_without_a_gap(day: date, name: str) -> None:
    zone = ZoneInfo(name)
    following = day + timedelta(days=1)
    assert read_end(day.isoformat(), zone).astimezone(UTC) + RESOLUTION == first_instant(following, zone)
    assert day_of(read_beginning(day.isoformat(), zone), zone) == day == day_of(read_end(day.isoformat(), zone), zone)
    assert is_last_instant(last_instant(day, zone), zone)
    assert not is_last_instant(first_instant(day, zone), zone)


@given(DAYS, st.times())
def test_a_timestamp_is_within_the_bounds_of_its_day(day: date, at: time) -> None:
    timestamp = datetime.combine(day, at, SAO_PAULO).astimezone(UTC)
    day_text = day_of(timestamp).isoformat()
    assert read_beginning(day_text) <= timestamp <= read_end(day_text)


@pytest.mark.parametrize(
    "text",
    ["", "amanhã", "2026-13-01", "2026-02-30", "2026-W52", "2026-1-1", "25/12/2026", "2026-12-25T", "2026-12-25T25:00",
     "2026-12-25T00:00 03:00", "2026-12-25x00:00", "1900-12-31", "9000-01-01", "0001-01-01", "٢٠٢٦-12-25", None, 5, True, {}],
)  # fmt: skip
def test_invalid_dates_are_refused(text: object) -> None:
    for read in (read_beginning, read_end):
        with pytest.raises(ValueError, match=r"informe uma data|fora do intervalo"):
            read(text)


@pytest.mark.parametrize(
    "name", ["", "UTC+3", "-03:00", "america/sao_paulo", "localtime", "../etc/passwd", "America", "Brazil"]
)
def test_a_zone_without_an_iana_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="IANA"):
        read_zone(name)


def test_zones_by_name() -> None:
    assert read_zone("America/Manaus").key == "America/Manaus"
    assert read_zone("UTC").utcoffset(datetime(2026, 1, 1, tzinfo=UTC)) == timedelta(0)
