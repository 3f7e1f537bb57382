"""Read a payment link as its payer does, and check a coupon for it, each with one statement."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import bindparam, select

from gateway.errors import (
    CouponNotApplicable,
    InvalidInput,
    LinkBelowMinimum,
    LinkUnavailable,
    NotFound,
    PaymentLinkInactive,
)
from gateway.models.accounts import ProductionStatus, users
from gateway.models.base import Environment
from gateway.models.coupons import coupons
from gateway.models.database import Statement
from gateway.models.payment_links import payment_links
from gateway.models.products import products
from gateway.resolvers.charges.redemptions import count_expired_uses, next_release_at
from gateway.resolvers.checkout.rate_limits import LINK_READS, count_use
from gateway.resolvers.checkout.types import (
    MISSING_LINK,
    LinkCoupon,
    PublicLinkView,
    PublicProduct,
    PublicStore,
    WhichLink,
)
from gateway.resolvers.clocks.store_clock import clock_columns, store_clock
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import Actor, Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.coupons.discount import CouponRow, Price, discounted_price, used_up
from gateway.resolvers.coupons.operations import find_coupon_by_code, quote
from gateway.resolvers.coupons.types import CouponQuote
from gateway.values.clock import Clock
from gateway.values.cpf_cnpj import mask_document
from gateway.values.money import MINIMUM_CHARGE

_L, _P, _K, _U = payment_links, products, coupons, users
_COUPON_COLUMNS = (
    *("id", "code", "discount_type", "discount_value", "is_active", "starts_at", "expires_at"),
    *("max_uses", "uses_count", "min_amount", "product_ids"),
)
BY_SLUG = Statement(
    select(
        *_L.c,
        *(_P.c[name].label(f"product_{name}") for name in ("name", "description", "image_url", "price", "active")),
        *(_K.c[name].label(f"coupon_{name}") for name in _COUPON_COLUMNS if name != "id"),
        *(_U.c[name].label(f"owner_{name}") for name in ("company", "name", "cnpj", "production_status")),
        *clock_columns(_L.c.environment),
    )
    .select_from(
        _L.join(_U, _U.c.id == _L.c.user_id)
        .outerjoin(_P, _P.c.id == _L.c.product_id)
        .outerjoin(_K, _K.c.id == _L.c.coupon_id)
    )
    .where(_L.c.slug == bindparam("slug"))
)


class Link(Struct, frozen=True):
    """A link, open or not (`require_open`). `row` is of `BY_SLUG`; `clock` is the store's."""

    row: Mapping[str, Any]
    clock: Clock

    @property
    def store_name(self) -> str:
        return str(self.row["owner_company"] or self.row["owner_name"])

    @property
    def amount(self) -> int:
        """The price before any coupon, in centavos: the product's current price, if it has a product."""
        price: int = self.row["amount"] if self.row["product_id"] is None else self.row["product_price"]
        return price

    @property
    def coupon(self) -> CouponRow | None:
        """The link's own coupon."""
        if self.row["coupon_id"] is None:
            return None
        return {name: self.row[f"coupon_{name}"] for name in _COUPON_COLUMNS}

    def require_open(self) -> None:
        """Raise if the link can't be paid now. Link or product switched off: `NotFound`. Live, with an owner who isn't
        approved: `LinkUnavailable`. Expired: `PaymentLinkInactive`. A later retry of the same order may succeed.
        """
        row, expires_at = self.row, self.row["expires_at"]
        if not row["active"] or row["product_active"] is False:
            raise NotFound(MISSING_LINK).retryable()
        if row["environment"] == Environment.live and row["owner_production_status"] != ProductionStatus.approved:
            raise LinkUnavailable
        if expires_at is not None and expires_at <= self.clock.now():
            raise PaymentLinkInactive().retryable()

    def refuse_coupons(self, field: str) -> None:
        """Raise `CouponNotApplicable` if the link allows no other coupon. `field` is the field to blame."""
        if not self.row["allow_coupons"]:
            raise CouponNotApplicable("Este link não aceita cupons.", field=field)


async def find_link(ctx: Context, slug: str) -> Link:
    """The link of a slug, open or not. Raises `NotFound`."""
    row = await ctx.database.one(BY_SLUG, slug=slug.lower())
    if row is None:
        raise NotFound(MISSING_LINK)
    return Link(row, store_clock(row, ctx.real_clock) or ctx.real_clock)


async def open_link(ctx: Context, slug: str) -> Link:
    """The link of a slug, with the uses of expired charges already subtracted, also those of its coupon. Raises what
    `require_open` does, and `PaymentLinkInactive` if it is used up.
    """
    link = await find_link(ctx, slug)
    link.require_open()
    row, now = dict(link.row), link.clock.now()
    if used_up(row):
        row["uses_count"] -= await count_expired_uses(ctx.database, now, payment_link_id=row["id"])
    if link.coupon is not None and used_up(link.coupon):
        row["coupon_uses_count"] -= await count_expired_uses(ctx.database, now, coupon_id=row["coupon_id"])
    if used_up(row):
        raise (
            PaymentLinkInactive().retryable().hold(await next_release_at(ctx.database, now, payment_link_id=row["id"]))
        )
    return replace(link, row=row)


def own_price(link: Link, apply_coupon: Callable[..., Price]) -> Price:
    """The price for a payer without a coupon. `apply_coupon` (of gateway.resolvers.coupons.discount) applies the link's
    own coupon; if it refuses, the coupon is left out.
    """
    coupon = link.coupon
    if coupon is None:
        return Price(link.amount)
    try:
        return apply_coupon(coupon, link.amount, link.row["product_id"], link.clock.now())
    except InvalidInput:
        return Price(link.amount)


def at_checkout(ctx: Context, link: Link) -> Context:
    """The context of an anonymous call in the store and environment of the link, for any caller."""
    actor = Actor(
        Credential.none,
        Environment(link.row["environment"]),
        store_id=link.row["user_id"],
        store_name=link.store_name,
        clock=link.clock,
    )
    return replace(with_checkout_source(ctx), actor=actor)


def with_checkout_source(ctx: Context) -> Context:
    """The same call, with the source `checkout` in the audit trail."""
    return replace(ctx, origin=replace(ctx.origin, source="checkout"))


def public_link(link: Link, price: Price) -> PublicLinkView:
    """The link as the payer sees it."""
    row = link.row
    names = ("slug", "title", "description", "environment", "allow_coupons", "expires_at", "success_url", "cancel_url")
    return PublicLinkView.of(
        {name: row[name] for name in names}
        | {
            "amount": price.original,
            "discount_amount": price.discount,
            "final_amount": price.final,
            "coupon_code": price.coupon_code,
            "product": _product(row),
            "store": PublicStore.of({"name": link.store_name, "document": masked_document(row["owner_cnpj"])}),
        }
    )


def masked_document(document: str | None) -> str | None:
    return None if document is None else mask_document(document)


def _product(row: Mapping[str, Any]) -> PublicProduct | None:
    if row["product_id"] is None:
        return None
    return PublicProduct.of({name: row[f"product_{name}"] for name in PublicProduct.model_fields})


@operation("checkout.read_link", Permission.public)
async def read_link(ctx: Context, which: WhichLink) -> PublicLinkView:
    """See a payment link, as its payer does. Raises what `open_link` does, and `LinkBelowMinimum`."""
    await count_use(ctx, LINK_READS)
    link = await open_link(ctx, which.slug)
    price = own_price(link, discounted_price)
    if price.final < MINIMUM_CHARGE:
        raise LinkBelowMinimum
    return public_link(link, price)


@operation("checkout.validate_coupon", Permission.public)
async def validate_link_coupon(ctx: Context, params: LinkCoupon) -> CouponQuote:
    """See what a coupon does to the price of a payment link, without using it."""
    await count_use(ctx, LINK_READS)
    link = await open_link(ctx, params.slug)
    link.refuse_coupons("code")
    ctx = at_checkout(ctx, link)
    coupon = await find_coupon_by_code(ctx, params.code)
    return await quote(ctx, coupon, link.amount, link.row["product_id"])
