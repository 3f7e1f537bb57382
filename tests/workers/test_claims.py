"""The claim compared with a model in Python, over random outboxes, and the plan of its statement."""

import random
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from gateway.models.database import Database
from gateway.resolvers.core.context import Context
from gateway.resolvers.webhooks.claims import CLAIM, MAX_IN_FLIGHT, Lane, claim_due, release
from gateway.values.ids import new_id
from tests import sql
from tests.explain import forget_statistics, nodes, plan_of
from tests.workers.outbox import Endpoint, Outbox

URL = "http://127.0.0.1:1/hook"
TABLE = "webhook_deliveries"
SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Known:
    """A delivery of a random outbox. `late` is in seconds, and negative if it is not due."""

    id: str
    endpoint: str
    late: int
    attempts: int
    leased: bool


Lanes = dict[str, Lane]


def expected(
    deliveries: list[Known], degraded: dict[str, int], off: set[str], limit: int, retry_slots: int, degraded_slots: int
) -> Lanes:
    """The model of a claim.

    Each active endpoint offers its oldest due deliveries, as many as it has free requests. If the oldest is a retry, it
    also offers as many fresh ones, and one of its requests is reserved for them. Retries and degraded endpoints are
    limited by their slots: the oldest retries, and the endpoints whose last attempt is the longest ago. Of all
    these, the first delivery of each endpoint comes before the second of any, and running requests count.

    Of the endpoints whose oldest delivery is a fresh one, only as many as the limit take part.
    """
    lanes: Lanes = {}
    candidates: list[Known] = []
    waiting: list[tuple[int, Known]] = []
    allowances, running = {}, {}
    for endpoint in {delivery.endpoint for delivery in deliveries} - off - _beyond(deliveries, degraded, off, limit):
        own = [delivery for delivery in deliveries if delivery.endpoint == endpoint]
        cap = 1 if endpoint in degraded else MAX_IN_FLIGHT
        running[endpoint] = sum(delivery.leased for delivery in own)
        allowances[endpoint] = allowance = max(0, cap - running[endpoint])
        due = sorted((d for d in own if d.late > 0 and not d.leased), key=lambda d: -d.late)
        if endpoint in degraded:
            waiting += [(degraded[endpoint], one) for one in due[:allowance]]
            continue
        found = due[:allowance]
        if due and due[0].attempts:
            found = list({*found, *[d for d in due if not d.attempts][:allowance]})
        if any(not d.attempts for d in found):
            retry_allowance = MAX_IN_FLIGHT - 1 - sum(delivery.leased and delivery.attempts > 1 for delivery in own)
            oldest = sorted((d for d in found if d.attempts), key=lambda d: -d.late)
            found = [d for d in found if d not in oldest[max(0, retry_allowance) :]]
        lanes |= {one.id: Lane.retry if one.attempts else Lane.fresh for one in found}
        candidates += found
    retries = sorted((d for d in candidates if d.attempts), key=lambda d: -d.late)
    candidates = [d for d in candidates if d not in retries[retry_slots:]]
    for _, one in sorted(waiting, key=lambda tried: (-tried[0], -tried[1].late))[:degraded_slots]:
        lanes[one.id] = Lane.degraded
        candidates.append(one)
    taken: Counter[str] = Counter()
    chosen = []
    for one in sorted(candidates, key=lambda d: -d.late):
        taken[one.endpoint] += 1
        if taken[one.endpoint] <= allowances[one.endpoint]:
            chosen.append((running[one.endpoint] + taken[one.endpoint], -one.late, one.id))
    return {one: lanes[one] for _, _, one in sorted(chosen)[:limit]}


def _beyond(deliveries: list[Known], degraded: dict[str, int], off: set[str], limit: int) -> set[str]:
    """The endpoints that begin with a fresh delivery, after the first of those: these have the fewest running requests,
    and wait the longest.
    """
    found = []
    for endpoint in {delivery.endpoint for delivery in deliveries} - off - set(degraded):
        own = [delivery for delivery in deliveries if delivery.endpoint == endpoint]
        running = sum(delivery.leased for delivery in own)
        due = sorted((d for d in own if d.late > 0 and not d.leased), key=lambda d: -d.late)
        if due and not due[0].attempts and running < MAX_IN_FLIGHT:
            found.append((running, -due[0].late, endpoint))
    return {endpoint for _, _, endpoint in sorted(found)[limit:]}


NEVER = 10**9


async def fill(outbox: Outbox, chance: random.Random) -> tuple[list[Known], dict[str, int], set[str]]:
    """Insert a random outbox. No two deliveries are due in the same second, so the model has one result. Returns the
    deliveries, the degraded endpoints with the seconds since their last attempt, and the inactive endpoints.
    """
    endpoints = [await outbox.endpoint(URL) for _ in range(chance.randint(3, 14))]
    # A delivery that is not due is not due for a minute: the test may be slow.
    late = [seconds if seconds > 0 else seconds * 60 - 3600 for seconds in chance.sample(range(-60, 3000), 160)]
    deliveries = []
    for number in range(chance.randint(10, 160)):
        leased = chance.random() < 0.08
        attempts = chance.choice((1, 2) if leased else (0, 0, 1))
        known = Known(new_id(), chance.choice(endpoints).id, late[number], attempts, leased)
        deliveries.append(known)
    await _insert_deliveries(outbox, endpoints[0], deliveries)
    degraded = {endpoint.id: chance.choice((NEVER, chance.randrange(3000))) for endpoint in endpoints}
    degraded = {endpoint: tried for endpoint, tried in degraded.items() if chance.random() < 0.3}
    off = {endpoint.id for endpoint in endpoints if chance.random() < 0.1}
    await sql.run_many(
        outbox.database,
        """insert into webhook_endpoint_health (endpoint_id, consecutive_failures, degraded, last_attempt_at)
           values ($1, 3, true, $2)""",
        [(one, None if tried == NEVER else datetime.now(UTC) - tried * SECOND) for one, tried in degraded.items()],
    )
    await sql.run(outbox.database, "update webhook_endpoints set active = false where id = any($1)", list(off))
    return deliveries, degraded, off


async def _insert_deliveries(outbox: Outbox, endpoint: Endpoint, deliveries: list[Known]) -> None:
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


@pytest.mark.seeds(12)
async def test_a_claim_follows_the_model(outbox: Outbox, ctx: Context, seed: int) -> None:
    chance = random.Random(seed)
    deliveries, degraded, off = await fill(outbox, chance)
    limit = chance.choice((1, 5, 20, 128))
    slots = {name: chance.choice((0, 1, 4, limit)) for name in ("retry_slots", "degraded_slots")}
    claims = await claim_due(ctx, slots=limit, **slots)
    assert {claim.id: claim.lane for claim in claims} == expected(deliveries, degraded, off, limit, **slots)


async def test_fresh_deliveries_are_claimed_without_slots_for_retries(outbox: Outbox, ctx: Context) -> None:
    """However many retries there are: an endpoint that has just recovered gets the event of the newest payment."""
    endpoints = [await outbox.endpoint(URL) for _ in range(5)]
    await outbox.emit(*endpoints, count=MAX_IN_FLIGHT + 2)
    await sql.run(
        outbox.database, "update webhook_deliveries set attempts = 1, next_attempt_at = now() - interval '1 h'"
    )
    await outbox.emit(*endpoints)
    claims = await claim_due(ctx, slots=3, retry_slots=0, degraded_slots=0)
    assert [(claim.lane, claim.number) for claim in claims] == [(Lane.fresh, 1)] * 3
    claims = await claim_due(ctx, slots=50, retry_slots=50, degraded_slots=0)
    # Each endpoint reserves one of its four requests for a fresh delivery.
    assert Counter(claim.lane for claim in claims) == {Lane.fresh: 2, Lane.retry: 15}
    await outbox.emit(*endpoints)
    assert await claim_due(ctx, slots=50, retry_slots=50, degraded_slots=0) == []
    await release(ctx, claims)
    claims = await claim_due(ctx, slots=50, retry_slots=50, degraded_slots=0)
    assert Counter(claim.lane for claim in claims) == {Lane.fresh: 2, Lane.retry: 15}


async def test_abandoned_claims_are_counted_since_the_last_recorded_attempt(outbox: Outbox, ctx: Context) -> None:
    await outbox.emit(await outbox.endpoint(URL), count=3)
    rows = await outbox.deliveries()
    # The first has all attempts recorded, the second none, and the third those up to number 3.
    for row, attempts, recorded in zip(rows, (40, 5, 9), (40, 0, 3), strict=True):
        await sql.run(outbox.database, "update webhook_deliveries set attempts = $2 where id = $1", row["id"], attempts)
        await sql.run_many(
            outbox.database,
            "insert into webhook_attempts (delivery_id, number, started_at, duration_ms) values ($1, $2, now(), 1)",
            [(row["id"], number) for number in range(1, recorded + 1)],
        )
    abandoned = {claim.id: claim.abandoned for claim in await claim_due(ctx, slots=5, retry_slots=5, degraded_slots=5)}
    assert abandoned == {row["id"]: count for row, count in zip(rows, (0, 5, 6), strict=True)}


async def test_the_claim_scans_no_table(outbox: Outbox, database: Database) -> None:
    await outbox.emit(await outbox.endpoint(URL), count=50)
    # A sequential scan of a small table may be estimated as cheaper, so it is disabled. Dead rows of other tests would
    # change which of two suitable indexes is chosen.
    await sql.run(database, "reindex table webhook_deliveries")
    async with database.pool.acquire() as connection, connection.transaction():
        await forget_statistics(connection)
        await connection.execute("set local enable_seqscan = off")
        plan = await plan_of(connection, CLAIM)
    assert {"ix_webhook_deliveries_due", "ix_webhook_deliveries_fresh"} < {
        node.get("Index Name") for node in nodes(plan)
    }
    assert ("Seq Scan", TABLE) not in {(node["Node Type"], node.get("Relation Name")) for node in nodes(plan)}
