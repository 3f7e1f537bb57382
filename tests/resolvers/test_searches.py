"""What was typed into a search is looked for as it is and, if it can be part of a document or of a phone number, without its formatting."""

from urllib.parse import quote

import pytest

from gateway.resolvers.listing.filters import search_values
from tests.api import Api, Merchant


@pytest.mark.parametrize(
    ("typed", "bare"),
    [
        ("529.982.247-25", "52998224725"),
        ("529.982", "529982"),
        ("+55 (11) 91234-5678", "5511912345678"),
        ("1 2", "12"),
        ("11.222.333/0001-81", "11222333000181"),
        ("12.ABC.345/01DE-35", "12ABC34501DE35"),
        (".345/01D", "34501D"),
        ("c.3", "c3"),
        ("12abc34501de35", "12abc34501de35"),
    ],
)
def test_documents_and_phone_numbers_are_looked_for_without_formatting(typed: str, bare: str) -> None:
    assert search_values(typed)["q_bare"] == f"%{bare}%"


@pytest.mark.parametrize(
    "typed",
    [
        "pedido 1234",
        "PED-1234",
        "PED 1",
        "livros 2026",
        "ana@loja.example",
        "12.ABC.345/01DE-3X",
        "1.2.A",
        "(A)",
        ".",
    ],
)
def test_what_is_neither_is_looked_for_as_it_is(typed: str) -> None:
    values = search_values(typed)
    assert (values["q_bare"], values["q_typed_bare"]) == (values["q_text"], None)


async def test_what_is_stored_without_formatting_is_found_with_it(merchant: Merchant, api: Api) -> None:
    charge = await merchant.issue(description="Pedido 1234", customer_cpf="529.982.247-25")
    for typed, found in {
        "pedido 1234": [charge["id"]],
        "529.982.247-25": [charge["id"]],
        "9.982.2": [charge["id"]],
        "52998224725": [charge["id"]],
        "pedido1234": [],
        "/": [],
    }.items():
        answer = await api.get(f"/pix?q={quote(typed)}", token=merchant.key)
        assert [one["id"] for one in answer.json()["data"]] == found, typed
