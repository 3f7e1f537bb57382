"""`q` finds its words in any order, with or without accents, and documents and phone numbers in any format."""

from urllib.parse import quote

from tests.api_client import Api, Merchant


async def test_formatted_values_find_unformatted_rows(merchant: Merchant, api: Api) -> None:
    charge = await merchant.issue(description="Pedido 1234", customer_cpf="529.982.247-25")
    for typed, found in {
        "pedido 1234": [charge["id"]],
        "1234 pedido": [charge["id"]],
        "1234 529.982.247-25 pedido": [charge["id"]],
        "pedido 1235": [],
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
    result = await api.graphql(totals, token=merchant.key, q="dá cón")
    assert result["data"]["charges"]["totalCount"] == len(await found("/pix", "conceicao")) == 2
