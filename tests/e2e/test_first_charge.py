"""A merchant's first charge, from registration to money, through both transports."""

from tests.api_client import Api, Merchant, charge_order


async def test_a_charge_is_issued_paid_once_and_read_through_both_transports(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue(external_reference="pedido-1")
    assert charge["status"] == "pending"
    assert charge["qr_code_url"].startswith("data:image/png;base64,")

    paid = await merchant.pay(charge["id"])
    assert paid["status"] == "paid"
    assert paid["qr_code_url"] is None
    assert paid["store_name"] == "Loja da Ana"
    assert len(paid["end_to_end_id"]) == 32

    again = await merchant.pay(charge["id"])
    assert again == paid

    query = "query($id: ID!) { charge(id: $id) { status amount txid endToEndId } }"
    answer = await api.graphql(query, token=merchant.key, id=charge["id"])
    assert answer["data"]["charge"] == {
        "status": "paid",
        "amount": 129.9,
        "txid": charge["txid"],
        "endToEndId": paid["end_to_end_id"],
    }


async def test_an_order_below_the_minimum_is_refused_alike_by_both_transports(api: Api, merchant: Merchant) -> None:
    rest = await api.post("/pix", charge_order(amount=4.99), token=merchant.key)
    assert rest.status_code == 400
    error = rest.json()["error"]
    assert (error["codigo"], error["valor_minimo"]) == ("VALOR_MINIMO", 5.0)

    mutation = "mutation($input: IssueChargeInput!) { issueCharge(input: $input) { id } }"
    order = {"amount": 4.99, "description": "x", "customerName": "J", "customerEmail": "j@example.com"}
    answer = await api.graphql(mutation, token=merchant.key, input=order | {"customerCpf": "52998224725"})
    graphql_error = answer["errors"][0]
    assert graphql_error["message"] == error["message"]
    assert graphql_error["extensions"]["codigo"] == "VALOR_MINIMO"
