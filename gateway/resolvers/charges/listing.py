"""`GET /pix`, `GET /charges`: the store's charges, filtered and ordered (contract section 2)."""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace
from sqlalchemy import Boolean, and_, bindparam, literal_column

from gateway.models.api_keys import Scope
from gateway.models.charges import AN_AMOUNT, MADE_FROM, ORDERS_THAT_FOLLOW, ChargeStatus, charges
from gateway.resolvers.access import Permission
from gateway.resolvers.audit.trail import record
from gateway.resolvers.charges.list_inputs import ListCharges
from gateway.resolvers.charges.status import has_expired, has_not_expired
from gateway.resolvers.charges.views import ChargeView, charge_adopter, charge_columns
from gateway.resolvers.context import Context
from gateway.resolvers.listing import milestones
from gateway.resolvers.listing.cursors import HAD, Order
from gateway.resolvers.listing.exports import Export, export_of
from gateway.resolvers.listing.filters import (
    Condition,
    Either,
    Own,
    Range,
    at_least,
    at_most,
    created,
    equals,
    following,
    judged,
    stray_ids,
)
from gateway.resolvers.listing.groups import BY_DAY, Span, by_digits
from gateway.resolvers.listing.statements import Listing
from gateway.resolvers.listing.tallies import Same, Tallies
from gateway.resolvers.listing.windows import page_of, pages_per
from gateway.resolvers.operation import operation
from gateway.resolvers.views import Page

_C = charges
_BY_PAYMENT = partial(Order, instead=_C.c.created_at)
# As lists order them, so that one index serves both.
_paid_at = _BY_PAYMENT(_C.c.paid_at).expression
_was_paid = _paid_at > HAD
_SCOPE = (equals(_C.c.user_id), equals(_C.c.environment))
_an_amount = literal_column(AN_AMOUNT, Boolean())


# By the index of when they expire, all that is pending anywhere would be read and sorted.
_pending = and_(_C.c.status == ChargeStatus.pending.value, judged(has_not_expired()))
_lapsed = and_(_C.c.status == ChargeStatus.pending.value, judged(has_expired()))
_expired = Either(
    many=_C.c.status == ChargeStatus.expired.value,
    few=and_(_C.c.status == ChargeStatus.pending.value, has_expired()),
    values=(_C.c.status, (ChargeStatus.expired.value, ChargeStatus.pending.value)),
)
_IN_STATUS: dict[str, Condition | Either] = {
    **{status.value: _C.c.status == status.value for status in ChargeStatus},
    ChargeStatus.pending.value: _pending,
    ChargeStatus.expired.value: _expired,
}
"""The charges that are shown in a status, told by what is stored, so that an index finds them."""
_PAID = (("status", ChargeStatus.paid.value), ("status", ChargeStatus.refunded.value))
"""The filters that find no charge that wasn't paid."""
_UNPAID = (
    ("status", ChargeStatus.pending.value),
    ("status", ChargeStatus.expired.value),
    ("status", ChargeStatus.canceled.value),
)
"""The filters that find none that was."""
_SAME = (
    _C.c.customer_id,
    _C.c.product_id,
    _C.c.coupon_id,
    _C.c.subscription_id,
    _C.c.payment_link_id,
    _C.c.txid,
    _C.c.end_to_end_id,
    _C.c.external_reference,
)
_TELLING = ("customer_id", "subscription_id", "txid", "end_to_end_id", "external_reference")
_TALLIED = [status for status in ChargeStatus if status != ChargeStatus.pending]
_BY_STATUS = Same(_C.c.status, _TALLIED, besides={ChargeStatus.expired: _lapsed})
_TALLIES = Tallies(
    milestones.CHARGES,
    paired=_BY_STATUS,
    same=(
        _BY_STATUS,
        Same(_C.c.product_id),
        Same(_C.c.coupon_id),
        Same(_C.c.payment_link_id),
    ),
    spans=(
        Span(_C.c.amount, by_digits(3), "amount_min", "amount_max", in_stretches=(by_digits(2), by_digits(1))),
        Span(_C.c.paid_at, BY_DAY, "paid_from", "paid_to", in_stretches=(BY_DAY,), order=_BY_PAYMENT),
        Span(_C.c.updated_at, BY_DAY),
        Span(_C.c.expires_at, BY_DAY),
    ),
)


CHARGES = Listing(
    charges,
    charge_columns(),
    scope=_SCOPE,
    filters={
        **created(_C.c.created_at),
        **{column.name: equals(column) for column in _SAME},
        "status": _IN_STATUS,
        "paid_from": and_(_was_paid, _paid_at >= bindparam("paid_from", type_=_C.c.paid_at.type)),
        "paid_to": and_(_was_paid, _paid_at <= bindparam("paid_to", type_=_C.c.paid_at.type)),
        "amount_min": at_least(_C.c.amount, "amount_min"),
        "amount_max": at_most(_C.c.amount, "amount_max"),
    },
    milestones=milestones.CHARGES,
    orders=(_BY_PAYMENT(_C.c.paid_at, descending=False), _BY_PAYMENT(_C.c.paid_at)),
    tallies=_TALLIES,
    ranges={
        "paid_from": Range(_C.c.paid_at),
        "paid_to": Range(_C.c.paid_at, implies=at_most(_C.c.created_at, "paid_to")),
        "amount_min": Range(_C.c.amount),
        "amount_max": Range(_C.c.amount),
    },
    following={name: following(name, *((_PAID, _UNPAID) if name == "paid_at" else ())) for name in ORDERS_THAT_FOLLOW},
    indexed={
        f"{what}_id": {
            "created_at": Own(f"ix_charges_of_{what}"),
            "amount": Own(f"ix_charges_amount_of_{what}", _an_amount),
        }
        for what in MADE_FROM
    },
    telling=_TELLING,
    covered=True,
    stray_ids=stray_ids(),
)


@operation("charges.list", Permission.read)
async def list_charges(ctx: Context, asked: ListCharges) -> Page[ChargeView]:
    """List the charges of the store."""
    page = await page_of(ctx, CHARGES, asked, charge_adopter(ctx.settings))
    return replace(page, computed=True) if asked.include else page


async def charges_per(
    ctx: Context, reference: str, parents: Sequence[str], asked: ListCharges
) -> list[Page[ChargeView]]:
    """The same slice of the charges of each parent: of a customer or a subscription, as the column `reference` says."""
    return await pages_per(ctx, CHARGES, reference, parents, asked, charge_adopter(ctx.settings))


EXPORTED = (
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
    return export_of(ctx, CHARGES, asked, ChargeView, "cobrancas", EXPORTED)
