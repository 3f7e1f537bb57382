"""Reading a JSON body: strict, bounded, and quick for what is in order."""

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

MAXIMUM_BODY = 1024 * 1024
MAX_VALUES = 50_000
"""Lists, objects and what is in them. More cost more time to look through than any request is worth."""
MAX_LONG_NUMBERS = 1000
_SPACED_KEY = re.compile(rb'"\s+:')
_LONG_NUMBER = re.compile(rb"[0-9.]{17}")
"""More digits than a double tells: `4.9999999999999999` is 5.0 to it, and would be no less than five reais."""
_LONG_NUMBER_OF_JSON = re.compile(rb"[\[:,\s-][0-9.]{17}")
"""One that doesn't begin a text, as a document or a key of digits does."""
_CHARSETS = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_DEEPEST = 32
_TOO_DEEP = "O JSON é profundo demais."


async def read_body(receive: Receive, maximum: int = MAXIMUM_BODY) -> bytes:
    """The whole body, refused as soon as it passes `maximum` bytes. Raises `ClientDisconnect` where it doesn't come
    whole: what was not sent is not the same as nothing.
    """
    message = await next_part(receive)
    body: bytes = message.get("body", b"")
    if message.get("more_body"):
        parts, size = [body], len(body)
        while message.get("more_body"):
            message = await next_part(receive)
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > maximum:
                raise BodyTooLarge(maximum // 1024)
        body = b"".join(parts)
    if len(body) > maximum:
        raise BodyTooLarge(maximum // 1024)
    return body


async def next_part(receive: Receive) -> Message:
    """The next part of a body. Raises `ClientDisconnect` where its sender has gone."""
    message = await receive()
    if message["type"] != "http.request":
        raise ClientDisconnect
    return message


def decode_object(body: bytes, content_type: str | None, content_encoding: str | None = None) -> dict[str, Any]:
    """A JSON object; nothing at all counts as an empty one. Raises `InvalidInput` or `WrongContentType`."""
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
    """The values of `charset` among the parameters of a media type. No pattern: a header may hold 60,000 blanks."""
    for parameter in parameters.lower().split(";"):
        name, _, value = parameter.partition("=")
        if name.strip() == "charset":
            yield value.strip().strip("\"'")


def decode(body: bytes) -> Any:
    """Decode UTF-8 JSON. A repeated key is refused: which of its values was meant, nobody can say."""
    if body.count(b",") + body.count(b"[") + body.count(b"{") > MAX_VALUES:
        raise InvalidInput(message="O JSON tem valores demais.")
    try:
        decoded = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise InvalidInput(message="O corpo não é um JSON válido.") from None
    if _LONG_NUMBER.search(body):
        if len(_LONG_NUMBER_OF_JSON.findall(body)) > MAX_LONG_NUMBERS:
            raise InvalidInput(message="O JSON tem números longos demais.")
        decoded = _decoded_to_the_last_digit(body)
    # Each key is a quote before a colon. More such places than keys: a text holds one, or a key was repeated.
    keys = body.count(b'":') + len(_SPACED_KEY.findall(body))
    if keys != _count_keys(decoded):
        _refuse_repeated_keys(body)
    return decoded


def _decoded_to_the_last_digit(body: bytes) -> Any:
    try:
        return json.loads(body, parse_float=exactly, parse_int=whole)
    except RecursionError:
        raise InvalidInput(message=_TOO_DEEP) from None


def exactly(written: str) -> float | Decimal:
    """A number as it is written, where a double is another one."""
    number = float(written)
    exact = Decimal(written)
    return number if Decimal(repr(number)) == exact else exact


def whole(written: str) -> int | float:
    """A whole number as it is written; a double where it is long, for whoever reads a text of a thousand
    digits as a number takes long.
    """
    return int(written) if len(written) < 20 else float(written)


def _count_keys(value: Any) -> int:
    """The keys of all objects within, counted level by level."""
    keys, level = 0, [value]
    for _ in range(_DEEPEST):
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
    except RecursionError:  # Depth that the other decoder forgot together with the first value of a repeated key.
        raise InvalidInput(message=_TOO_DEEP) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    kept = dict(pairs)
    if len(kept) == len(pairs):
        return kept
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            break
        seen.add(name)
    raise InvalidInput((name[:40], "aparece mais de uma vez no JSON"))
