"""The page for an error that the form can't show: friendly words, the right status."""

from starlette.responses import Response

from gateway.checkout import wording
from gateway.checkout.rendering import page
from gateway.checkout.wording import Apology
from gateway.errors import (
    GatewayError,
    InvalidInput,
    LinkUnavailable,
    RateLimited,
    SubaccountMissing,
    SubaccountNotApproved,
)
from gateway.values.formatting import reais, waiting
from gateway.values.money import MINIMUM_CHARGE

_BY_STATUS = {
    400: wording.GONE_ASTRAY,
    404: wording.GONE_ASTRAY,
    405: wording.WRONG_DOOR,
    410: wording.LINK_CLOSED,
    413: wording.TOO_LARGE,
    415: wording.UNREADABLE,
    429: wording.TOO_MANY,
    502: wording.ENGINE_DOWN,
}


def apologise(error: GatewayError, way: str | None) -> Response:
    """The page of an error of the tree, with the headers that its REST answer carries.
    `way` is where it leads on to.
    """
    unavailable = isinstance(error, LinkUnavailable | SubaccountMissing | SubaccountNotApproved)
    apology = wording.LINK_UNAVAILABLE if unavailable else _BY_STATUS.get(error.status, wording.REFUSED)
    wait = waiting(error.reset_seconds) if isinstance(error, RateLimited) else ""
    return _page(apology, error.status, error.headers, way, message=error.message, waiting=wait)


def apologise_for_form(error: InvalidInput, way: str | None) -> Response:
    """The page of a form that can't be read: its address is right, and what was sent isn't."""
    return _page(wording.UNREADABLE, error.status, error.headers, way)


def apologise_for_price(status: int, way: str | None) -> Response:
    """The page of a link that costs less than a Pix charge may."""
    return _page(wording.LINK_TOO_CHEAP, status, {}, way, minimum=reais(MINIMUM_CHARGE))


def apologise_for_ourselves(request_id: str, way: str | None) -> Response:
    """The page of a failure that nobody foresaw, with the code that finds it in the logs."""
    return _page(wording.BROKEN, 500, {}, way, code=request_id)


def _page(apology: Apology, status: int, headers: dict[str, str], way: str | None, **values: str) -> Response:
    told = {
        "passes": apology.passes,
        "elsewhere": apology.elsewhere,
        "title": apology.title,
        "body": apology.body.format(**values),
        "advice": apology.advice.format(**values),
    }
    return page("apology.html", status, headers, apology=told, way=way)
