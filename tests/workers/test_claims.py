"""The claim against its rule in Python, over random outboxes; and what it asks of PostgreSQL."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from gateway.ids import new_id
from gateway.models.database import Database
from gateway.resolvers.context import Context
from gateway.resolvers.webhooks.claims import CLAIM, MOST_IN_FLIGHT, claim_due
from tests import sql
from tests.workers.outbox import Endpoint, Outbox

URL = "http://127.0.0.1:1/hook"


@dataclass(frozen=True)
class Known:
    """A delivery as it was made: `late` in whole seconds, negative for one that is not due."""

    id: str
    endpoint: str
    late: int
    attempts: int
    leased: bool


def expected(deliveries: list[Known], degraded: set[str], off: set[str], room: int, slow_room: int) -> dict[str, bool]:
    """The rule: of each active endpoint as many of its oldest as its cap leaves, then the oldest of all, slow ones only
    as far as there are places for them. Ids, and whether each is slow."""
    candidates = []
    for endpoint in {delivery.endpoint for delivery in deliveries} - off:
        own = [delivery for delivery in deliveries if delivery.endpoint == endpoint]
        cap = 1 if endpoint in degraded else MOST_IN_FLIGHT
        allowance = max(0, cap - sum(delivery.leased for delivery in own))
        due = sorted((d for d in own if d.late > 0 and not d.leased), key=lambda d: -d.late)
        candidates += due[:allowance]
    candidates.sort(key=lambda d: -d.late)
    slow = {d.id: d.attempts > 0 or d.endpoint in degraded for d in candidates}
    places = iter(range(slow_room))
    chosen = [d.id for d in candidates if not slow[d.id] or next(places, None) is not None]
    return {one: slow[one] for one in chosen[:room]}


async def fill(outbox: Outbox, chance: random.Random) -> tuple[list[Known], set[str], set[str]]:
    """A random outbox: no two deliveries are due at the same second, so the rule has one answer."""
    endpoints = [await outbox.endpoint(URL) for _ in range(chance.randint(3, 14))]
    # What isn't due yet is far from it: a second may pass on the way to the claim.
    late = [seconds if seconds > 0 else seconds * 60 - 3600 for seconds in chance.sample(range(-60, 3000), 160)]
    deliveries = []
    for place in range(chance.randint(10, 160)):
        leased = chance.random() < 0.08
        known = Known(
            new_id(), chance.choice(endpoints).id, late[place], 1 if leased else chance.choice((0, 0, 1)), leased
        )
        deliveries.append(known)
    await _write(outbox, endpoints[0], deliveries)
    degraded = {endpoint.id for endpoint in endpoints if chance.random() < 0.3}
    off = {endpoint.id for endpoint in endpoints if chance.random() < 0.1}
    await sql.run_many(
        outbox.database,
        "insert into webhook_endpoint_health (endpoint_id, consecutive_failures, degraded) values ($1, 3, true)",
        [(one,) for one in degraded],
    )
    await sql.run(outbox.database, "update webhook_endpoints set active = false where id = any($1)", list(off))
    return deliveries, degraded, off


async def _write(outbox: Outbox, endpoint: Endpoint, deliveries: list[Known]) -> None:
    events = await outbox.emit(endpoint, count=len(deliveries))
    await sql.run(outbox.database, "delete from webhook_deliveries")
    minute = timedelta(minutes=1)
    now = datetime.now(UTC)
    rows = []
    for event, known in zip(events, deliveries, strict=True):
        due = now + minute if known.leased else now - timedelta(seconds=known.late)
        lease = (new_id(), now + minute) if known.leased else (None, None)
        rows.append((known.id, event, known.endpoint, known.attempts, due, *lease))
    await sql.run_many(
        outbox.database,
        """insert into webhook_deliveries
               (id, event_id, endpoint_id, attempts, next_attempt_at, lease_token, lease_until, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, now())""",
        rows,
    )


@pytest.mark.parametrize("seed", range(12))
async def test_the_claim_takes_what_its_rule_says(outbox: Outbox, ctx: Context, seed: int) -> None:
    chance = random.Random(seed)
    deliveries, degraded, off = await fill(outbox, chance)
    room = chance.choice((1, 5, 20, 128))
    slow_room = chance.choice((0, 1, 4, room))
    claims = await claim_due(ctx, room=room, slow_room=slow_room)
    wanted = expected(deliveries, degraded, off, room, slow_room)
    assert {claim.id: claim.slow for claim in claims} == wanted


async def test_without_slow_places_what_is_fresh_behind_a_retry_is_taken(outbox: Outbox, ctx: Context) -> None:
    endpoints = [await outbox.endpoint(URL) for _ in range(5)]
    await outbox.emit(*endpoints, count=2)
    await sql.run(
        outbox.database,
        """update webhook_deliveries set attempts = 1, next_attempt_at = now() - interval '1 h'
            where id in (select distinct on (endpoint_id) id from webhook_deliveries)""",
    )
    claims = await claim_due(ctx, room=3, slow_room=0)
    assert [claim.slow for claim in claims] == [False] * 3


async def test_the_claim_reads_no_table_of_deliveries_from_end_to_end(outbox: Outbox, database: Database) -> None:
    await outbox.emit(await outbox.endpoint(URL), count=50)
    values = {"room": 50, "slow_room": 25, "lease": timedelta(minutes=1), "most_in_flight": MOST_IN_FLIGHT}
    async with database.pool.acquire() as connection, connection.transaction():
        # Of a table as small as here, reading all of it may be estimated cheaper: what counts is that an index can serve.
        await connection.execute("set local enable_seqscan = off")
        plan = await connection.fetch(f"explain {CLAIM.sql}", *CLAIM.arguments(values))
    text = "\n".join(row[0] for row in plan)
    assert "ix_webhook_deliveries_due" in text
    assert "Seq Scan on webhook_deliveries" not in text
