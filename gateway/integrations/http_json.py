"""Read JSON responses of other services, which may be endless or not JSON."""

from typing import Any

import httpx
import orjson


async def read_response(response: httpx.Response, maximum: int) -> bytes:
    """The whole body of a streamed response. Raises `httpx.StreamError` as soon as it exceeds `maximum` bytes."""
    data = bytearray()
    async for chunk in response.aiter_bytes():
        data += chunk
        if len(data) > maximum:
            raise httpx.StreamError("the response is too large")
    return bytes(data)


def parse_object(data: bytes) -> dict[str, Any] | None:
    """The JSON object in `data`; None for anything else."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None
