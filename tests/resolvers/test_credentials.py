"""Who holds a credential: what every request asks first."""

from typing import Any

import pytest

from gateway.models.database import Database, Statement
from gateway.resolvers.core.credentials import BY_KEYS, BY_USERS
from gateway.values.ids import new_id

PLANS = "select generic_plans, custom_plans from pg_prepared_statements where statement = $1"


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        (BY_KEYS, {"hashes": [bytes(32)]}),
        (BY_USERS, {"ids": [new_id()], "session_ids": [new_id()]}),
        (BY_USERS, {"ids": [new_id()], "session_ids": []}),
    ],
    ids=["keys", "users", "users of old tokens"],
)
async def test_the_credential_query_is_planned_once(
    database: Database, statement: Statement, values: dict[str, Any]
) -> None:
    """PostgreSQL makes five plans for what is bound, and then keeps one if that promises to be no dearer."""
    # A text of its own: what earlier tests have had planned on this connection, of other tables, counts too.
    sql = f"/* {new_id()} */ {statement.sql}"
    async with database.pool.acquire() as connection, connection.transaction():
        await connection.execute("set local plan_cache_mode = auto")  # As in production, unlike other tests.
        for _ in range(8):
            await connection.fetch(sql, *statement.arguments(values))
        plans = await connection.fetchrow(PLANS, sql)
    assert plans["custom_plans"] == 5
    assert plans["generic_plans"] >= 3
