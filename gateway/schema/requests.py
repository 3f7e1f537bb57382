"""GraphQL requests over HTTP, as they come: in a body by POST, in the query string by GET."""

from typing import Any
from urllib.parse import parse_qsl

from msgspec import Struct
from starlette.datastructures import Headers
from starlette.types import Receive, Scope

from gateway.errors import InvalidInput
from gateway.http.request_body import decode, decode_object, read_body

_PARAMETERS = ("query", "variables", "operationName", "extensions")
_MAX_PARAMETERS = 50
_MAX_BRACKETS = 50_000
"""Within texts as well. Decoding many empty lists takes far longer than their bytes suggest."""


class GraphQLRequest(Struct, frozen=True):
    query: str
    variables: dict[str, Any]
    operation: str | None
    mutates: bool
    """Whether the method allows mutations."""


class PersistedQueryNotSupported(Exception):
    """The caller sent the hash of a document in place of the document. It sends the document then."""


async def read_request(scope: Scope, receive: Receive, headers: Headers) -> GraphQLRequest:
    """Raises `InvalidInput` and the errors of a body, or `PersistedQueryNotSupported`."""
    if scope["method"] == "POST":
        body = await read_body(receive)
        if body.count(b"[") + body.count(b"{") > _MAX_BRACKETS:
            raise InvalidInput(message="O JSON tem listas e objetos demais.")
        given = decode_object(body, headers.get("content-type", ""), headers.get("content-encoding"))
    else:
        given = _of_query_string(scope["query_string"])
    query, extensions = given.get("query"), given.get("extensions")
    if not query and isinstance(extensions, dict) and isinstance(extensions.get("persistedQuery"), dict):
        raise PersistedQueryNotSupported
    variables, operation = given.get("variables"), given.get("operationName")
    if operation == "":
        operation = None  # A form sends an empty name for none, and so do some clients.
    faults = [
        ("query", "informe o documento GraphQL") if not isinstance(query, str) or not query.strip() else None,
        ("variables", "deve ser um objeto") if not isinstance(variables, dict | None) else None,
        ("operationName", "deve ser um texto") if not isinstance(operation, str | None) else None,
        ("extensions", "deve ser um objeto") if not isinstance(extensions, dict | None) else None,
    ]
    found = [fault for fault in faults if fault]
    if found:
        raise InvalidInput(*found)
    assert isinstance(query, str)
    return GraphQLRequest(query, variables or {}, operation, mutates=scope["method"] == "POST")


def _of_query_string(query_string: bytes) -> dict[str, Any]:
    """The parameters of a GET; unknown ones are ignored. Raises `InvalidInput`."""
    try:
        pairs = parse_qsl(
            query_string.decode("latin-1"), keep_blank_values=True, errors="strict", max_num_fields=_MAX_PARAMETERS
        )
    except ValueError:
        raise InvalidInput(message="A consulta no endereço não pode ser lida.") from None
    given: dict[str, Any] = {}
    for name, value in pairs:
        if name in given:
            raise InvalidInput((name[:40], "aparece mais de uma vez"))
        if name in _PARAMETERS:
            given[name] = value
    for name in ("variables", "extensions"):
        if name in given:
            given[name] = _decoded(name, given[name])
    return given


def _decoded(name: str, written: str) -> Any:
    if not written:
        return None
    try:
        return decode(written.encode())
    except InvalidInput:
        raise InvalidInput((name, "deve ser um objeto JSON")) from None
