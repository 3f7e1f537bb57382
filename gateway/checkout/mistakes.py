"""From an operation's error to what is said beside each field of the form."""

from msgspec import Struct, field

from gateway.checkout.forms import FIELDS
from gateway.checkout.wording import BELOW_MINIMUM, COUPON_BELOW_MINIMUM
from gateway.errors import CouponRefused, GatewayError, MinimumAmount, NotFound
from gateway.values.formatting import reais
from gateway.values.money import MINIMUM_CHARGE

COUPON = "coupon_code"
_ALIASES = {"code": COUPON, "cpf": "customer_cpf", "email": "customer_email", "name": "customer_name"}


class Mistakes(Struct, frozen=True):
    """What to mend: a sentence for each field, and one for the form where no field is to blame."""

    fields: dict[str, str] = field(default_factory=dict)
    alert: str | None = None

    @property
    def of_payer(self) -> bool:
        """Whether there is something to mend in the payer's details."""
        return bool(self.fields.keys() - {COUPON})

    def first(self, *, coupon_shown: bool) -> str:
        """Of the fields that are wrong, the one that comes first on the page; blank where there is none."""
        return next((name for name in FIELDS if name in self.fields and (coupon_shown or name != COUPON)), "")

    def above(self, *, coupon_shown: bool) -> str:
        """What is said above the fields: no field is to blame, or it isn't on the page."""
        return self.alert or ("" if coupon_shown else self.fields.get(COUPON, ""))


def mistakes_of(*errors: GatewayError) -> Mistakes:
    """Where the form shows errors that the payer can mend, or try again after."""
    fields: dict[str, str] = {}
    alert = None
    for error in errors:
        told = _told(error)
        fields |= told
        alert = alert if told else _said(error)
    return Mistakes(fields, alert)


def about_coupon(error: GatewayError) -> bool:
    """Whether it is the coupon that was refused, on a form whose link has been found."""
    # What is not to be found can only be the coupon.
    fields = [told["campo"] for told in error.extra.get("campos", [])]
    below = isinstance(error, MinimumAmount) and [_ALIASES.get(name, name) for name in fields] == [COUPON]
    return below or isinstance(error, CouponRefused | NotFound)


def _said(error: GatewayError) -> str:
    """The words to the payer, who knows no field of ours and can't change what a purchase costs."""
    if not isinstance(error, MinimumAmount):
        return error.message
    words = COUPON_BELOW_MINIMUM if about_coupon(error) else BELOW_MINIMUM
    return words.format(minimum=reais(MINIMUM_CHARGE))


def _told(error: GatewayError) -> dict[str, str]:
    if about_coupon(error):
        return {COUPON: _said(error)}
    told = {_ALIASES.get(item["campo"], item["campo"]): item["mensagem"] for item in error.extra.get("campos", [])}
    return {name: _sentence(reason) for name, reason in told.items() if name in FIELDS}


def _sentence(reason: str) -> str:
    ended = reason if reason.endswith(".") else f"{reason}."
    return ended[:1].upper() + ended[1:]
