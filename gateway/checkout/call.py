"""One request for a page."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope

from gateway.checkout.forms import read_form, read_pairs
from gateway.resolvers.context import Context


@dataclass(frozen=True, slots=True)
class Call:
    """A request that has found its page. `key` is the slug of a link or the txid of a charge."""

    ctx: Context
    key: str
    scope: Scope
    receive: Receive

    async def form(self) -> dict[str, str]:
        """What was posted."""
        return await read_form(self.receive, Headers(scope=self.scope))

    def query(self) -> dict[str, str]:
        """What the address asks."""
        return read_pairs(self.scope["query_string"])


Answer: TypeAlias = Callable[[Call], Awaitable[ASGIApp]]
"""A page: from a call to a response, which is an ASGI application."""
