"""Map error responses of Asaas to `EngineError`.

Texts and most codes are undocumented, so the HTTP status decides whether it is a refusal. Code, text and path only
select the class and the reason.
"""

import re
from typing import Any

import orjson

from gateway.integrations.engines.errors import AccountRefused, EngineError, PayerRefused, sanitize_reason
from gateway.integrations.engines.http_client import MAX_DETAIL_LENGTH, MissingResource, Refused, error_from_status

_REASONS = {
    "invalid_cpfCnpj": "o CPF ou CNPJ é inválido",
    "invalid_customer": "o pagador não foi aceito",
    "invalid_name": "o nome é inválido",
    "invalid_email": "o e-mail é inválido",
    "invalid_phone": "o telefone é inválido",
    "invalid_mobilePhone": "o celular é inválido",
    "invalid_value": "o valor é inválido",
    "invalid_dueDate": "o vencimento é inválido",
}
"""For a code without a description."""
_PAYER = {
    "invalid_cpfCnpj",
    "invalid_customer",
    "invalid_name",
    "invalid_email",
    "invalid_phone",
    "invalid_mobilePhone",
}
_ORDER = {"invalid_value", "invalid_dueDate", "invalid_description", "invalid_externalReference"}
_ABOUT_PAYER = re.compile(r"cpf|cnpj", re.IGNORECASE)
_ABOUT_ACCOUNT = re.compile(r"\bcontas?\b|account|bloque|autoriza|habilita|aprova|permiss|suspens", re.IGNORECASE)
_ABOUT_KEY = re.compile(r"chaves? pix|pix.?key|address.?key", re.IGNORECASE)
"""In a charge, the receiver's own key; in a transfer, the destination's."""


class RefusedPayer(Refused, PayerRefused):
    """A 4xx about the payer's data."""


class RefusedAccount(Refused, AccountRefused):
    """A 4xx about the account that receives."""


def error_from_response(status: int, body: bytes, *, writes: bool, path: str) -> EngineError:
    """The error of a response that isn't 2xx."""
    code, description = _first_error(body)
    message = " ".join(part for part in (str(status), code, description) if part)
    if error := error_from_status(status, message, code, writes=writes):
        return error
    if status == 404:
        return MissingResource(message, status, code)
    reason = (sanitize_reason(description) or _REASONS.get(code, "")) if code else ""
    return _class_of(code, description, path)(message, status, code, reason=reason)


def _class_of(code: str, description: str, path: str) -> type[Refused]:
    """The class of a refusal, by what it is about; by default, about the order. A refund that the account's balance
    does not cover is about the order.
    """
    if not code or code in _ORDER or path.startswith("/accounts") or path.endswith("/refund"):
        return Refused
    charges = path.startswith(("/customers", "/payments"))
    message = f"{code} {description}"
    if charges and _ABOUT_KEY.search(message):
        return RefusedAccount
    if charges and (code in _PAYER or path.startswith("/customers") or _ABOUT_PAYER.search(message)):
        return RefusedPayer
    return RefusedAccount if _ABOUT_ACCOUNT.search(message) else Refused


def _first_error(body: bytes) -> tuple[str, str]:
    """Code and description; for other formats (an empty 404, a proxy's HTML), the beginning of the text."""
    try:
        data: Any = orjson.loads(body)
        first = data["errors"][0]
        return str(first.get("code") or "unknown")[:100], str(first.get("description") or "")[:MAX_DETAIL_LENGTH]
    except (ValueError, TypeError, LookupError, AttributeError):
        return "", body[:MAX_DETAIL_LENGTH].decode("utf-8", "replace")
