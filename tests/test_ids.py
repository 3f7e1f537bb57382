"""Identifiers, RFC 9562."""

import time
import uuid

from gateway.ids import new_id


def test_new_ids_are_uuids_of_version_7_of_this_moment() -> None:
    before = time.time_ns() // 1_000_000
    made = uuid.UUID(new_id())
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert before <= made.int >> 80 <= time.time_ns() // 1_000_000


def test_what_one_process_makes_is_in_order_within_a_millisecond() -> None:
    """Rows of one transaction share their times, so their ids tell which came first."""
    made = [new_id() for _ in range(1000)]
    assert made == sorted(made)
    assert len(set(made)) == 1000
