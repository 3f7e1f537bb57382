"""The status watcher: one query per interval for all streams, and none without streams."""

import asyncio
from collections.abc import Collection
from contextlib import ExitStack

import pytest

from gateway.checkout.status_stream import StatusWatcher
from gateway.errors import RateLimited


class Charges:
    """A fake status query that records its parameters."""

    def __init__(self) -> None:
        self.questions: list[set[str]] = []
        self.moved: dict[str, str] = {}
        self.broken = False

    async def __call__(self, txids: Collection[str]) -> dict[str, str]:
        self.questions.append(set(txids))
        if self.broken:
            raise ConnectionError
        return {txid: status for txid, status in self.moved.items() if txid in txids}


@pytest.fixture
def charges() -> Charges:
    return Charges()


@pytest.fixture
def live(charges: Charges) -> StatusWatcher:
    return StatusWatcher(charges, interval=0.01, max_streams=5, max_per_address=2)


async def test_all_streams_share_one_query_per_interval(charges: Charges, live: StatusWatcher) -> None:
    with live.watch("a", "1.1.1.1") as first, live.watch("a", "2.2.2.2") as second, live.watch("b", "3.3.3.3") as other:
        charges.moved = {"a": "paid"}
        assert await asyncio.wait_for(asyncio.gather(first, second), 60) == ["paid", "paid"]
        assert not other.done()

    assert charges.questions[0] == {"a", "b"}


async def test_without_streams_there_are_no_queries(charges: Charges, live: StatusWatcher) -> None:
    with live.watch("a", "1.1.1.1"):
        await asyncio.sleep(0.03)
    await asyncio.sleep(0.02)
    params = len(charges.questions)
    await asyncio.sleep(0.05)

    assert params > 0
    assert len(charges.questions) == params


async def test_it_recovers_after_a_database_outage(charges: Charges, live: StatusWatcher) -> None:
    charges.broken = True
    with live.watch("a", "1.1.1.1") as moved:
        await asyncio.sleep(0.03)
        assert charges.questions
        charges.broken, charges.moved = False, {"a": "expired"}

        assert await asyncio.wait_for(moved, 60) == "expired"


async def test_streams_per_address_are_limited_and_released(live: StatusWatcher) -> None:
    with live.watch("a", "1.1.1.1"), live.watch("b", "1.1.1.1"):
        with pytest.raises(RateLimited):
            live.admit("1.1.1.1")
        live.admit("2.2.2.2")
    live.admit("1.1.1.1")


async def test_streams_per_process_are_limited(live: StatusWatcher) -> None:
    with ExitStack() as watching:
        for number in range(5):
            watching.enter_context(live.watch("a", str(number)))
        with pytest.raises(RateLimited):
            live.admit("another")
