"""The notices that engines send, in the one format of the inbound route (contract section 6).

    {id, event, dateCreated, account: {id},
     payment | transfer | accountStatus: {id, externalReference, value, status, …}}

It is Asaas' own format, and the simulator's because the two must pass the same handler.
"""

import secrets
from collections.abc import Mapping
from typing import Any

import orjson

from gateway.integrations.engines.port import EngineState, Notice, Subject
from gateway.models.engines import Track
from gateway.values.money import Centavos, InvalidAmount, centavos_from_reais

PAYMENT_EVENTS = {
    "PAYMENT_CONFIRMED": EngineState.held,
    "PAYMENT_RECEIVED": EngineState.paid,
    "PAYMENT_DELETED": EngineState.retired,
    "PAYMENT_RESTORED": EngineState.pending,
    "PAYMENT_REFUNDED": EngineState.refunded,
}
"""What an event says that a charge has become. After PAYMENT_CONFIRMED, RECEIVED or REFUNDED follows."""

_SUBJECTS = {
    "PAYMENT_": (Subject.charge, "payment"),
    "TRANSFER_": (Subject.transfer, "transfer"),
    "ACCOUNT_STATUS_": (Subject.account, "accountStatus"),
}
"""By how the event's name begins: what it is about, and which member of the body tells of it."""
_LONGEST = 200


def translate(body: Mapping[str, Any]) -> Notice | None:
    """Read a decoded notice; None for what has no id or no event. Values of a wrong type are as good as absent."""
    event_id, kind = text(body.get("id")), text(body.get("event"))
    if event_id is None or kind is None:
        return None
    subject, part = _subject(kind)
    about = mapping(body.get(part))
    account = mapping(body.get("account"))
    return Notice(
        event_id,
        kind,
        PAYMENT_EVENTS.get(kind),
        text(about.get("id")),
        text(about.get("externalReference")),
        _amount(about.get("value")),
        text(about.get("endToEndIdentifier")),
        subject,
        text(account.get("id")) or (text(about.get("id")) if subject is Subject.account else None),
        states_amount="value" in about,
    )


def review_notice(account_id: str, general: Track = Track.approved, reason: str | None = None) -> bytes:
    """The notice by which a bank would say where an account's approval stands. Of what it doesn't grant,
    the documents are the cause.
    """
    status = {"id": account_id, "rejectReasons": reason}
    if general is not Track.approved:
        status |= {"documentation": general}
    event = f"ACCOUNT_STATUS_GENERAL_APPROVAL_{general}"
    return orjson.dumps({"id": f"evt_{secrets.token_hex(16)}", "event": event, "accountStatus": status})


def text(value: object, longest: int = _LONGEST) -> str | None:
    """A text that isn't too long and that PostgreSQL can keep: a NUL is legal in JSON and impossible there."""
    return value if isinstance(value, str) and 0 < len(value) <= longest and "\x00" not in value else None


def mapping(value: object) -> Mapping[str, Any]:
    """A JSON object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def _subject(kind: str) -> tuple[Subject, str]:
    known = (found for beginning, found in _SUBJECTS.items() if kind.startswith(beginning))
    return next(known, (Subject.other, ""))


def _amount(value: object) -> Centavos | None:
    try:
        return centavos_from_reais(value)
    except InvalidAmount:
        return None
