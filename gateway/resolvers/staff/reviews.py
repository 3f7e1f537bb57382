"""Approve, refuse, suspend, reactivate: staff decides about a store, once, and never about its own.

One conditional update wins. What a decision changes takes effect with the very next request, on every process, because
each looks its store's standing up.
"""

from collections.abc import Callable
from functools import partial

from msgspec import Struct
from sqlalchemy import bindparam, select, update

from gateway.errors import Conflict, NotFound, NothingToReview
from gateway.models.accounts import ProductionStatus, users
from gateway.models.database import Executor, Statement
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.mail.facts import ProductionApproved, ProductionFacts, ProductionRefused, ProductionSuspended
from gateway.resolvers.mail.outbox import Letter, queue
from gateway.resolvers.production.moves import Move, write_move
from gateway.resolvers.staff.inputs import RefuseMerchant, SuspendMerchant, WhichMerchant
from gateway.resolvers.staff.merchants import MISSING, merchant_detail
from gateway.resolvers.staff.own_store import refuse_own_store
from gateway.resolvers.staff.views import MerchantDetailView
from gateway.values.ids import Id

_U = users
_now = bindparam("now", type_=_U.c.updated_at.type)
DECIDE = Statement(
    update(_U)
    .where(_U.c.id == bindparam("merchant_id"), _U.c.production_status == bindparam("before"))
    .values(
        production_status=bindparam("after"),
        production_reviewed_at=_now,
        production_reject_reason=bindparam("reason", type_=_U.c.production_reject_reason.type),
        updated_at=_now,
    )
    .returning(_U.c.name, _U.c.company)
)
EXISTS = Statement(select(_U.c.id).where(_U.c.id == bindparam("merchant_id")))


class Decision(Struct, frozen=True):
    """What a staff member can decide: the audit's word for it, what the merchant is told of it, and
    from where to where it leads.
    """

    action: str
    tells: type[ProductionFacts]
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


NO_LIVE_ENGINE = (
    "Este serviço não tem provedor de pagamentos para produção, e nenhuma loja pode ser liberada: "
    "defina GATEWAY_ENGINE_LIVE."
)


@operation("staff.approve_merchant", Permission.staff)
async def approve_merchant(ctx: Context, which: WhichMerchant) -> MerchantDetailView:
    """Approve a store that waits for it. Raises `NothingToReview`, and `Conflict` where live has no engine."""
    _require_live_engine(ctx)
    return await _decide(ctx, which.id, APPROVE)


@operation("staff.refuse_merchant", Permission.staff)
async def refuse_merchant(ctx: Context, order: RefuseMerchant) -> MerchantDetailView:
    """Refuse a store that waits, and tell it why. Raises `NothingToReview`."""
    return await _decide(ctx, order.id, REFUSE, order.motivo)


@operation("staff.suspend_merchant", Permission.staff)
async def suspend_merchant(ctx: Context, order: SuspendMerchant) -> MerchantDetailView:
    """Take a store's approval away for the time being. Raises `Conflict`."""
    return await _decide(ctx, order.id, SUSPEND, order.motivo)


@operation("staff.reactivate_merchant", Permission.staff)
async def reactivate_merchant(ctx: Context, which: WhichMerchant) -> MerchantDetailView:
    """Give a suspended store its approval back. Raises `Conflict`."""
    _require_live_engine(ctx)
    return await _decide(ctx, which.id, REACTIVATE)


def _require_live_engine(ctx: Context) -> None:
    """An approved store would issue charges that no bank knows."""
    if ctx.settings.engine_live is None:
        raise Conflict(NO_LIVE_ENGINE)


async def _decide(ctx: Context, merchant_id: Id, decision: Decision, reason: str | None = None) -> MerchantDetailView:
    await refuse_own_store(ctx, merchant_id, "Ninguém analisa a própria loja.")
    move = Move(merchant_id, decision.before, decision.after, reason)
    now = ctx.real_clock.now()
    given = {"before": move.before, "after": move.after, "reason": reason, "now": now}
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(DECIDE, merchant_id=merchant_id, **given)
        if row is None:
            raise await _why_not(transaction, merchant_id, decision)
        await write_move(ctx, transaction, move)
        await record(ctx, transaction, decision.action, merchant_id, changes=move.change(), store_id=merchant_id)
        told = {"store_id": merchant_id, "store_name": row["company"] or row["name"], "reviewed_at": now}
        await queue(ctx, transaction, Letter(decision.tells.model_validate(told | {"reason": reason}), merchant_id))
    return await merchant_detail(ctx, merchant_id)


async def _why_not(transaction: Executor, merchant_id: Id, decision: Decision) -> Conflict | NotFound:
    known = await transaction.value(EXISTS, merchant_id=merchant_id)
    return decision.impossible() if known else NotFound(MISSING)
