"""Map a bank's charges (`cob`), payments (`pix`) and refunds (`devolucao`) to ours.

Money is a text in reais. A charge's `status` is the state of its record, and lags at some banks: its payments and their
refunds decide. Times are never compared with ours, because some banks send local time as UTC.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from gateway.integrations.banks.settings import BankSettings
from gateway.integrations.engines.br_code import InvalidBrCode, build_dynamic, parse
from gateway.integrations.engines.end_to_end_id import valid_end_to_end_id
from gateway.integrations.engines.errors import sanitize_reason
from gateway.integrations.engines.http_client import InvalidResponse
from gateway.integrations.engines.interface import EngineCharge, EngineRefund, EngineState
from gateway.integrations.engines.notifications import mapping, objects, text
from gateway.models.engines import TransferState
from gateway.telemetry import log

REMOVED: Final = "REMOVIDA_PELO_USUARIO_RECEBEDOR"
RETURNED: Final = "DEVOLVIDO"
REFUND_STATES: Final = {
    "EM_PROCESSAMENTO": TransferState.pending,
    RETURNED: TransferState.done,
    "NAO_REALIZADO": TransferState.failed,
}
_BY_SPECIAL_MECHANISM = "MED_"
_STATES = {
    "ATIVA": EngineState.pending,
    "CONCLUIDA": EngineState.paid,
    REMOVED: EngineState.retired,
    "REMOVIDA_PELO_PSP": EngineState.retired,
}
_MONEY = re.compile(r"\d{1,10}\.\d{2}")
_CODE_FIELDS = ("pixCopiaECola", "brcode", "textoImagemQRcode")
_OUR_REFUND_ID = re.compile("[0-9a-fA-F]{32}")
_SCHEME = re.compile("^https?://", re.IGNORECASE)


def reais(amount: int) -> str:
    """An amount in centavos as the API writes it: `129.90`."""
    return f"{amount // 100}.{amount % 100:02d}"


def centavos(value: object) -> int:
    """An amount as the API writes it, in centavos. Raises `InvalidResponse`."""
    if isinstance(value, str) and _MONEY.fullmatch(value):
        return int(value.replace(".", ""))
    raise InvalidResponse("an amount of money that is none")


def returned_amount(pix: Mapping[str, Any]) -> int:
    """What was returned of a payment, in centavos."""
    refunds = (refund for refund in objects(pix.get("devolucoes")) if refund.get("status") == RETURNED)
    return sum(centavos(refund.get("valor")) for refund in refunds)


def timestamp(value: object) -> datetime | None:
    """A time with a zone, UTC if it has none; None for anything else."""
    try:
        parsed = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return parsed.replace(tzinfo=parsed.tzinfo or UTC) if parsed else None


def engine_payment(data: Mapping[str, Any], end_to_end_id: str) -> EngineCharge | None:
    """A payment as a charge with its txid; None for one without a txid. Raises `InvalidResponse`."""
    if data.get("endToEndId") != end_to_end_id:
        raise InvalidResponse("a payment with another endToEndId")
    txid, amount = text(data.get("txid")), centavos(data.get("valor"))
    if txid is None:
        return None
    state = EngineState.refunded if returned_amount(data) >= amount else EngineState.paid
    return EngineCharge(txid, None, "", amount, state, amount, timestamp(data.get("horario")), end_to_end_id)


def engine_charge(data: Mapping[str, Any], txid: str, br_code: str, reference: str | None = None) -> EngineCharge:
    """The charge of a response. Raises `InvalidResponse`."""
    if data.get("txid") != txid:
        raise InvalidResponse("a charge with another txid")
    amount = centavos(mapping(data.get("valor")).get("original"))
    payments = objects(data.get("pix"))
    first = payments[0] if payments else {}
    state = _state(data.get("status"))
    paid, returned = amount if state is EngineState.paid else None, None
    if payments:
        paid = sum(centavos(pix.get("valor")) for pix in payments)
        returned = sum(returned_amount(pix) for pix in payments)
        state = EngineState.refunded if returned >= paid else EngineState.paid
    return EngineCharge(
        txid,
        reference,
        br_code,
        amount,
        state,
        paid,
        timestamp(first.get("horario")),
        valid_end_to_end_id(first.get("endToEndId")),
        refunded_amount=returned,
    )


def engine_refund(data: Mapping[str, Any]) -> EngineRefund:
    """The refund of a response. Raises `InvalidResponse`."""
    status = data.get("status")
    state = REFUND_STATES.get(status) if isinstance(status, str) else None
    if state is None:
        raise InvalidResponse(f"a refund with the unknown status {str(status)[:50]}")
    return EngineRefund(
        _refund_reference(data),
        centavos(data.get("valor")),
        state,
        valid_end_to_end_id(data.get("rtrId")),
        (sanitize_reason(data.get("motivo")) or None) if state is TransferState.failed else None,
    )


def _refund_reference(data: Mapping[str, Any]) -> str | None:
    """Our refund's id. The special mechanism and other programs draw ids of their own."""
    refund_id = data.get("id")
    if not isinstance(refund_id, str) or not _OUR_REFUND_ID.fullmatch(refund_id) or is_by_special_mechanism(data):
        return None
    return str(UUID(refund_id))


def is_by_special_mechanism(refund: Mapping[str, Any]) -> bool:
    """Whether the payer's bank demanded the refund, because of a fraud or a fault."""
    return str(refund.get("natureza")).startswith(_BY_SPECIAL_MECHANISM)


def br_code_of(data: Mapping[str, Any], settings: BankSettings) -> str:
    """The BR Code of a response; built from the location if the bank sends none, or one that is damaged. Empty if there
    is neither.
    """
    names = dict.fromkeys((settings.profile.code_field, *_CODE_FIELDS))
    code = next((found for name in names if name and isinstance(found := data.get(name), str) and found), "")
    if code and _is_valid(code):
        return code
    location = text(data.get("location")) or text(mapping(data.get("loc")).get("location"))
    if not location or not settings.receiver_name or not settings.receiver_city:
        log.warning("bank_br_code_unusable", has_code=bool(code), has_location=bool(location))
        return code
    try:
        return build_dynamic(
            url=_SCHEME.sub("", location),
            amount=centavos(mapping(data.get("valor")).get("original")),
            merchant_name=settings.receiver_name,
            merchant_city=settings.receiver_city,
        )
    except InvalidBrCode as error:
        log.warning("bank_br_code_unusable", error=str(error))
        return code


def _is_valid(code: str) -> bool:
    try:
        parse(code)
    except InvalidBrCode:
        return False
    return True


def _state(status: object) -> EngineState:
    """The state of a charge without payments. A bank may show the payment of a completed one later; the payer cannot
    change the amount.
    """
    state = _STATES.get(status) if isinstance(status, str) else None
    if state is None:
        raise InvalidResponse(f"a charge with the unknown status {str(status)[:50]}")
    return state
