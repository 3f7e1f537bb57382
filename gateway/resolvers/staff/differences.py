"""`GET /admin/differences`: discrepancies between the gateway and its payment providers, which staff resolves."""

from sqlalchemy import bindparam, select, update

from gateway.errors import Conflict, NotFound
from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.models.reconciliation import DiscrepancyKind, Resolution
from gateway.models.reconciliation import reconciliation_discrepancies as table
from gateway.resolvers.audit.audit_log import record_of, with_record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, enum_filter, equals
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.staff.access import refuse_own_store
from gateway.resolvers.staff.types import (
    DIFFERENCE_COLUMNS,
    DifferenceStatus,
    DifferenceView,
    ListDifferences,
    ResolveDifference,
    WhichDifference,
)

MISSING = "Diferença não encontrada."
OWN_STORE = "Ninguém encerra as diferenças da própria loja."
_D = table
DIFFERENCES = Listing(
    table,
    DIFFERENCE_COLUMNS,
    scope=(),  # Staff sees every store and both environments.
    filters={
        "status": {
            DifferenceStatus.open.value: _D.c.resolved_at.is_(None),
            DifferenceStatus.resolved.value: _D.c.resolved_at.is_not(None),
        },
        "kind": enum_filter(_D.c.kind, DiscrepancyKind),
        "environment": enum_filter(_D.c.environment, Environment),
        "store_id": equals(_D.c.user_id, "store_id"),
        "charge_id": equals(_D.c.charge_id),
    },
    search=search(_D.c.txid, _D.c.engine_id, _D.c.charge_id, _D.c.end_to_end_id),
)
BY_ID = Statement(select(*DIFFERENCE_COLUMNS).where(_D.c.id == bindparam("id")))
_now = bindparam("now", type_=_D.c.resolved_at.type)
_resolved = (
    update(_D)
    .where(_D.c.id == bindparam("difference_id"), _D.c.resolved_at.is_(None))
    .values(
        resolved_at=_now,
        resolution=Resolution.staff.value,
        resolved_by_id=bindparam("by_id"),
        resolved_by_name=bindparam("by_name"),
        note=bindparam("note"),
    )
    .returning(_D.c.id)
    .cte("resolved")
)
RESOLVE = with_record(_resolved)


@operation("staff.list_differences", Permission.staff)
async def list_differences(ctx: Context, request: ListDifferences) -> Page[DifferenceView]:
    """List the discrepancies of all stores and both environments."""
    return await page_of(ctx, DIFFERENCES, request, DifferenceView.adopt)


EXPORTED = ExportTable.of("diferencas", DifferenceView)


@operation("staff.export_differences", Permission.staff, table=EXPORTED)
async def export_differences(ctx: Context, request: ListDifferences) -> Export:
    """Export the discrepancies of all stores and both environments."""
    return await export_of(ctx, DIFFERENCES, request, EXPORTED, "difference.exported")


@operation("staff.read_difference", Permission.staff)
async def read_difference(ctx: Context, which: WhichDifference) -> DifferenceView:
    """Read one discrepancy."""
    return await _find(ctx, which.id)


@operation("staff.resolve_difference", Permission.staff)
async def resolve_difference(ctx: Context, order: ResolveDifference) -> DifferenceView:
    """Resolve a discrepancy with a note. Raises `Conflict` for a resolved one."""
    found = await _find(ctx, order.id)
    if found.user_id is not None:
        await refuse_own_store(ctx, found.user_id, OWN_STORE)
    changes = {"status": {"from": "open", "to": "resolved"}, "note": order.nota}
    audit = record_of(ctx, "difference.resolved", order.id, changes=changes, environment=found.environment)
    resolved = await ctx.database.value(
        RESOLVE,
        difference_id=order.id,
        now=ctx.real_clock.now(),
        by_id=ctx.actor.user_id,
        by_name=ctx.actor.name,
        note=order.nota,
        **audit | {"audit_store_id": found.user_id},
    )
    if resolved is None:
        raise Conflict("Esta diferença já foi encerrada.")
    return await _find(ctx, order.id)


async def _find(ctx: Context, difference_id: str) -> DifferenceView:
    row = await ctx.database.one(BY_ID, id=difference_id)
    if row is None:
        raise NotFound(MISSING)
    return DifferenceView.of(row)
