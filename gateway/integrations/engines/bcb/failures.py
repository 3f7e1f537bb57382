"""Map error responses of a bank to `EngineError`.

Banks answer errors as problem+json, in formats of their own, as HTML and as SOAP. So the HTTP status decides; the text
is for the log.
"""

from gateway.integrations.engines.errors import EngineError, EngineUnavailable, sanitize_reason
from gateway.integrations.engines.http_client import MAX_DETAIL_LENGTH, MissingResource, Refused, error_from_status
from gateway.integrations.engines.notifications import text
from gateway.integrations.http_json import parse_object

_ERROR_MEMBERS = ("type", "title", "violacoes", "nome", "erros")
"""Members of a bank's own error. A proxy's error has none of them."""


def error_from_response(status: int, body: bytes, *, writes: bool) -> EngineError:
    """The error of a response that isn't 2xx."""
    data = parse_object(body)
    kind, detail = ("", body[:MAX_DETAIL_LENGTH].decode("utf-8", "replace")) if data is None else _described(data)
    message = " ".join(part for part in (str(status), kind, detail) if part)
    if error := error_from_status(status, message, kind, writes=writes):
        return error
    is_own = data is not None and any(name in data for name in _ERROR_MEMBERS)
    if status == 404 and not is_own and not writes:
        # A proxy's: the address is wrong, or the API is out of order. It doesn't prove that there is no charge.
        return EngineUnavailable(f"{message}: this 404 is not the bank's own")
    missing = status == 410 or (status == 404 and is_own)
    return (MissingResource if missing else Refused)(
        message, status, kind, reason=sanitize_reason(detail) if data else ""
    )


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
