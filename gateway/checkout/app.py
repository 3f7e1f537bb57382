"""The ASGI application of the payer's pages, mounted at `/pay`."""

from functools import partial

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.checkout.charge_page import page_status, poll_status, show_charge, simulate
from gateway.checkout.link_page import show_link, submit_link
from gateway.checkout.messages_pt import BROKEN
from gateway.checkout.rendering import assets, render_error, render_message
from gateway.checkout.request import Handler, PageRequest, back_link, segments_of
from gateway.checkout.status_stream import StatusStream, StatusWatcher
from gateway.errors import GatewayError, MethodNotAllowed, NotFound
from gateway.rate_limits import caller_of
from gateway.resolvers.checkout.public_charge import read_public_charge, status_changes
from gateway.resolvers.core.context import Context


class CheckoutApp:
    """Routes requests to pages. The middleware puts the context into the scope."""

    def __init__(self) -> None:
        self._watcher: StatusWatcher | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        segments = segments_of(scope)
        if segments[0] == "assets":
            await assets(dict(scope) | {"root_path": f"{scope.get('root_path', '')}/assets"}, receive, send)
            return
        ctx: Context = scope["gateway.context"]
        try:
            key, handler = self._find(segments, scope["method"])
            response = await handler(PageRequest(ctx, key, scope, receive))
        except GatewayError as error:
            response = _error_response(error, segments, back_link(scope))
        except ClientDisconnect:
            raise
        except Exception:
            # The payer gets a page instead of JSON; the middleware logs and counts the error.
            page = render_message(BROKEN, 500, back_link(scope), code=ctx.origin.request_id)
            await page(scope, receive, send)
            raise
        await response(scope, receive, send)

    def _find(self, segments: list[str], method: str) -> tuple[str, Handler]:
        key, handlers = self._handlers(segments)
        method = "GET" if method == "HEAD" else method
        if method not in handlers:
            raise MethodNotAllowed(handlers)
        return key, handlers[method]

    def _handlers(self, segments: list[str]) -> tuple[str, dict[str, Handler]]:
        match segments:
            case [slug]:
                return slug, {"GET": show_link, "POST": submit_link}
            case ["c", txid]:
                return txid, {"GET": show_charge}
            case ["c", txid, "status"]:
                return txid, {"GET": poll_status}
            case ["c", txid, "events"]:
                return txid, {"GET": self._stream_status}
            case ["c", txid, "simular-pagamento"]:
                return txid, {"POST": simulate}
            case _:
                raise NotFound

    async def _stream_status(self, request: PageRequest) -> ASGIApp:
        ctx = request.ctx
        if self._watcher is None:
            self._watcher = StatusWatcher(partial(status_changes, ctx.services), limited=ctx.settings.rate_limits)
        address = caller_of(ctx.origin.ip)
        self._watcher.admit(address)
        charge = await read_public_charge(ctx, {"txid": request.key})
        return StatusStream(self._watcher, charge.txid, page_status(charge), address)


def _error_response(error: GatewayError, segments: list[str], back: str | None) -> ASGIApp:
    """A page for people. The script gets only the status and the headers."""
    if segments[-1] in {"status", "events"}:
        return PlainTextResponse("", error.status, headers=error.headers)
    return render_error(error, back)
