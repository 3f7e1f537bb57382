"""Approve, refuse, suspend and reactivate stores. Staff never decides about its own store.

Of concurrent decisions, one conditional update wins. It is effective on the store's next request, on every process.
"""

from collections.abc import Callable
from functools import partial

from msgspec import Struct
from sqlalchemy import bindparam, select, update

from gateway.errors import Conflict, NotFound, NothingToReview
from gateway.models.accounts import ProductionStatus, users
from gateway.models.database import Statement
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.email.account_templates import (
    ProductionApproved,
    ProductionData,
    ProductionRefused,
    ProductionSuspended,
)
from gateway.resolvers.email.outbox import EmailMessage, enqueue
from gateway.resolvers.production.status import StatusChange, save_status_change
from gateway.resolvers.staff.access import refuse_own_store
from gateway.resolvers.staff.merchants import MISSING, merchant_detail
from gateway.resolvers.staff.types import MerchantDetailView, RefuseMerchant, SuspendMerchant, WhichMerchant
from gateway.values.ids import Id

_U = users
_now = bindparam("now", type_=_U.c.updated_at.type)
DECIDE = Statement(
    update(_U)
    .where(_U.c.id == bindparam("merchant_id"), _U.c.production_status == bindparam("before"))
    .values(
        production_status=bindparam("after"),
        production_reviewed_at=_now,
        production_reject_reason=bindparam("reason"),
        updated_at=_now,
    )
    .returning(_U.c.name, _U.c.company)
)
EXISTS = Statement(select(_U.c.id).where(_U.c.id == bindparam("merchant_id")))
NO_LIVE_ENGINE = (
    "Este serviço não tem provedor de pagamentos para produção, e nenhuma loja pode ser liberada: "
    "defina GATEWAY_ENGINE_LIVE."
)


class Decision(Struct, frozen=True):
    """A decision of staff: its audit action, the email to the merchant, the transition, and the error for a store in
    another status.
    """

    action: str
    mail: type[ProductionData]
    before: ProductionStatus
    after: ProductionStatus
    impossible: Callable[[], Conflict]


APPROVE = Decision(
    "production.approved", ProductionApproved, ProductionStatus.pending, ProductionStatus.approved, NothingToReview
)
REFUSE = Decision(
    "production.refused", ProductionRefused, ProductionStatus.pending, ProductionStatus.rejected, NothingToReview
)
SUSPEND = Decision(
    "production.suspended",
    ProductionSuspended,
    ProductionStatus.approved,
    ProductionStatus.suspended,
    partial(Conflict, "Só se suspende uma loja que está liberada para produção."),
)
REACTIVATE = Decision(
    "production.reactivated",
    ProductionApproved,
    ProductionStatus.suspended,
    ProductionStatus.approved,
    partial(Conflict, "Só se reativa uma loja que está suspensa."),
)


@operation("staff.approve_merchant", Permission.staff)
async def approve_merchant(ctx: Context, which: WhichMerchant) -> MerchantDetailView:
    """Approve a store under review. Raises `NothingToReview`, and `Conflict` if live has no engine."""
    _require_live_engine(ctx)
    return await _decide(ctx, which.id, APPROVE)


@operation("staff.refuse_merchant", Permission.staff)
async def refuse_merchant(ctx: Context, order: RefuseMerchant) -> MerchantDetailView:
    """Refuse a store under review, with a reason. Raises `NothingToReview`."""
    return await _decide(ctx, order.id, REFUSE, order.motivo)


@operation("staff.suspend_merchant", Permission.staff)
async def suspend_merchant(ctx: Context, order: SuspendMerchant) -> MerchantDetailView:
    """Suspend an approved store. Raises `Conflict`."""
    return await _decide(ctx, order.id, SUSPEND, order.motivo)


@operation("staff.reactivate_merchant", Permission.staff)
async def reactivate_merchant(ctx: Context, which: WhichMerchant) -> MerchantDetailView:
    """Approve a suspended store again. Raises `Conflict`."""
    _require_live_engine(ctx)
    return await _decide(ctx, which.id, REACTIVATE)


def _require_live_engine(ctx: Context) -> None:
    if ctx.settings.engine_live is None:
        raise Conflict(NO_LIVE_ENGINE)


async def _decide(ctx: Context, merchant_id: Id, decision: Decision, reason: str | None = None) -> MerchantDetailView:
    await refuse_own_store(ctx, merchant_id, "Ninguém analisa a própria loja.")
    change = StatusChange(merchant_id, decision.before, decision.after, reason)
    now = ctx.real_clock.now()
    values = {"before": change.before, "after": change.after, "reason": reason, "now": now}
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(DECIDE, merchant_id=merchant_id, **values)
        if row is None:
            exists = await transaction.value(EXISTS, merchant_id=merchant_id)
            raise decision.impossible() if exists else NotFound(MISSING)
        await save_status_change(ctx, transaction, change)
        await record(ctx, transaction, decision.action, merchant_id, changes=change.changes, store_id=merchant_id)
        store_name = row["company"] or row["name"]
        link = ctx.settings.panel_page("/ajustes/producao")
        data = {"store_id": merchant_id, "store_name": store_name, "reviewed_at": now, "reason": reason, "link": link}
        await enqueue(ctx, transaction, EmailMessage(decision.mail.model_validate(data), merchant_id))
    return await merchant_detail(ctx, merchant_id)
