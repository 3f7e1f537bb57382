"""The errors of an operation as messages next to the fields of the form."""

from msgspec import Struct, field

from gateway.checkout.messages_pt import BELOW_MINIMUM, COUPON_BELOW_MINIMUM
from gateway.checkout.request import FIELDS
from gateway.errors import CouponRefused, GatewayError, MinimumAmount, NotFound
from gateway.values.formatting import reais
from gateway.values.money import MINIMUM_CHARGE

COUPON = "coupon_code"
_ALIASES = {"code": COUPON, "cpf": "customer_cpf", "email": "customer_email", "name": "customer_name"}


class FormErrors(Struct, frozen=True):
    """A sentence for each invalid field, and one for the form if no field is to blame."""

    fields: dict[str, str] = field(default_factory=dict)
    alert: str | None = None

    @property
    def of_payer(self) -> bool:
        """Whether a field of the payer is invalid."""
        return bool(self.fields.keys() - {COUPON})

    def first(self, *, coupon_shown: bool) -> str:
        """The first invalid field on the page, or blank."""
        return next((name for name in FIELDS if name in self.fields and (coupon_shown or name != COUPON)), "")

    def above(self, *, coupon_shown: bool) -> str:
        """The message above the fields: no field is to blame, or it isn't on the page."""
        return self.alert or ("" if coupon_shown else self.fields.get(COUPON, ""))


def form_errors(*errors: GatewayError) -> FormErrors:
    """The messages of errors that the payer can correct or retry."""
    fields: dict[str, str] = {}
    alert = None
    for error in errors:
        messages = _field_messages(error)
        fields |= messages
        alert = alert if messages else _message(error)
    return FormErrors(fields, alert)


def is_about_coupon(error: GatewayError) -> bool:
    """Whether the coupon was refused. The link was found, so `NotFound` means the coupon."""
    fields = [item["campo"] for item in error.extra.get("campos", [])]
    below = isinstance(error, MinimumAmount) and [_ALIASES.get(name, name) for name in fields] == [COUPON]
    return below or isinstance(error, CouponRefused | NotFound)


def _message(error: GatewayError) -> str:
    """The message for the payer, who knows no API field and can't change the price."""
    if not isinstance(error, MinimumAmount):
        return error.message
    message = COUPON_BELOW_MINIMUM if is_about_coupon(error) else BELOW_MINIMUM
    return message.format(minimum=reais(MINIMUM_CHARGE))


def _field_messages(error: GatewayError) -> dict[str, str]:
    if is_about_coupon(error):
        return {COUPON: _message(error)}
    messages = {_ALIASES.get(item["campo"], item["campo"]): item["mensagem"] for item in error.extra.get("campos", [])}
    return {name: _sentence(reason) for name, reason in messages.items() if name in FIELDS}


def _sentence(reason: str) -> str:
    ended = reason if reason.endswith(".") else f"{reason}."
    return ended[:1].upper() + ended[1:]
