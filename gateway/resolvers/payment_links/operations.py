"""Create, change, delete, read, list and export payment links."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from sqlalchemy import text

from gateway.errors import MinimumAmount, NotFound
from gateway.models.api_keys import Scope
from gateway.models.charges import charges, issuances
from gateway.models.database import Executor, Statement, UniqueViolation, violates
from gateway.models.payment_links import payment_links
from gateway.resolvers.availability import derive_switch, status_filter
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted, Deletion
from gateway.resolvers.core.inputs import refuse_past_end
from gateway.resolvers.core.listing.definition import Listing, equals
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import StoreRows, translate_violations
from gateway.resolvers.core.views import Page
from gateway.resolvers.coupons.discount import BELOW_MINIMUM_WITH_COUPON, remaining_amount
from gateway.resolvers.coupons.operations import MISSING as MISSING_COUPON
from gateway.resolvers.payment_links.types import (
    INSERTED_LINK_COLUMNS,
    LINK_COLUMNS,
    CreatePaymentLink,
    ListPaymentLinks,
    PaymentLinkView,
    UnpayableReason,
    UpdatePaymentLink,
    WhichPaymentLink,
    link_view,
)
from gateway.resolvers.products.operations import MISSING as MISSING_PRODUCT
from gateway.values.ids import new_slug
from gateway.values.money import MINIMUM_CHARGE

UNPAYABLE = {
    UnpayableReason.product_inactive: "O produto está desativado: este link não pode ser pago.",
    UnpayableReason.product_below_minimum: "O produto custa menos que R$ 5,00: este link não pode ser pago.",
}
_L = payment_links
ROWS = StoreRows(
    _L,
    LINK_COLUMNS,
    "Link de pagamento não encontrado.",
    link_view,
    inserted=(*CreatePaymentLink.model_fields, "slug"),
    returning=INSERTED_LINK_COLUMNS,
)
DELETION = Deletion(
    ROWS,
    charges.c.payment_link_id,
    first=charges.c.payment_link_id,
    busy=issuances.c.payment_link_id,
    too_many="Há referências demais para excluir este link de pagamento; em vez disso, desative-o.",
)
PAYMENT_LINKS = Listing(
    payment_links,
    LINK_COLUMNS,
    scope=ROWS.scope,
    filters={
        "status": status_filter(_L, "active"),
        "product_id": equals(_L.c.product_id),
        "coupon_id": equals(_L.c.coupon_id),
        "external_reference": equals(_L.c.external_reference),
    },
    search=search(_L.c.title, _L.c.description, _L.c.slug, _L.c.external_reference, _L.c.id),
)
PRICE_SOURCES = Statement(
    text("""
select p.id as product_id, p.price, c.id as coupon_id, c.discount_type, c.discount_value, c.min_amount, c.product_ids
  from (select 1) as one
  left join products p on p.user_id = :user_id and p.environment = :environment and p.id = :product_id
  left join coupons c on c.user_id = :user_id and c.environment = :environment and c.id = :coupon_id
""")
)
"""The product and the coupon of a link, in one row; null where the store has none with that id."""


@operation("payment_links.create", Permission.operate, idempotent=True, scope=Scope.catalogue)
async def create_payment_link(ctx: Context, order: CreatePaymentLink) -> PaymentLinkView:
    """Create a payment link in the environment of the credential."""
    refuse_past_end("expires_at", order.expires_at, ctx.clock.now())
    field = "product_id" if order.coupon_id is None else "coupon_id"
    await _validate_price(ctx, ctx.database, order.model_dump(), field)
    with _existing_references():
        while (created := await _create(ctx, order)) is None:
            continue
    return created


async def _create(ctx: Context, order: CreatePaymentLink) -> PaymentLinkView | None:
    """The new link, or None if its random slug is taken."""
    try:
        async with ctx.database.transaction() as transaction:
            values = order.model_dump() | {"metadata": order.metadata or {}, "slug": new_slug()}
            created = await ROWS.insert(ctx, transaction, values, "payment_link.created")
            _warn_if_unpayable(ctx, created)
            await idempotency.complete(ctx, transaction, created)
    except UniqueViolation as error:
        if violates(error, "uq_payment_links_slug"):
            return None
        raise
    return created


@operation("payment_links.update", Permission.operate, scope=Scope.catalogue)
async def update_payment_link(ctx: Context, order: UpdatePaymentLink) -> PaymentLinkView:
    """Change the sent fields of a link; charges already issued stay as they are."""
    now, values = ctx.clock.now(), order.sent()
    if "metadata" in values:
        values["metadata"] = values["metadata"] or {}
    check, derive = partial(_validate_change, ctx), partial(derive_switch, "active", values, now)
    with _existing_references():
        changed = await ROWS.update(ctx, order.id, values, "payment_link.updated", check=check, derive=derive)
    changed = changed.as_of(now)
    _warn_if_unpayable(ctx, changed)
    return changed


@operation("payment_links.delete", Permission.operate, scope=Scope.catalogue)
async def delete_payment_link(ctx: Context, which: WhichPaymentLink) -> Deleted:
    """Delete a link; its charges stay and lose the reference."""
    return await DELETION.run(ctx, which.id, "payment_link.deleted")


def _warn_if_unpayable(ctx: Context, link: PaymentLinkView) -> None:
    if link.active and link.unpayable_reason is not None:
        ctx.reply.notices.append(UNPAYABLE[link.unpayable_reason])


async def _validate_change(ctx: Context, executor: Executor, link: Mapping[str, Any], changed: Collection[str]) -> None:
    """Validate the price if the change affects it. A link whose product or coupon made it too cheap can still be
    switched off, renamed or ended.
    """
    priced = ("coupon_id", "product_id") if link["product_id"] else ("coupon_id", "product_id", "amount")
    field = next((name for name in priced if name in changed), None)
    if field is not None:
        await _validate_price(ctx, executor, link, field)


def _existing_references() -> AbstractContextManager[None]:
    """Raise `NotFound` if the product or coupon was deleted after the check: a foreign key fails."""
    return translate_violations(
        fk_payment_links_product_id=lambda: NotFound(MISSING_PRODUCT),
        fk_payment_links_coupon_id=lambda: NotFound(MISSING_COUPON),
    )


@operation("payment_links.read", Permission.read)
async def read_payment_link(ctx: Context, which: WhichPaymentLink) -> PaymentLinkView:
    """Read one payment link."""
    return (await ROWS.read(ctx, which.id)).as_of(ctx.clock.now())


@operation("payment_links.list", Permission.read)
async def list_payment_links(ctx: Context, params: ListPaymentLinks) -> Page[PaymentLinkView]:
    """List the payment links of the store."""
    return await page_of(ctx, PAYMENT_LINKS, params, _view(ctx))


EXPORTED = ExportTable.of("links-de-pagamento", PaymentLinkView)


@operation("payment_links.export", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_payment_links(ctx: Context, params: ListPaymentLinks) -> Export:
    """Export the payment links of the store."""
    return await export_of(ctx, PAYMENT_LINKS, params, EXPORTED, "payment_link.exported", show=_view(ctx))


async def payment_links_by_id(ctx: Context, ids: Sequence[str]) -> dict[str, PaymentLinkView]:
    """The store's payment links among these ids."""
    now = ctx.clock.now()
    return {link_id: link.as_of(now) for link_id, link in (await ROWS.read_all(ctx, ids)).items()}


def _view(ctx: Context) -> Callable[[Mapping[str, Any]], PaymentLinkView]:
    now = ctx.clock.now()
    return lambda row: link_view(ctx.settings, row).as_of(now)


async def _validate_price(ctx: Context, executor: Executor, link: Mapping[str, Any], field: str) -> None:
    """Raise `NotFound` for a product or coupon of another store, and `MinimumAmount` for a price below the minimum of a
    charge. The link's own coupon counts, usable now or not (specification section 8); `field` is blamed for it.
    """
    if link["product_id"] is None and link["coupon_id"] is None:
        return
    sources = await executor.single(
        PRICE_SOURCES,
        **ctx.scope,
        product_id=link["product_id"],
        coupon_id=link["coupon_id"],
    )
    if link["product_id"] != sources["product_id"]:
        raise NotFound(MISSING_PRODUCT)
    if link["coupon_id"] != sources["coupon_id"]:
        raise NotFound(MISSING_COUPON)
    # Without a product, the input type has validated the amount.
    price = link["amount"] if sources["product_id"] is None else sources["price"]
    if price < MINIMUM_CHARGE:
        raise MinimumAmount("product_id")
    if sources["coupon_id"] is not None and remaining_amount(sources, price, sources["product_id"]) < MINIMUM_CHARGE:
        raise MinimumAmount(field, message=BELOW_MINIMUM_WITH_COUPON)
