"""One request for a page: its address, what it brings, and where somebody who got an apology goes on."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias
from urllib.parse import parse_qsl, quote

from msgspec import Struct
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope

from gateway.checkout.forms import read_form
from gateway.resolvers.core.context import Context


class Call(Struct, frozen=True):
    """A request that has found its page. `key` is the slug of a link or the txid of a charge."""

    ctx: Context
    key: str
    scope: Scope
    receive: Receive

    async def form(self) -> dict[str, str]:
        """What was posted."""
        return await read_form(self.receive, Headers(scope=self.scope))

    def query(self) -> dict[str, str]:
        """What the address asks. Other parameters, as of a campaign, are ignored."""
        asked: bytes = self.scope["query_string"]
        return dict(parse_qsl(asked.decode("latin-1"), keep_blank_values=True, errors="replace"))


Answer: TypeAlias = Callable[[Call], Awaitable[ASGIApp]]
"""A page: from a call to a response, which is an ASGI application."""


def segments_of(scope: Scope) -> list[str]:
    """The words of the path below `/pay`, in lower case; the slug or txid among them keeps its own."""
    segments = _words(scope["path"].removeprefix(scope.get("root_path", "")))
    key = min(len(segments) - 1, 1)
    return [segment if place == key else segment.lower() for place, segment in enumerate(segments)]


def way_on(scope: Scope) -> str | None:
    """The page of the link or charge that a request was about, whatever it asked of it; None where it was about
    neither.

    Never the address itself: a form's has no page, and a browser asks it with GET. It is put together from the key
    alone, so that it leads nowhere but to `/pay/…`.
    """
    match _words(scope["path"][len("/pay") :]):
        case ["c" | "C", txid, *_] if txid:
            return f"/pay/c/{quote(txid, safe='')}"
        case [slug] if slug:
            return f"/pay/{quote(slug, safe='')}{_query(scope)}"
        case _:
            return None


def _query(scope: Scope) -> str:
    """What a reader's address asks beside the key, as it was written: the coupon that a link was shared with."""
    asked: bytes = scope["query_string"]
    return f"?{asked.decode('latin-1')}" if asked and scope["method"] in {"GET", "HEAD"} else ""


def _words(path: str) -> list[str]:
    return path.strip("/").split("/")
