"""Identifiers, RFC 9562."""

import re
import time
import uuid
from datetime import UTC, datetime, timedelta

from gateway.values.ids import first_id_of, new_id, new_txid


def test_new_ids_are_uuids_of_version_7_with_the_current_time() -> None:
    before = time.time_ns() // 1_000_000
    created = uuid.UUID(new_id())
    assert (created.version, created.variant) == (7, uuid.RFC_4122)
    assert before <= created.int >> 80 <= time.time_ns() // 1_000_000


def test_ids_of_one_process_are_in_order_within_a_millisecond() -> None:
    """Rows of one transaction share their timestamps, so their ids give the order."""
    created = [new_id() for _ in range(1000)]
    assert created == sorted(created)
    assert len(set(created)) == 1000


def test_first_id_of_a_timestamp_separates_earlier_ids_from_later_ones() -> None:
    before = new_id()
    time.sleep(0.002)
    boundary = first_id_of(datetime.now(UTC))
    assert before < boundary < new_id()
    assert (uuid.UUID(boundary).version, uuid.UUID(boundary).variant) == (7, uuid.RFC_4122)
    assert first_id_of(datetime.now(UTC) + timedelta(hours=1)) > new_id()


def test_a_txid_begins_with_the_second_of_its_charge_and_is_random_after() -> None:
    before, of = int(time.time()), new_id()
    created = [new_txid(of) for _ in range(1000)]
    assert all(re.fullmatch(r"[0-9a-f]{32}", txid) for txid in created)
    (second,) = {int(txid[:8], 16) for txid in created}
    assert before <= second <= time.time()
    boundary = first_id_of(datetime.fromtimestamp(second, UTC)), first_id_of(datetime.fromtimestamp(second + 1, UTC))
    assert boundary[0] < of < boundary[1]
    assert len({txid[8:] for txid in created}) == 1000
