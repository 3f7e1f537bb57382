"""Dates as callers write them: the only reader for fields, filters, files, jobs and commands (docs/dates.md).

A timestamp has a zone; without one it is UTC. A date alone is a day of São Paulo, or of the zone that the caller names:
as a beginning its first instant, as an end its last one.
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from gateway.values.clock import SAO_PAULO

RESOLUTION = timedelta(microseconds=1)
MIN_YEAR, MAX_YEAR = 1901, 8999
"""`MAX_YEAR` allows for arithmetic with intervals."""
_ISO = re.compile(r"(\d{4}-?\d{2}-?\d{2})(?:[T ][0-9:.,]+(?: ?Z| ?[+-][0-9:.]+)?)?", re.ASCII)
_MALFORMED = "informe uma data, como 2026-12-25, ou data e hora no formato ISO 8601"
_NO_DAY = "informe um dia, como 2026-12-25"
_OUT_OF_RANGE = "data fora do intervalo aceito"
_UNKNOWN_ZONE = "use o nome de um fuso horário da IANA, como America/Sao_Paulo"


def read_beginning(value: object, zone: ZoneInfo = SAO_PAULO, *, max_year: int = MAX_YEAR) -> datetime:
    """The timestamp, with the offset it was written in; of a date, the first instant of that day. Raises ValueError."""
    parsed = _parse(value, max_year)
    return parsed if isinstance(parsed, datetime) else first_instant(parsed, zone).astimezone(zone)


def read_end(value: object, zone: ZoneInfo = SAO_PAULO, *, max_year: int = MAX_YEAR) -> datetime:
    """The timestamp; of a date, the last instant of that day. Raises ValueError."""
    parsed = _parse(value, max_year)
    return parsed if isinstance(parsed, datetime) else last_instant(parsed, zone)


def read_day(value: object) -> date:
    """The day of a date without a time. Raises ValueError."""
    parsed = _parse(value, MAX_YEAR)
    if isinstance(parsed, datetime):
        raise ValueError(_NO_DAY)  # noqa: TRY004  # Pydantic reports it as a field's error.
    return parsed


def first_instant(day: date, zone: ZoneInfo = SAO_PAULO) -> datetime:
    """The first instant of a day, in UTC: midnight, or the first time after it if daylight saving time skips it."""
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def last_instant(day: date, zone: ZoneInfo = SAO_PAULO) -> datetime:
    """The last instant of a day, in UTC, one microsecond before the next day. Raises ValueError for `date.max`."""
    try:
        return first_instant(day + timedelta(days=1), zone) - RESOLUTION
    except OverflowError:
        raise ValueError(_OUT_OF_RANGE) from None


def day_of(instant: datetime, zone: ZoneInfo = SAO_PAULO) -> date:
    """The day of an instant."""
    return instant.astimezone(zone).date()


def is_last_instant(instant: datetime, zone: ZoneInfo = SAO_PAULO) -> bool:
    """Whether an instant is the end of its day, as `read_end` reads a date."""
    return instant == last_instant(day_of(instant, zone), zone)


def read_zone(name: str) -> ZoneInfo:
    """The time zone with this IANA name. Raises ValueError."""
    if name not in zone_names():
        raise ValueError(_UNKNOWN_ZONE)
    return ZoneInfo(name)


@cache
def zone_names() -> frozenset[str]:
    """The IANA names of all time zones."""
    # The package's list, because a system's directory also holds files that are no zones.
    return frozenset((files("tzdata") / "zones").read_text().split())


def _parse(value: object, max_year: int) -> date | datetime:
    parsed = value if isinstance(value, datetime) else _from_text(value)
    if not MIN_YEAR <= parsed.year <= max_year:
        raise ValueError(_OUT_OF_RANGE)
    return parsed.replace(tzinfo=parsed.tzinfo or UTC) if isinstance(parsed, datetime) else parsed


def _from_text(value: object) -> date | datetime:
    text = value.strip().upper() if isinstance(value, str) else ""
    # Python accepts any character between date and time; ISO 8601 has the T, and a space is as common.
    found = _ISO.fullmatch(text)
    if found is None:
        raise ValueError(_MALFORMED)
    try:
        return date.fromisoformat(text) if text == found[1] else datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(_MALFORMED) from None
