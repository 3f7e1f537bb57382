"""Parsing of phones, shared by all fields."""

from typing import Any

import pytest

from gateway.values.phones import InvalidPhone, normalise_mobile, normalise_phone
from tests.api_client import Api, Merchant, charge_order

WRITTEN = [
    "11987654321",
    "(11) 98765-4321",
    "11 98765.4321",
    "11\u00a098765\u20114321",
    "\u202a+55 11 98765-4321\u202c",
    "+55 11 98765-4321",
    "+55 (0)11 98765-4321",
    "0055 11 98765-4321",
    "00 55 11 98765-4321",
    "5511987654321",
    "011 98765-4321",
    "0 15 11 98765-4321",
    "(0 15 11) 98765-4321",
    "(0xx11) 98765-4321",
    "(+55) 11 98765-4321",
    "(+55 11) 98765-4321",
    "+ 55 11 98765-4321",
    "tel:+5511987654321",
]
FOREIGN = [
    "+1 202 555 0100",
    "12025550100",
    "001 202 555 0100",
    "(+1) 202 555 0100",
    "tel:+12025550100",
    "+351 912 345 678",
    "0800 123 4567",
    "+55 0800 123 4567",
    "0300 123 4567",
    "4004-1234",
    "190",
    "98765-4321",
    "01198765432",
    "20 99999-9999",
    "00987654321",
    "11 1234-5678",
    "11 98765-4321 ramal 12",
    "11 98765-4321 / 11 3333-4444",
    "1198765432a",
    "",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_brazilian_numbers_are_normalised_to_digits(text: str) -> None:
    assert normalise_phone(text) == normalise_mobile(text) == "11987654321"


def test_a_land_line_is_a_phone_and_no_mobile() -> None:
    assert normalise_phone("+55 55 3220-8000") == "5532208000"
    with pytest.raises(InvalidPhone, match="celular"):
        normalise_mobile("+55 55 3220-8000")


@pytest.mark.parametrize("text", FOREIGN)
def test_all_others_are_refused(text: str) -> None:
    with pytest.raises(InvalidPhone, match="telefone do Brasil"):
        normalise_phone(text)


FIELDS: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "profile": ("PUT", "/auth/profile", {}, "phone"),
    "customer": ("POST", "/customers", {"name": "Maria"}, "phone"),
    "charge": ("POST", "/pix", charge_order(), "customer_phone"),
    "onboarding": ("POST", "/auth/onboarding", {}, "responsible_phone"),
}


@pytest.mark.parametrize("which", list(FIELDS))
async def test_every_field_accepts_the_same_phones(api: Api, merchant: Merchant, which: str) -> None:
    method, path, body, field = FIELDS[which]
    token = merchant.token if which in {"profile", "onboarding"} else merchant.key
    refused = await api.request(method, path, body | {field: "+1 202 555 0100"}, token=token)
    assert refused.status_code == 400
    assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == [field]
    accepted = await api.request(method, path, body | {field: "0 15 11 98765-4321"}, token=token)
    assert accepted.status_code in {200, 201}, accepted.text
    assert "11987654321" in accepted.text or which == "onboarding"
