"""GraphQL over server-sent events, in the mode of distinct connections (github.com/enisdenjo/graphql-sse, PROTOCOL.md).

Each result is an event `next`, and `complete` ends the stream. Queries and mutations have one result.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol

import orjson
from msgspec import Struct
from starlette.types import Receive, Scope, Send

from gateway.errors import GatewayError
from gateway.http.event_stream import HEARTBEAT_SECONDS, StreamLimits, ends_of, start_stream, write_event, write_text
from gateway.models.database import DatabaseUnavailable
from gateway.schema.errors import format_gateway_error

_HEARTBEAT = ":\n\n"
Body = dict[str, Any]


class Source(Protocol):
    """The events of a subscription. `aclose` ends it."""

    def __aiter__(self) -> AsyncIterator[Any]: ...
    async def __anext__(self) -> Any: ...
    async def aclose(self) -> None: ...


class SingleResult(Struct, frozen=True):
    """The response with one result."""

    body: Body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        await start_stream(send)
        await _write_next(send, self.body)
        await write_event(send, "complete", "", last=True)


class LiveResults(Struct, frozen=True):
    """The response with the result of each event of a subscription.

    `authorize` raises `GatewayError` if the caller may not go on reading: it runs before each result and at each
    heartbeat, so that the stream ends with the session, the key or the membership.
    """

    source: Source
    execute: Callable[[Any], Awaitable[Body]]
    authorize: Callable[[], Awaitable[object]]
    limits: StreamLimits
    address: str
    heartbeat: float = HEARTBEAT_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self.limits.opened(self.address), ends_of(scope, receive) as (disconnected, stopping):
                await start_stream(send)
                await write_text(send, _HEARTBEAT)
                await self._send_results(send, disconnected, stopping)
        finally:
            await self.source.aclose()

    async def _send_results(
        self, send: Send, disconnected: "asyncio.Future[None]", stopping: "asyncio.Future[None]"
    ) -> None:
        event = asyncio.ensure_future(anext(self.source))
        try:
            while True:
                any_of: set[asyncio.Future[Any]] = {event, disconnected, stopping}
                await asyncio.wait(any_of, timeout=self.heartbeat, return_when=asyncio.FIRST_COMPLETED)
                if disconnected.done():
                    return
                if stopping.done() or (event.done() and isinstance(event.exception(), StopAsyncIteration)):
                    break
                if not await self._may_go_on(send):
                    break
                if event.done():
                    await _write_next(send, await self.execute(event.result()))
                    event = asyncio.ensure_future(anext(self.source))
                else:
                    await write_text(send, _HEARTBEAT)
        finally:
            event.cancel()
        await write_event(send, "complete", "", last=True)

    async def _may_go_on(self, send: Send) -> bool:
        try:
            await self.authorize()
        except GatewayError as error:
            await _write_next(send, {"errors": [format_gateway_error(error)]})
            return False
        except DatabaseUnavailable:
            return False  # The client connects again.
        return True


async def _write_next(send: Send, body: Body) -> None:
    await write_event(send, "next", orjson.dumps(body, default=str).decode())
