"""Statuses depend on the clock, over REST, GraphQL and CSV. End dates are validated alike everywhere."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from gateway.values.clock import SAO_PAULO
from gateway.values.dates import last_instant
from tests import sql
from tests.api_client import PASSWORD, Api, Merchant
from tests.catalogue.fixtures import a_coupon, a_link, coupon_order, link_order
from tests.clocks.fixtures import advance
from tests.fake_clock import MovedClock
from tests.members import invite

HOUR = timedelta(hours=1)


async def logged_in_again(merchant: Merchant) -> str:
    """A token of a new session. The previous session expires when the clock advances."""
    answer = await merchant.api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})
    token: str = answer.json()["data"]["accessToken"]
    return token


async def ids(api: Api, path: str, token: str) -> list[str]:
    return [row["id"] for row in (await api.get(path, token=token)).json()["data"]]


async def test_an_expired_key_is_not_active(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    order = {"name": "x", "environment": "test", "expires_at": (clock.now() + HOUR).isoformat()}
    key = (await api.post("/api-keys", order, token=merchant.token)).json()["data"]
    assert key["active"] is True
    clock.advance(2 * HOUR)
    token = await logged_in_again(merchant)
    data = (await api.get(f"/api-keys/{key['id']}", token=token)).json()["data"]
    assert data["active"] is False
    assert await ids(api, "/api-keys?status=active", token) == [merchant.key_id]
    assert await ids(api, "/api-keys?status=inactive", token) == [key["id"]]
    query = "{ apiKeys(filter: { status: inactive }) { edges { node { id active } } } }"
    edges = (await api.graphql(query, token=token))["data"]["apiKeys"]["edges"]
    assert [edge["node"] for edge in edges] == [{"id": key["id"], "active": False}]
    exported = await api.get("/api-keys/export?status=inactive", token=token)
    assert exported.text.count(key["id"]) == 1
    changed = await api.put(f"/api-keys/{key['id']}", {"name": "y", "active": True}, token=token)
    assert changed.json()["data"]["active"] is False


@pytest.mark.parametrize(("path", "make", "switch"), [("/coupons", a_coupon, "is_active"), ("/payment-links", a_link, "active")])  # fmt: skip
async def test_an_expired_or_exhausted_record_is_not_active(
    api: Api, merchant: Merchant, clock: MovedClock, path: str, make: Any, switch: str
) -> None:
    expiring = await make(merchant, expires_at=(clock.now() + HOUR).isoformat())
    assert expiring[switch] is True
    assert await ids(api, f"{path}?status=active", merchant.key) == [expiring["id"]]
    clock.advance(2 * HOUR)
    data = (await api.get(f"{path}/{expiring['id']}", token=merchant.key)).json()["data"]
    assert data[switch] is False
    assert await ids(api, f"{path}?status=active", merchant.key) == []
    assert await ids(api, f"{path}?status=inactive", merchant.key) == [expiring["id"]]
    # A returned resource with a new end date is active again, because `active` was not changed.
    later = (clock.now() + HOUR).isoformat()
    renamed = await api.put(f"{path}/{expiring['id']}", {**data, "description": "y"}, token=merchant.key)
    assert renamed.status_code == 200, renamed.text
    renewed = await api.put(f"{path}/{expiring['id']}", {**data, "expires_at": later}, token=merchant.key)
    assert renewed.json()["data"][switch] is True
    stopped = await api.put(f"{path}/{expiring['id']}", {switch: False}, token=merchant.key)
    assert stopped.json()["data"][switch] is False
    unchanged = await api.put(
        f"{path}/{expiring['id']}", {**stopped.json()["data"], "description": "z"}, token=merchant.key
    )
    assert unchanged.json()["data"][switch] is False


async def test_an_exhausted_link_is_not_active(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant, max_uses=1)
    payer = {"customer_name": "Ana", "customer_email": "ana@example.com", "customer_cpf": "529.982.247-25"}
    assert (await api.post(f"/checkout/link/{link['slug']}/pay", payer)).status_code == 201
    assert await ids(api, "/payment-links?status=active", merchant.key) == []
    query = "{ paymentLinks(filter: { status: inactive }) { edges { node { id active } } } }"
    edges = (await api.graphql(query, token=merchant.key))["data"]["paymentLinks"]["edges"]
    assert [edge["node"] for edge in edges] == [{"id": link["id"], "active": False}]


async def test_a_test_clock_counts(merchant: Merchant, clock: MovedClock) -> None:
    api = merchant.api
    link = await a_link(merchant, expires_at=(clock.now() + 24 * HOUR).isoformat())
    await advance(merchant, clock.now() + 48 * HOUR)
    assert await ids(api, "/payment-links?status=active", merchant.key) == []
    assert await ids(api, "/payment-links?status=inactive", merchant.key) == [link["id"]]


async def test_an_invitation_expires(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    invited = await invite(merchant, "ana@example.com")
    assert await ids(api, "/members?status=invited", merchant.key) == [invited["id"]]
    clock.advance(timedelta(days=7))
    data = (await api.get(f"/members/{invited['id']}", token=merchant.key)).json()["data"]
    assert data["status"] == "expired"
    assert await ids(api, "/members?status=invited", merchant.key) == []
    assert await ids(api, "/members?status=expired", merchant.key) == [invited["id"]]
    token = await logged_in_again(merchant)
    resent = await api.post(f"/members/{invited['id']}/resend", token=token)
    assert resent.json()["data"]["status"] == "invited"


async def test_a_previous_secret_is_shown_while_it_signs(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    order = {"name": "x", "url": "https://example.com/hook"}
    endpoint = (await api.post("/webhook-endpoints", order, token=merchant.token)).json()["data"]
    path = f"/webhook-endpoints/{endpoint['id']}"
    await api.post(f"{path}/rotate-secret", {"grace_hours": 1}, token=merchant.token)
    assert (await api.get(path, token=merchant.key)).json()["data"]["previous_secret_until"] is not None
    clock.advance(2 * HOUR)
    [listed] = (await api.get("/webhook-endpoints", token=merchant.key)).json()["data"]
    read = (await api.get(path, token=merchant.key)).json()["data"]
    assert (listed["previous_secret_until"], read["previous_secret_until"]) == (None, None)


ENDS = [
    ("/coupons", coupon_order()),
    ("/payment-links", link_order()),
    ("/api-keys", {"name": "x", "environment": "test"}),
]


@pytest.mark.parametrize(("path", "order"), ENDS)
async def test_an_end_date_is_a_day_in_sao_paulo(
    api: Api, merchant: Merchant, clock: MovedClock, path: str, order: dict[str, Any]
) -> None:
    today = clock.now().astimezone(SAO_PAULO).date()
    for passed in ("2020-12-25", "2020-12-25T00:00:00Z", clock.now().isoformat(), str(today - timedelta(days=1))):
        refused = await api.post(path, {**order, "expires_at": passed}, token=merchant.token)
        assert refused.status_code == 400
        assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == ["expires_at"]
    made = await api.post(path, {**order, "expires_at": str(today)}, token=merchant.token)
    assert datetime.fromisoformat(made.json()["data"]["expires_at"]) == last_instant(today)


@pytest.mark.parametrize(("path", "make"), [("/coupons", a_coupon), ("/payment-links", a_link)])
async def test_a_past_end_date_is_accepted_only_unchanged(
    api: Api, merchant: Merchant, clock: MovedClock, path: str, make: Any
) -> None:
    made = await make(merchant, expires_at=(clock.now() + HOUR).replace(microsecond=123456).isoformat())
    clock.advance(2 * HOUR)
    target = f"{path}/{made['id']}"
    read = (await api.get(target, token=merchant.key)).json()["data"]
    as_a_panel = datetime.fromisoformat(read["expires_at"]).isoformat(timespec="milliseconds")
    for end in (read["expires_at"], as_a_panel):
        answer = await api.put(target, {**read, "expires_at": end}, token=merchant.key)
        assert answer.status_code == 200, answer.text
    for end in ("2020-01-01", (clock.now() - timedelta(seconds=1)).isoformat()):
        assert (await api.put(target, {"expires_at": end}, token=merchant.key)).status_code == 400
    assert (await api.put(target, {"expires_at": None}, token=merchant.key)).status_code == 200


CHARGE = {
    "amount": 10,
    "description": "x",
    "customer_name": "Ana",
    "customer_email": "ana@example.com",
    "customer_cpf": "529.982.247-25",
}


class TestDueDates:
    async def test_a_charge_is_valid_through_its_due_date(
        self, api: Api, merchant: Merchant, clock: MovedClock
    ) -> None:
        due = clock.now().astimezone(SAO_PAULO).date() + timedelta(days=13)
        end = last_instant(due)
        for written in (str(due), f"{due}T09:00:00-03:00", f"{due}T23:00:00-03:00"):
            answer = await api.post("/charges", {**CHARGE, "due_date": written}, token=merchant.key)
            assert datetime.fromisoformat(answer.json()["data"]["expires_at"]) == end
        charge = answer.json()["data"]
        clock.advance(end - clock.now())
        assert (await api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]["status"] == "expired"
        mutation = "mutation($input: RegisterChargeInput!) { registerCharge(input: $input) { dueDate expiresAt } }"
        order = {"dueDate": "2030-12-25", "amount": 10, "description": "x", "customerName": "Ana"}
        order |= {"customerEmail": "ana@example.com", "customerCpf": "52998224725"}
        data = (await api.graphql(mutation, token=merchant.key, input=order))["data"]["registerCharge"]
        assert data == dict.fromkeys(("dueDate", "expiresAt"), "2030-12-26T02:59:59.999999+00:00")

    @pytest.mark.parametrize(
        ("due", "expires"),
        [
            ("2030-12-25", "2030-12-25"),
            ("2030-12-25", "2030-12-25T18:00:00-03:00"),
            ("2030-12-25", "2030-12-25T23:59:59-03:00"),
            ("2030-12-25T12:00:00-03:00", "2030-12-25T12:00:00-03:00"),
            ("2030-12-25", "2031-01-01"),
        ],
    )
    async def test_it_may_expire_on_the_due_date_or_later(
        self, api: Api, merchant: Merchant, due: str, expires: str
    ) -> None:
        answer = await api.post("/charges", {**CHARGE, "due_date": due, "expires_at": expires}, token=merchant.key)
        assert answer.status_code == 201, answer.text

    @pytest.mark.parametrize(
        ("due", "expires", "field", "codigo"),
        [
            ("2030-12-25", "2030-12-24", "expires_at", None),
            ("2030-12-25", "2030-12-24T23:59:59-03:00", "expires_at", None),
            ("2030-12-25T12:00:00-03:00", "2030-12-25T11:59:59-03:00", "expires_at", None),
            ("2020-12-25", None, "due_date", None),
            ("2020-12-25T00:00:00Z", "2030-12-25", "due_date", None),
            ("2030-12-25", "2020-12-25", "expires_at", "EXPIRACAO_INVALIDA"),
            ("2030-12-25", "amanhã", "expires_at", "EXPIRACAO_INVALIDA"),
        ],
    )
    async def test_dates_that_contradict_are_refused(
        self, api: Api, merchant: Merchant, database, due: str, expires: str | None, field: str, codigo: str | None
    ) -> None:
        order = {**CHARGE, "due_date": due, "expires_at": expires}
        answer = await api.post("/charges", order, token=merchant.key)
        assert answer.status_code == 400
        error = answer.json()["error"]
        assert ([fault["campo"] for fault in error["campos"]], error.get("codigo")) == ([field], codigo)
        assert await sql.value(database, "select count(*) from charges") == 0
