"""`/pay/c/{txid}`: the QR code of a pending charge; then its status, or its receipt."""

from urllib.parse import quote, unquote_plus

from starlette.responses import JSONResponse, RedirectResponse, Response

from gateway.checkout.rendering import render_page
from gateway.checkout.request import PageRequest
from gateway.models.charges import ChargeStatus
from gateway.resolvers.checkout.public_charge import UNDER_REVIEW, read_public_charge, simulate_public_payment
from gateway.resolvers.checkout.types import PublicChargeView

_RETURN_PARAMETERS = frozenset({"txid", "status"})
_TEMPLATES: dict[str, str] = {
    UNDER_REVIEW: "under_review.html",
    ChargeStatus.pending: "waiting.html",
    ChargeStatus.paid: "paid.html",
    ChargeStatus.refunded: "paid.html",
    ChargeStatus.expired: "expired.html",
    ChargeStatus.canceled: "canceled.html",
}


async def show_charge(request: PageRequest) -> Response:
    """The page of the charge."""
    charge = await read_public_charge(request.ctx, {"txid": request.key})
    back = return_url(charge.success_url, charge.txid, charge.status) if charge.success_url else None
    discount_dropped = "sem-desconto" in request.query()
    state = page_status(charge)
    return render_page(_TEMPLATES[state], charge=charge, state=state, back=back, discount_dropped=discount_dropped)


async def poll_status(request: PageRequest) -> Response:
    """The status as JSON. The page polls it without an event stream."""
    charge = await read_public_charge(request.ctx, {"txid": request.key})
    return JSONResponse({"status": page_status(charge), "seconds_left": charge.seconds_left})


def page_status(charge: PublicChargeView) -> str:
    """The charge's status, or `under_review`."""
    return UNDER_REVIEW if charge.under_review else charge.status


async def simulate(request: PageRequest) -> Response:
    """Pay a test charge, by the button of the test environment."""
    charge = await simulate_public_payment(request.ctx, {"txid": request.key})
    return RedirectResponse(f"/pay/c/{charge.txid}", 303)


def return_url(url: str, txid: str, status: str) -> str:
    """Add `txid` and `status` to the merchant's address, replacing parameters of these names. All else stays, byte for
    byte.

    `https://loja.example/ok?pedido=7&status=novo#fim` becomes
    `https://loja.example/ok?pedido=7&txid=…&status=paid#fim`.
    """
    address, hash_, fragment = url.partition("#")
    path, question, query = address.partition("?")
    parts = query.split("&") if question and query else []
    others = [part for part in parts if unquote_plus(part.partition("=")[0]) not in _RETURN_PARAMETERS]
    ours = (f"txid={quote(txid, safe='')}", f"status={quote(status, safe='')}")
    return f"{path}?{'&'.join([*others, *ours])}{hash_}{fragment}"
