"""The changes of an audit record, `{field: {from, to}}`, without secrets and with masked documents."""

from collections.abc import Mapping
from typing import Any

from gateway.values.cpf_cnpj import InvalidDocument, mask_document

HIDDEN = "***"
_DOCUMENTS = frozenset({"cpf", "cnpj", "customer_cpf", "responsible_cpf", "document", "store_document"})
_SECRETS = frozenset({"password", "password_hash", "key", "key_hash", "secret", "previous_secret", "token", "api_key"})


def changes_of(changes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The changes of a record. A plain value gets `from` null.

    Documents and secrets are masked here by field name, so that no operation can forget it.
    """
    return {name: _from_to(name, value) for name, value in changes.items()}


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The fields that `after` changes."""
    return {name: {"from": before[name], "to": value} for name, value in sorted(after.items()) if value != before[name]}


def mask_email(email: str) -> str:
    """A masked email address, such as `m***@example.com`."""
    local, at, domain = email[:320].rpartition("@")
    return f"{local[:1]}{HIDDEN}@{domain}" if at else HIDDEN


def _from_to(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not value.keys() <= {"from", "to"}:
        return {"from": None, "to": _masked(name, value)}
    return {"from": _masked(name, value.get("from")), "to": _masked(name, value.get("to"))}


def _masked(name: str, value: Any) -> Any:
    if value is None or value == "":
        return value
    if name in _SECRETS:
        return HIDDEN
    return _masked_document(str(value)) if name in _DOCUMENTS else value


def _masked_document(document: str) -> str:
    try:
        return mask_document(document)
    except InvalidDocument:
        return HIDDEN
