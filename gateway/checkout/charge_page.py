"""`/pay/c/{txid}`: the QR code while the charge waits, then what became of it; and the receipt."""

from starlette.responses import JSONResponse, RedirectResponse, Response

from gateway.checkout.call import Call
from gateway.checkout.rendering import page
from gateway.models.charges import ChargeStatus
from gateway.resolvers.checkout.moves import UNDER_REVIEW
from gateway.resolvers.checkout.read_charge import read_public_charge
from gateway.resolvers.checkout.return_urls import returning
from gateway.resolvers.checkout.simulate import simulate_public_payment
from gateway.resolvers.checkout.views import PublicChargeView

_TEMPLATES: dict[str, str] = {
    UNDER_REVIEW: "under_review.html",
    ChargeStatus.pending: "waiting.html",
    ChargeStatus.paid: "paid.html",
    ChargeStatus.refunded: "paid.html",
    ChargeStatus.expired: "expired.html",
    ChargeStatus.canceled: "canceled.html",
}


async def show_charge(call: Call) -> Response:
    """The charge, as it stands."""
    charge = await read_public_charge(call.ctx, {"txid": call.key})
    back = returning(charge.success_url, charge.txid, charge.status) if charge.success_url else None
    dearer = "sem-desconto" in call.query()
    state = page_status(charge)
    return page(_TEMPLATES[state], charge=charge, state=state, back=back, dearer=dearer)


async def tell_status(call: Call) -> Response:
    """What the page asks every few seconds where its event stream doesn't get through."""
    charge = await read_public_charge(call.ctx, {"txid": call.key})
    return JSONResponse({"status": page_status(charge), "seconds_left": charge.seconds_left})


def page_status(charge: PublicChargeView) -> str:
    """The charge's status, or `under_review`: such a page has nothing to pay."""
    return UNDER_REVIEW if charge.under_review else charge.status


async def simulate(call: Call) -> Response:
    """The button of the test environment."""
    charge = await simulate_public_payment(call.ctx, {"txid": call.key})
    return RedirectResponse(f"/pay/c/{charge.txid}", 303)
