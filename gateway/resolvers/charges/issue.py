"""`POST /pix`: issue a charge, in manual mode or from a product."""

from gateway.models.api_keys import Scope
from gateway.resolvers.access import Permission
from gateway.resolvers.charges.expiry import expiry_of
from gateway.resolvers.charges.inputs import IssueCharge
from gateway.resolvers.charges.issuing import issue
from gateway.resolvers.charges.manual_mode import tell_what_is_ignored
from gateway.resolvers.charges.payer import missing_payer_fields, payer_of, require
from gateway.resolvers.charges.plan import Plan
from gateway.resolvers.charges.product_mode import plan_from_product
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.context import Context
from gateway.resolvers.operation import operation


@operation("charges.issue", Permission.operate, issues=True, creates=True, reserves=True, scope=Scope.charges)
async def issue_charge(ctx: Context, order: IssueCharge) -> ChargeView:
    """Issue a Pix charge and get its BR Code."""
    return await issue(ctx, await (_plan(ctx, order) if order.product_id is None else plan_from_product(ctx, order)))


async def _plan(ctx: Context, order: IssueCharge) -> Plan:
    """Manual mode: the order says everything."""
    payer = await payer_of(ctx, order)
    missing = [name for name in ("amount", "description") if getattr(order, name) is None]
    missing += missing_payer_fields(payer)
    expires_at = expiry_of(ctx, order.expires_at, missing)
    require(missing)
    assert order.amount is not None
    assert order.description is not None
    tell_what_is_ignored(ctx, order)
    return Plan(
        store_id=ctx.store_id,
        environment=ctx.environment,
        store_name=ctx.actor.store_name,
        description=order.description,
        amount=order.amount,
        original_amount=order.amount,
        expires_at=expires_at,
        payer=payer,
        customer_id=order.customer_id,
        external_reference=order.external_reference,
        metadata=order.metadata,
        success_url=order.success_url,
        cancel_url=order.cancel_url,
    )
