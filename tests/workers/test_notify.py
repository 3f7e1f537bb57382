"""The hint on its way to Redis: who gives it, how often, and what it survives."""

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
from tests.api import Merchant


class Queue:
    """Takes hints as told for each, and in order from then on."""

    def __init__(self, *first: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._acts = chain(first, repeat(take))
        self.asked = 0
        self.taken: list[str] = []
        self.news = asyncio.Event()

    async def enqueue_job(self, name: str, *, _job_id: str) -> None:
        assert name == "notify_dispatcher"
        self.asked += 1
        self.news.set()
        await next(self._acts)()
        self.taken.append(_job_id)
        self.news.set()

    async def came(self, *, asked: int = 0, taken: int = 0) -> None:
        async with asyncio.timeout(60):
            while self.asked < asked or len(self.taken) < taken:
                self.news.clear()
                await self.news.wait()


async def take() -> None:
    """At once."""


async def hang() -> None:
    await asyncio.Event().wait()


async def refuse() -> None:
    raise ValueError("nobody foresaw this")


def lost() -> float:
    return REGISTRY.get_sample_value("gateway_nudges_lost_total") or 0.0


async def test_a_hint_that_hangs_or_fails_in_any_way_is_counted_and_the_next_one_goes() -> None:
    queue, before = Queue(hang, refuse), lost()
    async with open_notifier(cast("ArqRedis", queue)) as wake:
        for number in range(1, 4):
            wake.webhooks()
            await queue.came(asked=number)
        await queue.came(taken=1)
    assert lost() - before == 2
    assert len(queue.taken) == 1


class Mute:
    """Stands before Redis, and swallows what it says once a client has sent a given word."""

    def __init__(self, word: bytes) -> None:
        self._word = word
        self.speaks = False

    async def serve(self, near: asyncio.StreamReader, answers: asyncio.StreamWriter, socket: str) -> None:
        far, orders = await asyncio.open_unix_connection(socket)
        heard = asyncio.create_task(self._pass_on(far, answers))
        said = b""
        while (data := await near.read(65_536)) and (self.speaks or self._word not in (said := said + data)):
            orders.write(data)
        if data:
            await near.read()
        heard.cancel()
        orders.close()
        answers.close()

    async def _pass_on(self, far: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        while data := await far.read(65_536):
            answers.write(data)


@asynccontextmanager
async def standing_before(redis_url: str, mute: Mute) -> AsyncIterator[str]:
    socket = urlsplit(redis_url).path
    async with await asyncio.start_server(lambda *ends: mute.serve(*ends, socket), "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"redis://127.0.0.1:{port}"


@pytest.mark.parametrize("word", [b"CLIENT", b"WATCH", b"EXISTS", b"EXEC"])
async def test_a_hint_to_a_hung_redis_is_given_up_in_time_and_keeps_no_connection(
    settings: Settings, word: bytes
) -> None:
    mute, before = Mute(word), lost()
    async with standing_before(settings.redis_url, mute) as url:
        queue = open_queue(url)
        try:
            async with open_notifier(queue) as wake:
                for number in range(1, 4):
                    wake.webhooks()
                    async with asyncio.timeout(60):
                        while lost() - before < number:  # noqa: ASYNC110  # A counter announces nothing.
                            await asyncio.sleep(0.01)
                assert not queue.connection_pool._in_use_connections
                mute.speaks = True
                wake.webhooks()
                async with asyncio.timeout(60):
                    while not await queue.keys("arq:job:webhooks:*"):  # noqa: ASYNC110  # Nor does Redis.
                        await asyncio.sleep(0.01)
            assert lost() - before == 3
        finally:
            await queue.aclose(True)


async def test_a_crowd_of_wishes_is_a_few_hints() -> None:
    queue, loop = Queue(), asyncio.get_running_loop()
    started = loop.time()
    async with open_notifier(cast("ArqRedis", queue)) as wake:
        for _ in range(50):
            wake.webhooks()
            await asyncio.sleep(0.02)
        # One at once, and five a second from then on, however long a busy machine took for the fifty.
        most = 1.5 + 5 * (loop.time() - started)
        assert 2 <= queue.asked <= most
    assert len(set(queue.taken)) == len(queue.taken) == queue.asked


async def test_issuing_and_paying_hint_once_each(merchant: Merchant) -> None:
    def woken() -> int:
        return cast("int", merchant.api.services.wake.webhook_calls)  # type: ignore[attr-defined]  # the tests' own wake counts.

    before = woken()
    charge = await merchant.issue()
    assert woken() == before + 1
    await merchant.pay(charge["id"])
    assert woken() == before + 2
