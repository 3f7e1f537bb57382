"""Read one charge, by id, txid or external reference."""

from collections.abc import Sequence

from sqlalchemy import ARRAY, bindparam, func, select

from gateway.errors import InvalidInput, NotFound
from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Statement
from gateway.resolvers.charges.inputs import WhichCharge
from gateway.resolvers.charges.views import ChargeView, charge_columns, charge_view, effective_status
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import of_store

_C = charges
_of_store = select(*charge_columns()).where(*of_store(_C))
BY_ID = Statement(_of_store.where(_C.c.id == bindparam("id")))
BY_TXID = Statement(_of_store.where(_C.c.txid == bindparam("txid")))
_is_active = effective_status().in_([ChargeStatus.pending.value, ChargeStatus.paid.value])
BY_IDS = Statement(_of_store.where(_C.c.id == func.any(bindparam("ids", type_=ARRAY(_C.c.id.type)))))
BY_REFERENCE = Statement(
    _of_store.where(_C.c.external_reference == bindparam("external_reference"))
    .order_by(_is_active.desc(), _C.c.created_at.desc(), _C.c.id.desc())
    .limit(1)
)
"""The pending or paid charge with a reference; otherwise the newest charge with it."""


@operation("charges.read", Permission.read)
async def read_charge(ctx: Context, which: WhichCharge) -> ChargeView:
    """Read one charge, by id, txid or reference."""
    return await find_charge(ctx, which)


async def charges_by_id(ctx: Context, ids: Sequence[str]) -> dict[str, ChargeView]:
    """The store's charges among these ids."""
    rows = await ctx.database.all(BY_IDS, **ctx.scope, now=ctx.clock.now(), ids=list(ids))
    return {row["id"]: charge_view(ctx.settings, row) for row in rows}


async def find_charge(ctx: Context, which: WhichCharge) -> ChargeView:
    """The store's charge. Raises `NotFound`, and `InvalidInput` if no key is sent."""
    scope = {**ctx.scope, "now": ctx.clock.now()}
    if which.id is not None:
        row = await ctx.database.one(BY_ID, **scope, id=which.id)
    elif which.txid is not None:
        row = await ctx.database.one(BY_TXID, **scope, txid=which.txid)
    elif which.external_reference is not None:
        row = await ctx.database.one(BY_REFERENCE, **scope, external_reference=which.external_reference)
    else:
        raise InvalidInput(("id", "informe id, txid ou external_reference"))
    if row is None:
        raise NotFound("Cobrança não encontrada.")
    return charge_view(ctx.settings, row)
