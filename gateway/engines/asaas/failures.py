"""What an answer of Asaas, or its absence, means in the port's errors.

Texts and most codes are undocumented, so the HTTP status decides; code and description go to the log
through the error's message, cut. A request that writes and wasn't clearly answered may have been carried
out: that is `EngineUnknown`.
"""

from typing import Any

import orjson

from gateway.engines.port import (
    EngineBusy,
    EngineError,
    EngineMisconfigured,
    EngineRefused,
    EngineUnavailable,
    EngineUnknown,
)

LONGEST_DETAIL = 300


class Refused(EngineRefused):
    """A 4xx. `code` is the first error's, or empty."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class NotThere(Refused):
    """A 404, whose body is often empty."""


class Throttled(EngineBusy):
    """A 429."""


class NotAdmitted(EngineMisconfigured):
    """A 401 or 403. `code` tells a wrong environment from a wrong key."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


def lost(reason: str, *, writes: bool) -> EngineError:
    """No clear answer came to a request that was sent."""
    return EngineUnknown(reason) if writes else EngineUnavailable(reason)


def failure(status: int, body: bytes, *, writes: bool) -> EngineError:
    """The error of an answer that isn't 2xx."""
    code, description = _first_error(body)
    message = " ".join(part for part in (str(status), code, description) if part)
    if status in {401, 403}:
        return NotAdmitted(message, code)
    if status == 404:
        return NotThere(message, code)
    if status == 429:
        return Throttled(message)
    if status == 408 or status >= 500:
        return lost(message, writes=writes)
    if 400 <= status < 500:
        return Refused(message, code)
    # A redirect or a 1xx is no answer of this API: the address is another's.
    return EngineMisconfigured(f"{message}: this is not the API; look at its URL")


def _first_error(body: bytes) -> tuple[str, str]:
    """Code and description; of what isn't Asaas' own form (an empty 404, a proxy's HTML), the beginning of the text."""
    try:
        said: Any = orjson.loads(body)
        first = said["errors"][0]
        return str(first.get("code") or "")[:100], str(first.get("description") or "")[:LONGEST_DETAIL]
    except (ValueError, TypeError, LookupError, AttributeError):
        return "", body[:LONGEST_DETAIL].decode("utf-8", "replace")
