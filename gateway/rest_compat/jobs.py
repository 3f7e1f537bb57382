"""`POST /jobs/subscriptions`: no credential but the job's token, and what to do in the body or in the query."""

from starlette.responses import Response

from gateway.json_body import decode_object, read_body
from gateway.resolvers.subscriptions.run_job import bill_by_token
from gateway.rest_compat.door import Call, query_of
from gateway.rest_compat.envelope import success


async def billing_job(call: Call) -> Response:
    """Run the job. The body may be empty; what it says wins over the query."""
    body = await read_body(call.receive)
    said = decode_object(body, call.headers.get("content-type")) if body.strip() else {}
    sent = query_of(call.scope) | said | {"token": call.headers.get("x-job-token")}
    return success(await bill_by_token(call.ctx, sent), call.endpoint.status, call.ctx.reply)
