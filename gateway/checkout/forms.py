"""Reading what a payer's browser sends. The forms carry no cookie and no session, so there is nothing to forge."""

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.types import Receive

from gateway.errors import InvalidInput, WrongContentType
from gateway.http.request_body import read_body

MAXIMUM_FORM = 16 * 1024
FIELDS = ("coupon_code", "customer_name", "customer_cpf", "customer_email", "customer_phone")
"""In the order of the page."""

SHOWN = "shown_total"

Typed = Mapping[str, str]
"""What the payer wrote, by field, as it was written."""


async def read_form(receive: Receive, headers: Headers) -> dict[str, str]:
    """The fields of a posted form. Raises `WrongContentType`, `BodyTooLarge`, `InvalidInput`."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await read_body(receive, MAXIMUM_FORM)
    if body and kind != "application/x-www-form-urlencoded":
        raise WrongContentType("O formulário chegou em um formato desconhecido.")
    return read_pairs(body)


def read_pairs(encoded: bytes) -> dict[str, str]:
    """URL-encoded pairs; of a repeated one, the last counts."""
    try:
        return dict(parse_qsl(encoded.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=50))
    except ValueError:
        raise InvalidInput(message="O formulário não pode ser lido.") from None


def typed_in(form: Mapping[str, str]) -> dict[str, str]:
    """The fields of the page in a form, blank where the payer left them."""
    return {name: form.get(name, "").strip() for name in FIELDS}


def shown_in(form: Mapping[str, str]) -> int | None:
    """The total that the page showed with the form, in centavos. What can't be read was not told."""
    told = form.get(SHOWN, "")
    return int(told) if re.fullmatch("[0-9]{1,12}", told) else None


def draft_of(typed: Typed) -> dict[str, str]:
    """What an operation is given: a field left blank was not sent."""
    return {name: value for name, value in typed.items() if value}
