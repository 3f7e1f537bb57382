"""Batched look-ups: no row is older than its request, and errors reach only the callers of a batch."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from gateway.models.batching import BatchLoader


class Shelf:
    """Rows by key, which a test can change or delay. Records the keys of each look-up."""

    def __init__(self, **rows: int) -> None:
        self.rows: dict[str, Any] = dict(rows)
        self.lookups: list[list[str]] = []
        self.open = asyncio.Event()
        self.open.set()

    async def find(self, keys: list[str]) -> Mapping[str, Any]:
        self.lookups.append(keys)
        found = {key: self.rows[key] for key in keys if key in self.rows}
        await self.open.wait()
        return found


async def _settled() -> None:
    """Run all tasks that are ready."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_concurrent_callers_share_a_lookup() -> None:
    shelf = Shelf(a=1, b=2)
    loader = BatchLoader(shelf.find)

    assert await asyncio.gather(*map(loader.load, "abac")) == [1, 2, 1, None]
    assert shelf.lookups == [["a", "b", "c"]]


async def test_a_running_lookup_serves_only_earlier_callers() -> None:
    shelf = Shelf(a=1)
    loader = BatchLoader(shelf.find)
    shelf.open.clear()
    early = asyncio.create_task(loader.load("a"))
    await _settled()

    del shelf.rows["a"]
    late = asyncio.create_task(loader.load("a"))
    await _settled()
    shelf.open.set()

    assert await early == 1
    assert await late is None


async def test_at_most_two_lookups_run_and_the_next_one_has_all_waiting_keys() -> None:
    shelf = Shelf(a=1, b=2, c=3, d=4)
    loader = BatchLoader(shelf.find)
    shelf.open.clear()
    loads = []
    for key in "abcd":
        loads.append(asyncio.create_task(loader.load(key)))
        await _settled()
    assert shelf.lookups == [["a"], ["b"]]

    shelf.open.set()
    assert await asyncio.gather(*loads) == [1, 2, 3, 4]
    assert shelf.lookups == [["a"], ["b"], ["c", "d"]]


async def test_a_canceled_caller_cancels_no_other() -> None:
    shelf = Shelf(a=1)
    loader = BatchLoader(shelf.find)
    shelf.open.clear()
    gone, stays = asyncio.create_task(loader.load("a")), asyncio.create_task(loader.load("a"))
    await _settled()

    gone.cancel()
    await _settled()
    shelf.open.set()

    assert await stays == 1
    assert gone.cancelled()


async def test_an_error_is_raised_to_its_batch_only() -> None:
    broken = True

    async def find(keys: list[str]) -> Mapping[str, Any]:
        if broken:
            raise ConnectionError("no database")
        return dict.fromkeys(keys, 1)

    loader = BatchLoader(find)
    answers = await asyncio.gather(loader.load("a"), loader.load("b"), return_exceptions=True)
    assert [type(answer) for answer in answers] == [ConnectionError, ConnectionError]

    broken = False
    assert await loader.load("a") == 1


@pytest.mark.parametrize("rounds", [50])
async def test_many_callers_over_many_rounds_each_get_their_own(rounds: int) -> None:
    shelf = Shelf(**{f"k{number}": number for number in range(20)})
    loader = BatchLoader(shelf.find)

    async def load(number: int) -> None:
        for _ in range(rounds):
            assert await loader.load(f"k{number}") == number
            await asyncio.sleep(0)

    await asyncio.gather(*(load(number) for number in range(20)))
    assert len(shelf.lookups) < 20 * rounds / 2


async def test_a_caller_that_arrives_as_the_last_lookups_end_is_served() -> None:
    shelf = Shelf(a=1, b=2, c=3)
    loader = BatchLoader(shelf.find)
    shelf.open.clear()
    loads = []
    for key in "ab":
        loads.append(asyncio.create_task(loader.load(key)))
        await _settled()

    shelf.open.set()
    loads.append(
        asyncio.create_task(loader.load("c"))
    )  # It runs after both lookups, in the same iteration of the loop.
    assert await asyncio.wait_for(asyncio.gather(*loads), 60) == [1, 2, 3]
