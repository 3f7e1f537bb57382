"""What an answer of Asaas, or its absence, means in the port's errors.

Texts and most codes are undocumented, so the HTTP status decides whether it is a refusal; code and description go to
the log through the error's message, cut. Code, text and path only tell whom a refusal is about, and its reason. A
request that writes and wasn't clearly answered may have been carried out: that is `EngineUnknown`.
"""

import re
from typing import Any

import orjson

from gateway.integrations.engines.port import (
    AccountRefused,
    EngineBusy,
    EngineError,
    EngineMisconfigured,
    EngineRefused,
    EngineUnavailable,
    EngineUnknown,
    PayerRefused,
)
from gateway.integrations.engines.reasons import reason_of

LONGEST_DETAIL = 300
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
"""Where Asaas sends a code without a description."""
_PAYER = {
    "invalid_cpfCnpj",
    "invalid_customer",
    "invalid_name",
    "invalid_email",
    "invalid_phone",
    "invalid_mobilePhone",
}
_ORDER = {"invalid_value", "invalid_dueDate", "invalid_description", "invalid_externalReference"}
_OF_PAYER = re.compile(r"cpf|cnpj", re.IGNORECASE)
_OF_ACCOUNT = re.compile(r"\bcontas?\b|account|bloque|autoriza|habilita|aprova|permiss|suspens", re.IGNORECASE)
_OF_KEY = re.compile(r"chaves? pix|pix.?key|address.?key", re.IGNORECASE)
"""Of a charge it is the receiver's own key; of a transfer it is the key of whoever shall get the money."""


class Refused(EngineRefused):
    """A 4xx. `code` is the first error's, or empty."""

    def __init__(self, message: str, code: str = "", *, reason: str = "") -> None:
        super().__init__(message, reason=reason)
        self.code = code


class RefusedPayer(Refused, PayerRefused):
    """A 4xx about the payer's data."""


class RefusedAccount(Refused, AccountRefused):
    """A 4xx about the account that receives."""


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


def failure(status: int, body: bytes, *, writes: bool, path: str = "") -> EngineError:
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
        reason = (reason_of(description) or _REASONS.get(code, "")) if code else ""
        return _whose(code, description, path)(message, code, reason=reason)
    # A redirect or a 1xx is no answer of this API: the address is another's.
    return EngineMisconfigured(f"{message}: this is not the API; look at its URL")


def _whose(code: str, description: str, path: str) -> type[Refused]:
    """Whom a refusal is about. What isn't known is about the order."""
    if not code or code in _ORDER or path.startswith("/accounts"):
        return Refused
    charges = path.startswith(("/customers", "/payments"))
    told = f"{code} {description}"
    if charges and _OF_KEY.search(told):
        return RefusedAccount
    if charges and (code in _PAYER or path.startswith("/customers") or _OF_PAYER.search(told)):
        return RefusedPayer
    return RefusedAccount if _OF_ACCOUNT.search(told) else Refused


def _first_error(body: bytes) -> tuple[str, str]:
    """Code and description; of what isn't Asaas' own form (an empty 404, a proxy's HTML), the beginning of the text."""
    try:
        said: Any = orjson.loads(body)
        first = said["errors"][0]
        return str(first.get("code") or "unknown")[:100], str(first.get("description") or "")[:LONGEST_DETAIL]
    except (ValueError, TypeError, LookupError, AttributeError):
        return "", body[:LONGEST_DETAIL].decode("utf-8", "replace")
