"""Query parameters: unknown ones are refused by name on every API route, and ignored on payers' pages and probes."""

import httpx
import pytest

from gateway.rest_compat.app import Endpoint
from gateway.rest_compat.query import parameters_of
from gateway.rest_compat.routes import ENDPOINTS
from tests.api_client import Api, Merchant
from tests.applicants import staff_member

ID = "8d3c6f7e-1b0a-4f6e-9b55-6a1c3f0c9f10"
STRICT = [each for each in ENDPOINTS if not each.ignores_unknown_parameters]
WITH_ITS_OWN_CREDENTIAL = {"/jobs/subscriptions", "/uploads/{ticket}"}


def faults(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 400, answer.text
    return {fault["campo"]: fault["mensagem"] for fault in answer.json()["error"]["campos"]}


@pytest.mark.parametrize("endpoint", STRICT, ids=lambda each: f"{each.method} {each.path}")
async def test_every_route_refuses_unknown_parameters(api: Api, services, endpoint: Endpoint) -> None:
    if endpoint.path in WITH_ITS_OWN_CREDENTIAL or endpoint.operation.precondition is not None:
        return  # Routes disabled in this deployment refuse before reading parameters.
    person = await staff_member(api, services)
    path = endpoint.path
    for name in ("id", "item_id", "document_id", "delivery_id", "comment_id"):
        path = path.replace(f"{{{name}}}", ID)
    form = {"files": {"file": ("a.pdf", b"%PDF-1.7")}} if endpoint.form else {}
    body = {} if endpoint.method in {"GET", "DELETE"} else form or {"json": {}}
    headers = {"authorization": f"Bearer {person.token}"}
    answer = await api.client.request(endpoint.method, f"{path}?unknown_one=1", headers=headers, **body)
    found = faults(answer)
    assert list(found) == ["unknown_one"]
    assert "desconhecido" in found["unknown_one"]


@pytest.mark.parametrize(
    ("query", "name", "nearest"),
    [
        ("statuss=paid", "statuss", "status"),
        ("status[]=paid", "status[]", "status"),
        ("status%5B%5D=paid&status%5B%5D=expired", "status[]", "status"),
        ("Status=paid", "Status", "status"),
        ("createdFrom=2026-01-01", "createdFrom", "created_from"),
        ("per-page=5&", "per-page", ""),
        ("customer=1&page=1", "customer", "customer_id"),
    ],
)
async def test_the_most_similar_parameter_is_suggested(
    api: Api, merchant: Merchant, query: str, name: str, nearest: str
) -> None:
    for path in ("/pix", "/charges/export"):
        found = faults(await api.get(f"{path}?{query}", token=merchant.key))
        assert list(found) == [name]
        assert nearest in found[name]
    as_csv = await api.get(f"/pix?{query}", token=merchant.key, accept="text/csv")
    assert list(faults(as_csv)) == [name]


async def test_parameters_are_checked_after_authentication(api: Api) -> None:
    assert (await api.get("/pix?statuss=paid")).status_code == 401


async def test_payers_and_probes_may_send_any_parameter(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue()
    brought = "utm_source=a&utm_source=b&x%5B%5D=1&broken=%FF"
    assert (await api.get(f"/checkout/{charge['txid']}?{brought}")).status_code == 200
    assert (await api.get(f"/pay/c/{charge['txid']}?{brought}")).status_code == 200
    assert (await api.get(f"/health/live?{brought}")).status_code == 200
    assert (await api.get(f"/checkout/link/unknown/coupon?{brought}")).status_code in {400, 404}
    notification = await api.client.post(f"/engine/notifications/simulator?{brought}", json={})
    assert notification.status_code == 401, "the token is missing, and nothing else"


async def test_repeated_and_misspelled_parameters_are_refused(api: Api, merchant: Merchant) -> None:
    found = faults(await api.get("/pix?page=1&page=2&statuss=x", token=merchant.key))
    assert set(found) == {"statuss", "page"}
    assert (await api.get("/pix?q=%FF", token=merchant.key)).status_code == 400


async def test_an_id_in_the_path_is_not_a_parameter(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue()
    assert list(faults(await api.get(f"/pix/{charge['id']}?id={ID}", token=merchant.key))) == ["id"]


async def test_the_format_is_for_csv_alone(api: Api, merchant: Merchant) -> None:
    found = faults(await api.get("/pix?formato=excel", token=merchant.key))
    assert "/pix/export" in found["formato"]
    assert list(faults(await api.get("/pix/export?formato=xls", token=merchant.key))) == ["formato"]


def test_graphql_s_slice_is_no_parameter() -> None:
    assert not [each.path for each in ENDPOINTS if "slice" in parameters_of(each.operation.input_type)]
