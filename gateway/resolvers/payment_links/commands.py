"""Creating, changing and deleting payment links."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import bindparam, insert, select

from gateway.errors import NotFound
from gateway.ids import new_id, new_slug
from gateway.models.api_keys import Scope
from gateway.models.charges import charges, issuances
from gateway.models.coupons import coupons
from gateway.models.database import ForeignKeyViolation, Statement, UniqueViolation, violates
from gateway.models.payment_links import payment_links
from gateway.models.products import products
from gateway.resolvers import idempotency
from gateway.resolvers.access import Permission
from gateway.resolvers.audit.trail import record
from gateway.resolvers.changing import Change, refuse_empty
from gateway.resolvers.context import Context
from gateway.resolvers.coupons.commands import MISSING as MISSING_COUPON
from gateway.resolvers.deletion import Deleted, Deletion
from gateway.resolvers.operation import operation
from gateway.resolvers.payment_links.inputs import (
    CreatePaymentLink,
    PaymentLinkFields,
    UpdatePaymentLink,
    WhichPaymentLink,
)
from gateway.resolvers.payment_links.views import LINK_COLUMNS, PaymentLinkView, link_view
from gateway.resolvers.products.commands import MISSING as MISSING_PRODUCT

MISSING = "Link de pagamento não encontrado."
_L = payment_links
_GIVEN = tuple(CreatePaymentLink.model_fields)
_now = bindparam("now", type_=_L.c.created_at.type)
CREATE = Statement(
    insert(_L)
    .values(
        {name: bindparam(name, type_=_L.c[name].type) for name in ("id", "user_id", "environment", "slug", *_GIVEN)}
        | {"created_at": _now, "updated_at": _now}
    )
    .returning(*LINK_COLUMNS)
)
OWN = Statement(
    select(
        *(
            select(table.c.id)
            .where(
                table.c.user_id == bindparam("user_id"),
                table.c.environment == bindparam("environment"),
                table.c.id == bindparam(name, type_=table.c.id.type),
            )
            .scalar_subquery()
            .label(name)
            for name, table in (("product_id", products), ("coupon_id", coupons))
        )
    )
)
CHANGE = Change(_L, LINK_COLUMNS, link_view)
DELETION = Deletion(_L, charges.c.payment_link_id, first=charges.c.payment_link_id, busy=issuances.c.payment_link_id)


@operation("payment_links.create", Permission.operate, creates=True, scope=Scope.catalogue)
async def create_payment_link(ctx: Context, order: CreatePaymentLink) -> PaymentLinkView:
    """Create a payment link in the environment of the credential."""
    await _refuse_foreign(ctx, order)
    with _known_references():
        while (created := await _create(ctx, order)) is None:
            continue
    return created


async def _create(ctx: Context, order: CreatePaymentLink) -> PaymentLinkView | None:
    """The new link, or None where another has its slug: among millions of links that happens once."""
    try:
        async with ctx.database.transaction() as transaction:
            row = await transaction.one(
                CREATE,
                id=new_id(),
                user_id=ctx.store_id,
                environment=ctx.environment,
                slug=new_slug(),
                **order.model_dump(),
                now=ctx.clock.now(),
            )
            assert row is not None
            created = link_view(ctx.settings, row)
            await record(ctx, transaction, "payment_link.created", created.id)
            await idempotency.conclude(ctx, transaction, created)
    except UniqueViolation as error:
        if violates(error, "uq_payment_links_slug"):
            return None
        raise
    return created


@operation("payment_links.update", Permission.operate, scope=Scope.catalogue)
async def update_payment_link(ctx: Context, order: UpdatePaymentLink) -> PaymentLinkView:
    """Change the sent fields of a link; charges already issued stay as they are."""
    given = {name: value for name, value in order.sent().items() if name != "id"}
    refuse_empty(given, ("amount", "allow_coupons", "active", "charge_expires_in_minutes"))
    await _refuse_foreign(ctx, order)
    with _known_references():
        return await CHANGE.run(ctx, order.id, given, "payment_link.updated", MISSING)


@operation("payment_links.delete", Permission.operate, scope=Scope.catalogue)
async def delete_payment_link(ctx: Context, which: WhichPaymentLink) -> Deleted:
    """Delete a link; its charges stay and lose the reference."""
    return await DELETION.run(ctx, which.id, "payment_link.deleted", MISSING)


async def _refuse_foreign(ctx: Context, order: PaymentLinkFields) -> None:
    """A link sells the store's own product, with the store's own coupon. Raises `NotFound`."""
    if order.product_id is None and order.coupon_id is None:
        return
    own = await ctx.database.one(
        OWN,
        user_id=ctx.store_id,
        environment=ctx.environment,
        product_id=order.product_id,
        coupon_id=order.coupon_id,
    )
    assert own is not None, "a select without a table has one row"
    if order.product_id != own["product_id"]:
        raise NotFound(MISSING_PRODUCT)
    if order.coupon_id != own["coupon_id"]:
        raise NotFound(MISSING_COUPON)


@contextmanager
def _known_references() -> Iterator[None]:
    """What was the store's a moment ago may have been deleted since: the foreign key notices."""
    try:
        yield
    except ForeignKeyViolation as error:
        if violates(error, "fk_payment_links_product_id"):
            raise NotFound(MISSING_PRODUCT) from None
        if violates(error, "fk_payment_links_coupon_id"):
            raise NotFound(MISSING_COUPON) from None
        raise
