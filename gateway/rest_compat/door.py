"""From an HTTP request to an operation and back. Nothing here knows a rule, a table or a permission."""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from anyio import to_thread
from msgspec import Struct
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.errors import ExportsUnderway, GatewayError, InvalidInput
from gateway.json_body import decode_object, read_body
from gateway.resolvers.authentication import FRESH_SECONDS
from gateway.resolvers.context import Context
from gateway.resolvers.listing.exports import Export
from gateway.resolvers.operation import Operation
from gateway.rest_compat.csv_file import LONGEST_WAIT, CsvFile, turn_of, wants_csv
from gateway.rest_compat.envelope import failure, success
from gateway.rest_compat.paths import Paths


class Endpoint(Struct, frozen=True, eq=False):
    """One row of the table of paths: which operation a method and path call, and what success answers."""

    method: str
    path: str
    operation: Operation[Any, Any]
    status: int = 200
    location: str | None = None
    """Where what was created can be read, with the fields of the result in braces. A 201 tells it in `Location`."""
    may_exist: bool = False
    """Whether what is asked for may exist already, which answers 200."""
    any_body: bool = False
    """Whether a body that isn't JSON is taken as an empty one instead of refused."""
    export: Operation[Any, Export] | None = None
    """What answers instead when the caller accepts `text/csv`."""
    special: Callable[["Call"], Awaitable[Response]] | None = None
    """For the few that aren't JSON in and JSON out."""
    internal: bool = False
    """Whether the reference leaves it out."""
    form: bool = False
    """Whether it takes a multipart form instead of JSON."""
    file_types: tuple[str, ...] = ()
    """What it answers instead of JSON: a file of one of these types."""


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
        sent = await read()
        if time.monotonic() - began > FRESH_SECONDS:
            ctx = await operation.admit(self.ctx)
        return ctx, sent

    async def draft(self) -> dict[str, Any]:
        """The operation's input: query or body, with path parameters over it."""
        if self.endpoint.method in {"GET", "DELETE"}:
            return query_of(self.scope) | self.parameters
        return await self._body() | self.parameters

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
            return CsvFile(await self.export.run(ctx, await self.call.draft()))
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
        if endpoint.export is not None and wants_csv(call.headers.get("accept", "")):
            return _Download(call, endpoint.export, await endpoint.export.admit(call.ctx), self._longest_wait)
        ctx, draft = await call.let_in(call.draft)
        result = await endpoint.operation.run(ctx, draft)
        response = success(result, 200 if ctx.reply.found else endpoint.status, ctx.reply)
        if endpoint.location is not None and response.status_code == 201:
            response.headers["location"] = location_of(endpoint.location, result)
        return response


def location_of(path: str, result: Any) -> str:
    """The path of what was created. A replayed result is a mapping."""
    fields = result if isinstance(result, Mapping) else vars(result)
    return path.format_map(fields)


def query_of(scope: Scope) -> dict[str, Any]:
    """The query parameters; a repeated one is refused, and so is one that isn't UTF-8."""
    raw = scope["query_string"]
    if not raw:
        return {}
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise InvalidInput(message="Os parâmetros do endereço não podem ser lidos.") from None
    query = dict(pairs)
    if len(query) != len(pairs):
        times = Counter(name for name, _ in pairs)
        raise InvalidInput(*((name[:40], "aparece mais de uma vez no endereço") for name in query if times[name] > 1))
    return query
