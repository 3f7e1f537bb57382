"""What was typed into a search is looked for as it is and, if it can be part of a document or of a phone
number, without its formatting.
"""

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
    assert search_values(typed)["q_bare"] == f"%{bare.lower()}%"


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


ACCENTS = ("conceicao", "CONCEIÇÃO", "Conceic\u0327a\u0303o", "conçeicão")


async def test_accents_make_no_difference(merchant: Merchant, api: Api) -> None:
    async def found(path: str, typed: str) -> list[str]:
        answer = await api.get(f"{path}?q={quote(typed)}", token=merchant.token)
        assert answer.status_code == 200, answer.text
        return [one["id"] for one in answer.json()["data"]]

    async def made(path: str, body: dict[str, object]) -> str:
        answer = await api.post(path, body, token=merchant.token)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["data"]["id"])

    for code, name in {"C1": "Maria da Conceição", "C2": "Maria da Conceicao"}.items():
        coupon = {"code": code, "discount_type": "fixed", "discount_value": 1, "description": name}
        of = {
            "/pix": (await merchant.issue(customer_name=name))["id"],
            "/customers": await made("/customers", {"name": name}),
            "/products": await made("/products", {"name": name, "price": 10}),
            "/coupons": await made("/coupons", coupon),
            "/payment-links": await made("/payment-links", {"title": name, "amount": 10}),
        }
        for path, made_id in of.items():
            for typed in ACCENTS:
                assert made_id in await found(path, typed), (path, typed)
            assert await found(path, "conceiçãos") == [], path
    totals = "query ($q: String) { charges(filter: {q: $q}) { totalCount } }"
    told = await api.graphql(totals, token=merchant.key, q="dá cón")
    assert told["data"]["charges"]["totalCount"] == len(await found("/pix", "conceicao")) == 2


async def test_the_trail_is_searched_without_accents(api: Api) -> None:
    merchant = await api.register_merchant(name="João Açaí")
    for typed in ("joao acai", "JOÃO AÇAÍ", "joão"):
        answer = await api.get(f"/audit?q={quote(typed)}", token=merchant.token)
        assert answer.json()["data"], typed
        assert {one["actor_name"] for one in answer.json()["data"]} == {"João Açaí"}
