"""`/pay/{slug}`: what is sold, for how much, and who pays."""

from msgspec import Struct
from starlette.responses import RedirectResponse, Response

from gateway.checkout.apologies import apologise_for_form, apologise_for_price
from gateway.checkout.call import Call, way_on
from gateway.checkout.forms import SHOWN, Typed, draft_of, shown_in, typed_in
from gateway.checkout.mistakes import COUPON, about_coupon, mistakes_of
from gateway.checkout.rendering import page
from gateway.checkout.wording import LINK_CLOSED, LINK_HELD, PRICE_MOVED
from gateway.errors import GatewayError, InvalidInput, LinkBelowMinimum, LinkClosed
from gateway.resolvers.checkout.inputs import PayLinkAsShown
from gateway.resolvers.checkout.order import PriceMoved
from gateway.resolvers.checkout.pay import pay_link
from gateway.resolvers.checkout.read_link import read_link, validate_link_coupon
from gateway.resolvers.checkout.views import PublicLinkView
from gateway.resolvers.core.context import Context
from gateway.resolvers.coupons.inputs import LONGEST_CODE
from gateway.resolvers.coupons.views import CouponQuote
from gateway.values.formatting import moment

# What the payer can mend in the form, or try again after. The rest is a page of its own: the link itself is at fault.
_MENDABLE = frozenset({400, 404, 429, 502})


async def show_link(call: Call) -> Response:
    """The form. `?cupom=CODE` tries a coupon, so that a merchant can share a link that carries one."""
    try:
        return await _form(call, typed_in({COUPON: call.query().get("cupom", "")}))
    except LinkClosed as closed:
        return _closed(closed, call, typed_in({}))


async def submit_link(call: Call) -> Response:
    """The posted form: try or remove the coupon, or issue the charge and go to its page."""
    try:
        form = await call.form()
    except InvalidInput as unreadable:
        return apologise_for_form(unreadable, way_on(call.scope))
    typed = typed_in(form)
    try:
        return await _submit(call, form, typed)
    except LinkClosed as closed:
        return _closed(closed, call, typed, posted=True)


async def _submit(call: Call, form: dict[str, str], typed: Typed) -> Response:
    match form.get("acao"):
        case "remover-cupom":
            return await _form(call, {**typed, COUPON: ""})
        case "aplicar-cupom":
            return await _form(call, typed, posted=True)
        case _:
            return await _pay(call, typed, shown_in(form))


async def _pay(call: Call, typed: Typed, shown: int | None) -> Response:
    # Before anything is read: who sends the form again gets their charge, though it took the last use of the link.
    try:
        order = PayLinkAsShown.from_draft({**draft_of(typed), "slug": call.key, "shown": shown})
        charge = await pay_link(call.ctx, order)
    except PriceMoved:
        return await _form(call, typed, posted=True, moved=True)
    except GatewayError as error:
        if error.status not in _MENDABLE:
            raise
        try:
            return await _form(call, typed, error, posted=True, shown=shown)
        except LinkClosed as closed:
            return _closed(closed, call, typed, error, posted=True)
    dearer = "?sem-desconto" if call.ctx.reply.notices else ""
    return RedirectResponse(f"/pay/c/{charge.txid}{dearer}", 303)


def _closed(
    closed: LinkClosed, call: Call, typed: Typed, error: GatewayError | None = None, *, posted: bool = False
) -> Response:
    """The page of a link that takes no order any more, with the way back to one's own charge."""
    until = closed.held_until
    apology = LINK_CLOSED if until is None else LINK_HELD
    return page(
        "closed.html",
        closed.status,
        slug=call.key,
        held_until=until,
        title=apology.title,
        body=apology.body,
        advice=apology.advice if until is None else apology.advice.format(until=moment(until)),
        typed=typed,
        posted=posted,
        mistakes=mistakes_of(*([] if error is None else [error])),
    )


class Judgement(Struct, frozen=True):
    """What became of the typed coupon."""

    quote: CouponQuote | None = None
    refusal: GatewayError | None = None


async def _form(
    call: Call,
    typed: Typed,
    error: GatewayError | None = None,
    *,
    posted: bool = False,
    moved: bool = False,
    shown: int | None = None,
) -> Response:
    """The form as it was typed, with what is wrong, and a word about a price that has `moved`, or isn't what was
    `shown`. Raises where the link itself is wrong.
    """
    try:
        link = await read_link(call.ctx, {"slug": call.key})
    except LinkBelowMinimum as unpayable:
        return apologise_for_price(error.status if error else unpayable.status, way_on(call.scope))
    # A coupon that paying has refused, maybe to this payer alone, takes nothing off the price that is shown.
    refused = error is not None and about_coupon(error)
    judged = Judgement() if refused else await _judge(call.ctx, link, typed)
    wrong = [mistake for mistake in (judged.refusal, error) if mistake is not None]
    answered = wrong[-1] if wrong and posted else None
    total = judged.quote.final_amount if judged.quote else link.final_amount
    other = moved or shown not in {None, total, link.final_amount}
    return page(
        "link.html",
        409 if moved and not wrong else _status(answered),
        answered.headers if answered else {},
        link=link,
        typed=typed,
        quote=judged.quote,
        total=total,
        mistakes=mistakes_of(*wrong),
        # Where it is the coupon that was refused, that is why the price is another one, and is said beside it.
        posted=posted,
        moved=PRICE_MOVED if other and not refused and judged.refusal is None else "",
        longest_code=LONGEST_CODE,
        shown_field=SHOWN,
    )


def _status(error: GatewayError | None) -> int:
    # A coupon that nobody knows is a 404 of the API, but this page does exist.
    if error is None:
        return 200
    return 400 if error.status == 404 else error.status


async def _judge(ctx: Context, link: PublicLinkView, typed: Typed) -> Judgement:
    """What the typed coupon does to the price, if there is one."""
    if not (typed[COUPON] and link.allow_coupons):
        return Judgement()
    try:
        return Judgement(await validate_link_coupon(ctx, {"slug": link.slug, "code": typed[COUPON]}))
    except GatewayError as error:
        if error.status not in _MENDABLE:
            raise
        return Judgement(refusal=error)
