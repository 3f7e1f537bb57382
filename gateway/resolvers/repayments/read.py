"""Read repayments. Staff reads all of them, and exports one as CSV with its charges. A store reads its own, except
discarded ones: they add up to the paid-out and pending amounts of its balance.
"""

from typing import Any

from sqlalchemy import Select, Table, bindparam, select, union_all

from gateway.models.api_keys import Scope
from gateway.models.charges import charges
from gateway.models.database import Statement
from gateway.models.repayments import RepaymentStatus, deducted_charges, repaid_charges, repayments
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, equals, one_of
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of, export_zone
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import StoreRows, of_store
from gateway.resolvers.core.views import Page
from gateway.resolvers.repayments.record import MISSING, find_repayment
from gateway.resolvers.repayments.types import (
    RECEIVED_COLUMNS,
    REPAYMENT_COLUMNS,
    ExportRepayment,
    ListReceivedRepayments,
    ListRepayments,
    ReceivedRepaymentView,
    ReceivedStatus,
    RepaymentView,
    WhichRepayment,
)

_R, _C = repayments, charges
REPAYMENTS = Listing(
    repayments,
    REPAYMENT_COLUMNS,
    scope=(),  # Staff sees every store.
    filters={
        "store_id": equals(_R.c.user_id, "store_id"),
        "status": one_of(_R.c.status, RepaymentStatus),
    },
    search=search(_R.c.id, _R.c.user_id, _R.c.end_to_end_id),
)


def _lines(table: Table, sign: int) -> Select[Any]:
    money = {"amount": table.c.amount, "fee_amount": table.c.fee, "net_amount": table.c.amount - table.c.fee}
    return (
        select(
            table.c.repayment_id,
            *(_C.c.id.label("charge_id"), _C.c.txid, _C.c.paid_at, _C.c.end_to_end_id, _C.c.external_reference),
            *((sign * value).label(name) for name, value in money.items()),
        )
        .join_from(table, _C, _C.c.id == table.c.charge_id)
        .where(table.c.repayment_id == bindparam("id"))
    )


_charges = union_all(_lines(repaid_charges, 1), _lines(deducted_charges, -1)).subquery("charges_of_repayment")
CHARGES = Statement(select(_charges).order_by(_charges.c.amount < 0, _charges.c.paid_at, _charges.c.charge_id))
ROWS = StoreRows(
    _R,
    RECEIVED_COLUMNS,
    MISSING,
    lambda _, row: ReceivedRepaymentView.of(row),
    scope=(*of_store(_R), _R.c.status != RepaymentStatus.discarded.value),
)
RECEIVED = Listing(
    repayments,
    RECEIVED_COLUMNS,
    scope=ROWS.scope,
    filters={
        "status": one_of(_R.c.status, ReceivedStatus),
    },
    search=search(_R.c.id, _R.c.end_to_end_id),
)
EXPORTED = ExportTable.of("repasses", RepaymentView)
EXPORTED_RECEIVED = ExportTable.of("repasses", ReceivedRepaymentView)
_MEANINGS = {
    "repayment_id": "Repasse.",
    "charge_id": "Cobrança.",
    "txid": "Identificador da cobrança no Pix.",
    "paid_at": "Quando a cobrança foi paga.",
    "end_to_end_id": "EndToEndId do pagamento.",
    "external_reference": "Referência da loja.",
    "amount": "Valor da cobrança; negativo se descontada.",
    "fee_amount": "Tarifa do serviço; negativa se descontada.",
    "net_amount": "O que a loja recebe; negativo se descontada.",
}
EXPORTED_CHARGES = ExportTable(
    "repasse", tuple(_MEANINGS), frozenset({"amount", "fee_amount", "net_amount"}), _MEANINGS
)


@operation("repayments.list", Permission.staff)
async def list_repayments(ctx: Context, query: ListRepayments) -> Page[RepaymentView]:
    """List the repayments of all stores."""
    return await page_of(ctx, REPAYMENTS, query, RepaymentView.adopt)


@operation("repayments.export_list", Permission.staff, table=EXPORTED)
async def export_repayments(ctx: Context, query: ListRepayments) -> Export:
    """Export the repayments of all stores."""
    return await export_of(ctx, REPAYMENTS, query, EXPORTED, "repayment.exported")


@operation("repayments.read", Permission.staff)
async def read_repayment(ctx: Context, which: WhichRepayment) -> RepaymentView:
    """Read one repayment."""
    return await find_repayment(ctx.database, which.id)


@operation("repayments.export", Permission.staff, table=EXPORTED_CHARGES)
async def export_repayment(ctx: Context, which: ExportRepayment) -> Export:
    """Export the charges of a repayment by payment time, then the deducted ones with negative amounts. A discarded
    repayment has none.
    """
    repayment = await find_repayment(ctx.database, which.id)
    await record(ctx, ctx.database, "repayment.exported", which.id, store_id=repayment.user_id)
    rows = ctx.database.stream(CHARGES, id=which.id)
    table = EXPORTED_CHARGES
    return Export(f"{table.name}-{which.id}", table.columns, table.money, rows, export_zone(which))


@operation("repayments.list_received", Permission.read)
async def list_received_repayments(ctx: Context, query: ListReceivedRepayments) -> Page[ReceivedRepaymentView]:
    """List the repayments to the store."""
    return await page_of(ctx, RECEIVED, query, ReceivedRepaymentView.adopt)


@operation("repayments.export_received", Permission.finance, scope=Scope.read, table=EXPORTED_RECEIVED)
async def export_received_repayments(ctx: Context, query: ListReceivedRepayments) -> Export:
    """Export the repayments to the store."""
    return await export_of(ctx, RECEIVED, query, EXPORTED_RECEIVED, "repayment.exported")


@operation("repayments.read_received", Permission.read)
async def read_received_repayment(ctx: Context, which: WhichRepayment) -> ReceivedRepaymentView:
    """Read one repayment to the store."""
    return await ROWS.read(ctx, which.id)
