"""Parse callbacks: `{pix: [{endToEndId, txid, valor, chave, horario, devolucoes?}]}`, several payments in one.

Callbacks have no id and no signature, so an id is made of what they say. Payments are named as the events of
`gateway.integrations.engines.notifications`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gateway.integrations.engines.bcb.mapping import RETURNED, centavos, is_by_special_mechanism, returned_amount
from gateway.integrations.engines.http_client import InvalidResponse
from gateway.integrations.engines.interface import EngineState, Notification
from gateway.integrations.engines.notifications import objects, text
from gateway.telemetry import log


def parse_callback(body: Mapping[str, Any], pix_key: str) -> list[Notification]:
    """The notifications of a callback. Payments of another key are left out: any client of the bank may register our
    address for their own key.
    """
    found: list[Notification] = []
    foreign = 0
    for pix in objects(body.get("pix")):
        if pix.get("chave") not in {None, pix_key}:
            foreign += 1
            continue
        found += _of_pix(pix)
    if foreign:
        log.warning("bank_callback_of_another_key", payments=foreign)
    return found


def _of_pix(pix: Mapping[str, Any]) -> Iterator[Notification]:
    end_to_end_id, txid = text(pix.get("endToEndId")), text(pix.get("txid"))
    if end_to_end_id is None or txid is None:
        return
    try:
        amount: int | None = centavos(pix.get("valor"))
    except InvalidResponse:
        amount = None
    shared: dict[str, Any] = {"engine_id": txid, "external_reference": None, "txid": txid, "body": {"pix": [pix]}}
    yield Notification(
        f"pix:{end_to_end_id}",
        "PAYMENT_RECEIVED",
        EngineState.paid,
        amount=amount,
        end_to_end_id=end_to_end_id,
        states_amount=True,
        **shared,
    )
    for refund in objects(pix.get("devolucoes")):
        refund_id, status = text(refund.get("id")), text(refund.get("status"))
        if refund_id is not None and status is not None:
            kind, state = _refund_event(pix, refund, amount)
            yield Notification(
                f"dev:{end_to_end_id}:{refund_id}:{status}",
                kind,
                state,
                amount=None,
                end_to_end_id=end_to_end_id,
                **shared,
            )


def _refund_event(
    pix: Mapping[str, Any], refund: Mapping[str, Any], amount: int | None
) -> tuple[str, EngineState | None]:
    """The event of a refund, and the charge's state."""
    status = refund.get("status")
    if is_by_special_mechanism(refund):
        return "PAYMENT_CHARGEBACK_REQUESTED", None
    if status == "NAO_REALIZADO":
        return "PAYMENT_REFUND_DENIED", None
    if status != RETURNED:
        return "PAYMENT_REFUND_IN_PROGRESS", None
    try:
        whole = amount is not None and returned_amount(pix) >= amount
    except InvalidResponse:
        whole = False
    return ("PAYMENT_REFUNDED", EngineState.refunded) if whole else ("PAYMENT_PARTIALLY_REFUNDED", None)
