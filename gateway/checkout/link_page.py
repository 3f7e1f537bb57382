"""`/pay/{slug}`: what is sold, for how much, and who pays."""

from dataclasses import dataclass

from starlette.responses import RedirectResponse, Response

from gateway.checkout.call import Call
from gateway.checkout.forms import Typed, draft_of, typed_in
from gateway.checkout.mistakes import COUPON, about_coupon, mistakes_of
from gateway.checkout.rendering import page
from gateway.errors import GatewayError
from gateway.resolvers.checkout.pay import pay_link
from gateway.resolvers.checkout.read_link import read_link, validate_link_coupon
from gateway.resolvers.checkout.views import PublicLinkView
from gateway.resolvers.context import Context
from gateway.resolvers.coupons.inputs import LONGEST_CODE
from gateway.resolvers.coupons.views import CouponQuote

# What the payer can mend in the form, or try again after. The rest is a page of its own: the link itself is at fault.
_MENDABLE = frozenset({400, 404, 429, 502})


async def show_link(call: Call) -> Response:
    """The form. `?cupom=CODE` tries a coupon, so that a merchant can share a link that carries one."""
    return await _form(call, typed_in({COUPON: call.query().get("cupom", "")}))


async def submit_link(call: Call) -> Response:
    """The posted form: try or remove the coupon, or issue the charge and go to its page."""
    form = await call.form()
    typed = typed_in(form)
    match form.get("acao"):
        case "remover-cupom":
            return await _form(call, {**typed, COUPON: ""})
        case "aplicar-cupom":
            return await _form(call, typed, posted=True)
        case _:
            return await _pay(call, typed)


async def _pay(call: Call, typed: Typed) -> Response:
    # Before anything is read: who sends the form again gets their charge, though it took the last use of the link.
    try:
        charge = await pay_link(call.ctx, {**draft_of(typed), "slug": call.key})
    except GatewayError as error:
        if error.status not in _MENDABLE:
            raise
        return await _form(call, typed, error, posted=True)
    dearer = "?sem-desconto" if call.ctx.reply.notices else ""
    return RedirectResponse(f"/pay/c/{charge.txid}{dearer}", 303)


@dataclass(frozen=True)
class Judgement:
    """What became of the typed coupon."""

    quote: CouponQuote | None = None
    refusal: GatewayError | None = None


async def _form(call: Call, typed: Typed, error: GatewayError | None = None, *, posted: bool = False) -> Response:
    """The form as it was typed, with what is wrong. Raises where the link itself is."""
    link = await read_link(call.ctx, {"slug": call.key})
    # A coupon that paying has refused, maybe to this payer alone, takes nothing off the price that is shown.
    refused = error is not None and about_coupon(error)
    judged = Judgement() if refused else await _judge(call.ctx, link, typed)
    wrong = [mistake for mistake in (judged.refusal, error) if mistake is not None]
    answered = wrong[-1] if wrong and posted else None
    return page(
        "link.html",
        _status(answered),
        answered.headers if answered else {},
        link=link,
        typed=typed,
        quote=judged.quote,
        mistakes=mistakes_of(*wrong),
        longest_code=LONGEST_CODE,
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
