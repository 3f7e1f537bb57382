"""Exports over GraphQL: an address that streams the CSV once, and needs no credential."""

import asyncio
import codecs
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.listing.exports import Export
from gateway.rest_compat.csv_stream import MAX_EXPORTS_PER_STORE, export_slot
from gateway.rest_compat.routes import ENDPOINTS
from gateway.schema.root_fields import operations_by_field
from gateway.schema.schema import SCHEMA
from tests import sql
from tests.api.table import owed
from tests.api.transport_calls import read_graphql
from tests.api_client import PASSWORD, Api, Merchant
from tests.applicants import begin_upload, staff_member
from tests.members import join
from tests.rows import put_charges, put_customers

NOON = datetime(2026, 11, 3, 15, tzinfo=UTC)
EXPORTS = {
    field: operation for field, operation in operations_by_field(SCHEMA).items() if operation.result_type is Export
}
PATHS = {each.export.name: f"{each.path}/export" for each in ENDPOINTS if each.export is not None}
CHARGES = """mutation(
        $filter: ChargeFilter, $order: ChargeOrder! = created_at_desc, $format: ExportFormat! = csv,
        $columns: [ChargeColumn!]
    ) {
    exportCharges(filter: $filter, order: $order, format: $format, columns: $columns) { url fileName expiresAt } }"""


async def begin(api: Api, token: str | None, document: str = CHARGES, **variables: Any) -> dict[str, Any]:
    answer = await api.graphql(document, token=token, **variables)
    assert "errors" not in answer, answer
    (download,) = answer["data"].values()
    assert isinstance(download, dict)
    return download


@pytest.mark.parametrize("field", sorted(EXPORTS.keys() - {"exportRepayment"}))
async def test_an_address_gives_the_file_of_the_rest_api(api: Api, services: Services, field: str) -> None:
    person = await staff_member(api, services)
    begun = await begin(api, person.token, f"mutation {{ {field} {{ url fileName expiresAt }} }}")
    assert begun["url"].startswith(f"{services.settings.base_url}/exports/")
    got = await api.client.get(begun["url"])
    assert (got.status_code, got.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert got.headers["content-disposition"] == f'attachment; filename="{begun["fileName"]}"'
    exported = await api.get(PATHS[EXPORTS[field].name], token=person.token)
    assert got.text.splitlines()[0] == exported.text.splitlines()[0]
    assert got.headers["content-disposition"] == exported.headers["content-disposition"]


async def test_the_file_has_the_filter_the_order_and_the_format_of_the_request(
    api: Api, merchant: Merchant, database: Database
) -> None:
    sales = [{"amount": amount, "created_at": NOON} for amount in (123456, 900, 5000, 700)]
    await put_charges(database, merchant.id, sales, now=NOON)
    filters = {"amountMin": 9.0, "createdFrom": "2026-11-03", "createdTo": "2026-11-03", "tz": "America/Manaus"}
    begun = await begin(api, merchant.token, filter=filters, order="amount_asc", format="excel")
    content = (await api.client.get(begun["url"])).content
    assert content.startswith(codecs.BOM_UTF8)
    query = "amount_min=9&created_from=2026-11-03&created_to=2026-11-03&tz=America/Manaus&sort=amount&formato=excel"
    assert content == (await api.get(f"/pix/export?{query}", token=merchant.key)).content
    head, *rows = [line.split(";") for line in content.decode("utf-8-sig").splitlines()]
    assert [row[head.index("amount")] for row in rows] == ["9,00", "50,00", "1234,56"]
    assert {row[head.index("created_at")] for row in rows} == {"03/11/2026 11:00:00"}


async def test_the_file_has_the_columns_of_the_request(api: Api, merchant: Merchant, database: Database) -> None:
    await put_charges(database, merchant.id, [{"amount": 123456}], now=NOON)
    begun = await begin(api, merchant.token, columns=["amount", "environment"])
    assert (await api.client.get(begun["url"])).text == "amount,environment\r\n1234.56,test\r\n"
    refused = await api.graphql(CHARGES, token=merchant.token, columns=[])
    assert [fault["campo"] for fault in refused["errors"][0]["extensions"]["campos"]] == ["columns"]
    unknown = await api.graphql(CHARGES, token=merchant.token, columns=["engine_id"])
    assert unknown["errors"]


async def test_the_columns_of_an_export_are_those_of_its_file(api: Api, services: Services) -> None:
    person = await staff_member(api, services)
    types = {each["name"]: each for each in SCHEMA.introspect()["__schema"]["types"]}
    arguments = {field["name"]: field["args"] for field in types["Mutation"]["fields"] if field["name"] in EXPORTS}
    for field in sorted(EXPORTS.keys() - {"exportRepayment"}):
        [columns] = [each for each in arguments[field] if each["name"] == "columns"]
        names = [each["name"] for each in types[columns["type"]["ofType"]["ofType"]["name"]]["enumValues"]]
        exported = await api.get(PATHS[EXPORTS[field].name], token=person.token)
        assert exported.text.splitlines()[0].split(",") == names


async def test_staff_exports_the_charges_of_a_repayment(api: Api, services: Services, merchant: Merchant) -> None:
    staff = await staff_member(api, services)
    recorded = await api.post("/admin/repayments", await owed(merchant), token=staff.token)
    repayment = recorded.json()["data"]["id"]
    document = """mutation($id: ID!, $columns: [RepaidChargeColumn!]) {
        exportRepayment(id: $id, timeZone: "UTC", columns: $columns) { url fileName } }"""
    begun = await begin(api, staff.token, document, id=repayment)
    got = await api.client.get(begun["url"])
    assert got.headers["content-disposition"] == f'attachment; filename="{begun["fileName"]}"'
    assert got.content == (await api.get(f"/admin/repayments/{repayment}/export?tz=UTC", token=staff.token)).content
    assert len(got.text.splitlines()) > 1
    begun = await begin(api, staff.token, document, id=repayment, columns=["amount"])
    assert (await api.client.get(begun["url"])).text.splitlines()[0] == "amount"


async def test_an_address_is_good_once_and_for_a_minute(api: Api, merchant: Merchant, clock: Any) -> None:
    used, late = [(await begin(api, merchant.token))["url"] for _ in range(2)]
    assert (await api.client.get(used)).status_code == 200
    assert (await api.client.get(used)).status_code == 404
    assert (await api.client.get(f"{late}?formato=excel")).status_code == 400
    clock.advance(timedelta(seconds=60))
    assert (await api.client.get(late)).status_code == 404
    assert (await api.client.get(late[:-4] + "AAAA")).status_code == 404


async def test_a_ticket_of_another_kind_is_refused(api: Api, merchant: Merchant) -> None:
    upload = (await begin_upload(merchant)).json()["data"]["beginDocumentUpload"]["url"]
    assert (await api.client.get(upload.replace("/uploads/", "/exports/"))).status_code == 404
    export = (await begin(api, merchant.token))["url"]
    assert (await api.client.get(export.replace("/exports/", "/downloads/"))).status_code == 404
    assert (await api.client.get(export)).status_code == 200


async def test_the_export_runs_as_the_session_that_began_it(
    api: Api, merchant: Merchant, database: Database, clock: Any
) -> None:
    person = await api.register_merchant()
    await join(merchant, person, "finance")
    await put_customers(database, merchant.id, [{"name": "Da loja"}], now=clock.now())
    await put_customers(database, person.id, [{"name": "De outra loja"}], now=clock.now())
    document = {"query": "mutation { exportCustomers { url } }"}
    answer = await api.request("POST", "/graphql", document, token=person.token, x_store=merchant.id)
    recorded = "select actor_id, store_id from audit_trail where action = 'customer.exported'"
    assert await sql.rows(database, recorded) == []
    got = await api.client.get(answer.json()["data"]["exportCustomers"]["url"])
    assert "Da loja" in got.text
    assert "De outra loja" not in got.text
    assert [tuple(row) for row in await sql.rows(database, recorded)] == [(person.id, merchant.id)]


async def test_an_address_ends_with_the_session(api: Api, merchant: Merchant) -> None:
    begun = await begin(api, merchant.token)
    login = await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})
    await api.post("/auth/sessions/end-others", token=login.json()["data"]["accessToken"])
    assert (await api.client.get(begun["url"])).status_code == 401


async def test_an_address_ends_with_the_role_that_may_export(api: Api, merchant: Merchant) -> None:
    person = await api.register_merchant()
    member = await join(merchant, person, "finance")
    document = {"query": "mutation { exportCustomers { url } }"}
    answer = await api.request("POST", "/graphql", document, token=person.token, x_store=merchant.id)
    changed = await api.put(f"/members/{member['id']}", {"role": "viewer"}, token=merchant.token)
    assert changed.status_code == 200, changed.text
    refused = await api.client.get(answer.json()["data"]["exportCustomers"]["url"])
    assert (refused.status_code, refused.json()["error"]["codigo"]) == (403, "PERMISSAO_NEGADA")


@pytest.mark.parametrize("role", ["operator", "viewer"])
async def test_a_role_that_may_not_export_gets_no_address(api: Api, merchant: Merchant, role: str) -> None:
    person = await api.register_merchant()
    await join(merchant, person, role)
    for field in sorted(EXPORTS.keys() - {"exportRepayment"}):
        document = {"query": f"mutation {{ {field} {{ url }} }}"}
        answer = await api.request("POST", "/graphql", document, token=person.token, x_store=merchant.id)
        assert read_graphql(answer, field).status == 403, field


async def test_an_api_key_exports_over_rest_and_gets_no_address(api: Api, merchant: Merchant) -> None:
    refused = await api.graphql(CHARGES, token=merchant.key)
    assert refused["errors"][0]["extensions"]["codigo"] == "SOMENTE_PAINEL"
    anonymous = await api.graphql(CHARGES)
    assert anonymous["errors"][0]["extensions"]["status"] == 401


async def test_an_invalid_filter_is_refused_before_there_is_an_address(api: Api, merchant: Merchant) -> None:
    refused = await api.graphql(CHARGES, token=merchant.token, filter={"tz": "Brasil"})
    faults = refused["errors"][0]["extensions"]["campos"]
    assert [(fault["campo"], fault["caminho"]) for fault in faults] == [("tz", ["filter", "tz"])]


async def test_an_address_waits_for_a_slot_of_its_store(api: Api, merchant: Merchant) -> None:
    begun = await begin(api, merchant.token)
    leave, entered = asyncio.Event(), asyncio.Barrier(MAX_EXPORTS_PER_STORE + 1)

    async def never() -> Any:
        await asyncio.Event().wait()

    async def hold() -> None:
        async with export_slot(merchant.id, never):
            await entered.wait()
            await leave.wait()

    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        for _ in range(MAX_EXPORTS_PER_STORE):
            tasks.create_task(hold())
        await entered.wait()
        waiting = tasks.create_task(api.client.get(begun["url"]))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        leave.set()
    assert waiting.result().status_code == 200
