"""Valid bodies, inserted subscriptions, and results of a billing run."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from gateway.models.database import Database
from gateway.models.pool import Connection
from gateway.resolvers.core.context import Context, Services, system_context
from gateway.resolvers.subscriptions.billing import BillingOptions
from gateway.resolvers.subscriptions.billing_job import bill
from gateway.resolvers.subscriptions.summary import BillingSummaryView
from gateway.values.clock import SAO_PAULO
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import PAYER, Merchant
from tests.fake_clock import MovedClock

INSERT = """insert into subscriptions (id, user_id, environment, customer_id, customer_name, customer_email, customer_cpf,
    amount, interval, interval_count, status, next_billing_at, anchor_day, end_date, max_cycles, cycles_count, created_at, updated_at)
    values ($1, $2, $3, $4, 'José Pagador', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16)"""


def subscription_order(**changes: Any) -> dict[str, Any]:
    return {**PAYER, "amount": 49.9, "description": "Plano ouro", **changes}


async def subscribed(merchant: Merchant, **changes: Any) -> dict[str, Any]:
    """Create a subscription; returns the API's `data`."""
    answer = await merchant.api.post("/subscriptions", subscription_order(**changes), token=merchant.key)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()["data"]
    return made


async def read_subscription(merchant: Merchant, subscription_id: str) -> dict[str, Any]:
    answer = await merchant.api.get(f"/subscriptions/{subscription_id}", token=merchant.key)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["data"]
    return found


async def put_subscriptions(
    database: Database, store: str, rows: Sequence[dict[str, Any]], *, due: datetime
) -> list[str]:
    """Insert subscriptions, due a month after they were created. Returns their ids."""
    ids = [new_id() for _ in rows]
    plain = {
        "environment": "test",
        "customer_id": None,
        "customer_email": "jose@example.com",
        "customer_cpf": "52998224725",
        "amount": 4990,
        "interval": "monthly",
        "interval_count": 1,
        "status": "active",
        "next_billing_at": due,
        "anchor_day": due.astimezone(SAO_PAULO).day,
        "end_date": None,
        "max_cycles": None,
        "cycles_count": 0,
        "created_at": due - timedelta(days=30),
    }
    whole = [(row_id, store, *(plain | row).values()) for row_id, row in zip(ids, rows, strict=True)]
    await sql.run_many(database, INSERT, whole)
    return ids


@dataclass(frozen=True)
class Cycle:
    """A charge of a cycle in the database."""

    subscription_id: str
    billing_cycle: datetime
    status: str


class Biller(Struct):
    """Runs the job as a worker does, and reads its results."""

    services: Services
    clock: MovedClock

    @property
    def ctx(self) -> Context:
        return system_context(self.services, source="job", request_id="a run")

    async def run(self, **params: Any) -> BillingSummaryView:
        return await bill(self.ctx, BillingOptions(**params))

    async def cycles(self) -> list[Cycle]:
        query = (
            "select subscription_id, billing_cycle, status from charges where billing_cycle is not null order by 2, 1"
        )
        return [Cycle(*row) for row in await sql.rows(self.services.database, query)]

    async def count(self, query: str) -> int:
        """`select count(*) from` the query."""
        found: int = await sql.value(self.services.database, f"select count(*) from {query}")
        return found


def counts(summary: BillingSummaryView) -> dict[str, int]:
    """The counts that are not zero."""
    names = ("analisadas", "cobradas", "ja_cobradas", "falhas", "sem_data")
    return {name: getattr(summary, name) for name in names if getattr(summary, name)}


@asynccontextmanager
async def lock_subscriptions(
    database: Database, ids: Sequence[str], how: str = "for update"
) -> AsyncIterator[Connection]:
    """Lock these subscriptions in another transaction."""
    async with database.transaction() as transaction:
        query = f"select id from subscriptions where id = any($1) order by id {how}"
        await transaction.connection.execute(query, ids)
        yield transaction.connection


async def wait_until_blocked(database: Database, task: asyncio.Task[Any], statements: int = 1) -> None:
    """Wait until this many statements wait for a lock."""
    waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    while await sql.value(database, waiting) < statements:
        assert not task.done()
        await asyncio.sleep(0.01)
