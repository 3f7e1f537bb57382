"""Reading another service's JSON answer, which may be endless or no JSON at all."""

from typing import Any

import httpx
import orjson


async def read_answer(response: httpx.Response, maximum: int) -> bytes:
    """The whole body of a streamed answer. Raises `httpx.StreamError` as soon as it passes `maximum` bytes."""
    data = bytearray()
    async for chunk in response.aiter_bytes():
        data += chunk
        if len(data) > maximum:
            raise httpx.StreamError("the answer is too large")
    return bytes(data)


def object_in(data: bytes) -> dict[str, Any] | None:
    """The JSON object that `data` holds, or None where it holds anything else."""
    try:
        said = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return said if isinstance(said, dict) else None
