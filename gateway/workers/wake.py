"""Telling the workers to look now. Redis carries the hint; losing it costs one polling interval and nothing else."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

import orjson
from arq.connections import ArqRedis
from redis.asyncio import ConnectionPool
from redis.asyncio.client import Pipeline
from redis.exceptions import RedisError

from gateway.resolvers.core.context import Wake
from gateway.telemetry import NUDGES_LOST, log

PATIENCE_SECONDS = 0.25
BUCKETS_PER_SECOND = 5


class _Watching(Pipeline):
    """A transaction that lets its connection go at once when it is given up.

    Giving up closes the connection, and with it all that it watched. Redis' client would open it again to say so, wait
    for a hung Redis once more, and, given up a second time, leave the connection to nobody.
    """

    async def reset(self) -> None:
        if self.connection and not self.connection.is_connected:
            self.watching = False
        await super().reset()  # type: ignore[no-untyped-call]  # untyped in the library.


class _Queue(ArqRedis):
    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        return _Watching(self.connection_pool, self.response_callbacks, transaction, shard_hint)


def open_queue(redis_url: str, **options: Any) -> ArqRedis:
    """A Redis client that knows arq's queue; connects when it is first used.

    Jobs travel as JSON: with arq's default, pickle, whoever can write to Redis could run code here.
    """
    pool = ConnectionPool.from_url(redis_url, socket_connect_timeout=1, max_connections=64, **options)
    return _Queue(pool, job_serializer=orjson.dumps, job_deserializer=orjson.loads)


class Wakeable(Protocol):
    """What a nudge wakes: the dispatcher."""

    def wake(self) -> None: ...


class WakeSender:
    """Sends at most five hints a second, from a task of its own: no request waits for Redis."""

    def __init__(self, queue: ArqRedis) -> None:
        self._queue = queue
        self._wanted = asyncio.Event()

    def webhooks(self) -> None:
        self._wanted.set()

    async def answers(self) -> bool:
        """Whether Redis answers, within a quarter of a second."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._queue.ping()
        except (RedisError, OSError, TimeoutError):
            return False
        return True

    async def run(self) -> None:
        """Send hints as they are wanted, until canceled."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            await self._send()
            await asyncio.sleep(1 / BUCKETS_PER_SECOND)

    async def _send(self) -> None:
        # arq sets no socket time-out: against a hung Redis the call would block for as long as it hangs.
        bucket = int(time.time() * BUCKETS_PER_SECOND)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._queue.enqueue_job("webhook_nudge", _job_id=f"webhooks:{bucket}")
        except Exception as error:  # noqa: BLE001  # Whatever it is, this task must be there for the next hint.
            NUDGES_LOST.inc()
            log.debug("nudge_lost", error=type(error).__name__)


class WakesNearby:
    """Wakes the dispatcher of this process at once, and tells the others by Redis. An advance of a test clock waits for
    its webhooks at each step: with a hint that comes around by Redis, or not at all, a year would take minutes.
    """

    def __init__(self, dispatcher: Wakeable, wake: Wake) -> None:
        self._dispatcher = dispatcher
        self._wake = wake

    def webhooks(self) -> None:
        self._dispatcher.wake()
        self._wake.webhooks()

    async def answers(self) -> bool:
        return await self._wake.answers()


@asynccontextmanager
async def open_wake(queue: ArqRedis) -> AsyncIterator[WakeSender]:
    """A running `WakeSender`."""
    sender = WakeSender(queue)
    task = asyncio.create_task(sender.run(), name="wake-sender")
    try:
        yield sender
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
