"""Map error responses of a bank, or missing ones, to `EngineError`.

Banks answer errors as problem+json, in formats of their own, as HTML and as SOAP. So the HTTP status decides; the text
is for the log. A write without a clear response is `EngineOutcomeUnknown`.
"""

import ssl

import httpx

from gateway.integrations.engines.errors import (
    EngineBusy,
    EngineError,
    EngineMisconfigured,
    EngineOutcomeUnknown,
    EngineRefused,
    EngineUnavailable,
    sanitize_reason,
)
from gateway.integrations.engines.notifications import text
from gateway.integrations.http_json import parse_object

MAX_DETAIL_LENGTH = 300
_ERROR_MEMBERS = ("type", "title", "violacoes", "nome", "erros")
"""Members of a bank's own error. A proxy's error has none of them."""
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class Refused(EngineRefused):
    """A 4xx. `status` is the HTTP status, `kind` the end of the problem's type, such as `CobOperacaoInvalida`."""

    def __init__(self, message: str, status: int, kind: str = "", *, reason: str = "") -> None:
        super().__init__(message, reason=reason)
        self.status = status
        self.kind = kind


class NotAtBank(Refused):
    """A 404 of the bank itself, or a 410: surely no such object."""


class Unauthorized(EngineMisconfigured):
    """A 401 or 403. 401: the token is refused; 403: a scope is missing."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Throttled(EngineBusy):
    """A 429."""


def no_response(reason: str, *, writes: bool) -> EngineError:
    """The error of a request that was sent and got no clear response."""
    return EngineOutcomeUnknown(reason) if writes else EngineUnavailable(reason)


def error_from_response(status: int, body: bytes, *, writes: bool) -> EngineError:
    """The error of a response that isn't 2xx."""
    data = parse_object(body)
    kind, detail = ("", body[:MAX_DETAIL_LENGTH].decode("utf-8", "replace")) if data is None else _described(data)
    message = " ".join(part for part in (str(status), kind, detail) if part)
    if status in {401, 403}:
        return Unauthorized(message, status)
    if status == 429:
        return Throttled(message)
    if status == 408 or status >= 500:
        return no_response(message, writes=writes)
    if not 400 <= status < 500:
        return EngineMisconfigured(f"{message}: this is not the API; look at its URL")
    is_own = data is not None and any(name in data for name in _ERROR_MEMBERS)
    if status == 404 and not is_own and not writes:
        # A proxy's: the address is wrong, or the API is out of order. It doesn't prove that there is no charge.
        return EngineUnavailable(f"{message}: this 404 is not the bank's own")
    missing = status == 410 or (status == 404 and is_own)
    return (NotAtBank if missing else Refused)(message, status, kind, reason=sanitize_reason(detail) if data else "")


def error_from_transport(error: Exception, *, writes: bool) -> EngineError:
    """The error of a request without a response."""
    alert = _tls_alert(error)
    if alert:
        # The bank refuses the certificate before it reads the request.
        return EngineMisconfigured(f"the bank refuses the client certificate: {alert}")
    if isinstance(error, _NOT_SENT):
        return EngineUnavailable(f"not reached: {type(error).__name__} {str(error)[:200]}")
    return no_response(f"no answer: {type(error).__name__}", writes=writes)


def _tls_alert(error: BaseException | None) -> str:
    """The bank's TLS alert about our certificate, such as `SSLV3_ALERT_CERTIFICATE_EXPIRED`; empty if there is none."""
    while error is not None:
        reason = error.reason if isinstance(error, ssl.SSLError) else ""
        if reason and "ALERT" in reason and ("CERTIFICATE" in reason or "UNKNOWN_CA" in reason):
            return str(reason)
        error = error.__cause__ or error.__context__
    return ""


def _described(data: dict[str, object]) -> tuple[str, str]:
    """Kind and text of a bank's error: a problem, `{nome, mensagem}`, `{erros: [{codigo, mensagem}]}`, or OAuth's."""
    kind = (text(data.get("type")) or text(data.get("nome")) or "").rpartition("/")[2]
    parts = [data.get("detail"), data.get("mensagem"), data.get("message")]
    for name in ("violacoes", "erros"):
        listed = data.get(name)
        if isinstance(listed, list):
            parts += [item.get("razao") or item.get("mensagem") for item in listed[:3] if isinstance(item, dict)]
    detail = "; ".join(part for part in parts if isinstance(part, str) and part)
    others = (text(data.get(name)) for name in ("title", "error_description", "error"))
    return kind[:100], (detail or next(filter(None, others), ""))[:MAX_DETAIL_LENGTH]
