"""The REST application: finds the endpoint of a request, calls its operation, and encodes the result."""

import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.errors import GatewayError, InvalidInput
from gateway.http.request_body import decode_object, read_body
from gateway.resolvers.core.authentication import CACHE_SECONDS
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.exports import Export
from gateway.resolvers.core.operation import Operation
from gateway.rest_compat.csv_stream import (
    COLUMNS_PARAMETER,
    EXPORT_PARAMETERS,
    FORMAT_PARAMETER,
    MAX_WAIT_SECONDS,
    CsvFile,
    Download,
    read_format,
    wants_csv,
)
from gateway.rest_compat.envelope import failure, success
from gateway.rest_compat.paths import Paths
from gateway.rest_compat.query import parameters_of, read_query

_LENIENT = ("/checkout/", "/engine/", "/health", "/metrics")


class Endpoint(Struct, frozen=True, eq=False):
    """One route: method, path, operation, and the response of success."""

    method: str
    path: str
    operation: Operation[Any, Any]
    status: int = 200
    location: str | None = None
    """The `Location` of a 201, with fields of the result in braces; of a list, for an object without its own path."""
    may_exist: bool = False
    """Whether the object may exist already, which is a 200."""
    any_body: bool = False
    """Whether a body that isn't JSON counts as empty, instead of an error."""
    export: Operation[Any, Export] | None = None
    """The operation for `Accept: text/csv`; it also has its own path (`export_endpoint`)."""
    special: Callable[["Call"], Awaitable[ASGIApp]] | None = None
    """The handler of endpoints that aren't JSON in and out."""
    internal: bool = False
    """Whether it is omitted in the reference."""
    form: bool = False
    """Whether the body is a multipart form instead of JSON."""
    file_types: tuple[str, ...] = ()
    """The media types of its response, if that is a file instead of JSON."""

    @property
    def ignores_unknown_parameters(self) -> bool:
        """Whether unknown query parameters are ignored: links have `utm_source`, engines add their own."""
        return self.path.startswith(_LENIENT)

    def export_endpoint(self) -> "Endpoint":
        """The endpoint of the export alone."""
        assert self.export is not None
        return Endpoint("GET", f"{self.path}/export", self.export)


class DocumentationPage(Struct, frozen=True, eq=False):
    """A path that shows a page or a file instead of calling an operation. `show` is called in a thread."""

    path: str
    show: Callable[[], ASGIApp]


T = TypeVar("T")


class Call(Struct, frozen=True):
    """A request with its endpoint."""

    endpoint: Endpoint
    ctx: Context
    scope: Scope
    receive: Receive
    headers: Headers
    parameters: dict[str, str]

    async def authorize_and_read(self, read: Callable[[], Awaitable[T]]) -> tuple[Context, T]:
        """Authorize the caller, then read the body with `read`, so that others see no validation messages. After a
        slow body the caller is authorized again: the session may have ended.
        """
        operation = self.endpoint.operation
        ctx, began = await operation.admit(self.ctx), time.monotonic()
        raw = await read()
        if time.monotonic() - began > CACHE_SECONDS:
            ctx = await operation.admit(self.ctx)
        return ctx, raw

    async def raw_input(self) -> dict[str, Any]:
        """The operation's raw input: query or body, overridden by path parameters."""
        query = self.query(self.endpoint.operation)
        if self.endpoint.method in {"GET", "DELETE"}:
            return query | self.parameters
        return await self._body() | self.parameters

    def query(self, operation: Operation[Any, Any], *, of_file: bool = False) -> dict[str, Any]:
        """The query parameters of an operation; `of_file`: and those of an exported file. Raises `InvalidInput`."""
        in_query = self.endpoint.method in {"GET", "DELETE"}
        known = parameters_of(operation.input_type) - self.parameters.keys() if in_query else frozenset()  # type: ignore[arg-type]  # A class is hashable.
        if of_file or self.endpoint.export is not None:
            known |= EXPORT_PARAMETERS
        query = read_query(self.scope, known, ignore_unknown=self.endpoint.ignores_unknown_parameters)
        if not of_file and (only_csv := sorted(query.keys() & EXPORT_PARAMETERS)):
            raise InvalidInput(*((name, f"só vale em CSV: peça {self.endpoint.path}/export") for name in only_csv))
        return query

    def succeed(self, result: Any, status: int, ctx: Context) -> Response:
        """The response of a successful call."""
        response = success(result, status, ctx.reply)
        if self.endpoint.location is not None and status == 201:
            fields = result if isinstance(result, Mapping) else vars(result)  # A replayed result is a mapping.
            response.headers["location"] = self.endpoint.location.format_map(fields)
        return response

    async def _body(self) -> dict[str, Any]:
        body = await read_body(self.receive)
        try:
            return decode_object(body, self.headers.get("content-type"), self.headers.get("content-encoding"))
        except GatewayError:
            if self.endpoint.any_body:
                return {}
            raise


async def _export_file(call: Call, export: Operation[Any, Export], ctx: Context, waited: float) -> Response:
    """The file of an authorized export, with the columns and the format of the query."""
    assert export.table is not None
    # After a wait the caller is authorized again: the session may have ended.
    if waited > CACHE_SECONDS:
        ctx = await export.admit(call.ctx)
    query = call.query(export, of_file=True)
    csv_format, columns = read_format(query.pop(FORMAT_PARAMETER, None)), query.pop(COLUMNS_PARAMETER, None)
    chosen = export.table.choose(None if columns is None else columns.split(","))
    file = await export.run(ctx, query | call.parameters)
    return CsvFile(replace(file, columns=chosen), csv_format)


class RestApp:
    """The ASGI application of the REST paths. The middleware puts the context into the scope."""

    def __init__(
        self, endpoints: list[Endpoint], documentation: list[DocumentationPage], *, max_wait: float = MAX_WAIT_SECONDS
    ) -> None:
        """`max_wait`: seconds that an export may wait for a slot."""
        self._max_wait = max_wait
        table = [(endpoint.method, endpoint.path, endpoint) for endpoint in endpoints]
        self._paths: Paths[Endpoint | DocumentationPage] = Paths(
            [*table, *(("GET", page.path, page) for page in documentation)]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            response = await self._answer(scope, receive)
        except GatewayError as error:
            response = failure(error, scope["gateway.context"].reply)
        await response(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> ASGIApp:
        endpoint, parameters = self._paths.find(scope["method"], scope["path"])
        if isinstance(endpoint, DocumentationPage):
            return await to_thread.run_sync(endpoint.show)  # The first call renders it.
        call = Call(endpoint, scope["gateway.context"], scope, receive, Headers(scope=scope), parameters)
        if endpoint.special is not None:
            return await endpoint.special(call)
        export = endpoint.operation if endpoint.operation.result_type is Export else endpoint.export
        if export is not None and (export is endpoint.operation or wants_csv(call.headers.get("accept", ""))):
            ctx = await export.admit(call.ctx)
            return Download(ctx, ctx.store_id, partial(_export_file, call, export, ctx), self._max_wait)
        ctx, raw = await call.authorize_and_read(call.raw_input)
        result = await endpoint.operation.run(ctx, raw)
        return call.succeed(result, 200 if ctx.reply.found else endpoint.status, ctx)
