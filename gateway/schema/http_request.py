"""GraphQL requests over HTTP: their parameters, and the format of the response.

`application/graphql-response+json` has the status codes of the GraphQL-over-HTTP draft: 4xx for a request that isn't
executed. So has `application/json` for a client without a preference. A client that names `application/json` gets 200
for each well-formed request, as the draft requires.
"""

from enum import Enum
from typing import Any, Final
from urllib.parse import parse_qsl

from msgspec import Struct
from starlette.datastructures import Headers
from starlette.types import Receive, Scope

from gateway.errors import InvalidInput
from gateway.http.accept import parse_weights
from gateway.http.request_body import decode, decode_object, read_body

_PARAMETERS = ("query", "variables", "operationName", "extensions")
_MAX_PARAMETERS = 50
_MAX_BRACKETS = 50_000
"""Counted in strings as well. Decoding many empty lists takes long for their bytes."""


class GraphQLRequest(Struct, frozen=True):
    query: str
    variables: dict[str, Any]
    operation: str | None
    mutates: bool
    """Whether the method allows mutations."""


class PersistedQueryNotSupported(Exception):
    """The client sent only the hash of a document. It sends the document next."""


async def read_request(scope: Scope, receive: Receive, headers: Headers) -> GraphQLRequest:
    """Raises `InvalidInput` and the errors of a body, or `PersistedQueryNotSupported`."""
    if scope["method"] == "POST":
        body = await read_body(receive)
        if body.count(b"[") + body.count(b"{") > _MAX_BRACKETS:
            raise InvalidInput(message="O JSON tem listas e objetos demais.")
        parameters = decode_object(body, headers.get("content-type", ""), headers.get("content-encoding"))
    else:
        parameters = _query_parameters(scope["query_string"])
    query, extensions = parameters.get("query"), parameters.get("extensions")
    if not query and isinstance(extensions, dict) and isinstance(extensions.get("persistedQuery"), dict):
        raise PersistedQueryNotSupported
    variables, operation = parameters.get("variables"), parameters.get("operationName")
    if operation == "":
        operation = None  # Some clients send an empty name.
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


def _query_parameters(query_string: bytes) -> dict[str, Any]:
    """The parameters of a GET; unknown ones are ignored. Raises `InvalidInput`."""
    try:
        pairs = parse_qsl(
            query_string.decode("latin-1"), keep_blank_values=True, errors="strict", max_num_fields=_MAX_PARAMETERS
        )
    except ValueError:
        raise InvalidInput(message="A consulta no endereço não pode ser lida.") from None
    parameters: dict[str, Any] = {}
    for name, value in pairs:
        if name in parameters:
            raise InvalidInput((name[:40], "aparece mais de uma vez"))
        if name in _PARAMETERS:
            parameters[name] = value
    for name in ("variables", "extensions"):
        if name in parameters:
            parameters[name] = _decode(name, parameters[name])
    return parameters


def _decode(name: str, text: str) -> Any:
    if not text:
        return None
    try:
        return decode(text.encode())
    except InvalidInput:
        raise InvalidInput((name, "deve ser um objeto JSON")) from None


JSON: Final = "application/json"
RESPONSE: Final = "application/graphql-response+json"
HTML: Final = "text/html"
EVENT_STREAM: Final = "text/event-stream"


class MediaType(Enum):
    unnamed = JSON
    json = f"{JSON}; charset=utf-8"
    response = f"{RESPONSE}; charset=utf-8"
    page = HTML
    event_stream = EVENT_STREAM

    @property
    def always_ok(self) -> bool:
        """Whether an invalid document is answered with 200."""
        return self in {MediaType.json, MediaType.event_stream}


def choose_media_type(accept: str, *, page: bool) -> MediaType | None:
    """The media type that the client prefers; None if none is acceptable. `page`: whether HTML is offered."""
    if not accept.strip():
        return MediaType.unnamed
    qualities = parse_weights(accept)
    anything = qualities.get("application/*", qualities.get("*/*", 0.0))
    named = {JSON: MediaType.json, RESPONSE: MediaType.response, EVENT_STREAM: MediaType.event_stream}
    weights = {
        MediaType.page: qualities.get(HTML, 0.0) if page else 0.0,
        # Of equal weights the first one named.
        **{named[name]: weight for name, weight in qualities.items() if name in named},
        MediaType.unnamed: 0.0 if JSON in qualities else anything,
    }
    best = max(weights, key=weights.__getitem__)
    return best if weights[best] > 0 else None
