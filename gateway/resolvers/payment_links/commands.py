"""Creating, changing and deleting payment links."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import bindparam, insert

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.charges import charges, issuances
from gateway.models.database import Executor, ForeignKeyViolation, Row, Statement, UniqueViolation, violates
from gateway.models.payment_links import payment_links
from gateway.resolvers.audit.trail import record
from gateway.resolvers.availability import stored_switch
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted, Deletion
from gateway.resolvers.core.inputs import refuse_changed_past_end, refuse_past_end
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.updates import Change
from gateway.resolvers.coupons.commands import MISSING as MISSING_COUPON
from gateway.resolvers.payment_links.inputs import (
    CreatePaymentLink,
    UpdatePaymentLink,
    WhichPaymentLink,
)
from gateway.resolvers.payment_links.pricing import refuse_too_little
from gateway.resolvers.payment_links.views import (
    INSERTED_LINK_COLUMNS,
    LINK_COLUMNS,
    PaymentLinkView,
    UnpayableReason,
    link_view,
)
from gateway.resolvers.products.commands import MISSING as MISSING_PRODUCT
from gateway.values.ids import new_id, new_slug

MISSING = "Link de pagamento não encontrado."
UNPAYABLE = {
    UnpayableReason.product_inactive: "O produto está desativado: este link não pode ser pago.",
    UnpayableReason.product_below_minimum: "O produto custa menos que R$ 5,00: este link não pode ser pago.",
}
_L = payment_links
_GIVEN = tuple(CreatePaymentLink.model_fields)
_now = bindparam("now", type_=_L.c.created_at.type)
CREATE = Statement(
    insert(_L)
    .values(
        {name: bindparam(name, type_=_L.c[name].type) for name in ("id", "user_id", "environment", "slug", *_GIVEN)}
        | {"created_at": _now, "updated_at": _now}
    )
    .returning(*INSERTED_LINK_COLUMNS)
)
CHANGE = Change(_L, LINK_COLUMNS, link_view)
DELETION = Deletion(
    _L,
    charges.c.payment_link_id,
    first=charges.c.payment_link_id,
    busy=issuances.c.payment_link_id,
    too_many="Há referências demais para excluir este link de pagamento; em vez disso, desative-o.",
)


@operation("payment_links.create", Permission.operate, creates=True, scope=Scope.catalogue)
async def create_payment_link(ctx: Context, order: CreatePaymentLink) -> PaymentLinkView:
    """Create a payment link in the environment of the credential."""
    refuse_past_end("expires_at", order.expires_at, ctx.clock.now())
    told = "product_id" if order.coupon_id is None else "coupon_id"
    await refuse_too_little(ctx, ctx.database, order.model_dump(), told)
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
                **order.model_dump() | {"metadata": order.metadata or {}},
                now=ctx.clock.now(),
            )
            assert row is not None
            created = link_view(ctx.settings, row)
            _notice_unpayable(ctx, created)
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
    now, given = ctx.clock.now(), {name: value for name, value in order.sent().items() if name != "id"}
    if "metadata" in given:
        given["metadata"] = given["metadata"] or {}
    weigh, entail = partial(_weigh, ctx), partial(_entailed, given, now)
    with _known_references():
        changed = await CHANGE.run(ctx, order.id, given, "payment_link.updated", MISSING, weigh=weigh, entail=entail)
    changed = changed.as_of(now)
    _notice_unpayable(ctx, changed)
    return changed


@operation("payment_links.delete", Permission.operate, scope=Scope.catalogue)
async def delete_payment_link(ctx: Context, which: WhichPaymentLink) -> Deleted:
    """Delete a link; its charges stay and lose the reference."""
    return await DELETION.run(ctx, which.id, "payment_link.deleted", MISSING)


def _notice_unpayable(ctx: Context, link: PaymentLinkView) -> None:
    if link.active and link.unpayable_reason is not None:
        ctx.reply.notices.append(UNPAYABLE[link.unpayable_reason])


def _entailed(given: Mapping[str, Any], now: datetime, before: Row) -> dict[str, Any]:
    refuse_changed_past_end("expires_at", given.get("expires_at"), now, before["expires_at"])
    return stored_switch(before, given, "active", now)


async def _weigh(ctx: Context, executor: Executor, link: Mapping[str, Any], changed: Collection[str]) -> None:
    """Judge what changes of the price. A link that became too cheap by its product or coupon alone can still be
    switched off, renamed or ended.
    """
    priced = ("coupon_id", "product_id") if link["product_id"] else ("coupon_id", "product_id", "amount")
    told = next((name for name in priced if name in changed), None)
    if told is not None:
        await refuse_too_little(ctx, executor, link, told)


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
