"""An engine's notice reaches its operation as the bytes that came: what they mean is not the door's to judge."""

from typing import Any

from starlette.responses import JSONResponse, Response

from gateway.http.request_body import read_body, require_uncompressed
from gateway.resolvers.engine_notifications.endpoint import authorize_transfer, receive_notification
from gateway.rest_compat.door import Call
from gateway.rest_compat.envelope import success

LARGEST = 256 * 1024


async def engine_notifications(call: Call) -> Response:
    """Hand the body and the token over. A body over 256 KiB is refused unread."""
    return success(await receive_notification(call.ctx, await _sent(call)), call.endpoint.status, call.ctx.reply)


async def transfer_validation(call: Call) -> Response:
    """Answer in the engine's words: `{status}`, and `refuseReason` where it is refused."""
    ruling = await authorize_transfer(call.ctx, await _sent(call))
    refusal = {"refuseReason": ruling.reason} if ruling.reason else {}
    return JSONResponse({"status": ruling.status, **refusal})


async def _sent(call: Call) -> dict[str, Any]:
    require_uncompressed(call.headers.get("content-encoding"))
    body = await read_body(call.receive, LARGEST)
    return {**call.parameters, "token": call.headers.get("asaas-access-token"), "body": body}
