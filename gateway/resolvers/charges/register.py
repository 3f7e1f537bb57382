"""`POST /charges`: register a charge directly."""

from gateway.models.api_keys import Scope
from gateway.resolvers.access import Permission
from gateway.resolvers.charges.expiry import expiry_of, refuse_past_due
from gateway.resolvers.charges.inputs import RegisterCharge, expiry_of_due_date
from gateway.resolvers.charges.issuing import issue
from gateway.resolvers.charges.manual_mode import tell_what_is_ignored
from gateway.resolvers.charges.payer import missing_payer_fields, payer_of, require
from gateway.resolvers.charges.plan import Plan
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.context import Context
from gateway.resolvers.operation import operation


@operation("charges.register", Permission.operate, issues=True, creates=True, reserves=True, scope=Scope.charges)
async def register_charge(ctx: Context, order: RegisterCharge) -> ChargeView:
    """Register a charge directly, with a due date and no minimum amount."""
    payer = await payer_of(ctx, order)
    missing = missing_payer_fields(payer)
    refuse_past_due(ctx, order.due_date, missing)
    by_default = order.due_date and expiry_of_due_date(order.due_date)
    expires_at = expiry_of(ctx, order.expires_at or by_default, missing)
    require(missing)
    tell_what_is_ignored(ctx, order)
    return await issue(
        ctx,
        Plan(
            store_id=ctx.store_id,
            environment=ctx.environment,
            store_name=ctx.actor.store_name,
            description=order.description,
            amount=order.amount,
            original_amount=order.amount,
            expires_at=expires_at,
            due_date=order.due_date,
            payer=payer,
            customer_id=order.customer_id,
            external_reference=order.external_reference,
            metadata=order.metadata,
            success_url=order.success_url,
            cancel_url=order.cancel_url,
        ),
    )
