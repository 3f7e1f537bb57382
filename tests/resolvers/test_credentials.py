"""The credential query of every request."""

from typing import Any

import pytest

from gateway.models.database import Database, Statement
from gateway.resolvers.core.credentials import BY_KEYS, BY_SESSIONS
from gateway.values.ids import new_id

PLANS = "select generic_plans, custom_plans from pg_prepared_statements where statement = $1"


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        (BY_KEYS, {"hashes": [bytes(32)]}),
        (BY_SESSIONS, {"user_ids": [new_id()], "session_ids": [new_id()]}),
    ],
    ids=["keys", "users"],
)
async def test_the_credential_query_is_planned_once(
    database: Database, statement: Statement, values: dict[str, Any]
) -> None:
    """PostgreSQL makes five custom plans, then caches a generic plan if it is not more expensive."""
    # A unique text: earlier tests on this connection may have planned the statement.
    sql = f"/* {new_id()} */ {statement.sql}"
    async with database.pool.acquire() as connection, connection.transaction():
        await connection.execute("set local plan_cache_mode = auto")  # As in production; other tests disable it.
        for _ in range(8):
            await connection.fetch(sql, *statement.arguments(values))
        plans = await connection.fetchrow(PLANS, sql)
    assert plans["custom_plans"] == 5
    assert plans["generic_plans"] >= 3
