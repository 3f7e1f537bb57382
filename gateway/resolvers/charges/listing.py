"""`GET /pix`, `GET /charges`: the store's charges, filtered and ordered (contract section 2)."""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace
from sqlalchemy import ColumnElement, and_, bindparam, literal_column, or_

from gateway.models.api_keys import Scope
from gateway.models.charges import ChargeStatus, charges
from gateway.resolvers.charges.inputs import ListCharges
from gateway.resolvers.charges.status import has_expired, has_not_expired
from gateway.resolvers.charges.views import ChargeView, charge_columns, charge_mapper
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.cursors import Order
from gateway.resolvers.core.listing.definition import Listing, any_of, at_least, at_most, equals, yes_or_no
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of, pages_per
from gateway.resolvers.core.listing.search import Condition, TextSearch
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import of_store
from gateway.resolvers.core.views import Page

_C = charges
_by_payment = partial(Order, instead=_C.c.created_at)
PAID_AT = _by_payment(_C.c.paid_at).expression
"""When a charge was paid, as its index has it; charges that were never paid come before all others, by creation."""
_FIRST_PAYMENT: ColumnElement[object] = literal_column("'1000-01-01 00:00:00+00'::timestamptz")
_paid, _unpaid = PAID_AT > _FIRST_PAYMENT, PAID_AT < _FIRST_PAYMENT
_pending = _C.c.status == ChargeStatus.pending.value
is_expired = or_(_C.c.status == ChargeStatus.expired.value, and_(_pending, has_expired()))
_IN_STATUS: dict[str, Condition] = {
    ChargeStatus.pending.value: and_(_pending, has_not_expired(), _unpaid),
    ChargeStatus.expired.value: and_(is_expired, _unpaid),
    ChargeStatus.canceled.value: and_(_C.c.status == ChargeStatus.canceled.value, _unpaid),
    ChargeStatus.paid.value: and_(_C.c.status == ChargeStatus.paid.value, _paid),
    ChargeStatus.refunded.value: and_(_C.c.status == ChargeStatus.refunded.value, _paid),
}
"""The charges in a status, and where they are in the order of payment, so that the others are not read there."""
_EXACT_FILTERS = (
    *(_C.c.customer_id, _C.c.product_id, _C.c.coupon_id, _C.c.subscription_id, _C.c.payment_link_id),
    *(_C.c.txid, _C.c.end_to_end_id, _C.c.external_reference),
)
CHARGES = Listing(
    charges,
    charge_columns(),
    scope=of_store(_C),
    filters={
        **{column.name: equals(column) for column in _EXACT_FILTERS},
        "status": _IN_STATUS,
        "status_in": any_of(_IN_STATUS),
        "paid_late": yes_or_no(_C.c.paid_late),
        "paid_from": and_(_paid, bindparam("paid_from", type_=_C.c.paid_at.type) <= PAID_AT),
        # No charge is paid before it is created, so its creation has a bound as well.
        "paid_to": and_(
            _paid, bindparam("paid_to", type_=_C.c.paid_at.type) >= PAID_AT, at_most(_C.c.created_at, "paid_to")
        ),
        "amount_min": at_least(_C.c.amount, "amount_min"),
        "amount_max": at_most(_C.c.amount, "amount_max"),
    },
    search=TextSearch(_C.c.search, indexed=True),
    summed=_C.c.amount,
    orders=(_by_payment(_C.c.paid_at, descending=False), _by_payment(_C.c.paid_at)),
)


@operation("charges.list", Permission.read)
async def list_charges(ctx: Context, request: ListCharges) -> Page[ChargeView]:
    """List the charges of the store."""
    page = await page_of(ctx, CHARGES, request, charge_mapper(ctx.settings))
    return replace(page, computed=True) if request.include else page


async def charges_per(
    ctx: Context, reference: str, parents: Sequence[str], request: ListCharges
) -> list[Page[ChargeView]]:
    """The same slice of the charges of each parent: of a customer or a subscription, as the column `reference` says."""
    return await pages_per(ctx, CHARGES, reference, parents, request, charge_mapper(ctx.settings))


EXPORTED = ExportTable.of(
    "cobrancas",
    ChargeView,
    (
        *("id", "created_at", "status", "amount", "original_amount", "discount_amount", "fee_amount", "net_amount"),
        *("paid_at", "paid_late", "under_review", "expires_at", "due_date", "description", "external_reference"),
        *("link_reference", "customer_id", "customer_name", "customer_email", "customer_cpf", "customer_phone"),
        *("product_id", "coupon_code", "subscription_id", "payment_link_id", "txid", "end_to_end_id", "environment"),
        "metadata",
    ),
)


@operation("charges.export", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_charges(ctx: Context, request: ListCharges) -> Export:
    """Export the charges of the store."""
    return await export_of(ctx, CHARGES, request, EXPORTED, "charge.exported")
