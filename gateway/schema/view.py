"""GraphQL over HTTP, on the short way: decode, prepare (cached), execute, encode. No batching; queries also by GET.

A browser that asks for a page at `GET /graphql` gets GraphiQL.
"""

import asyncio
from collections.abc import Sequence
from functools import cache
from time import monotonic
from typing import Any

import orjson
from graphql import ExecutionResult, GraphQLError, GraphQLSchema, OperationDefinitionNode
from graphql.execution import Executor
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gateway.errors import GatewayError, InvalidInput, MethodNotAllowed, NotAcceptable, RequestTookTooLong
from gateway.resolvers.core.context import Context
from gateway.schema import errors, graphiql, media_types
from gateway.schema.bounded import MAX_SECONDS, BoundedExecutor
from gateway.schema.context import GraphQLContext
from gateway.schema.documents import Documents, Operation, Prepared, is_mutation, is_one_field
from gateway.schema.execution import Execution
from gateway.schema.kept import Kept
from gateway.schema.limits import refuse_large_variables
from gateway.schema.media_types import Form
from gateway.schema.misfits import of_argument
from gateway.schema.requests import GraphQLRequest, PersistedQueryNotSupported, read_request
from gateway.schema.schema import SCHEMA
from gateway.settings import Settings, SettingsError

# A Strawberry or a graphql-core that refuses it keeps nobody from starting without it.
_refused: Exception | None = None
try:
    from gateway.schema.compiled import CompiledExecutor
except (ImportError, AttributeError, TypeError) as error:
    _refused = error

_CORE = SCHEMA._schema  # noqa: SLF001  # Strawberry offers no public way to its graphql-core schema.
_SERVED = ("GET", "POST")
_NOT_PERSISTED = {
    "errors": [{"message": "PersistedQueryNotSupported", "extensions": {"code": "PERSISTED_QUERY_NOT_SUPPORTED"}}]
}
"""In the words that Apollo and urql wait for."""
_MAX_INTROSPECTION_BYTES = 4 * 1024 * 1024


class GraphQLDoor:
    """The ASGI application at `/graphql`. The context comes with the scope, from the middleware."""

    def __init__(self, settings: Settings, *, max_seconds: float = MAX_SECONDS) -> None:
        self._graphiql = settings.graphiql
        self._max_seconds = max_seconds
        self._documents = _documents(introspection=settings.graphql_introspection)
        compiled = _compiled_executor() if settings.graphql_compiled else None
        self._executor: type[Executor[Any]] = compiled or BoundedExecutor
        self._straight = compiled.straight if compiled else _never
        self._introspections: Kept[tuple[str, str | None, bytes], bytes] = Kept(
            characters=_MAX_INTROSPECTION_BYTES, longest=_MAX_INTROSPECTION_BYTES
        )
        """What was answered to those who asked about the schema."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(scope, receive)
        await response(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        headers = Headers(scope=scope)
        form = Form.unnamed
        try:
            if scope["method"] not in {"GET", "HEAD", "POST"}:
                raise MethodNotAllowed(_SERVED)
            chosen = media_types.choose(headers.get("accept", ""), page=self._graphiql and scope["method"] != "POST")
            if chosen is Form.page:
                return graphiql.page()
            if chosen is None:
                raise NotAcceptable
            form = chosen
            request = await read_request(scope, receive, headers)
            return await self._execute(scope["gateway.context"], request, form)
        except PersistedQueryNotSupported:
            return _encoded(_NOT_PERSISTED, 200, form)
        except GatewayError as error:
            body = {"errors": [errors.of_ours(error)]}
            return Response(orjson.dumps(body, default=str), error.status, error.headers, form.value)

    async def _execute(self, call: Context, request: GraphQLRequest, form: Form) -> Response:
        prepared = self._documents.prepare(request.query)
        if prepared.errors:
            status = 200 if form.forgives and not prepared.too_large else 400
            return _encoded(_refusal(prepared.errors, call), status, form)
        operation = prepared.operation(request.operation)
        if operation is None:
            return _encoded(
                _refusal([_unknown_operation(request.operation)], call), 200 if form.forgives else 400, form
            )
        _judge(operation, request, call)
        if operation.introspects:
            return await self._introspect(call, request, prepared, operation, form)
        return _rendered(await self._run(call, request, prepared, operation), call, form)

    async def _introspect(
        self, call: Context, request: GraphQLRequest, prepared: Prepared, operation: Operation, form: Form
    ) -> Response:
        """The answer to who asks about the schema alone, which is the same for everybody."""
        key = (request.query, request.operation, orjson.dumps(request.variables, default=str))
        known = self._introspections.get(key)
        if known is not None:
            return Response(known, 200, media_type=form.value)
        result = await self._run(call, request, prepared, operation)
        response = _rendered(result, call, form)
        if not result.errors:
            self._introspections.keep(key, bytes(response.body), len(response.body) + len(request.query) + len(key[2]))
        return response

    async def _run(
        self, call: Context, request: GraphQLRequest, prepared: Prepared, operation: Operation
    ) -> ExecutionResult:
        assert prepared.document is not None
        node, mutates = operation.node, is_mutation(operation.node)
        siblings = not is_one_field(node) and not mutates
        context = GraphQLContext.patient(call, prepared.costs) if siblings else GraphQLContext(call, prepared.costs)
        context.ends = monotonic() + self._max_seconds
        execution = Execution(_CORE, self._executor, prepared.document, context, request.variables, request.operation)
        straight = self._straight(_CORE, node)
        try:
            # What a mutation has begun is completed: who calls must learn what became of it.
            async with asyncio.timeout(None if mutates else self._max_seconds):
                result = await straight.run(context, request.variables, execution.build) if straight else None
                return result or await execution.run()
        except TimeoutError:
            raise RequestTookTooLong from None
        finally:
            await execution.end()
            await context.end()


def _compiled_executor() -> "type[CompiledExecutor]":
    """The executor with plans, behind Strawberry's hook as well, for whoever executes by the schema itself."""
    if _refused is not None:
        told = "GATEWAY_GRAPHQL_COMPILED: these versions of Strawberry and graphql-core refuse it; set it to off"
        raise SettingsError(f"{told} ({_refused})") from _refused
    SCHEMA.execution_context_class = CompiledExecutor
    return CompiledExecutor


@cache
def _documents(*, introspection: bool) -> Documents:
    """One book of documents for the process, as of their plans."""
    return Documents(_CORE, introspection=introspection)


def _never(_schema: GraphQLSchema, _operation: OperationDefinitionNode) -> None:
    """No operation is executed without an executor."""


def _judge(operation: Operation, request: GraphQLRequest, call: Context) -> None:
    """Refuse what may not be executed, before anything is."""
    if is_mutation(operation.node):
        if not request.mutates:
            raise MethodNotAllowed(("POST",))
        if call.idempotency_key is not None and not is_one_field(operation.node):
            raise InvalidInput(message="Com Idempotency-Key, envie exatamente um campo de mutação.")
    refuse_large_variables(request.variables, operation.variable_uses)


def _unknown_operation(name: str | None) -> GraphQLError:
    unknown = "não há uma operação com esse nome no documento"
    reason = "diga qual das operações executar" if name is None else unknown
    return GraphQLError("", original_error=InvalidInput(("operationName", reason)))


def _refusal(found: Sequence[GraphQLError], call: Context) -> dict[str, Any]:
    return {"errors": [errors.formatted(error, call.origin.request_id) for error in found]}


def _rendered(result: ExecutionResult, call: Context, form: Form) -> Response:
    body: dict[str, Any] = {"data": result.data}
    if result.errors:
        body["errors"] = [errors.formatted(of_argument(error), call.origin.request_id) for error in result.errors]
    if call.reply.notices:
        body["extensions"] = {"aviso": " ".join(dict.fromkeys(call.reply.notices))}
    status = 200
    if result.data is None and form is Form.response:
        # Fields of the root fail alone, so nothing was executed: a request error, which has no `data`.
        del body["data"]
        status = 400
    response = _encoded(body, status, form)
    for error in result.errors or ():
        if isinstance(error.original_error, GatewayError):
            response.headers.update(error.original_error.headers)
    if call.reply.replayed:
        response.headers["idempotent-replayed"] = "true"
    return response


def _encoded(body: dict[str, Any], status: int, form: Form) -> Response:
    return Response(orjson.dumps(body, default=str), status, media_type=form.value)
