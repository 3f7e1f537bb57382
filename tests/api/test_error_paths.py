"""`campos[].caminho`: where an invalid field is in the arguments of its GraphQL field."""

from typing import Any

import pytest

from tests.api_client import Api, Merchant
from tests.applicants import staff_member

ISSUE = "mutation($input: IssueChargeInput!) { %s issueCharge(input: $input) { id } }"
ID = "01890000-0000-7000-8000-000000000000"


async def paths(api: Api, token: str, query: str, **variables: Any) -> dict[str, list[str] | None]:
    answer = await api.graphql(query, token=token, **variables)
    [error] = answer["errors"]
    assert error["extensions"]["status"] == 400, error
    return {fault["campo"]: fault.get("caminho") for fault in error["extensions"]["campos"]}


async def test_fields_of_an_input_are_named_as_in_graphql(api: Api, merchant: Merchant) -> None:
    form = {"amount": 1, "description": "x", "customerName": " ", "customerCpf": "1", "metadata": {"meu_campo": 5}}
    found = await paths(api, merchant.token, ISSUE % "outro:", input=form)
    assert found == {
        "amount": ["input", "amount"],
        "customer_name": ["input", "customerName"],
        "customer_email": ["input", "customerEmail"],
        "customer_cpf": ["input", "customerCpf"],
        "metadata.meu_campo": ["input", "metadata", "meu_campo"],
    }


@pytest.mark.parametrize(
    ("query", "field", "path"),
    [
        ('{ charges(filter: {createdFrom: "ontem"}) { totalCount } }', "created_from", ["filter", "createdFrom"]),
        ("{ charges(first: 101) { totalCount } }", "first", ["first"]),
        ('{ charges(after: "x") { totalCount } }', "after", ["after"]),
        ("mutation { simulatePayment { id } }", "id", ["id"]),
        (f'mutation {{ refuseMerchant(id: "{ID}", motivo: "") {{ id }} }}', "motivo", ["motivo"]),
        ('{ validateCoupon(code: "x", amount: -1) { valid } }', "amount", ["amount"]),
    ],
)
async def test_arguments_are_named_as_in_graphql(
    api: Api, merchant: Merchant, query: str, field: str, path: list[str]
) -> None:
    if "refuseMerchant" in query:
        merchant = await staff_member(api, api.services)
    assert (await paths(api, merchant.token, query))[field] == path


async def test_a_relation_has_the_arguments_of_its_root_list(api: Api, merchant: Merchant) -> None:
    made = await api.post("/customers", {"name": "Maria"}, token=merchant.token)
    query = '{ customer(id: "%s") { charges(filter: {customerId: "x"}) { totalCount } } }'
    found = await paths(api, merchant.token, query % made.json()["data"]["id"])
    assert found == {"customer_id": ["filter", "customerId"]}


async def test_a_fault_outside_the_arguments_has_no_path(api: Api, merchant: Merchant) -> None:
    query = "mutation($extra: JSON!) { completeOnboarding(input: {extra: $extra}) { answers } }"
    assert await paths(api, merchant.token, query, extra={"x": "y" * 17000}) == {"corpo": None}


async def test_rest_has_no_paths(api: Api, merchant: Merchant) -> None:
    refused = await api.post("/pix", {}, token=merchant.token)
    assert all(fault.keys() == {"campo", "mensagem"} for fault in refused.json()["error"]["campos"])
