"""EndToEndIds: format, minute in UTC, uniqueness."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from gateway.integrations.engines.end_to_end_id import new_end_to_end_id, valid_end_to_end_id

NOON = datetime(2026, 11, 21, 12, 34, 56, tzinfo=UTC)


def test_an_id_has_the_format_of_banco_central():
    made = new_end_to_end_id(NOON)
    assert re.fullmatch(r"E00000000202611211234[A-Za-z0-9]{11}", made)
    assert valid_end_to_end_id(made) == made


def test_the_minute_is_in_utc():
    brasilia = timezone(timedelta(hours=-3))
    late = datetime(2026, 12, 31, 23, 30, tzinfo=brasilia)
    assert new_end_to_end_id(late).startswith("E00000000202701010230")


def test_a_time_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="zone"):
        new_end_to_end_id(NOON.replace(tzinfo=None))


def test_ids_are_unique():
    assert len({new_end_to_end_id(NOON) for _ in range(2000)}) == 2000


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("E12345678202611211200abcDEF12345", True),
        ("E12ABC345202611211200abcDEF12345", True),
        ("D1234567820261121120012345678901", True),
        ("E1234567820261121120012345678901x", False),
        ("E12345678202611211200123456789", False),
        ("E12345678202611211200-bcDEF12345", False),
        ("E12345678202611211200abcDEF1234\n", False),
        ("E12345678202611211200abcDEF1234é", False),
    ],
)
def test_ids_of_banks_are_validated(text: str, valid: bool) -> None:
    assert valid_end_to_end_id(text) == (text if valid else None)
