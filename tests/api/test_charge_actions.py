"""`Charge.actions`: each listed action works, and each other one is refused or does nothing."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from tests import sql
from tests.api.actors import Scene, live_session, set_status
from tests.api_client import Api, Merchant
from tests.members import join

MUTATIONS = {
    "simulate": "simulatePayment",
    "expire": "expireCharge",
    "send": "sendCharge",
    "receipt": "sendCharge",
    "refund": "createRefund",
}


@pytest.fixture
async def mailing_api(services: Services) -> AsyncIterator[Api]:
    """A service that sends emails to payers of test charges."""
    settings = services.settings.model_copy(update={"receipts_for_test": True})
    async with Api.of(Gateway(settings, replace(services, settings=settings))) as opened:
        yield opened


async def actions(api: Api, charge_id: str, token: str, **headers: str) -> list[str]:
    query = "query($id: ID!) { charge(id: $id) { actions } }"
    answer = await api.graphql(query, token=token, id=charge_id, headers=headers)
    assert "errors" not in answer, answer
    found: list[str] = answer["data"]["charge"]["actions"]
    return found


async def charge_in(merchant: Merchant, state: str) -> str:
    charge_id: str = (await merchant.issue())["id"]
    database = merchant.api.services.database
    if state == "paid":
        await merchant.pay(charge_id)
    elif state == "under review":
        await sql.run(database, "update charges set held_at = created_at where id = $1", charge_id)
    elif state == "overdue":
        await sql.run(database, "update charges set expires_at = created_at where id = $1", charge_id)
    elif state == "expired":
        await merchant.api.post(f"/pix/{charge_id}/expire", token=merchant.key)
    elif state == "canceled":
        await sql.run(database, "update charges set status = 'canceled' where id = $1", charge_id)
    elif state == "refunded":
        await merchant.pay(charge_id)
        await sql.run(
            database,
            "update charges set status = 'refunded', refunded_at = paid_at, refunded_amount = amount where id = $1",
            charge_id,
        )
    return charge_id


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("pending", ["simulate", "expire", "send"]),
        ("under review", ["simulate"]),
        ("overdue", ["simulate"]),
        ("expired", ["simulate"]),
        ("paid", ["receipt", "refund"]),
        ("canceled", []),
        ("refunded", []),
    ],
)
async def test_the_actions_follow_the_state_and_work(mailing_api: Api, state: str, expected: list[str]) -> None:
    merchant = await mailing_api.register_merchant()
    found = await actions(mailing_api, await charge_in(merchant, state), merchant.token)
    assert found == expected
    for action in found:
        charge_id = await charge_in(merchant, state)
        argument = f'input: {{chargeId: "{charge_id}"}}' if action == "refund" else f'id: "{charge_id}"'
        mutation = f"mutation {{ {MUTATIONS[action]}({argument}) {{ status }} }}"
        answer = await mailing_api.graphql(mutation, token=merchant.token)
        assert "errors" not in answer, (action, answer)
        assert "extensions" not in answer, "a notice says that nothing was done"


@pytest.mark.parametrize("state", ["paid", "canceled", "refunded"])
async def test_an_ended_charge_is_not_ended_again(mailing_api: Api, state: str) -> None:
    merchant = await mailing_api.register_merchant()
    charge_id = await charge_in(merchant, state)
    answer = await mailing_api.post(f"/pix/{charge_id}/expire", token=merchant.key)
    assert answer.status_code == 409


async def test_without_test_emails_nothing_is_offered_to_send(api: Api, merchant: Merchant) -> None:
    assert await actions(api, await charge_in(merchant, "pending"), merchant.token) == ["simulate", "expire"]
    assert await actions(api, await charge_in(merchant, "paid"), merchant.token) == ["refund"]


async def test_the_actions_follow_the_role_and_the_scopes(mailing_api: Api) -> None:
    merchant = await mailing_api.register_merchant()
    charge_id = await charge_in(merchant, "pending")
    for role in ("admin", "operator", "finance", "viewer"):
        person = await mailing_api.register_merchant()
        await join(merchant, person, role)
        expected = ["simulate", "expire", "send"] if role in {"admin", "operator"} else []
        assert await actions(mailing_api, charge_id, person.token, x_store=merchant.id) == expected, role
    for scopes in (["read"], ["read", "charges"]):
        form = {"name": "x", "environment": "test", "scopes": scopes}
        key = (await mailing_api.post("/api-keys", form, token=merchant.token)).json()["data"]["key"]
        expected = ["simulate", "expire", "send"] if "charges" in scopes else []
        assert await actions(mailing_api, charge_id, key) == expected
    paid = await charge_in(merchant, "paid")
    for role in ("admin", "operator", "finance", "viewer"):
        person = await mailing_api.register_merchant()
        await join(merchant, person, role)
        found = await actions(mailing_api, paid, person.token, x_store=merchant.id)
        assert ("refund" in found) is (role in {"admin", "finance"}), role


async def test_a_live_payment_is_not_simulated(api: Api, services: Services, merchant: Merchant) -> None:
    await set_status(services.database, merchant, "approved")
    token = await live_session(Scene(api, services, merchant, merchant))
    order: dict[str, Any] = {"amount": 10, "description": "x", "customer_name": "José", "customer_cpf": "52998224725"}
    issued = await api.post("/pix", order | {"customer_email": "jose@example.com"}, token=token)
    assert issued.status_code == 201, issued.text
    assert await actions(api, issued.json()["data"]["id"], token) == ["expire", "send"]


async def test_a_bank_that_pays_no_test_charges_offers_no_simulation(services: Services, merchant: Merchant) -> None:
    class Bank:
        has_bank = True
        pays_test_charges = False

        def __getattr__(self, name: str) -> Any:
            return getattr(services.engines.test, name)

    bank: Any = Bank()
    charge_id = await charge_in(merchant, "pending")
    with_bank = replace(services, engines=replace(services.engines, test=bank))
    async with Api.of(Gateway(services.settings, with_bank)) as api:
        assert await actions(api, charge_id, merchant.token) == ["expire"]


async def test_a_list_has_the_actions_of_each_charge(api: Api, merchant: Merchant) -> None:
    await charge_in(merchant, "pending")
    await charge_in(merchant, "canceled")
    answer = await api.graphql("{ charges { edges { node { status actions } } } }", token=merchant.token)
    nodes = [edge["node"] for edge in answer["data"]["charges"]["edges"]]
    assert nodes == [{"status": "canceled", "actions": []}, {"status": "pending", "actions": ["simulate", "expire"]}]
