"""Whose turn it is to export. All stores share the few connections that cursors may keep, so each has two exports under
way in a process. Another one waits, and holds no connection meanwhile.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from gateway.errors import ExportsUnderway

MOST_OF_ONE = 2
"""Exports of one store side by side."""
LONGEST_WAIT = 50.0
"""Seconds until a turn: proxies give an answer up that hasn't begun after a minute."""
_places: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
"""Of each store that is exporting or waiting to."""


@asynccontextmanager
async def turn_of(store_id: str, receive: Receive, *, longest: float = LONGEST_WAIT) -> AsyncIterator[None]:
    """Around an export of the store's, in the order in which they came. Raises `ExportsUnderway` where it can't have
    its turn in time, and `ClientDisconnect` where whoever asked for it has gone.
    """
    places = _places.setdefault(store_id, asyncio.Semaphore(MOST_OF_ONE))
    await _wait(places, receive, longest)
    try:
        yield
    finally:
        places.release()


async def _wait(places: asyncio.Semaphore, receive: Receive, longest: float) -> None:
    if not places.locked():
        await places.acquire()  # Which is at once.
        return
    waiting = asyncio.timeout(longest)
    gone = asyncio.create_task(_give_up_if_gone(receive, waiting))
    try:
        async with waiting:
            await places.acquire()
    except TimeoutError:
        raise ClientDisconnect if gone.done() else ExportsUnderway from None
    finally:
        gone.cancel()


async def _give_up_if_gone(receive: Receive, waiting: asyncio.Timeout) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    if not waiting.expired():
        waiting.reschedule(asyncio.get_running_loop().time())
