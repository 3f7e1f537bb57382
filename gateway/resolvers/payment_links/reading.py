"""Reading payment links: one, the list, and those that other rows refer to."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import ARRAY, bindparam, func, select

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.database import Statement
from gateway.models.payment_links import payment_links
from gateway.resolvers.audit.trail import record
from gateway.resolvers.availability import status_filter
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, created, equals
from gateway.resolvers.core.listing.exports import Export, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.payment_links.commands import MISSING
from gateway.resolvers.payment_links.inputs import ListPaymentLinks, WhichPaymentLink
from gateway.resolvers.payment_links.views import LINK_COLUMNS, PaymentLinkView, link_view

_L = payment_links
_scope = (equals(_L.c.user_id), equals(_L.c.environment))
BY_ID = Statement(select(*LINK_COLUMNS).where(*_scope, _L.c.id == bindparam("id")))
BY_IDS = Statement(
    select(*LINK_COLUMNS).where(*_scope, _L.c.id == func.any(bindparam("ids", type_=ARRAY(_L.c.id.type))))
)
PAYMENT_LINKS = Listing(
    payment_links,
    LINK_COLUMNS,
    scope=_scope,
    filters={
        **created(_L.c.created_at),
        "status": status_filter(_L, "active"),
        "product_id": equals(_L.c.product_id),
        "coupon_id": equals(_L.c.coupon_id),
        "external_reference": equals(_L.c.external_reference),
    },
    search=search(_L.c.title, _L.c.description, _L.c.slug, _L.c.external_reference, _L.c.id),
)


@operation("payment_links.read", Permission.read)
async def read_payment_link(ctx: Context, which: WhichPaymentLink) -> PaymentLinkView:
    """Read one payment link."""
    row = await ctx.database.one(BY_ID, user_id=ctx.store_id, environment=ctx.environment, id=which.id)
    if row is None:
        raise NotFound(MISSING)
    return _shown(ctx)(row)


@operation("payment_links.list", Permission.read)
async def list_payment_links(ctx: Context, asked: ListPaymentLinks) -> Page[PaymentLinkView]:
    """List the payment links of the store."""
    return await page_of(ctx, PAYMENT_LINKS, asked, _shown(ctx))


@operation("payment_links.export", Permission.finance, scope=Scope.read)
async def export_payment_links(ctx: Context, asked: ListPaymentLinks) -> Export:
    """Export the payment links of the store."""
    await record(ctx, ctx.database, "payment_link.exported", None)
    return export_of(ctx, PAYMENT_LINKS, asked, PaymentLinkView, "links-de-pagamento", show=_shown(ctx))


async def payment_links_by_id(ctx: Context, ids: Sequence[str]) -> dict[str, PaymentLinkView]:
    """The store's payment links among these ids."""
    rows = await ctx.database.all(BY_IDS, user_id=ctx.store_id, environment=ctx.environment, ids=list(ids))
    show = _shown(ctx)
    return {row["id"]: show(row) for row in rows}


def _shown(ctx: Context) -> Callable[[Mapping[str, Any]], PaymentLinkView]:
    now = ctx.clock.now()
    return lambda row: link_view(ctx.settings, row).as_of(now)
