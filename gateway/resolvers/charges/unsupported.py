"""Cancel and refund: always a 502, because neither is executed at the origin (specification section 4).

The attempt is audited and nothing changes; the body is ignored.
"""

from typing import Annotated

from pydantic import BeforeValidator, Field

from gateway.errors import EngineFailed, NotFound
from gateway.models.api_keys import Scope
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.charges.inputs import WhichCharge
from gateway.resolvers.charges.read import find_charge
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.operation import operation
from gateway.values.ids import is_id

CANCEL_UNSUPPORTED = (
    "O cancelamento nunca é executado na origem. Para encerrar uma cobrança pendente, use POST /pix/{id}/expire "
    "(GraphQL: expireCharge)."
)
REFUND_UNSUPPORTED = (
    "A devolução nunca é executada na origem. Para devolver o valor ao pagador, use POST /refunds (GraphQL: "
    "createRefund)."
)


def _id_or_nothing(value: object) -> str | None:
    return value if isinstance(value, str) and is_id(value) else None


class UnsupportedRequest(Input):
    """Any body. The id of a charge of the store goes to the audit trail."""

    id: Annotated[str | None, BeforeValidator(_id_or_nothing)] = Field(None, description="Identificador da cobrança.")


@operation("charges.cancel", Permission.operate, scope=Scope.charges)
async def cancel_charge(ctx: Context, action: UnsupportedRequest) -> ChargeView:
    """Always refused: a Pix charge is not canceled at the origin."""
    await record(ctx, ctx.database, "charge.cancel_refused", await _own_charge(ctx, action.id))
    raise EngineFailed(CANCEL_UNSUPPORTED)


@operation("charges.refund", Permission.operate, scope=Scope.charges)
async def refund_charge(ctx: Context, action: UnsupportedRequest) -> ChargeView:
    """Always refused: a Pix charge is not refunded at the origin."""
    await record(ctx, ctx.database, "charge.refund_refused", await _own_charge(ctx, action.id))
    raise EngineFailed(REFUND_UNSUPPORTED)


async def _own_charge(ctx: Context, charge_id: str | None) -> str | None:
    if charge_id is None:
        return None
    try:
        return (await find_charge(ctx, WhichCharge(id=charge_id))).id
    except NotFound:
        return None
