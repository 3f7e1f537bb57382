"""Identifiers, RFC 9562."""

import re
import time
import uuid
from datetime import UTC, datetime, timedelta

from gateway.values.ids import first_id_of, new_id, new_txid


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


def test_the_first_id_of_a_moment_parts_what_was_made_before_it_from_what_was_made_after() -> None:
    before = new_id()
    time.sleep(0.002)
    parting = first_id_of(datetime.now(UTC))
    assert before < parting < new_id()
    assert (uuid.UUID(parting).version, uuid.UUID(parting).variant) == (7, uuid.RFC_4122)
    assert first_id_of(datetime.now(UTC) + timedelta(hours=1)) > new_id()


def test_a_txid_begins_with_the_second_of_its_charge_and_is_chance_beyond() -> None:
    before, of = int(time.time()), new_id()
    made = [new_txid(of) for _ in range(1000)]
    assert all(re.fullmatch(r"[0-9a-f]{32}", txid) for txid in made)
    (second,) = {int(txid[:8], 16) for txid in made}
    assert before <= second <= time.time()
    parting = first_id_of(datetime.fromtimestamp(second, UTC)), first_id_of(datetime.fromtimestamp(second + 1, UTC))
    assert parting[0] < of < parting[1]
    assert len({txid[8:] for txid in made}) == 1000
