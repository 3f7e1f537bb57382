"""Deliveries in chosen states."""

from datetime import UTC, datetime, timedelta
from typing import Any

from gateway.models.database import Database
from tests import sql

DUE, DELIVERED, EXHAUSTED, CANCELED = range(4)


async def deliveries_of(
    database: Database, endpoint: dict[str, Any], *states: int, age: timedelta = timedelta(0)
) -> list[str]:
    """Insert deliveries in these states, each a second younger than the one before; returns their ids."""
    ids = []
    for number, state in enumerate(states):
        row = await sql.row(
            database,
            """with event as (
                   insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
                   select uuidv7(), user_id, environment, 'charge.paid', '{}', uuidv7()::text, now()
                     from webhook_endpoints where id = $1 returning id
               )
               insert into webhook_deliveries (event_id, endpoint_id, state, attempts, failures, next_attempt_at,
                                               canceled_reason, created_at, finished_at)
               select id, $1, $2::int, 12, 12, now(), case when $2::int = 3 then 'failing' end, $3, now()
                 from event returning id""",
            endpoint["id"],
            state,
            datetime.now(UTC) - age + timedelta(seconds=number),
        )
        assert row is not None
        ids.append(row["id"])
    return ids
