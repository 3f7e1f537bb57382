"""The worker's clock is the database's, even if the machine's clock is wrong."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from gateway.models.database import Database
from gateway.models.database_clock import NOW, DatabaseClock


@pytest.mark.parametrize("hours", [1, -1])
async def test_the_database_sets_it_and_the_machine_does_not_change_it(pool: Database, hours: int) -> None:
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=hours), tick=True):
        clock = DatabaseClock()
        assert abs(clock.now() - datetime.now(UTC)) < timedelta(minutes=1)
        await clock.set_by(pool)
        assert abs(clock.now() - await pool.value(NOW)) < timedelta(minutes=1)
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(minutes=1)
