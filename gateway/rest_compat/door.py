"""From an HTTP request to an operation and back. Nothing here knows a rule, a table or a permission."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from anyio import to_thread
from msgspec import Struct
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.errors import ExportsUnderway, GatewayError, InvalidInput
from gateway.http.request_body import decode_object, read_body
from gateway.resolvers.core.authentication import FRESH_SECONDS
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.exports import Export
from gateway.resolvers.core.operation import Operation
from gateway.rest_compat.csv_file import (
    FORMAT_PARAMETER,
    LONGEST_WAIT,
    CsvFile,
    read_format,
    turn_of,
    wants_csv,
)
from gateway.rest_compat.envelope import failure, success
from gateway.rest_compat.paths import Paths
from gateway.rest_compat.query import parameters_of, read_query

_LENIENT = ("/checkout/", "/engine/", "/health", "/metrics")


class Endpoint(Struct, frozen=True, eq=False):
    """One row of the table of paths: which operation a method and path call, and what success answers."""

    method: str
    path: str
    operation: Operation[Any, Any]
    status: int = 200
    location: str | None = None
    """Where what was created can be read, with the fields of the result in braces. A 201 tells it in `Location`. A list
    stands for what has no path of its own.
    """
    may_exist: bool = False
    """Whether what is asked for may exist already, which answers 200."""
    any_body: bool = False
    """Whether a body that isn't JSON is taken as an empty one instead of refused."""
    export: Operation[Any, Export] | None = None
    """What answers instead when the caller accepts `text/csv`; it also has a path of its own (`export_endpoint`)."""
    special: Callable[["Call"], Awaitable[Response]] | None = None
    """For the few that aren't JSON in and JSON out."""
    internal: bool = False
    """Whether the reference leaves it out."""
    form: bool = False
    """Whether it takes a multipart form instead of JSON."""
    file_types: tuple[str, ...] = ()
    """What it answers instead of JSON: a file of one of these types."""

    @property
    def ignores_unknown_parameters(self) -> bool:
        """Whether query parameters that nobody knows are left alone: links bring `utm_source`, engines their own."""
        return self.path.startswith(_LENIENT)

    def export_endpoint(self) -> "Endpoint":
        """The path of the export alone, for clients that choose by path."""
        assert self.export is not None
        return Endpoint("GET", f"{self.path}/export", self.export)


class DocumentationPage(Struct, frozen=True, eq=False):
    """A path that shows a page or a file instead of calling an operation. `show` is called in a thread."""

    path: str
    show: Callable[[], ASGIApp]


T = TypeVar("T")


class Call(Struct, frozen=True):
    """One request that has found its endpoint."""

    endpoint: Endpoint
    ctx: Context
    scope: Scope
    receive: Receive
    headers: Headers
    parameters: dict[str, str]

    async def let_in(self, read: Callable[[], Awaitable[T]]) -> tuple[Context, T]:
        """The caller's context, and what `read` makes of the body. Admission comes before the body is read: a stranger
        learns nothing from validation messages. Who takes long to send it is admitted once more: a session that has
        ended since, a key that was revoked and a store that was suspended carry nothing out.
        """
        operation = self.endpoint.operation
        ctx, began = await operation.admit(self.ctx), time.monotonic()
        self.query(operation)
        sent = await read()
        if time.monotonic() - began > FRESH_SECONDS:
            ctx = await operation.admit(self.ctx)
        return ctx, sent

    async def draft(self) -> dict[str, Any]:
        """The operation's input: query or body, with path parameters over it."""
        if self.endpoint.method in {"GET", "DELETE"}:
            return self.query(self.endpoint.operation) | self.parameters
        return await self._body() | self.parameters

    def query(self, operation: Operation[Any, Any], *others: str) -> dict[str, Any]:
        """The query parameters of an operation, and those that are the transport's. Raises `InvalidInput`."""
        in_query = self.endpoint.method in {"GET", "DELETE"}
        known = parameters_of(operation.input_type) - self.parameters.keys() if in_query else frozenset()
        known |= {*others} if self.endpoint.export is None else {*others, FORMAT_PARAMETER}
        query = read_query(self.scope, known, ignore_unknown=self.endpoint.ignores_unknown_parameters)
        if FORMAT_PARAMETER in query and FORMAT_PARAMETER not in others:
            raise InvalidInput((FORMAT_PARAMETER, f"só vale em CSV: peça {self.endpoint.path}/export"))
        return query

    def succeed(self, result: Any, status: int, ctx: Context) -> Response:
        """The answer to a call that was carried out."""
        response = success(result, status, ctx.reply)
        if self.endpoint.location is not None and status == 201:
            response.headers["location"] = location_of(self.endpoint.location, result)
        return response

    async def _body(self) -> dict[str, Any]:
        body = await read_body(self.receive)
        try:
            return decode_object(body, self.headers.get("content-type"), self.headers.get("content-encoding"))
        except GatewayError:
            if self.endpoint.any_body:
                return {}
            raise


class _Download(Struct, frozen=True):
    """The answer to who was admitted to an export: the file, once it is their store's turn."""

    call: Call
    export: Operation[Any, Export]
    ctx: Context
    longest_wait: float

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.monotonic()
        try:
            async with turn_of(self.ctx.store_id, receive, longest=self.longest_wait):
                await (await self._file(began))(scope, receive, send)
        except ExportsUnderway as error:
            await failure(error, self.ctx.reply)(scope, receive, send)

    async def _file(self, began: float) -> Response:
        try:
            # Who has waited is admitted once more: their session may have ended, or their key been revoked.
            waited = time.monotonic() - began > FRESH_SECONDS
            ctx = await self.export.admit(self.call.ctx) if waited else self.ctx
            query = self.call.query(self.export, FORMAT_PARAMETER)
            written = read_format(query.pop(FORMAT_PARAMETER, None))
            return CsvFile(await self.export.run(ctx, query | self.call.parameters), written)
        except GatewayError as error:
            return failure(error, self.ctx.reply)


class RestDoor:
    """The ASGI application of the REST paths. The context comes with the scope, from the middleware."""

    def __init__(
        self, endpoints: list[Endpoint], documentation: list[DocumentationPage], *, longest_wait: float = LONGEST_WAIT
    ) -> None:
        """`longest_wait`: seconds that an export may wait for its turn."""
        self._longest_wait = longest_wait
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
            return await to_thread.run_sync(endpoint.show)  # It may have to be drawn first.
        call = Call(endpoint, scope["gateway.context"], scope, receive, Headers(scope=scope), parameters)
        if endpoint.special is not None:
            return await endpoint.special(call)
        export = endpoint.operation if endpoint.operation.result_type is Export else endpoint.export
        if export is not None and (export is endpoint.operation or wants_csv(call.headers.get("accept", ""))):
            return _Download(call, export, await export.admit(call.ctx), self._longest_wait)
        ctx, draft = await call.let_in(call.draft)
        result = await endpoint.operation.run(ctx, draft)
        return call.succeed(result, 200 if ctx.reply.found else endpoint.status, ctx)


def location_of(path: str, result: Any) -> str:
    """The path of what was created. A replayed result is a mapping."""
    fields = result if isinstance(result, Mapping) else vars(result)
    return path.format_map(fields)
