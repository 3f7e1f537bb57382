"""`/metrics` is text, not JSON."""

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import Response

from gateway.resolvers.health import read_metrics
from gateway.rest_compat.door import Call

_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


async def metrics(call: Call) -> Response:
    """Ask for the metrics with what the connection itself says of the caller."""
    scheme, _, token = call.headers.get("authorization", "").partition(" ")
    client = call.scope.get("client")
    scrape = {
        "token": token.strip() or None if scheme.lower() == "bearer" else None,
        "peer": client[0] if client else None,
        "forwarded": any(name in call.headers for name in _FORWARDED),
    }
    shown = await read_metrics(call.ctx, scrape)
    return Response(shown.text, media_type=CONTENT_TYPE_PLAIN_0_0_4)
