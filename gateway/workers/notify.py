"""Notify workers through Redis that deliveries are due. A lost notification costs one polling interval."""

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

from gateway.resolvers.core.context import WorkerNotifier
from gateway.telemetry import NOTIFICATIONS_LOST, log

REDIS_TIMEOUT_SECONDS = 0.25
BUCKETS_PER_SECOND = 5


class _Watching(Pipeline):
    """A transaction that releases its connection at once when it is canceled.

    Redis' client would reconnect only to unwatch, wait again for a hung Redis, and leak the connection if canceled.
    """

    async def reset(self) -> None:
        if self.connection and not self.connection.is_connected:
            self.watching = False
        await super().reset()  # type: ignore[no-untyped-call]  # untyped in the library.


class _Queue(ArqRedis):
    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        return _Watching(self.connection_pool, self.response_callbacks, transaction, shard_hint)


def open_queue(redis_url: str, **options: Any) -> ArqRedis:
    """A client of arq's queue, which connects on first use.

    Jobs are JSON: with arq's default, pickle, a writer to Redis could run code here.
    """
    pool = ConnectionPool.from_url(redis_url, socket_connect_timeout=1, max_connections=64, **options)
    return _Queue(pool, job_serializer=orjson.dumps, job_deserializer=orjson.loads)


class Notifiable(Protocol):
    def wake(self) -> None: ...


class RedisNotifier:
    """Sends at most five notifications a second in its own task, so that no request waits for Redis."""

    def __init__(self, queue: ArqRedis) -> None:
        self._queue = queue
        self._requested = asyncio.Event()

    def webhooks(self) -> None:
        self._requested.set()

    async def answers(self) -> bool:
        """Whether Redis answers, within a quarter of a second."""
        try:
            async with asyncio.timeout(REDIS_TIMEOUT_SECONDS):
                await self._queue.ping()
        except (RedisError, OSError, TimeoutError):
            return False
        return True

    async def run(self) -> None:
        """Send requested notifications, until canceled."""
        while True:
            await self._requested.wait()
            self._requested.clear()
            await self._send()
            await asyncio.sleep(1 / BUCKETS_PER_SECOND)

    async def _send(self) -> None:
        # arq sets no socket time-out, so a hung Redis would block the call.
        bucket = int(time.time() * BUCKETS_PER_SECOND)
        try:
            async with asyncio.timeout(REDIS_TIMEOUT_SECONDS):
                await self._queue.enqueue_job("notify_dispatcher", _job_id=f"webhooks:{bucket}")
        except Exception as error:  # noqa: BLE001  # The task must go on for the next notification.
            NOTIFICATIONS_LOST.inc()
            log.debug("notification_lost", error=type(error).__name__)


class LocalNotifier:
    """Wakes the dispatcher of this process directly, and the others through Redis. A test clock waits for its webhooks
    at each step of an advance, so their latency adds up.
    """

    def __init__(self, dispatcher: Notifiable, remote: WorkerNotifier) -> None:
        self._dispatcher = dispatcher
        self._remote = remote

    def webhooks(self) -> None:
        self._dispatcher.wake()
        self._remote.webhooks()

    async def answers(self) -> bool:
        return await self._remote.answers()


@asynccontextmanager
async def open_notifier(queue: ArqRedis) -> AsyncIterator[RedisNotifier]:
    """A running `RedisNotifier`."""
    sender = RedisNotifier(queue)
    task = asyncio.create_task(sender.run(), name="notifier")
    try:
        yield sender
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
