"""What a product's new price, or its being switched off, does to the payment links that sell it."""

from collections.abc import Sequence

from sqlalchemy import bindparam, select

from gateway.models.coupons import coupons
from gateway.models.database import Row, Statement
from gateway.models.payment_links import payment_links
from gateway.resolvers.core.context import Context
from gateway.resolvers.coupons.discount import left_by
from gateway.resolvers.products.views import ProductView
from gateway.values.money import MINIMUM_CHARGE

MAX_LINKS_NAMED = 10
_L, _K = payment_links, coupons
SOLD_BY = Statement(
    select(
        _L.c.slug,
        _K.c.id.label("coupon_id"),
        *(_K.c[name] for name in ("discount_type", "discount_value", "min_amount", "product_ids")),
    )
    .select_from(_L.outerjoin(_K, _K.c.id == _L.c.coupon_id))
    .where(
        _L.c.user_id == bindparam("user_id"),
        _L.c.environment == bindparam("environment"),
        _L.c.product_id == bindparam("product_id"),
        _L.c.active,
    )
    .order_by(_L.c.created_at, _L.c.id)
)


async def notice_links(ctx: Context, product: ProductView) -> None:
    """Add an `aviso` about the active links that can't be paid any more, or whose own coupon is not applied."""
    links = await ctx.database.all(SOLD_BY, user_id=ctx.store_id, environment=ctx.environment, product_id=product.id)
    if not product.active:
        _notice(ctx, links, "Este produto está desativado")
        return
    if product.price < MINIMUM_CHARGE:
        _notice(ctx, links, "O preço é menor que R$ 5,00, o mínimo de uma cobrança Pix")
        return
    too_little = [link for link in links if link["coupon_id"] and _left(link, product) < MINIMUM_CHARGE]
    if too_little:
        ctx.reply.notices.append(
            f"Com o cupom do próprio link o total ficaria abaixo de R$ 5,00: {_named(too_little)} sem o desconto."
        )


def _left(link: Row, product: ProductView) -> int:
    return left_by(link, product.price, product.id)


def _notice(ctx: Context, links: Sequence[Row], why: str) -> None:
    if links:
        ctx.reply.notices.append(f"{why}: {_named(links, sells=False)}.")


def _named(links: Sequence[Row], *, sells: bool = True) -> str:
    slugs = ", ".join(link["slug"] for link in links[:MAX_LINKS_NAMED])
    more = len(links) - MAX_LINKS_NAMED
    told = f"{slugs} e mais {more}" if more > 0 else slugs
    if len(links) == 1:
        return f"o link de pagamento {told} " + ("vende" if sells else "não pode ser pago")
    return f"os links de pagamento {told} " + ("vendem" if sells else "não podem ser pagos")
