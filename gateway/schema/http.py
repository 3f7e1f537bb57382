"""GraphQL over HTTP: read the request, prepare the document (cached), execute, encode. No batching; queries by GET too.
Subscriptions are answered by server-sent events, and other operations too for a client that wants that.

A browser gets GraphiQL at `GET /graphql`.
"""

import asyncio
from functools import cache, partial
from time import monotonic
from typing import Any, cast

import orjson
from graphql import ExecutionResult, GraphQLError, OperationType
from graphql.execution import Executor
from msgspec.structs import replace
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.errors import GatewayError, InvalidInput, MethodNotAllowed, NotAcceptable, RequestTookTooLong
from gateway.http.event_stream import HEARTBEAT_SECONDS, StreamLimits
from gateway.rate_limits import caller_of
from gateway.resolvers.changes.watch import watch_changes
from gateway.resolvers.core.context import Context
from gateway.schema import graphiql
from gateway.schema.context import GraphQLContext
from gateway.schema.document_cache import DocumentCache, Operation, SizeBoundedLRUCache, is_mutation, is_one_field
from gateway.schema.error_paths import with_paths
from gateway.schema.errors import format_error, format_gateway_error
from gateway.schema.event_stream import LiveResults, SingleResult, Source
from gateway.schema.execution import MAX_SECONDS, BoundedExecutor, Execution
from gateway.schema.http_request import (
    GraphQLRequest,
    MediaType,
    PersistedQueryNotSupported,
    choose_media_type,
    read_request,
)
from gateway.schema.panel_cookie import read_panel_cookie, set_cookie
from gateway.schema.query_limits import refuse_large_variables
from gateway.schema.schema import SCHEMA
from gateway.schema.variable_errors import mask_argument_error
from gateway.settings import Settings, SettingsError

# With a future Strawberry or graphql-core the gateway must start without the compiled executor.
_compiled_error: Exception | None = None
try:
    from gateway.schema.compiled import CompiledExecutor
except (ImportError, AttributeError, TypeError) as error:
    _compiled_error = error

_CORE = SCHEMA._schema  # noqa: SLF001  # Strawberry offers no public way to its graphql-core schema.
_SERVED = ("GET", "POST")
_NOT_PERSISTED = {
    "errors": [{"message": "PersistedQueryNotSupported", "extensions": {"code": "PERSISTED_QUERY_NOT_SUPPORTED"}}]
}
"""The response that Apollo and urql expect."""
_MAX_INTROSPECTION_BYTES = 4 * 1024 * 1024


class GraphQLApp:
    """The ASGI application at `/graphql`. The middleware puts the context into the scope."""

    def __init__(
        self, settings: Settings, *, max_seconds: float = MAX_SECONDS, heartbeat: float = HEARTBEAT_SECONDS
    ) -> None:
        self._graphiql = settings.graphiql
        self._max_seconds = max_seconds
        self._heartbeat = heartbeat
        self._streams = StreamLimits(limited=settings.rate_limits)
        self._documents = _documents(introspection=settings.graphql_introspection)
        compiled = _compiled_executor() if settings.graphql_fast_path else None
        self._executor: type[Executor[Any]] = compiled or BoundedExecutor
        self._fast_path = compiled.fast_path if compiled else None
        self._introspections: SizeBoundedLRUCache[tuple[str, str | None, bytes], bytes] = SizeBoundedLRUCache(
            max_characters=_MAX_INTROSPECTION_BYTES, max_entry_characters=_MAX_INTROSPECTION_BYTES
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(scope, receive)
        await response(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> ASGIApp:
        headers = Headers(scope=scope)
        media_type = MediaType.unnamed
        try:
            if scope["method"] not in {"GET", "HEAD", "POST"}:
                raise MethodNotAllowed(_SERVED)
            chosen = choose_media_type(headers.get("accept", ""), page=self._graphiql and scope["method"] != "POST")
            if chosen is MediaType.page:
                return graphiql.page()
            if chosen is None:
                raise NotAcceptable
            media_type = chosen
            request = await read_request(scope, receive, headers)
            call: Context = scope["gateway.context"]
            if panel := read_panel_cookie(headers, call.settings):
                call = replace(call, panel=panel)
            return await self._execute(call, request, media_type)
        except PersistedQueryNotSupported:
            return _encode(_NOT_PERSISTED, 200, media_type)
        except GatewayError as error:
            body = {"errors": [format_gateway_error(error)]}
            kind = MediaType.unnamed if media_type is MediaType.event_stream else media_type
            return Response(orjson.dumps(body, default=str), error.status, error.headers, kind.value)

    async def _execute(self, call: Context, request: GraphQLRequest, media_type: MediaType) -> ASGIApp:
        prepared = self._documents.prepare(request.query)
        operation = prepared.operation(request.operation)
        if operation is None:
            errors = prepared.errors or [_unknown_operation(request.operation)]
            body = {"errors": [format_error(error, call.origin.request_id) for error in errors]}
            return _encode(body, 200 if media_type.always_ok and not prepared.too_large else 400, media_type)
        _check(operation, request, call)
        if operation.node.operation is OperationType.SUBSCRIPTION:
            return await self._subscribe(call, request, operation, media_type)
        if operation.introspects and media_type is not MediaType.event_stream:
            return await self._introspect(call, request, operation, media_type)
        return _render(await self._run(call, request, operation), call, media_type)

    async def _introspect(
        self, call: Context, request: GraphQLRequest, operation: Operation, media_type: MediaType
    ) -> ASGIApp:
        """The cached response to a pure introspection, which is the same for all clients."""
        key = (request.query, request.operation, orjson.dumps(request.variables, default=str))
        known = self._introspections.get(key)
        if known is not None:
            return Response(known, 200, media_type=media_type.value)
        result = await self._run(call, request, operation)
        response = _render(result, call, media_type)
        if not result.errors and isinstance(response, Response):
            self._introspections.put(key, bytes(response.body), len(response.body) + len(request.query) + len(key[2]))
        return response

    async def _subscribe(
        self, call: Context, request: GraphQLRequest, operation: Operation, media_type: MediaType
    ) -> ASGIApp:
        """The stream of a subscription's results, or the errors that prevent it."""
        if media_type is not MediaType.event_stream:
            raise NotAcceptable("Uma subscription pede o cabeçalho Accept: text/event-stream.")
        address = caller_of(call.origin.ip)
        self._streams.admit(address)
        context = GraphQLContext(call, operation.costs)
        execution = Execution(_CORE, self._executor, operation.document, context, request.variables, request.operation)
        source = await execution.subscribe()
        if isinstance(source, ExecutionResult):
            return _render(source, call, media_type)

        async def result_of(event: object) -> dict[str, Any]:
            try:
                return _body(await self._run(call, request, operation, event), call)
            except GatewayError as error:
                return {"errors": [format_gateway_error(error)]}

        authorize = partial(watch_changes.admit, call)
        return LiveResults(cast("Source", source), result_of, authorize, self._streams, address, self._heartbeat)

    async def _run(
        self, call: Context, request: GraphQLRequest, operation: Operation, root: object = None
    ) -> ExecutionResult:
        node, mutates = operation.node, is_mutation(operation.node)
        siblings = not is_one_field(node) and not mutates
        context = GraphQLContext.shielded(call, operation.costs) if siblings else GraphQLContext(call, operation.costs)
        context.ends = monotonic() + self._max_seconds
        execution = Execution(
            _CORE, self._executor, operation.document, context, request.variables, request.operation, root
        )
        fast_path = self._fast_path(_CORE, node) if self._fast_path and root is None else None
        try:
            # A started mutation is completed, so that the client learns its outcome.
            async with asyncio.timeout(None if mutates else self._max_seconds):
                result = await fast_path.run(context, request.variables, execution.build) if fast_path else None
                return result or await execution.run()
        except TimeoutError:
            raise RequestTookTooLong from None
        finally:
            await execution.end()
            await context.end()


def _compiled_executor() -> "type[CompiledExecutor]":
    """The executor with plans; also set as the schema's own, for direct executions."""
    if _compiled_error is not None:
        message = "GATEWAY_GRAPHQL_FAST_PATH: these versions of Strawberry and graphql-core refuse it; set it to off"
        raise SettingsError(f"{message} ({_compiled_error})") from _compiled_error
    SCHEMA.execution_context_class = CompiledExecutor
    return CompiledExecutor


@cache
def _documents(*, introspection: bool) -> DocumentCache:
    """One cache for the process, like that of plans."""
    return DocumentCache(_CORE, introspection=introspection)


def _check(operation: Operation, request: GraphQLRequest, call: Context) -> None:
    """Refuse operations that may not be executed."""
    if operation.node.operation is not OperationType.QUERY and not request.mutates:
        raise MethodNotAllowed(("POST",))
    if is_mutation(operation.node) and call.idempotency_key is not None and not is_one_field(operation.node):
        raise InvalidInput(message="Com Idempotency-Key, envie exatamente um campo de mutação.")
    refuse_large_variables(request.variables, operation.variable_uses)


def _unknown_operation(name: str | None) -> GraphQLError:
    unknown = "não há uma operação com esse nome no documento"
    reason = "diga qual das operações executar" if name is None else unknown
    return GraphQLError("", original_error=InvalidInput(("operationName", reason)))


def _body(result: ExecutionResult, call: Context) -> dict[str, Any]:
    body: dict[str, Any] = {"data": result.data}
    if result.errors:
        body["errors"] = [_format_field_error(mask_argument_error(error), call) for error in result.errors]
    if call.reply.notices:
        body["extensions"] = {"aviso": " ".join(dict.fromkeys(call.reply.notices))}
    return body


def _render(result: ExecutionResult, call: Context, media_type: MediaType) -> Response | SingleResult:
    body = _body(result, call)
    status = 200
    if result.data is None and media_type is MediaType.response:
        # Root fields are nullable, so nothing was executed: a request error, which has no `data`.
        del body["data"]
        status = 400
    response = _encode(body, status, media_type)
    if isinstance(response, SingleResult):
        return response
    for error in result.errors or ():
        if isinstance(error.original_error, GatewayError):
            response.headers.update(error.original_error.headers)
    if call.panel is not None and not result.errors and (cookie := set_cookie(call.panel, call.settings)):
        response.headers.append("set-cookie", cookie)
    if call.reply.replayed:
        response.headers["idempotent-replayed"] = "true"
    return response


def _format_field_error(error: GraphQLError, call: Context) -> dict[str, Any]:
    formatted = format_error(error, call.origin.request_id)
    return formatted | {"extensions": with_paths(_CORE, error, formatted["extensions"])}


def _encode(body: dict[str, Any], status: int, media_type: MediaType) -> Response | SingleResult:
    if media_type is MediaType.event_stream:
        return SingleResult(body)
    return Response(orjson.dumps(body, default=str), status, media_type=media_type.value)
