"""From a payer's request to a page and back. Mounted at `/pay`."""

from functools import partial

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.checkout.apologies import apologise, apologise_for_ourselves
from gateway.checkout.call import Answer, Call, segments_of, way_on
from gateway.checkout.charge_page import page_status, show_charge, simulate, tell_status
from gateway.checkout.events import EventStream
from gateway.checkout.link_page import show_link, submit_link
from gateway.checkout.live import LiveCharges
from gateway.checkout.rendering import assets
from gateway.errors import GatewayError, MethodNotAllowed, NotFound
from gateway.rate_limits import caller_of
from gateway.resolvers.checkout.moves import moved_charges
from gateway.resolvers.checkout.read_charge import read_public_charge
from gateway.resolvers.core.context import Context

_READING = {"GET", "HEAD"}


class CheckoutDoor:
    """The ASGI application of the pages. The context comes with the scope, from the middleware."""

    def __init__(self) -> None:
        self._live: LiveCharges | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        segments = segments_of(scope)
        if segments[0] == "assets":
            await assets(dict(scope) | {"root_path": f"{scope.get('root_path', '')}/assets"}, receive, send)
            return
        ctx: Context = scope["gateway.context"]
        try:
            answer = await self._answer(ctx, segments, scope, receive)
        except GatewayError as error:
            answer = _refusal(error, segments, way_on(scope))
        except ClientDisconnect:
            raise
        except Exception:
            # The payer gets a page instead of JSON; the middleware still logs and counts what happened.
            await apologise_for_ourselves(ctx.origin.request_id, way_on(scope))(scope, receive, send)
            raise
        await answer(scope, receive, send)

    async def _answer(self, ctx: Context, segments: list[str], scope: Scope, receive: Receive) -> ASGIApp:
        key, pages = self._find(segments)
        method = "GET" if scope["method"] in _READING else scope["method"]
        if method not in pages:
            raise MethodNotAllowed(pages)
        return await pages[method](Call(ctx, key, scope, receive))

    def _find(self, segments: list[str]) -> tuple[str, dict[str, Answer]]:
        match segments:
            case [slug]:
                return slug, {"GET": show_link, "POST": submit_link}
            case ["c", txid]:
                return txid, {"GET": show_charge}
            case ["c", txid, "status"]:
                return txid, {"GET": tell_status}
            case ["c", txid, "events"]:
                return txid, {"GET": self._follow}
            case ["c", txid, "simular-pagamento"]:
                return txid, {"POST": simulate}
            case _:
                raise NotFound

    async def _follow(self, call: Call) -> ASGIApp:
        live = self._live_charges(call.ctx)
        watcher = caller_of(call.ctx.origin.ip)
        live.admit(watcher)
        charge = await read_public_charge(call.ctx, {"txid": call.key})
        return EventStream(live, charge.txid, page_status(charge), watcher)

    def _live_charges(self, ctx: Context) -> LiveCharges:
        if self._live is None:
            self._live = LiveCharges(partial(moved_charges, ctx.services), limited=ctx.settings.rate_limits)
        return self._live


def _refusal(error: GatewayError, segments: list[str], way: str | None) -> ASGIApp:
    """A page for people; for the script, which reads no page, the status and its headers."""
    if segments[-1] in {"status", "events"}:
        return PlainTextResponse("", error.status, headers=error.headers)
    return apologise(error, way)
