"""`q` of the audit trail: an id, or a prefix of an IP address or of an action."""

import random
import uuid
from typing import Any
from urllib.parse import urlencode

import pytest

from gateway.models.database import Database
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import Api, Merchant

ACTIONS = ("charge.created", "charge.paid", "coupon.updated", "api_key.created")
ADDRESSES = (None, "10.0.0.1", "10.0.0.10", "10.0.1.1", "203.0.113.7", "2001:db8::1", "2001:db8:0:1::1")
RESOURCES = [new_id() for _ in range(3)]
SEARCHES = (
    *("charge", "CHARGE.", "charge.paid", "paid", "%", "a", "nothing", "dead.beef"),
    *("10.0.0.1", "10.0.0.", "10.", "203.0.113.7", "203.0.114", "0.0.1", "2001:DB8:", "2001:db8::1", "::1"),
    *(RESOURCES[0], RESOURCES[1].upper(), new_id()),
)
RECORD = """
insert into audit_records (id, store_id, resource_id, ip, action, actor_type, source, environment, created_at)
select uuidv7(), $1, $2, $3, $4, 'user', 'rest', 'test', now() - make_interval(mins => $5)
"""


@pytest.fixture
async def rows(database: Database, merchant: Merchant) -> list[Any]:
    """Records of the store, the newest first."""
    chance = random.Random(3)
    for _ in range(60):
        values = [chance.choice(one) for one in ((None, *RESOURCES), ADDRESSES, ACTIONS, (1, 40, 60, 3000))]
        await sql.run(database, RECORD, merchant.id, *values)
    query = "select * from audit_trail where store_id = $1 and environment = 'test' order by created_at desc, id desc"
    return await sql.rows(database, query, merchant.id)


def finds(q: str, row: Any) -> bool:
    """Whether `q` finds the row, by docs/audit.md."""
    if _is_id(q):
        return q.lower() in {row["resource_id"], str(row["id"])}
    begun = q.rstrip(".:")
    if ":" in q or ("." in q and all(part.isdigit() for part in begun.split("."))):
        return row["ip"] is not None and str(row["ip"]).startswith(q.lower())
    return str(row["action"]).startswith(q.lower())


def _is_id(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


async def found(api: Api, merchant: Merchant, **query: Any) -> list[str]:
    answer = await api.get(f"/audit?{urlencode(query)}", token=merchant.token)
    assert answer.status_code == 200, answer.text
    return [row["id"] for row in answer.json()["data"]]


async def test_q_finds_ids_and_prefixes(api: Api, merchant: Merchant, rows: list[Any]) -> None:
    for q in (*SEARCHES, str(rows[0]["id"])):
        expected = [row["id"] for row in rows if finds(q, row)]
        assert await found(api, merchant, q=q) == expected, q
        assert await found(api, merchant, q=q, sort="created_at") == expected[::-1], q
        paid = [row["id"] for row in rows if finds(q, row) and row["action"] == "charge.paid"]
        assert await found(api, merchant, q=q, action="charge.paid", page=1, limit=50) == paid[:50], q
