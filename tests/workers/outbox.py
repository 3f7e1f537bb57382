"""Insert endpoints and events into the outbox, and read their deliveries."""

import asyncio
from dataclasses import dataclass
from typing import Any, Self

import orjson

from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.security import new_webhook_secret
from gateway.values.ids import new_id
from tests import sql

NEW_STORE = """insert into users (id, name, email, password_hash, created_at, updated_at)
               values ($1::uuid, 'Ana', $1::uuid::text || '@example.com', '', now(), now())"""
NEW_ENDPOINT = """insert into webhook_endpoints
    (id, user_id, environment, name, url, secret, secret_preview, events, created_at, updated_at)
    values ($1, $2, $3, 'loja', $4, $5, $6, '{}', now(), now())"""
NEW_EVENT = """insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
               values ($1::uuid, $2, $3, 'charge.paid', $4, $1::uuid::text, now())"""
NEW_DELIVERY = (
    "insert into webhook_deliveries (event_id, endpoint_id, next_attempt_at, created_at) values ($1, $2, now(), now())"
)


@dataclass
class Endpoint:
    id: str
    environment: str
    secret: str


@dataclass
class Outbox:
    """A store's outbox."""

    services: Services
    database: Database
    store_id: str

    @classmethod
    async def open(cls, services: Services, database: Database) -> Self:
        store_id = new_id()
        await sql.run(database, NEW_STORE, store_id)
        return cls(services, database, store_id)

    async def endpoint(self, url: str, environment: str = "test") -> Endpoint:
        endpoint = Endpoint(new_id(), environment, new_webhook_secret())
        encrypted = self.services.vault.encrypt(endpoint.secret)
        await sql.run(
            self.database, NEW_ENDPOINT, endpoint.id, self.store_id, environment, url, encrypted, endpoint.secret[:12]
        )
        return endpoint

    async def emit(self, *endpoints: Endpoint, count: int = 1) -> list[str]:
        """Insert `count` events for endpoints of one environment; returns their ids."""
        ids = [new_id() for _ in range(count)]
        environment = endpoints[0].environment
        events = [(i, self.store_id, environment, orjson.dumps({"id": i, "data": {"name": "José 🎉"}})) for i in ids]
        async with self.database.pool.acquire() as connection, connection.transaction():
            await connection.executemany(NEW_EVENT, events)
            await connection.executemany(NEW_DELIVERY, [(i, endpoint.id) for i in ids for endpoint in endpoints])
        return ids

    async def deliveries(self) -> list[dict[str, Any]]:
        rows = await sql.rows(self.database, "select * from webhook_deliveries order by created_at, id")
        return [dict(row) for row in rows]

    async def attempts(self) -> list[dict[str, Any]]:
        rows = await sql.rows(self.database, "select * from webhook_attempts order by started_at, number")
        return [dict(row) for row in rows]

    async def states(self) -> dict[int, int]:
        rows = await sql.rows(self.database, "select state, count(*) from webhook_deliveries group by state")
        return {row[0]: row[1] for row in rows}

    async def health(self, endpoint: Endpoint) -> dict[str, Any]:
        row = await sql.row(self.database, "select * from webhook_endpoint_health where endpoint_id = $1", endpoint.id)
        return dict(row) if row else {}

    async def settled(self, seconds: float = 60.0) -> dict[int, int]:
        """Wait until no delivery is pending; returns how many are in each state."""
        async with asyncio.timeout(seconds):
            while 0 in (states := await self.states()):  # noqa: ASYNC110  # PostgreSQL sends no notification.
                await asyncio.sleep(0.01)
        return states
