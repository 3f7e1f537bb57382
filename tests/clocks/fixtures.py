"""Advance a test store's clock through the API, with a worker in this process."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from gateway.models.database import Database
from gateway.resolvers.clocks.advance import AdvanceConfig, advance_clocks
from gateway.resolvers.core.context import Context, Services, system_context
from tests import sql
from tests.api_client import Merchant

QUICK = AdvanceConfig(seconds=20.0, poll_seconds=0.001)
"""Polls often, and completes an advance in one batch even on a slow machine."""
STORES_TABLES = {
    "charges": "user_id",
    "issuances": "user_id",
    "subscriptions": "user_id",
    "webhook_events": "user_id",
    "webhook_endpoints": "user_id",
    "customers": "user_id",
    "coupons": "user_id",
    "payment_links": "user_id",
    "test_clocks": "store_id",
}


def job(services: Services) -> Context:
    return system_context(services, source="job", request_id="an advance")


def instant(text: str) -> datetime:
    """A timestamp of a response."""
    return datetime.fromisoformat(text)


async def read_clock(merchant: Merchant) -> dict[str, Any]:
    """`GET /test-clock`."""
    answer = await merchant.api.get("/test-clock", token=merchant.key)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()["data"]
    return result


async def start_advance(merchant: Merchant, to: datetime) -> dict[str, Any]:
    """Request an advance without running a worker."""
    answer = await merchant.api.post("/test-clock/advance", {"to": to.isoformat()}, token=merchant.key)
    assert answer.status_code == 202, answer.text
    result: dict[str, Any] = answer.json()["data"]
    return result


async def advance(merchant: Merchant, to: datetime, config: AdvanceConfig = QUICK) -> dict[str, Any]:
    """Request an advance and run a worker until it completes."""
    await start_advance(merchant, to)
    return await complete_advance(merchant, config)


async def complete_advance(merchant: Merchant, config: AdvanceConfig = QUICK) -> dict[str, Any]:
    """Run a worker until the current advance completes."""
    while (result := await read_clock(merchant))["status"] == "advancing":
        await advance_clocks(job(merchant.api.services), config)
    return result


async def charges_of(merchant: Merchant, **filters: str) -> list[dict[str, Any]]:
    """The store's charges, the oldest first."""
    query = "&".join(["limit=100", *(f"{name}={value}" for name, value in filters.items())])
    answer = await merchant.api.get(f"/pix?{query}", token=merchant.key)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return sorted(found, key=lambda charge: (charge["created_at"], charge["id"]))


async def dump_rows(database: Database, stores: Sequence[str], environment: str | None = None) -> dict[str, list[str]]:
    """Every row of these stores as text, by table. `environment` filters tables with that column."""
    found = {}
    for table, holder in STORES_TABLES.items():
        where = f"{holder} = any($1::uuid[])"
        if environment and table != "test_clocks":
            where += f" and environment = '{environment}'"
        rows = await sql.rows(
            database, f"select t::text as row from {table} t where {where} order by 1", list(stores)
        )  # our own names.
        found[table] = [row["row"] for row in rows]
    of_deliveries = """select d::text as row from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
        where e.user_id = any($1::uuid[]) and ($2::text is null or e.environment = $2) order by 1"""
    rows = await sql.rows(database, of_deliveries, list(stores), environment)
    return found | {"webhook_deliveries": [row["row"] for row in rows]}
