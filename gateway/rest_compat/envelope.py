"""What an answer looks like over REST: `{data, aviso?}`, or an error in one of the two forms of section 7."""

from typing import Any

import orjson
from starlette.responses import Response

from gateway.errors import GatewayError, Unauthenticated
from gateway.resolvers.core.context import Reply
from gateway.resolvers.core.views import Page, View, default_encoder, rendered, rendered_list

JSON = "application/json"


def success(result: Any, status: int, reply: Reply) -> Response:
    """The answer of an operation."""
    # A cursor is made of its view, and a list's views end where they are rendered.
    pagination = pagination_of(result) if isinstance(result, Page) else None
    body: dict[str, Any] = {"data": _shown(result)}
    if pagination is not None:
        body["pagination"] = pagination
    if reply.notices:
        body["aviso"] = " ".join(reply.notices)
    return _marked(Response(orjson.dumps(body, default=default_encoder), status, media_type=JSON), reply)


def pagination_of(page: "Page[Any]") -> dict[str, Any] | None:
    """The `pagination` member: of a page, of a slice by cursor, or of a list that was cut; a whole list has none."""
    if page.cursor is not None:
        last = page.cursor(page.items[-1]) if page.items else None
        return {"limit": page.limit, "has_more": page.has_next, "next_cursor": last}
    if page.page is None:
        return {"truncated": True} if page.truncated else None
    total = page.total or 0
    told = {
        "page": page.page,
        "limit": page.limit,
        "total": total,
        "total_pages": -(-total // page.limit),
        "has_more": page.has_next,
    }
    return {**told, "total_capped": True} if page.total_capped else told


def failure(error: GatewayError, reply: Reply) -> Response:
    """The answer for an error of the tree. Authentication errors are the only ones with a bare string."""
    content = error.message if isinstance(error, Unauthenticated) else error.body()
    body = orjson.dumps({"error": content}, default=str)
    return _marked(Response(body, error.status, headers=error.headers, media_type=JSON), reply)


def _marked(response: Response, reply: Reply) -> Response:
    if reply.replayed:
        response.headers["idempotent-replayed"] = "true"
    return response


def _shown(result: Any) -> Any:
    if isinstance(result, Page):
        return rendered_list(result.items, computed=result.computed)
    if isinstance(result, View):
        return rendered(result)
    return result
