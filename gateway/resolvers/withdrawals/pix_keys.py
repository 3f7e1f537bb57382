"""Normalize and mask Pix keys (contract section 6). Source: Manual Operacional do DICT (Banco Central)."""

import re

from gateway.errors import InvalidPixKey
from gateway.models.engines import PixKeyType
from gateway.resolvers.audit.changes import mask_email
from gateway.values.cpf_cnpj import InvalidDocument, mask_document, normalise_cnpj, normalise_cpf
from gateway.values.ids import is_id
from gateway.values.phones import InvalidPhone, normalise_phone

MAX_LENGTH = 77
"""Characters of the longest key, an email address."""
_EMAIL = re.compile(
    r"[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+"
)


def normalise_key(kind: PixKeyType, text: str) -> str:
    """The normal form for the engine: 11 digits of a CPF, 14 characters of a CNPJ, a lower-case email, a phone as
    `+5511987654321`, a lower-case UUID. Raises `InvalidPixKey`.
    """
    match kind:
        case PixKeyType.cpf | PixKeyType.cnpj:
            return _document(kind, text)
        case PixKeyType.email:
            return _matching(_EMAIL, text.lower(), "informe um e-mail de até 77 caracteres")
        case PixKeyType.phone:
            return _phone(text)
        case PixKeyType.random:
            if not is_id(text):
                raise InvalidPixKey("informe a chave aleatória inteira, como 123e4567-e89b-12d3-a456-426614174000")
            return text.lower()


def mask_key(kind: PixKeyType | str, key: str) -> str:
    """Mask a normalized key for the audit trail: recognizable, but not usable."""
    match PixKeyType(kind):
        case PixKeyType.cpf | PixKeyType.cnpj:
            return mask_document(key)
        case PixKeyType.email:
            return mask_email(key)
        case PixKeyType.phone:
            return f"{key[:5]}*****{key[-4:]}"
        case PixKeyType.random:
            return f"{key[:8]}-****"


def _document(kind: PixKeyType, text: str) -> str:
    try:
        return normalise_cpf(text) if kind is PixKeyType.cpf else normalise_cnpj(text)
    except InvalidDocument:
        raise InvalidPixKey(f"informe um {kind.upper()} válido") from None


def _phone(text: str) -> str:
    try:
        return f"+55{normalise_phone(text)}"
    except InvalidPhone:
        raise InvalidPixKey("informe o telefone com DDD, como +5511987654321") from None


def _matching(form: re.Pattern[str], text: str, reason: str) -> str:
    if len(text) > MAX_LENGTH or not form.fullmatch(text):
        raise InvalidPixKey(reason)
    return text
