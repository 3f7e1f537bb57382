"""Lookups that share a statement: nobody sees a row older than the question, nobody waits for another's trouble."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from gateway.models.gathering import Gathering, Lanes


class Shelf:
    """Rows by key, which a test can change and hold back; it remembers which keys each lookup carried."""

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
    """Let everything run that can run."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_who_asks_in_the_same_moment_shares_a_lookup() -> None:
    shelf = Shelf(a=1, b=2)
    gathering = Gathering(shelf.find)

    assert await asyncio.gather(*map(gathering.one, "abac")) == [1, 2, 1, None]
    assert shelf.lookups == [["a", "b", "c"]]


async def test_a_lookup_under_way_answers_only_who_asked_before_it_began() -> None:
    shelf = Shelf(a=1)
    gathering = Gathering(shelf.find)
    shelf.open.clear()
    early = asyncio.create_task(gathering.one("a"))
    await _settled()

    del shelf.rows["a"]
    late = asyncio.create_task(gathering.one("a"))
    await _settled()
    shelf.open.set()

    assert await early == 1
    assert await late is None


async def test_two_are_under_way_at_most_and_the_next_one_carries_all_who_wait() -> None:
    shelf = Shelf(a=1, b=2, c=3, d=4)
    gathering = Gathering(shelf.find)
    shelf.open.clear()
    asked = []
    for key in "abcd":
        asked.append(asyncio.create_task(gathering.one(key)))
        await _settled()
    assert shelf.lookups == [["a"], ["b"]]

    shelf.open.set()
    assert await asyncio.gather(*asked) == [1, 2, 3, 4]
    assert shelf.lookups == [["a"], ["b"], ["c", "d"]]


async def test_who_goes_away_takes_nobody_along() -> None:
    shelf = Shelf(a=1)
    gathering = Gathering(shelf.find)
    shelf.open.clear()
    gone, stays = asyncio.create_task(gathering.one("a")), asyncio.create_task(gathering.one("a"))
    await _settled()

    gone.cancel()
    await _settled()
    shelf.open.set()

    assert await stays == 1
    assert gone.cancelled()


async def test_what_fails_fails_for_those_who_waited_and_for_nobody_after_them() -> None:
    broken = True

    async def find(keys: list[str]) -> Mapping[str, Any]:
        if broken:
            raise ConnectionError("no database")
        return dict.fromkeys(keys, 1)

    gathering = Gathering(find)
    answers = await asyncio.gather(gathering.one("a"), gathering.one("b"), return_exceptions=True)
    assert [type(answer) for answer in answers] == [ConnectionError, ConnectionError]

    broken = False
    assert await gathering.one("a") == 1


@pytest.mark.parametrize("rounds", [50])
async def test_many_callers_over_many_rounds_each_get_their_own(rounds: int) -> None:
    shelf = Shelf(**{f"k{number}": number for number in range(20)})
    gathering = Gathering(shelf.find)

    async def ask(number: int) -> None:
        for _ in range(rounds):
            assert await gathering.one(f"k{number}") == number
            await asyncio.sleep(0)

    await asyncio.gather(*(ask(number) for number in range(20)))
    assert len(shelf.lookups) < 20 * rounds / 2


async def test_who_asks_in_the_moment_in_which_the_last_lookups_end_is_not_forgotten() -> None:
    shelf = Shelf(a=1, b=2, c=3)
    gathering = Gathering(shelf.find)
    shelf.open.clear()
    asked = []
    for key in "ab":
        asked.append(asyncio.create_task(gathering.one(key)))
        await _settled()

    shelf.open.set()
    asked.append(asyncio.create_task(gathering.one("c")))  # It runs after both lookups, in the same turn of the loop.
    assert await asyncio.wait_for(asyncio.gather(*asked), 60) == [1, 2, 3]


async def test_no_more_are_asked_at_a_time_than_were_said() -> None:
    shelf = Shelf(a=1, b=2, c=3, d=4, e=5)
    gathering = Gathering(shelf.find, most=2)

    assert await asyncio.gather(*map(gathering.one, "abcde")) == [1, 2, 3, 4, 5]
    assert shelf.lookups == [["a", "b"], ["c", "d"], ["e"]]


class Shelves:
    """A shelf for each lane."""

    def __init__(self, **shelves: Shelf) -> None:
        self.shelves = shelves

    async def find(self, lane: str, keys: list[str]) -> Mapping[str, Any]:
        return await self.shelves[lane].find(keys)


async def test_lanes_share_nothing_and_wait_for_nobody() -> None:
    shelves = Shelves(left=Shelf(a=1, b=2), right=Shelf(a=3))
    lanes = Lanes(shelves.find)
    shelves.shelves["left"].open.clear()
    held = [asyncio.create_task(lanes.one("left", key)) for key in "ab"]
    await _settled()

    assert await lanes.one("right", "a") == 3
    assert len(lanes) == 1, "a lane is kept while somebody is in it"
    shelves.shelves["left"].open.set()
    assert await asyncio.gather(*held) == [1, 2]
    assert shelves.shelves["left"].lookups == [["a", "b"]]
    assert len(lanes) == 0


async def test_a_lane_outlives_who_leaves_it() -> None:
    shelves = Shelves(left=Shelf(a=1, b=2))
    lanes = Lanes(shelves.find)
    shelves.shelves["left"].open.clear()
    gone, stays = (asyncio.create_task(lanes.one("left", key)) for key in "ab")
    await _settled()
    gone.cancel()
    await _settled()
    assert len(lanes) == 1

    shelves.shelves["left"].open.set()
    assert await stays == 2
    assert gone.cancelled()
    assert len(lanes) == 0


async def test_a_lane_is_left_when_what_is_asked_fails() -> None:
    async def fail(_lane: str, _keys: list[str]) -> Mapping[str, Any]:
        raise RuntimeError("broken")

    lanes = Lanes(fail)
    with pytest.raises(RuntimeError, match="broken"):
        await lanes.one("left", "a")
    assert len(lanes) == 0
