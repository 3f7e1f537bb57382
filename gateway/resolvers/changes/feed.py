"""The changes of the stores that are followed, read for all streams of a process by two queries per interval. Without a
stream there are none.

Most changes are records of the audit trail, which every change writes in its transaction. Deliveries have no records of
their own, so their state is compared. Both are read with an overlap, because transactions commit in another order than
their times.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import text

from gateway.models.base import Environment
from gateway.models.database import Database, Row, Statement
from gateway.models.webhooks import DeliveryState
from gateway.telemetry import log
from gateway.values.clock import Clock

INTERVAL_SECONDS = 0.5
OVERLAP = timedelta(seconds=10)
MAX_PER_INTERVAL = 500
"""Changes of one store, and of its deliveries, in one interval. Of more, the newest are reported."""
MAX_QUEUED = 1000
"""Changes that wait for a client. A slower client's stream ends; the client reads the lists again."""
DELIVERY = "webhook_delivery"

RECORDS = Statement(
    text("""
select watched.store_id, watched.environment, record.*
  from unnest(cast(:stores as uuid[]), cast(:environments as text[])) watched(store_id, environment)
 cross join lateral (
    (select record_id as id, resource_type, coalesce(resource_id, store_id::text) as resource_id, action, created_at
       from audit_pending
      where chain_id = watched.store_id and environment = watched.environment and created_at > :since
      order by created_at desc limit :max_rows)
    union
    (select id, resource_type, coalesce(resource_id, store_id::text), action, created_at
       from audit_records
      where store_id = watched.store_id and environment = watched.environment and created_at > :since
      order by created_at desc, id desc limit :max_rows)
 ) record
 order by record.created_at, record.id
""")
)
# Of each endpoint the new deliveries, and those that are under way. `created_at` is the database's time.
DELIVERIES = Statement(
    text("""
select watched.store_id, watched.environment, delivery.*
  from unnest(cast(:stores as uuid[]), cast(:environments as text[])) watched(store_id, environment)
  join webhook_endpoints e
    on e.user_id = watched.store_id and e.environment = watched.environment and e.deleted_at is null
 cross join lateral (
    (select id, state, attempts, created_at from webhook_deliveries
      where endpoint_id = e.id and created_at > now() - cast(:overlap as interval)
      order by created_at desc, id desc limit :max_rows)
    union
    (select id, state, attempts, created_at from webhook_deliveries
      where endpoint_id = e.id and state = 0 order by next_attempt_at limit :max_rows)
 ) delivery
 order by delivery.created_at, delivery.id
""")
)


class StoreKey(Struct, frozen=True):
    """A store in one environment."""

    store_id: str
    environment: Environment


class ResourceChange(Struct, frozen=True):
    """A change of one resource. `type` is that of the audit trail, or `DELIVERY`. `pending`: a delivery under way."""

    type: str
    id: str
    action: str
    at: datetime
    pending: bool = False


class Follower:
    """The changes of one stream, in order. Iteration ends after `close`, or when the client is too slow."""

    def __init__(self, feed: "ChangeFeed", key: StoreKey, types: Collection[str]) -> None:
        self._feed = feed
        self._key = key
        self._types = types
        self._changes: asyncio.Queue[ResourceChange | None] = asyncio.Queue()

    def push(self, change: ResourceChange) -> None:
        if change.type not in self._types:
            return
        if self._changes.qsize() >= MAX_QUEUED:
            log.warning("live_client_too_slow", store_id=self._key.store_id)
            self.close()
        else:
            self._changes.put_nowait(change)

    def close(self) -> None:
        self._feed.leave(self._key, self)
        self._changes.put_nowait(None)

    def __aiter__(self) -> "Follower":
        return self

    async def __anext__(self) -> ResourceChange:
        change = await self._changes.get()
        if change is None:
            raise StopAsyncIteration
        return change


class ChangeFeed:
    """Reports the changes of each followed store to its followers."""

    def __init__(self, interval: float = INTERVAL_SECONDS) -> None:
        self._interval = interval
        self._followers: defaultdict[StoreKey, set[Follower]] = defaultdict(set)
        self._known: dict[StoreKey, dict[str, ResourceChange]] = {}
        self._ticker: asyncio.Task[None] | None = None

    async def follow(self, database: Database, clock: Clock, key: StoreKey, types: Collection[str]) -> Follower:
        """Follow the changes after this call."""
        if key not in self._known:
            self._known[key] = (await _read(database, clock, [key]))[key]
        follower = Follower(self, key, types)
        self._followers[key].add(follower)
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.create_task(self._poll(database, clock))
        return follower

    def leave(self, key: StoreKey, follower: Follower) -> None:
        self._followers[key].discard(follower)
        if not self._followers[key]:
            del self._followers[key]
            self._known.pop(key, None)
        if not self._followers and self._ticker is not None:
            self._ticker.cancel()
            self._ticker = None

    async def _poll(self, database: Database, clock: Clock) -> None:
        while True:
            await asyncio.sleep(self._interval)
            try:
                await self._check(database, clock)
            except Exception as error:  # noqa: BLE001  # The streams stay open, and the next interval retries.
                log.warning("live_changes_unread", stores=len(self._followers), exc_info=error)

    async def _check(self, database: Database, clock: Clock) -> None:
        current = await _read(database, clock, list(self._followers))
        for key, found in current.items():
            if key not in self._followers:
                continue
            for change in _news(self._known.get(key, {}), found, clock.now()):
                for follower in list(self._followers.get(key, ())):
                    follower.push(change)
            if key in self._followers:
                self._known[key] = found


def _news(
    known: Mapping[str, ResourceChange], found: Mapping[str, ResourceChange], now: datetime
) -> Iterable[ResourceChange]:
    """What is new or different. A delivery that was under way and is not found any more has ended."""
    for name, change in found.items():
        before = known.get(name)
        if before is None or before.action != change.action:
            yield change
    for name, before in known.items():
        if before.pending and name not in found:
            yield ResourceChange(before.type, before.id, "delivery.ended", now)


async def _read(
    database: Database, clock: Clock, keys: Collection[StoreKey]
) -> dict[StoreKey, dict[str, ResourceChange]]:
    """The latest changes of each store by an id of each."""
    watched = {"stores": [key.store_id for key in keys], "environments": [key.environment.value for key in keys]}
    found: dict[StoreKey, dict[str, ResourceChange]] = {key: {} for key in keys}
    now = clock.now()
    for row in await database.all(RECORDS, **watched, since=now - OVERLAP, max_rows=MAX_PER_INTERVAL):
        found[_key(row)][row["id"]] = ResourceChange(
            row["resource_type"], row["resource_id"], row["action"], row["created_at"]
        )
    for row in await database.all(DELIVERIES, **watched, overlap=OVERLAP, max_rows=MAX_PER_INTERVAL):
        found[_key(row)][row["id"]] = _delivery(row, now)
    return found


def _key(row: Row) -> StoreKey:
    return StoreKey(row["store_id"], Environment(row["environment"]))


def _delivery(row: Mapping[str, Any], now: datetime) -> ResourceChange:
    state = DeliveryState(row["state"])
    action = "created"
    if state is not DeliveryState.due:
        action = state.name
    elif row["attempts"]:
        action = f"attempt_{row['attempts']}"
    return ResourceChange(DELIVERY, row["id"], f"delivery.{action}", now, pending=state is DeliveryState.due)
