"""Asaas' words in ours and ours in Asaas': money, dates, states, and reading what may be absent.

Money there is a JSON number in reais, dates are days and times of São Paulo without a zone. Members and enum values may
appear at any time, so what isn't known is read as the state that changes nothing, and logged.
"""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final, TypeVar

from gateway.integrations.engines.notices import mapping, text
from gateway.integrations.engines.port import EngineState
from gateway.models.engines import PixKeyType, Track, TransferState
from gateway.telemetry import log
from gateway.values.clock import SAO_PAULO
from gateway.values.dates import day_of

WordT = TypeVar("WordT", EngineState, TransferState, Track)

STATES: Final = {
    "PENDING": EngineState.pending,
    "AWAITING_RISK_ANALYSIS": EngineState.pending,
    "AUTHORIZED": EngineState.pending,
    "OVERDUE": EngineState.pending,  # A Pix can still be paid after it.
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
KEY_TYPES: Final = {
    PixKeyType.cpf: "CPF",
    PixKeyType.cnpj: "CNPJ",
    PixKeyType.email: "EMAIL",
    PixKeyType.phone: "PHONE",
    PixKeyType.random: "EVP",
}
_TRACKS: Final = {each.value: each for each in Track}
_END_OF_DAY = time(23, 59, 59)


class Unreadable(ValueError):
    """An answer lacks what it must have."""


def state(said: Mapping[str, Any]) -> EngineState:
    """A payment's state; an unknown one is pending, which changes nothing here."""
    if said.get("deleted") is True:
        return EngineState.retired
    return _known(STATES, said.get("status"), EngineState.pending)


def transfer_state(said: Mapping[str, Any]) -> TransferState:
    return _known(TRANSFER_STATES, said.get("status"), TransferState.pending)


def track(value: object) -> Track:
    """One track of an approval; what isn't known (such as EXPIRED) asks the holder to do something."""
    return _known(_TRACKS, value, Track.missing)


def _known(words: Mapping[str, WordT], value: object, otherwise: WordT) -> WordT:
    found = words.get(str(value))
    if found is None:
        log.warning("asaas_unknown_value", value=str(value)[:100], read_as=str(otherwise))
    return otherwise if found is None else found


def centavos(value: object) -> int:
    """An amount in reais, exactly; it may be above what a caller can write, and a balance may be negative."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        hundredths = Decimal(str(value)) * 100
        if hundredths.is_finite() and hundredths == hundredths.to_integral_value():
            return int(hundredths)
    raise Unreadable("an amount of money that is none")


def required(said: Mapping[str, Any], name: str) -> str:
    """A member that must be there. Identifiers are opaque: any text will do."""
    value = text(said.get(name))
    if value is None:
        raise Unreadable(f"an answer without {name}")
    return value


def items(said: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The objects of a list."""
    listed = said.get("data")
    return (mapping(item) for item in listed) if isinstance(listed, list) else iter(())


def due_date(due: datetime | None, expires_at: datetime, now: datetime) -> str:
    """The day on which a charge falls due in São Paulo, today at the earliest. At 22:00 there, UTC has another day."""
    return max(day(due or expires_at), day(now))


def day(moment: datetime) -> str:
    """The day in São Paulo, `YYYY-MM-DD`."""
    return day_of(moment).isoformat()


def moment(value: object, now: datetime) -> datetime | None:
    """When something happened. Of a day without a time of day only the end is certain; today's has no end yet: None."""
    if not isinstance(value, str):
        return None
    try:
        if len(value) > len("YYYY-MM-DD"):
            told = datetime.fromisoformat(value)
            return told if told.tzinfo else told.replace(tzinfo=SAO_PAULO)
        end = datetime.combine(date.fromisoformat(value), _END_OF_DAY, SAO_PAULO)
    except ValueError:
        return None
    return end if end < now else None
