"""`POST /engine/transfers/{engine}`: a bank that asks, before it carries a transfer out, whether
it is ours (engine.md, A10).

Where the operator has set this up at the engine, a transfer that nobody asked us for, ordered with a stolen key
or by hand, is refused there.
"""

from enum import StrEnum
from typing import Any

from pydantic import Field

from gateway.integrations.engines.notices import mapping, text
from gateway.models.database import Row
from gateway.models.withdrawals import IN_FLIGHT
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import View
from gateway.resolvers.engine_notices.about_transfers import withdrawal_of
from gateway.resolvers.engine_notices.inbound import InboundNotice, recognised
from gateway.resolvers.engine_notices.receive import decoded
from gateway.telemetry import log
from gateway.values.money import InvalidAmount, centavos_from_reais

UNKNOWN = "Transferência não reconhecida."


class Ruling(StrEnum):
    """What the engine is answered."""

    approved = "APPROVED"
    refused = "REFUSED"


class RulingView(View):
    """The answer; a refusal says why."""

    status: Ruling = Field(description="O que o provedor deve fazer.")
    reason: str | None = Field(description="Por que não.")


@operation("engine_notices.validate_transfer", Permission.public)
async def validate_transfer(ctx: Context, sent: InboundNotice) -> RulingView:
    """Say whether a transfer is a withdrawal in flight, of that amount. Raises `NotFound` and
    `InvalidSession` like notices.
    """
    environment, engine = await recognised(ctx, sent)
    transfer = mapping(decoded(sent.body).get("transfer"))
    reference, engine_id = text(transfer.get("externalReference")), text(transfer.get("id"))
    row = await withdrawal_of(ctx, engine, environment, reference, engine_id)
    if row is not None and _is_it(row, transfer, reference, engine_id):
        return RulingView.of({"status": Ruling.approved, "reason": None})
    log.error("transfer_refused", engine=engine.name, engine_id=engine_id, withdrawal_id=row["id"] if row else None)
    return RulingView.of({"status": Ruling.refused, "reason": UNKNOWN})


def _is_it(row: Row, transfer: Any, reference: str | None, engine_id: str | None) -> bool:
    try:
        amount = centavos_from_reais(transfer.get("value"))
    except InvalidAmount:
        return False
    known = row["engine_id"] in {None, engine_id} and reference in {None, row["id"]}
    return known and row["status"] in IN_FLIGHT and amount == row["amount"]
