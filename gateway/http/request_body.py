"""Reads JSON bodies strictly, within limits."""

import codecs
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import orjson
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from gateway.errors import BodyTooLarge, InvalidInput, WrongContentType

MAX_BODY_BYTES = 1024 * 1024
MAX_VALUES = 50_000
"""Lists, objects and their items."""
MAX_LONG_NUMBERS = 1000
_SPACED_KEY = re.compile(rb'"\s+:')
_LONG_NUMBER = re.compile(rb"[0-9.]{17}")
"""More digits than a double has: `4.9999999999999999` would become 5.0."""
_LONG_NUMBER_OF_JSON = re.compile(rb"[\[:,\s-][0-9.]{17}")
"""One that isn't the start of a string."""
_CHARSETS = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_MAX_DEPTH = 32
_TOO_DEEP = "O JSON é profundo demais."


async def read_body(receive: Receive, maximum: int = MAX_BODY_BYTES) -> bytes:
    """The whole body. Raises `BodyTooLarge` as soon as it exceeds `maximum` bytes, and `ClientDisconnect` if it is
    incomplete.
    """
    message = await read_chunk(receive)
    body: bytes = message.get("body", b"")
    if message.get("more_body"):
        parts, size = [body], len(body)
        while message.get("more_body"):
            message = await read_chunk(receive)
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > maximum:
                raise BodyTooLarge(maximum // 1024)
        body = b"".join(parts)
    if len(body) > maximum:
        raise BodyTooLarge(maximum // 1024)
    return body


async def read_chunk(receive: Receive) -> Message:
    """The next chunk of a body. Raises `ClientDisconnect`."""
    message = await receive()
    if message["type"] != "http.request":
        raise ClientDisconnect
    return message


def decode_object(body: bytes, content_type: str | None, content_encoding: str | None = None) -> dict[str, Any]:
    """A JSON object; an empty body is an empty one. Raises `InvalidInput` or `WrongContentType`."""
    if not body.strip():
        return {}
    require_uncompressed(content_encoding)
    if content_type is not None:
        _require_utf8_json(content_type)
    decoded = decode(body.removeprefix(codecs.BOM_UTF8))
    if not isinstance(decoded, dict):
        raise InvalidInput(message="O corpo deve ser um objeto JSON.")
    return decoded


def require_uncompressed(content_encoding: str | None) -> None:
    """Raises `WrongContentType` for a compressed body."""
    if content_encoding is not None and content_encoding.strip().lower() not in {"", "identity"}:
        raise WrongContentType("O corpo não pode vir comprimido: envie sem Content-Encoding.")


def _require_utf8_json(content_type: str) -> None:
    media_type, _, parameters = content_type.partition(";")
    if media_type.strip().lower() != "application/json":
        raise WrongContentType
    if parameters and any(charset not in _CHARSETS for charset in _charsets(parameters)):
        raise WrongContentType("O corpo deve ser JSON em UTF-8: envie sem charset, ou com charset=utf-8.")


def _charsets(parameters: str) -> Iterator[str]:
    """The `charset` parameters of a media type. No regular expression, for a header may have 60,000 blanks."""
    for parameter in parameters.lower().split(";"):
        name, _, value = parameter.partition("=")
        if name.strip() == "charset":
            yield value.strip().strip("\"'")


def decode(body: bytes) -> Any:
    """Decode UTF-8 JSON. A repeated key is an error."""
    if body.count(b",") + body.count(b"[") + body.count(b"{") > MAX_VALUES:
        raise InvalidInput(message="O JSON tem valores demais.")
    try:
        decoded = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise InvalidInput(message="O corpo não é um JSON válido.") from None
    if _LONG_NUMBER.search(body):
        if len(_LONG_NUMBER_OF_JSON.findall(body)) > MAX_LONG_NUMBERS:
            raise InvalidInput(message="O JSON tem números longos demais.")
        decoded = _decode_exactly(body)
    # Each key is a quote before a colon. If there are more, a string contains one, or a key is repeated.
    keys = body.count(b'":') + len(_SPACED_KEY.findall(body))
    if keys != _count_keys(decoded):
        _refuse_repeated_keys(body)
    return decoded


def _decode_exactly(body: bytes) -> Any:
    try:
        return json.loads(body, parse_float=parse_decimal, parse_int=parse_int)
    except RecursionError:
        raise InvalidInput(message=_TOO_DEEP) from None


def parse_decimal(text: str) -> float | Decimal:
    """The exact number; a float where that is exact."""
    number = float(text)
    exact = Decimal(text)
    return number if Decimal(repr(number)) == exact else exact


def parse_int(text: str) -> int | float:
    """The exact integer; a float where it is long, for parsing a thousand digits takes long."""
    return int(text) if len(text) < 20 else float(text)


def _count_keys(value: Any) -> int:
    """The number of keys of all objects within."""
    keys, level = 0, [value]
    for _ in range(_MAX_DEPTH):
        below: list[Any] = []
        for one in level:
            if type(one) is dict:
                keys += len(one)
                below += one.values()
            elif type(one) is list:
                below += one
        if not below:
            return keys
        level = below
    if any(isinstance(one, (dict, list)) for one in level):
        raise InvalidInput(message=_TOO_DEEP)
    return keys


def _refuse_repeated_keys(body: bytes) -> None:
    try:
        json.loads(body, object_pairs_hook=_unique)
    except RecursionError:  # orjson drops the first value of a repeated key, and its depth.
        raise InvalidInput(message=_TOO_DEEP) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) == len(pairs):
        return unique
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            break
        seen.add(name)
    raise InvalidInput((name[:40], "aparece mais de uma vez no JSON"))
