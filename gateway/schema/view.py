"""GraphQL over HTTP, on the short way: decode, prepare (cached), execute, encode. No batching, no queries over GET.

A browser that asks for a page at `GET /graphql` gets GraphiQL.
"""

from functools import cache
from typing import Any

import orjson
from graphql import ExecutionResult, GraphQLSchema, OperationDefinitionNode
from graphql.execution import Executor
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gateway.errors import GatewayError, InvalidInput, MethodNotAllowed
from gateway.json_body import decode_object, read_body
from gateway.resolvers.context import Context
from gateway.schema import errors, graphiql
from gateway.schema.context import GraphQLContext
from gateway.schema.documents import Documents, Prepared, is_mutation, is_one_field
from gateway.schema.execution import Execution
from gateway.schema.misfits import of_argument
from gateway.schema.schema import SCHEMA
from gateway.settings import Settings, SettingsError

# A Strawberry or a graphql-core that refuses it keeps nobody from starting without it.
_refused: Exception | None = None
try:
    from gateway.schema.compiled import CompiledExecutor
except (ImportError, AttributeError, TypeError) as error:
    _refused = error

JSON = "application/json"
_CORE = SCHEMA._schema  # noqa: SLF001  # Strawberry offers no public way to its graphql-core schema.


class GraphQLDoor:
    """The ASGI application at `/graphql`. The context comes with the scope, from the middleware."""

    def __init__(self, settings: Settings) -> None:
        self._graphiql = settings.graphiql
        self._served = ("GET", "POST") if settings.graphiql else ("POST",)
        self._documents = _documents(introspection=settings.graphql_introspection)
        compiled = _compiled_executor() if settings.graphql_compiled else None
        self._executor = compiled or Executor
        self._straight = compiled.straight if compiled else _never

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(scope, receive)
        await response(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        headers = Headers(scope=scope)
        if scope["method"] in {"GET", "HEAD"} and self._graphiql and "text/html" in headers.get("accept", ""):
            return graphiql.page()
        try:
            if scope["method"] != "POST":
                raise MethodNotAllowed(self._served)
            given = decode_object(await read_body(receive), headers.get("content-type", ""))
        except GatewayError as error:
            # No GraphQL request has arrived yet: HTTP's own faults look alike on every path.
            return _refusal(error, {"error": error.body()})
        try:
            return await self._execute(scope["gateway.context"], _request(given))
        except GatewayError as error:
            return _refusal(error, {"errors": [errors.of_ours(error)]})

    async def _execute(self, call: Context, request: dict[str, Any]) -> Response:
        prepared = self._documents.prepare(request["query"])
        if prepared.errors:
            return _encoded({"errors": [errors.formatted(e, call.origin.request_id) for e in prepared.errors]}, 400)
        operation = _judged_operation(prepared, request["operationName"], call)
        assert prepared.document is not None
        siblings = not is_one_field(operation) and not is_mutation(operation)
        context = GraphQLContext.patient(call) if siblings else GraphQLContext(call)
        variables, name = request["variables"], request["operationName"]
        execution = Execution(_CORE, self._executor, prepared.document, context, variables, name)
        straight = self._straight(_CORE, operation)
        try:
            result = await straight.run(context, variables, execution.build) if straight is not None else None
            result = result or await execution.run()
        finally:
            await execution.end()
            await context.end()
        return _rendered(result, call)


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


def _request(given: dict[str, Any]) -> dict[str, Any]:
    query, variables, name = given.get("query"), given.get("variables"), given.get("operationName")
    faults = [
        ("query", "informe o documento GraphQL") if not isinstance(query, str) or not query.strip() else None,
        ("variables", "deve ser um objeto") if not isinstance(variables, (dict, type(None))) else None,
        ("operationName", "deve ser um texto") if not isinstance(name, (str, type(None))) else None,
    ]
    found = [fault for fault in faults if fault]
    if found:
        raise InvalidInput(*found)
    return {"query": query, "variables": variables, "operationName": name}


def _judged_operation(prepared: Prepared, name: str | None, call: Context) -> OperationDefinitionNode:
    operation = prepared.operation(name)
    if operation is None:
        unknown = "não há uma operação com esse nome no documento"
        raise InvalidInput(("operationName", "diga qual das operações executar" if name is None else unknown))
    if call.idempotency_key is not None and is_mutation(operation) and not is_one_field(operation):
        raise InvalidInput(message="Com Idempotency-Key, envie exatamente um campo de mutação.")
    return operation


def _rendered(result: ExecutionResult, call: Context) -> Response:
    body: dict[str, Any] = {"data": result.data}
    if result.errors:
        body["errors"] = [errors.formatted(of_argument(error), call.origin.request_id) for error in result.errors]
    if call.reply.notices:
        body["extensions"] = {"aviso": " ".join(dict.fromkeys(call.reply.notices))}
    response = _encoded(body, 200)
    for error in result.errors or ():
        if isinstance(error.original_error, GatewayError):
            response.headers.update(error.original_error.headers)
    if call.reply.replayed:
        response.headers["idempotent-replayed"] = "true"
    return response


def _refusal(error: GatewayError, body: dict[str, Any]) -> Response:
    return Response(orjson.dumps(body, default=str), error.status, headers=error.headers, media_type=JSON)


def _encoded(body: dict[str, Any], status: int) -> Response:
    return Response(orjson.dumps(body, default=str), status, media_type=JSON)
