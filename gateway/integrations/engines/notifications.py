"""Parse notifications of engines, in the format of the inbound route (contract section 6).

    {id, event, dateCreated, account: {id},
     payment | transfer | accountStatus: {id, externalReference, value, status, …}}

It is Asaas' format; the simulator uses it too, to exercise the same code.
"""

import secrets
from collections.abc import Mapping
from typing import Any

import orjson

from gateway.integrations.engines.interface import EngineState, Notification, Subject
from gateway.models.engines import Track
from gateway.values.money import Centavos, InvalidAmount, centavos_from_reais

PAYMENT_EVENTS = {
    "PAYMENT_CONFIRMED": EngineState.held,
    "PAYMENT_RECEIVED": EngineState.paid,
    "PAYMENT_DELETED": EngineState.retired,
    "PAYMENT_RESTORED": EngineState.pending,
    "PAYMENT_REFUNDED": EngineState.refunded,
}
"""The charge's state by event. After PAYMENT_CONFIRMED comes RECEIVED or REFUNDED."""

_SUBJECTS = {
    "PAYMENT_": (Subject.charge, "payment"),
    "TRANSFER_": (Subject.transfer, "transfer"),
    "ACCOUNT_STATUS_": (Subject.account, "accountStatus"),
}
"""By prefix of the event name: the subject and its member in the body."""
_MAX_LENGTH = 200


def parse_notifications(body: Mapping[str, Any]) -> list[Notification]:
    """Parse a decoded body, which has one notification, or none without an id or event. Values of a wrong type count as
    absent.
    """
    event_id, kind = text(body.get("id")), text(body.get("event"))
    if event_id is None or kind is None:
        return []
    subject, member = _subject(kind)
    content = mapping(body.get(member))
    account = mapping(body.get("account"))
    notification = Notification(
        event_id,
        kind,
        PAYMENT_EVENTS.get(kind),
        text(content.get("id")),
        text(content.get("externalReference")),
        _amount(content.get("value")),
        text(content.get("endToEndIdentifier")),
        subject,
        text(account.get("id")) or (text(content.get("id")) if subject is Subject.account else None),
        states_amount="value" in content,
    )
    return [notification]


def account_review_notification(account_id: str, general: Track = Track.approved, reason: str | None = None) -> bytes:
    """The notification of a bank's decision about an account. Anything but an approval is due to its documents."""
    status = {"id": account_id, "rejectReasons": reason}
    if general is not Track.approved:
        status |= {"documentation": general}
    event = f"ACCOUNT_STATUS_GENERAL_APPROVAL_{general}"
    return orjson.dumps({"id": f"evt_{secrets.token_hex(16)}", "event": event, "accountStatus": status})


def text(value: object, max_length: int = _MAX_LENGTH) -> str | None:
    """A non-empty text of bounded length without NUL, which PostgreSQL cannot store; None for anything else."""
    return value if isinstance(value, str) and 0 < len(value) <= max_length and "\x00" not in value else None


def mapping(value: object) -> Mapping[str, Any]:
    """A JSON object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[Mapping[str, Any]]:
    """The objects of a list; none for anything else."""
    return [mapping(item) for item in value] if isinstance(value, list) else []


def _subject(kind: str) -> tuple[Subject, str]:
    known = (found for beginning, found in _SUBJECTS.items() if kind.startswith(beginning))
    return next(known, (Subject.other, ""))


def _amount(value: object) -> Centavos | None:
    try:
        return centavos_from_reais(value)
    except InvalidAmount:
        return None
