"""Errors of payment engines, and the clean-up of their texts for merchants."""

import re
from unicodedata import category

FEE_EXCEEDS_NET_AMOUNT = "a tarifa do serviço é maior que o que sobra do valor"
MAX_REASON_LENGTH = 200
_REDACTIONS = (
    (re.compile(r"https?://\S+", re.IGNORECASE), "[endereço]"),
    (re.compile(r"\$?aact_\S+", re.IGNORECASE), "[chave]"),
    (re.compile(r"[^\s@<>]+@[^\s@<>]+"), "[e-mail]"),
    # A long word of letters and digits is a key, a token or an id.
    (re.compile(r"(?=[\w-]*\d)[A-Za-z0-9_-]{20,}"), "[código]"),
    # A document or phone number in any format. Amounts have fewer digits.
    (re.compile(r"\+?(?:[0-9A-Z]{2}[./-]?)?\d(?:[\s().\-/]{0,2}\d){9,}"), "[número]"),
)


class EngineError(Exception):
    """A call to the engine failed. The message is for the log, never for a caller."""

    @property
    def detail(self) -> str:
        """The engine's message, cut for the log."""
        return str(self)[:500]


class EngineRefused(EngineError):
    """A definite refusal: nothing was created, and a retry is useless. `reason`: in Portuguese, for the merchant
    (`sanitize_reason`); empty where unknown.
    """

    def __init__(self, message: str = "", *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class PayerRefused(EngineRefused):
    """The payer's data was refused; the same order with other data may succeed."""


class AccountRefused(EngineRefused):
    """The account that receives was refused (no Pix key, blocked, not approved): an operator must act first."""


class EngineMisconfigured(AccountRefused):
    """Our key, its environment or its permissions are wrong; an operator must act."""


class EngineNotConfigured(EngineMisconfigured):
    """No engine serves this environment (`GATEWAY_ENGINE_LIVE`)."""


class AccountExists(EngineRefused):
    """The document has an account whose key we do not have; only staff can recover it. `just_created`: this request
    created it, and its response was lost.
    """

    def __init__(self, account_id: str, *, just_created: bool = False) -> None:
        super().__init__(f"the document has the account {account_id} already")
        self.account_id = account_id
        self.just_created = just_created


class EngineUnavailable(EngineError):
    """The engine was not reached, or is out of order; nothing was created."""


class EngineBusy(EngineError):
    """Over the engine's rate limit; nothing was created."""


class EngineOutcomeUnknown(EngineError):
    """Something may have been created: timed out, or the connection broke after the request was sent."""


def sanitize_reason(text: object) -> str:
    """One bounded line without documents, addresses, keys and control characters; empty for no text."""
    if not isinstance(text, str):
        return ""
    line = "".join(" " if category(char)[0] in "CZ" or char in "<>" else char for char in text[:2000])
    line = " ".join(line.split())
    for pattern, replacement in _REDACTIONS:
        line = pattern.sub(replacement, line)
    if len(line) > MAX_REASON_LENGTH:
        line = f"{line[: MAX_REASON_LENGTH - 1].rstrip()}…"
    return line
