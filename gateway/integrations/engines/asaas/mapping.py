"""Map Asaas' values to ours: money, dates, states and optional members.

Money is a JSON number in reais, dates are in São Paulo time without a zone. Asaas may add enum values at any time, so
unknown ones map to the state that changes nothing, and are logged.
"""

from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final, TypeVar

from gateway.integrations.engines.http_client import InvalidResponse
from gateway.integrations.engines.interface import EngineState
from gateway.integrations.engines.notifications import mapping, objects, text
from gateway.models.engines import PixKeyType, Track, TransferState
from gateway.telemetry import log
from gateway.values.clock import SAO_PAULO
from gateway.values.dates import day_of

StateT = TypeVar("StateT", EngineState, TransferState, Track)

STATES: Final = {
    "PENDING": EngineState.pending,
    "AWAITING_RISK_ANALYSIS": EngineState.pending,
    "AUTHORIZED": EngineState.pending,
    "OVERDUE": EngineState.pending,  # It can still be paid by Pix.
    "CONFIRMED": EngineState.held,  # For up to 72 hours; RECEIVED or REFUNDED follows.
    "RECEIVED": EngineState.paid,
    "RECEIVED_IN_CASH": EngineState.paid,
    "REFUND_REQUESTED": EngineState.paid,
    "REFUND_IN_PROGRESS": EngineState.paid,
    "REFUNDED": EngineState.refunded,
}
TRANSFER_STATES: Final = {
    "PENDING": TransferState.pending,
    "BANK_PROCESSING": TransferState.pending,
    "BLOCKED": TransferState.pending,
    "DONE": TransferState.done,
    "FAILED": TransferState.failed,
    "CANCELLED": TransferState.failed,
}
REFUND_STATES: Final = {
    "PENDING": TransferState.pending,
    "AWAITING_CRITICAL_ACTION_AUTHORIZATION": TransferState.pending,
    "AWAITING_CUSTOMER_EXTERNAL_AUTHORIZATION": TransferState.pending,
    "DONE": TransferState.done,
    "CANCELLED": TransferState.failed,
}
KEY_TYPES: Final = {
    PixKeyType.cpf: "CPF",
    PixKeyType.cnpj: "CNPJ",
    PixKeyType.email: "EMAIL",
    PixKeyType.phone: "PHONE",
    PixKeyType.random: "EVP",
}
_TRACKS: Final = {each.value: each for each in Track}
_END_OF_DAY = time(23, 59, 59)


def charge_state(data: Mapping[str, Any]) -> EngineState:
    """A payment's state; unknown ones are pending, which changes nothing."""
    if data.get("deleted") is True:
        return EngineState.retired
    return _map(STATES, data.get("status"), EngineState.pending)


def transfer_state(data: Mapping[str, Any]) -> TransferState:
    return _map(TRANSFER_STATES, data.get("status"), TransferState.pending)


def refund_state(data: Mapping[str, Any]) -> TransferState:
    return _map(REFUND_STATES, data.get("status"), TransferState.pending)


def refunded_amount(data: Mapping[str, Any]) -> int | None:
    """The completed refunds of a payment; None where it names no refunds."""
    listed = data.get("refunds")
    if not isinstance(listed, list):
        return None
    refunds = (mapping(item) for item in listed)
    return sum(centavos(refund.get("value")) for refund in refunds if refund_state(refund) is TransferState.done)


def track(value: object) -> Track:
    """One track of an approval; for unknown ones (such as EXPIRED) the holder has to act."""
    return _map(_TRACKS, value, Track.missing)


def _map(states: Mapping[str, StateT], value: object, default: StateT) -> StateT:
    found = states.get(str(value))
    if found is None:
        log.warning("asaas_unknown_value", value=str(value)[:100], read_as=str(default))
    return default if found is None else found


def centavos(value: object) -> int:
    """An exact amount in reais. It may exceed our API's maximum."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        hundredths = Decimal(str(value)) * 100
        if hundredths.is_finite() and hundredths == hundredths.to_integral_value():
            return int(hundredths)
    raise InvalidResponse("an amount of money that is none")


def required(data: Mapping[str, Any], name: str) -> str:
    """A required member. Identifiers are opaque: any text is valid."""
    value = text(data.get(name))
    if value is None:
        raise InvalidResponse(f"an answer without {name}")
    return value


def items(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The objects of a list."""
    return objects(data.get("data"))


def due_date(due: datetime | None, expires_at: datetime, now: datetime) -> str:
    """The due date in São Paulo, today at the earliest. At 22:00 there, UTC has another day."""
    return max(local_day(due or expires_at), local_day(now))


def local_day(at: datetime) -> str:
    """The day in São Paulo, `YYYY-MM-DD`."""
    return day_of(at).isoformat()


def timestamp(value: object, now: datetime) -> datetime | None:
    """Parse a time. A day without a time of day is its end, or None while the day lasts."""
    if not isinstance(value, str):
        return None
    try:
        if len(value) > len("YYYY-MM-DD"):
            parsed = datetime.fromisoformat(value)
            return parsed if parsed.tzinfo else parsed.replace(tzinfo=SAO_PAULO)
        end = datetime.combine(date.fromisoformat(value), _END_OF_DAY, SAO_PAULO)
    except ValueError:
        return None
    return end if end < now else None
