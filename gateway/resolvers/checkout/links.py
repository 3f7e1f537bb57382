"""Payment links as a payer meets them: found by slug, with all that the page and the price need, in one statement."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import bindparam, select

from gateway.errors import CouponNotApplicable, InvalidInput, LinkClosed, LinkUnavailable, NotFound
from gateway.models.accounts import ProductionStatus, users
from gateway.models.base import Environment
from gateway.models.coupons import coupons
from gateway.models.database import Statement
from gateway.models.payment_links import payment_links
from gateway.models.products import products
from gateway.resolvers.charges.redemptions import count_expired_uses, next_release_at
from gateway.resolvers.checkout.inputs import MISSING_LINK
from gateway.resolvers.checkout.views import ProductFace, PublicLinkView, StoreFace
from gateway.resolvers.clocks.own import clock_columns, own_clock
from gateway.resolvers.core.actor import Actor, Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.coupons.discount import CouponRow, Price, used_up
from gateway.values.clock import Clock
from gateway.values.cpf_cnpj import mask_document

_L, _P, _K, _U = payment_links, products, coupons, users
_JUDGED = (
    "id",
    "code",
    "discount_type",
    "discount_value",
    "is_active",
    "starts_at",
    "expires_at",
    "max_uses",
    "uses_count",
    "min_amount",
    "product_ids",
)
BY_SLUG = Statement(
    select(
        *_L.c,
        *(_P.c[name].label(f"product_{name}") for name in ("name", "description", "image_url", "price", "active")),
        *(_K.c[name].label(f"coupon_{name}") for name in _JUDGED if name != "id"),
        *(_U.c[name].label(f"holder_{name}") for name in ("company", "name", "cnpj", "production_status")),
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
    """A link, whether or not it may be paid (`require_open`). `row` is of `BY_SLUG`; `clock` its store's."""

    row: Mapping[str, Any]
    clock: Clock

    @property
    def store_name(self) -> str:
        return str(self.row["holder_company"] or self.row["holder_name"])

    @property
    def amount(self) -> int:
        """Before any coupon, in centavos: the product's price at this moment wins."""
        price: int = self.row["amount"] if self.row["product_id"] is None else self.row["product_price"]
        return price

    @property
    def coupon(self) -> CouponRow | None:
        """The link's own coupon."""
        if self.row["coupon_id"] is None:
            return None
        return {name: self.row[f"coupon_{name}"] for name in _JUDGED}

    def require_open(self) -> None:
        """Refuse a link that nobody may pay now. Switched off, or of a product that isn't sold: `NotFound`. Live, and
        its owner isn't approved: `LinkUnavailable`. Expired: `LinkClosed`. None of it is about an order at the link,
        which will do when the link is open again.
        """
        row, expires_at = self.row, self.row["expires_at"]
        if not row["active"] or row["product_active"] is False:
            raise NotFound(MISSING_LINK).for_now()
        if row["environment"] == Environment.live and row["holder_production_status"] != ProductionStatus.approved:
            raise LinkUnavailable
        if expires_at is not None and expires_at <= self.clock.now():
            raise LinkClosed().for_now()

    def refuse_coupons(self, field: str) -> None:
        """Raise where this link lets nobody type a coupon. `field` is where the caller gave it."""
        if not self.row["allow_coupons"]:
            raise CouponNotApplicable("Este link não aceita cupons.", field=field)


async def find_link(ctx: Context, slug: str) -> Link:
    """The link of a slug, however it stands, or `NotFound`."""
    row = await ctx.database.one(BY_SLUG, slug=slug.lower())
    if row is None:
        raise NotFound(MISSING_LINK)
    return Link(row, own_clock(row, ctx.real_clock) or ctx.real_clock)


async def open_link(ctx: Context, slug: str) -> Link:
    """The link of a slug, with its uses and those of its coupon as they are now, whatever the sweeper has written.
    Raises `NotFound`, what `require_open` does, and `LinkClosed` where it is used up.
    """
    link = await find_link(ctx, slug)
    link.require_open()
    row, now = dict(link.row), link.clock.now()
    if used_up(row):
        row["uses_count"] -= await count_expired_uses(ctx.database, now, payment_link_id=row["id"])
    if link.coupon is not None and used_up(link.coupon):
        row["coupon_uses_count"] -= await count_expired_uses(ctx.database, now, coupon_id=row["coupon_id"])
    if used_up(row):
        raise LinkClosed().for_now().hold(await next_release_at(ctx.database, now, payment_link_id=row["id"]))
    return replace(link, row=row)


def own_price(link: Link, judge: Any, now: datetime) -> Price:
    """What a payer without a coupon pays: with the link's own where `judge` (of gateway.resolvers.coupons.discount)
    lets it apply, and without it where not. Nobody typed it, so nobody is told.
    """
    coupon = link.coupon
    if coupon is None:
        return Price(link.amount)
    try:
        price: Price = judge(coupon, link.amount, link.row["product_id"], now)
    except InvalidInput:
        return Price(link.amount)
    return price


def at_checkout(ctx: Context, link: Link) -> Context:
    """The call of nobody in particular, in the store and environment of the link, whoever calls."""
    actor = Actor(
        Credential.none,
        Environment(link.row["environment"]),
        store_id=link.row["user_id"],
        store_name=link.store_name,
        clock=link.clock,
    )
    return replace(from_checkout(ctx), actor=actor)


def from_checkout(ctx: Context) -> Context:
    """The same call, known to the audit trail as the checkout's."""
    return replace(ctx, origin=replace(ctx.origin, source="checkout"))


def public_link(link: Link, price: Price) -> PublicLinkView:
    """The link as the payer sees it."""
    row = link.row
    shown = ("slug", "title", "description", "environment", "allow_coupons", "expires_at", "success_url", "cancel_url")
    return PublicLinkView.of(
        {name: row[name] for name in shown}
        | {
            "amount": price.original,
            "discount_amount": price.discount,
            "final_amount": price.final,
            "coupon_code": price.coupon_code,
            "product": _product(row),
            "store": StoreFace.of({"name": link.store_name, "document": masked(row["holder_cnpj"])}),
        }
    )


def masked(document: str | None) -> str | None:
    return None if document is None else mask_document(document)


def _product(row: Mapping[str, Any]) -> ProductFace | None:
    if row["product_id"] is None:
        return None
    return ProductFace.of({name: row[f"product_{name}"] for name in ProductFace.model_fields})
