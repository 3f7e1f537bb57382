"""One statement for the callers who ask the same kind of thing at the same moment.

Every request looks up its credential. Under load many do so within one round trip of each other, and a statement each
costs more than the rest of a read (docs/performance.md). Whoever comes while statements are under way waits for the
next one, which carries what all who wait have asked.

A statement never starts before the caller asked, so nobody sees a row that is older than the question: a key that was
revoked is refused on the very next request, as if each had asked alone. And it has been committed when it answers, so
rows that are independent of each other may be written this way, too.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Hashable, Mapping
from functools import partial
from itertools import islice
from typing import Generic, TypeVar

LaneT = TypeVar("LaneT", bound=Hashable)
KeyT = TypeVar("KeyT", bound=Hashable)
AnswerT = TypeVar("AnswerT")

_AT_ONCE = 2
"""Statements under way at the same time: one that hangs must not hold up everybody."""


class Gathering(Generic[KeyT, AnswerT]):
    """Answers by what was asked. `ask` is given distinct questions, at most `most` of them, and tells the answers that
    there are by them.
    """

    def __init__(
        self, ask: Callable[[list[KeyT]], Awaitable[Mapping[KeyT, AnswerT]]], *, most: int = sys.maxsize
    ) -> None:
        self._ask = ask
        self._most = most
        self._waiting: dict[KeyT, list[asyncio.Future[AnswerT | None]]] = {}
        self._turns: set[asyncio.Task[None]] = set()
        self._at_work = 0
        self._starting = False

    async def one(self, key: KeyT) -> AnswerT | None:
        """The answer to a question, or None. Whatever stops the statement stops all who wait for it."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[AnswerT | None] = loop.create_future()
        self._waiting.setdefault(key, []).append(answer)
        # One that has not begun yet takes along whoever asks in this turn of the event loop.
        if not self._starting and self._at_work < _AT_ONCE:
            self._starting = True
            self._at_work += 1
            turn = loop.create_task(self._take_turns())
            self._turns.add(turn)
            turn.add_done_callback(self._turns.discard)
        return await answer

    @property
    def is_idle(self) -> bool:
        """Whether nobody waits and no statement is under way."""
        return not self._at_work and not self._waiting

    async def _take_turns(self) -> None:
        self._starting = False
        try:
            while self._waiting:
                await self._answer_waiting()
        finally:
            # In the same step that has seen nobody waiting: whoever asks a moment later has to find a place free.
            self._at_work -= 1

    async def _answer_waiting(self) -> None:
        asked = self._next_asked()
        try:
            answers = await self._ask(list(asked))
        except BaseException as error:
            _fail(asked, error)
            if not isinstance(error, Exception):
                raise
        else:
            _answer(asked, answers)

    def _next_asked(self) -> "dict[KeyT, list[asyncio.Future[AnswerT | None]]]":
        if len(self._waiting) <= self._most:
            asked, self._waiting = self._waiting, {}
            return asked
        return {key: self._waiting.pop(key) for key in list(islice(self._waiting, self._most))}


class Lanes(Generic[LaneT, KeyT, AnswerT]):
    """A gathering for each lane: who asks in one shares no statement with who asks in another, and doesn't wait for it.
    A lane is kept while somebody is in it.
    """

    def __init__(
        self, ask: Callable[[LaneT, list[KeyT]], Awaitable[Mapping[KeyT, AnswerT]]], *, most: int = sys.maxsize
    ) -> None:
        self._ask = ask
        self._most = most
        self._lanes: dict[LaneT, Gathering[KeyT, AnswerT]] = {}

    def __len__(self) -> int:
        return len(self._lanes)

    async def one(self, lane: LaneT, key: KeyT) -> AnswerT | None:
        """As `Gathering.one`, with those of the same lane."""
        gathering = self._lanes.get(lane)
        if gathering is None:
            gathering = self._lanes[lane] = Gathering(partial(self._ask, lane), most=self._most)
        try:
            return await gathering.one(key)
        finally:
            if gathering.is_idle and self._lanes.get(lane) is gathering:
                del self._lanes[lane]


def _answer(asked: "dict[KeyT, list[asyncio.Future[AnswerT | None]]]", answers: Mapping[KeyT, AnswerT]) -> None:
    for key, waiting in asked.items():
        answer = answers.get(key)
        for one in waiting:
            if not one.done():  # Its caller may have gone away meanwhile.
                one.set_result(answer)


def _fail(asked: "dict[KeyT, list[asyncio.Future[AnswerT | None]]]", error: BaseException) -> None:
    for waiting in asked.values():
        for one in waiting:
            if isinstance(error, asyncio.CancelledError):
                one.cancel()
            elif not one.done():
                one.set_exception(error)
