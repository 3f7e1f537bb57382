"""REST responses: `{data, aviso?}`, or an error in one of the two forms of the specification, section 7."""

from typing import Any

import orjson
from starlette.responses import Response

from gateway.errors import GatewayError, Unauthenticated
from gateway.http.accept import parse_weights
from gateway.resolvers.core.context import ResponseNotes
from gateway.resolvers.core.views import Page, View, default_encoder, serialize, serialize_list

JSON = "application/json"


def success(result: Any, status: int, reply: ResponseNotes) -> Response:
    """The response of a result."""
    # Before the views are serialized, for a cursor is made of a view.
    pagination = pagination_of(result) if isinstance(result, Page) else None
    body: dict[str, Any] = {"data": _render(result)}
    if pagination is not None:
        body["pagination"] = pagination
    if reply.notices:
        body["aviso"] = " ".join(reply.notices)
    return _with_replay_header(Response(orjson.dumps(body, default=default_encoder), status, media_type=JSON), reply)


def pagination_of(page: "Page[Any]") -> dict[str, Any] | None:
    """The `pagination` member of a page, a cursor page, or a truncated list; a whole list has none."""
    if page.cursor is not None:
        last = page.cursor(page.items[-1]) if page.items else None
        return {"limit": page.limit, "has_more": page.has_next, "next_cursor": last}
    if page.page is None:
        return {"truncated": True} if page.truncated else None
    total = page.total or 0
    pagination = {
        "page": page.page,
        "limit": page.limit,
        "total": total,
        "total_pages": -(-total // page.limit),
        "has_more": page.has_next,
    }
    return {**pagination, "total_capped": True} if page.total_capped else pagination


def failure(error: GatewayError, reply: ResponseNotes) -> Response:
    """The response of an error. Only authentication errors are a bare string."""
    content = error.message if isinstance(error, Unauthenticated) else error.body()
    body = orjson.dumps({"error": content}, default=str)
    return _with_replay_header(Response(body, error.status, headers=error.headers, media_type=JSON), reply)


def _with_replay_header(response: Response, reply: ResponseNotes) -> Response:
    if reply.replayed:
        response.headers["idempotent-replayed"] = "true"
    return response


def _render(result: Any) -> Any:
    if isinstance(result, Page):
        return serialize_list(result.items, computed=result.computed)
    if isinstance(result, View):
        return serialize(result)
    return result


def prefers(accept: str, media_type: str) -> bool:
    """Whether an `Accept` header names a type, and doesn't prefer JSON (RFC 9110, section 12.5.1)."""
    weights = parse_weights(accept, malformed=1.0)
    return weights.get(media_type, 0.0) > 0 and weights[media_type] >= weights.get(JSON, 0.0)
