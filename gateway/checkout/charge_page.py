"""`/pay/c/{txid}`: the QR code while the charge waits, then what became of it; and the receipt."""

from starlette.responses import JSONResponse, RedirectResponse, Response

from gateway.checkout.call import Call
from gateway.checkout.rendering import page
from gateway.models.charges import ChargeStatus
from gateway.resolvers.checkout.read_charge import read_public_charge
from gateway.resolvers.checkout.return_urls import returning
from gateway.resolvers.checkout.simulate import simulate_public_payment

_TEMPLATES = {
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
    return page(_TEMPLATES[ChargeStatus(charge.status)], charge=charge, back=back, dearer=dearer)


async def tell_status(call: Call) -> Response:
    """What the page asks every few seconds where its event stream doesn't get through."""
    charge = await read_public_charge(call.ctx, {"txid": call.key})
    return JSONResponse({"status": charge.status, "seconds_left": charge.seconds_left})


async def simulate(call: Call) -> Response:
    """The button of the test environment."""
    charge = await simulate_public_payment(call.ctx, {"txid": call.key})
    return RedirectResponse(f"/pay/c/{charge.txid}", 303)
