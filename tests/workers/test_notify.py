"""Notifications through Redis: when they are sent, how often, and which failures they survive."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from itertools import chain, repeat
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from arq.connections import ArqRedis
from prometheus_client import REGISTRY

from gateway.settings import Settings
from gateway.workers.notify import open_notifier, open_queue
from tests.api_client import Merchant


class Queue:
    """A queue that handles its first jobs as the test says, and accepts the others."""

    def __init__(self, *first: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._acts = chain(first, repeat(take))
        self.requested = 0
        self.taken: list[str] = []
        self.news = asyncio.Event()

    async def enqueue_job(self, name: str, *, _job_id: str) -> None:
        assert name == "notify_dispatcher"
        self.requested += 1
        self.news.set()
        await next(self._acts)()
        self.taken.append(_job_id)
        self.news.set()

    async def came(self, *, requested: int = 0, taken: int = 0) -> None:
        async with asyncio.timeout(60):
            while self.requested < requested or len(self.taken) < taken:
                self.news.clear()
                await self.news.wait()


async def take() -> None:
    """At once."""


async def hang() -> None:
    await asyncio.Event().wait()


async def refuse() -> None:
    raise ValueError("unexpected")


def lost() -> float:
    return REGISTRY.get_sample_value("gateway_worker_notifications_lost_total") or 0.0


async def test_a_notification_that_hangs_or_fails_is_counted_and_the_next_one_is_sent() -> None:
    queue, before = Queue(hang, refuse), lost()
    async with open_notifier(cast("ArqRedis", queue)) as notifier:
        for number in range(1, 4):
            notifier.webhooks()
            await queue.came(requested=number)
        await queue.came(taken=1)
    assert lost() - before == 2
    assert len(queue.taken) == 1


class Mute:
    """A proxy of Redis that drops all responses after a client has sent `word`."""

    def __init__(self, word: bytes) -> None:
        self._word = word
        self.speaks = False

    async def serve(self, near: asyncio.StreamReader, answers: asyncio.StreamWriter, socket: str) -> None:
        far, orders = await asyncio.open_unix_connection(socket)
        relay = asyncio.create_task(self._relay(far, answers))
        received = b""
        while (data := await near.read(65_536)) and (self.speaks or self._word not in (received := received + data)):
            orders.write(data)
        if data:
            await near.read()
        relay.cancel()
        orders.close()
        answers.close()

    async def _relay(self, far: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        while data := await far.read(65_536):
            answers.write(data)


@asynccontextmanager
async def proxying(redis_url: str, mute: Mute) -> AsyncIterator[str]:
    socket = urlsplit(redis_url).path
    async with await asyncio.start_server(lambda *ends: mute.serve(*ends, socket), "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"redis://127.0.0.1:{port}"


@pytest.mark.parametrize("word", [b"CLIENT", b"WATCH", b"EXISTS", b"EXEC"])
async def test_a_notification_to_a_hanging_redis_times_out_and_leaves_no_connection(
    settings: Settings, word: bytes
) -> None:
    mute, before = Mute(word), lost()
    async with proxying(settings.redis_url, mute) as url:
        queue = open_queue(url)
        try:
            async with open_notifier(queue) as notifier:
                for number in range(1, 4):
                    notifier.webhooks()
                    async with asyncio.timeout(60):
                        while lost() - before < number:  # noqa: ASYNC110  # A counter sends no notification.
                            await asyncio.sleep(0.01)
                assert not queue.connection_pool._in_use_connections
                mute.speaks = True
                notifier.webhooks()
                async with asyncio.timeout(60):
                    while not await queue.keys("arq:job:webhooks:*"):  # noqa: ASYNC110  # Nor does Redis.
                        await asyncio.sleep(0.01)
            assert lost() - before == 3
        finally:
            await queue.aclose(True)


async def test_many_calls_are_few_notifications() -> None:
    queue, loop = Queue(), asyncio.get_running_loop()
    started = loop.time()
    async with open_notifier(cast("ArqRedis", queue)) as notifier:
        for _ in range(50):
            notifier.webhooks()
            await asyncio.sleep(0.02)
        # One at once, then five a second, however slow the machine is.
        maximum = 1.5 + 5 * (loop.time() - started)
        assert 2 <= queue.requested <= maximum
    assert len(set(queue.taken)) == len(queue.taken) == queue.requested


async def test_issuing_and_paying_notify_once_each(merchant: Merchant) -> None:
    def notified() -> int:
        return cast("int", merchant.api.services.notifier.webhook_calls)  # type: ignore[attr-defined]  # the tests' notifier counts.

    before = notified()
    charge = await merchant.issue()
    assert notified() == before + 1
    await merchant.pay(charge["id"])
    assert notified() == before + 2
