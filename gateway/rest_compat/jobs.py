"""`POST /jobs/subscriptions`: no credential but the job's token, and what to do in the body or in the query."""

from starlette.responses import Response

from gateway.errors import InvalidInput
from gateway.http.request_body import decode_object, read_body
from gateway.resolvers.subscriptions.billing_job import RunBilling, bill_by_token, require_job_token
from gateway.rest_compat.door import Call
from gateway.rest_compat.envelope import success
from gateway.rest_compat.query import parameters_of, read_query


async def billing_job(call: Call) -> Response:
    """Run the job. The body may be empty. Raises `InvalidInput` for what is said in both, body and
    query: no dry run is one by half; and before anything is read, `InvalidSession`.
    """
    token = call.headers.get("x-job-token")
    await require_job_token(call.ctx, token)
    body = await read_body(call.receive)
    said = decode_object(body, call.headers.get("content-type"), call.headers.get("content-encoding"))
    asked = read_query(call.scope, parameters_of(RunBilling))
    if twice := sorted(asked.keys() & said.keys()):
        raise InvalidInput(*((name, "envie no corpo ou na consulta do endereço, e não nos dois") for name in twice))
    sent = asked | said | {"token": token}
    return success(await bill_by_token(call.ctx, sent), call.endpoint.status, call.ctx.reply)
