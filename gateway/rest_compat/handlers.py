"""Handlers of endpoints that aren't JSON in and out: the billing job, metrics, exports by ticket, the engines'
notifications.
"""

from typing import Any

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import JSONResponse, Response

from gateway.errors import InvalidInput
from gateway.http.request_body import decode_object, read_body, require_uncompressed
from gateway.resolvers.core.listing.export_tickets import export_by_ticket, read_export_ticket
from gateway.resolvers.engine_notifications.endpoint import authorize_transfer, receive_notification
from gateway.resolvers.health import read_metrics
from gateway.resolvers.subscriptions.billing_job import RunBilling, bill_by_token, require_job_token
from gateway.rest_compat.app import Call
from gateway.rest_compat.csv_stream import CsvFile, Download
from gateway.rest_compat.envelope import success
from gateway.rest_compat.query import parameters_of, read_query


async def billing_job(call: Call) -> Response:
    """`POST /jobs/subscriptions`, authorized by the job's token. Its options are in the body, which may be empty, or in
    the query; one in both is `InvalidInput`.
    """
    token = call.headers.get("x-job-token")
    await require_job_token(call.ctx, token)
    body = await read_body(call.receive)
    options = decode_object(body, call.headers.get("content-type"), call.headers.get("content-encoding"))
    query = read_query(call.scope, parameters_of(RunBilling))
    if twice := sorted(query.keys() & options.keys()):
        raise InvalidInput(*((name, "envie no corpo ou na consulta do endereço, e não nos dois") for name in twice))
    raw = query | options | {"token": token}
    return success(await bill_by_token(call.ctx, raw), call.endpoint.status, call.ctx.reply)


_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


async def metrics(call: Call) -> Response:
    """`/metrics`, as text. The operation decides by token and address."""
    scheme, _, token = call.headers.get("authorization", "").partition(" ")
    client = call.scope.get("client")
    scrape = {
        "token": token.strip() or None if scheme.lower() == "bearer" else None,
        "peer": client[0] if client else None,
        "forwarded": any(name in call.headers for name in _FORWARDED),
    }
    result = await read_metrics(call.ctx, scrape)
    return Response(result.text, media_type=CONTENT_TYPE_PLAIN_0_0_4)


async def export_of_ticket(call: Call) -> Download:
    """`GET /exports/{ticket}`. The ticket is used up when its store has a free slot."""
    call.query(call.endpoint.operation)
    ticket, csv_format = read_export_ticket(call.ctx, call.parameters["ticket"])

    async def open_file(_: float) -> CsvFile:
        return CsvFile(await export_by_ticket(call.ctx, call.parameters), csv_format)

    return Download(call.ctx, ticket.store_id, open_file)


MAX_NOTIFICATION_BYTES = 256 * 1024


async def engine_notifications(call: Call) -> Response:
    """Pass the raw body and the token on. A body over 256 KiB is refused unread. Banks send no header: their token is
    in the path.
    """
    result = await receive_notification(call.ctx, {"engine": "bcb"} | await _raw_notification(call))
    return success(result, call.endpoint.status, call.ctx.reply)


async def transfer_validation(call: Call) -> Response:
    """Answer in the engine's format: `{status}`, and `refuseReason` of a refusal."""
    ruling = await authorize_transfer(call.ctx, await _raw_notification(call))
    refusal = {"refuseReason": ruling.reason} if ruling.reason else {}
    return JSONResponse({"status": ruling.status, **refusal})


async def _raw_notification(call: Call) -> dict[str, Any]:
    require_uncompressed(call.headers.get("content-encoding"))
    body = await read_body(call.receive, MAX_NOTIFICATION_BYTES)
    return {"token": call.headers.get("asaas-access-token"), "body": body, **call.parameters}
