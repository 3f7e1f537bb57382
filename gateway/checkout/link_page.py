"""`/pay/{slug}`: what is sold, the price, and the form of the payer."""

from starlette.responses import RedirectResponse, Response

from gateway.checkout.form_errors import COUPON, form_errors, is_about_coupon
from gateway.checkout.messages_pt import LINK_CLOSED, LINK_HELD, LINK_TOO_CHEAP, PRICE_CHANGED, UNREADABLE
from gateway.checkout.rendering import render_message, render_page
from gateway.checkout.request import SHOWN_TOTAL, PageRequest, Typed, back_link, raw_input, shown_total, typed_fields
from gateway.errors import GatewayError, InvalidInput, LinkBelowMinimum, PaymentLinkInactive
from gateway.resolvers.checkout.links import read_link, validate_link_coupon
from gateway.resolvers.checkout.place_order import PriceChanged, pay_link
from gateway.resolvers.checkout.types import PayLinkAsShown, PublicLinkView
from gateway.resolvers.core.context import Context
from gateway.resolvers.coupons.types import MAX_CODE_LENGTH, CouponQuote
from gateway.values.formatting import format_timestamp, reais
from gateway.values.money import MINIMUM_CHARGE

# The payer can correct these in the form, or retry. Other errors get their own page.
_FORM_STATUSES = frozenset({400, 404, 429, 502})


async def show_link(request: PageRequest) -> Response:
    """The form. `?cupom=CODE` applies a coupon, so that a merchant can share a link with one."""
    try:
        return await _form(request, typed_fields({COUPON: request.query().get("cupom", "")}))
    except PaymentLinkInactive as closed:
        return _closed(closed, request, typed_fields({}))


async def submit_link(request: PageRequest) -> Response:
    """The posted form: apply or remove the coupon, or create the charge and redirect to its page."""
    try:
        form = await request.form()
    except InvalidInput as unreadable:
        return render_message(UNREADABLE, unreadable.status, back_link(request.scope), unreadable.headers)
    typed = typed_fields(form)
    try:
        return await _submit(request, form, typed)
    except PaymentLinkInactive as closed:
        return _closed(closed, request, typed, posted=True)


async def _submit(request: PageRequest, form: dict[str, str], typed: Typed) -> Response:
    match form.get("acao"):
        case "remover-cupom":
            return await _form(request, {**typed, COUPON: ""})
        case "aplicar-cupom":
            return await _form(request, typed, posted=True)
        case _:
            return await _pay(request, typed, shown_total(form))


async def _pay(request: PageRequest, typed: Typed, shown: int | None) -> Response:
    # First pay: a form that is sent again gets its charge, even if it has the last use of the link.
    try:
        order = PayLinkAsShown.from_raw({**raw_input(typed), "slug": request.key, "shown": shown})
        charge = await pay_link(request.ctx, order)
    except PriceChanged:
        return await _form(request, typed, posted=True, price_changed=True)
    except GatewayError as error:
        if error.status not in _FORM_STATUSES:
            raise
        try:
            return await _form(request, typed, error, posted=True, shown=shown)
        except PaymentLinkInactive as closed:
            return _closed(closed, request, typed, error, posted=True)
    query = "?sem-desconto" if request.ctx.reply.notices else ""
    return RedirectResponse(f"/pay/c/{charge.txid}{query}", 303)


def _closed(
    closed: PaymentLinkInactive,
    request: PageRequest,
    typed: Typed,
    error: GatewayError | None = None,
    *,
    posted: bool = False,
) -> Response:
    """The page of a closed link, with a form to find one's own pending charge."""
    until = closed.held_until
    message = LINK_CLOSED if until is None else LINK_HELD
    return render_page(
        "closed.html",
        closed.status,
        slug=request.key,
        held_until=until,
        title=message.title,
        body=message.body,
        advice=message.advice if until is None else message.advice.format(until=format_timestamp(until)),
        typed=typed,
        posted=posted,
        errors=form_errors(*([] if error is None else [error])),
    )


async def _form(
    request: PageRequest,
    typed: Typed,
    error: GatewayError | None = None,
    *,
    posted: bool = False,
    price_changed: bool = False,
    shown: int | None = None,
) -> Response:
    """The form with the typed text, its errors, and a message if the price has changed or isn't the `shown` one. Raises
    for an error of the link itself.
    """
    try:
        link = await read_link(request.ctx, {"slug": request.key})
    except LinkBelowMinimum as unpayable:
        status = error.status if error else unpayable.status
        return render_message(LINK_TOO_CHEAP, status, back_link(request.scope), minimum=reais(MINIMUM_CHARGE))
    # A coupon that was refused in paying doesn't lower the shown price: it may be refused to this payer alone.
    refused = error is not None and is_about_coupon(error)
    quote, refusal = (None, None) if refused else await _apply_coupon(request.ctx, link, typed)
    errors = [each for each in (refusal, error) if each is not None]
    answered = errors[-1] if errors and posted else None
    total = quote.final_amount if quote else link.final_amount
    differs = price_changed or shown not in {None, total, link.final_amount}
    return render_page(
        "link.html",
        409 if price_changed and not errors else _status(answered),
        answered.headers if answered else {},
        link=link,
        typed=typed,
        quote=quote,
        total=total,
        errors=form_errors(*errors),
        # A refused coupon explains another price by its own message.
        posted=posted,
        price_changed=PRICE_CHANGED if differs and not refused and refusal is None else "",
        max_code_length=MAX_CODE_LENGTH,
        shown_field=SHOWN_TOTAL,
    )


def _status(error: GatewayError | None) -> int:
    # An unknown coupon is a 404 of the API, but this page exists.
    if error is None:
        return 200
    return 400 if error.status == 404 else error.status


async def _apply_coupon(
    ctx: Context, link: PublicLinkView, typed: Typed
) -> tuple[CouponQuote | None, GatewayError | None]:
    """The discount of the typed coupon, or its refusal."""
    if not (typed[COUPON] and link.allow_coupons):
        return None, None
    try:
        return await validate_link_coupon(ctx, {"slug": link.slug, "code": typed[COUPON]}), None
    except GatewayError as error:
        if error.status not in _FORM_STATUSES:
            raise
        return None, error
