"""`GET /pix` and `GET /charges` as CSV: what a merchant's accountant needs of each charge."""

from gateway.models.api_keys import Scope
from gateway.resolvers.access import Permission
from gateway.resolvers.audit.trail import record
from gateway.resolvers.charges.list_inputs import ListCharges
from gateway.resolvers.charges.listing import CHARGES
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.context import Context
from gateway.resolvers.listing.exports import Export, export_of
from gateway.resolvers.operation import operation

COLUMNS = (
    "id",
    "created_at",
    "status",
    "amount",
    "original_amount",
    "discount_amount",
    "fee_amount",
    "net_amount",
    "paid_at",
    "paid_late",
    "under_review",
    "expires_at",
    "due_date",
    "description",
    "external_reference",
    "link_reference",
    "customer_id",
    "customer_name",
    "customer_email",
    "customer_cpf",
    "customer_phone",
    "product_id",
    "coupon_code",
    "subscription_id",
    "payment_link_id",
    "txid",
    "end_to_end_id",
    "environment",
    "metadata",
)


@operation("charges.export", Permission.finance, scope=Scope.read)
async def export_charges(ctx: Context, asked: ListCharges) -> Export:
    """Export the charges of the store."""
    await record(ctx, ctx.database, "charge.exported", None)
    return export_of(ctx, CHARGES, asked, ChargeView, "cobrancas", COLUMNS)
