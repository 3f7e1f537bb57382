"""Export paths: formats for programs and for a Brazilian Excel, and periods in a time zone."""

import codecs
import csv
import io
from datetime import UTC, datetime, timedelta

import pytest

from gateway.models.database import Database
from gateway.rest_compat.routes import ENDPOINTS
from tests import sql
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.catalogue.fixtures import a_coupon, a_product
from tests.fake_clock import MovedClock
from tests.rows import put_charges, put_customers

LISTS = [each for each in ENDPOINTS if each.export is not None]
LATE = datetime(2027, 1, 1, 1, 30, tzinfo=UTC)  # 22:30 of 31 December in São Paulo.


def read(content: bytes, separator: str = ",") -> list[dict[str, str]]:
    text = content.decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True))


@pytest.mark.parametrize("endpoint", LISTS, ids=lambda each: each.path)
async def test_every_list_has_a_path_for_its_csv(api: Api, services, endpoint) -> None:
    if "{" in endpoint.path:
        return  # These need preparations, which their own tests have.
    person = await staff_member(api, services)
    by_path = await api.get(f"{endpoint.path}/export?tz=America/Manaus&formato=csv", token=person.token)
    assert by_path.status_code == 200, by_path.text
    assert by_path.headers["content-type"] == "text/csv; charset=utf-8"
    by_header = await api.get(endpoint.path, token=person.token, accept="text/csv")
    assert by_header.text.partition("\r\n")[0] == by_path.text.partition("\r\n")[0]
    for_excel = await api.get(f"{endpoint.path}/export?formato=excel", token=person.token)
    head = by_path.text.partition("\r\n")[0].replace(",", ";")
    assert for_excel.content.startswith(codecs.BOM_UTF8 + head.encode())
    assert (await api.get(f"{endpoint.path}/export")).status_code == 401
    assert (await api.get(endpoint.path, token=person.token)).headers["content-type"] == "application/json"


@pytest.mark.parametrize("endpoint", LISTS, ids=lambda each: each.path)
async def test_every_list_exports_chosen_columns(api: Api, services, endpoint) -> None:
    if "{" in endpoint.path:
        return  # As above.
    person = await staff_member(api, services)
    columns = (await api.get(f"{endpoint.path}/export", token=person.token)).text.partition("\r\n")[0].split(",")
    chosen = [columns[-1], columns[0]]
    by_path = await api.get(f"{endpoint.path}/export?columns={','.join(chosen)}", token=person.token)
    assert by_path.text.partition("\r\n")[0].split(",") == chosen
    by_header = await api.get(f"{endpoint.path}?columns={chosen[0]}", token=person.token, accept="text/csv")
    assert by_header.text.partition("\r\n")[0] == chosen[0]
    json_list = await api.get(f"{endpoint.path}?columns={chosen[0]}", token=person.token)
    assert (json_list.status_code, json_list.json()["error"]["campos"][0]["campo"]) == (400, "columns")


async def test_chosen_columns_are_written_in_their_order(api: Api, merchant: Merchant, database: Database) -> None:
    await put_charges(database, merchant.id, [{"amount": 123456, "status": "paid", "paid_at": LATE}], now=LATE)
    plain = await api.get("/pix/export?columns=paid_at,amount,paid_at", token=merchant.key)
    assert plain.text == "paid_at,amount\r\n2026-12-31T22:30:00-03:00,1234.56\r\n"
    excel = await api.get("/pix/export?columns=amount,paid_at&formato=excel", token=merchant.key)
    assert excel.content.decode("utf-8-sig") == "amount;paid_at\r\n1234,56;31/12/2026 22:30:00\r\n"


@pytest.mark.parametrize("columns", ["", "amount,", "engine_id", "amount,nada", "Amount"])
async def test_other_columns_are_refused_and_nothing_is_exported(
    api: Api, merchant: Merchant, database: Database, columns: str
) -> None:
    refused = await api.get(f"/pix/export?columns={columns}", token=merchant.key)
    assert refused.status_code == 400
    [fault] = refused.json()["error"]["campos"]
    assert fault["campo"] == "columns"
    assert "amount" in fault["mensagem"]
    recorded = "select count(*) from audit_trail where action = 'charge.exported'"
    assert await sql.value(database, recorded) == 0


async def test_days_are_of_sao_paulo_or_the_named_zone(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    [sale] = await put_charges(
        database, merchant.id, [{"status": "paid", "created_at": LATE, "paid_at": LATE}], now=LATE
    )
    december, january = "paid_from=2026-12-01&paid_to=2026-12-31", "paid_from=2027-01-01&paid_to=2027-01-31"
    query = "query($filter: ChargeFilter) { charges(filter: $filter) { edges { node { id } } } }"

    async def found(period: str) -> list[str]:
        return [row["id"] for row in (await api.get(f"/pix?{period}", token=merchant.key)).json()["data"]]

    assert await found(december) == [sale]
    assert await found(january) == []
    assert await found(f"{january}&tz=UTC") == [sale]
    assert await found("created_from=2026-12-31&created_to=2026-12-31&tz=America/Manaus") == [sale]
    for dates, zone, expected in (
        ({"paidFrom": "2026-12-01", "paidTo": "2026-12-31"}, {}, [sale]),
        ({"paidFrom": "2027-01-01"}, {}, []),
        ({"paidFrom": "2027-01-01"}, {"tz": "UTC"}, [sale]),
    ):
        listed = await api.graphql(query, token=merchant.key, filter=dates | zone)
        assert [edge["node"]["id"] for edge in listed["data"]["charges"]["edges"]] == expected
    clock.advance(LATE - clock.now())
    for zone, day, at in (
        ("", "2026-12-31", "2026-12-31T22:30:00-03:00"),
        ("&tz=UTC", "2027-01-01", "2027-01-01T01:30:00+00:00"),
        ("&tz=America/Manaus", "2026-12-31", "2026-12-31T21:30:00-04:00"),
    ):
        exported = await api.get(f"/pix/export?status=paid{zone}", token=merchant.key)
        assert exported.headers["content-disposition"] == f'attachment; filename="cobrancas-{day}.csv"'
        assert read(exported.content)[0]["paid_at"] == at
    for path in ("/pix?tz=Brasil", "/pix/export?tz=", "/customers?tz=-03:00"):
        refused = await api.get(path, token=merchant.key)
        assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == ["tz"]


async def test_a_brazilian_excel_reads_it(api: Api, merchant: Merchant, database: Database, clock: MovedClock) -> None:
    people = [
        {"name": "Açaí; da Ana", "cpf": "01234567890", "phone": "11987654321"},
        {"name": "=1+1", "cpf": "11222333000181", "phone": "1133334444"},
        {"name": "x;=cmd", "cpf": None, "phone": None},
    ]
    await put_customers(database, merchant.id, people, now=LATE)
    await put_charges(database, merchant.id, [{"amount": 123456, "status": "paid", "paid_at": LATE}], now=LATE)
    content = (await api.get("/customers/export?formato=excel&sort=name", token=merchant.key)).content
    rows = {row["cpf"]: row for row in read(content.removeprefix(codecs.BOM_UTF8), ";")}
    assert rows["012.345.678-90"]["name"] == "Açaí; da Ana"
    assert rows["012.345.678-90"]["phone"] == "(11) 98765-4321"
    assert (rows["11.222.333/0001-81"]["name"], rows["11.222.333/0001-81"]["phone"]) == ("'=1+1", "(11) 3333-4444")
    assert rows[""]["name"] == "x;'=cmd"
    content = (await api.get("/pix?formato=excel", token=merchant.key, accept="text/csv")).content
    [charge] = read(content.removeprefix(codecs.BOM_UTF8), ";")
    assert (charge["amount"], charge["paid_at"], charge["paid_late"]) == ("1234,56", "31/12/2026 22:30:00", "não")


async def test_computed_fields_are_exported_as_in_the_list(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    ends = (clock.now() + timedelta(hours=1)).isoformat()
    coupon = await a_coupon(merchant, expires_at=ends)
    await a_product(merchant, name="Açaí")
    clock.advance(timedelta(hours=2))
    [row] = read((await api.get("/coupons/export", token=merchant.key)).content)
    assert (row["id"], row["is_active"]) == (coupon["id"], "false")
    [row] = read((await api.get("/coupons/export?status=inactive&formato=excel", token=merchant.key)).content[3:], ";")
    assert row["is_active"] == "não"
    [row] = read((await api.get("/products/export?q=acai", token=merchant.key)).content)
    assert row["name"] == "Açaí"


def test_the_document_types_exports_by_path() -> None:
    from gateway.rest_compat.openapi import openapi  # noqa: PLC0415  # Only this test needs it.

    paths = openapi(ENDPOINTS)["paths"]
    for endpoint in LISTS:
        listed, exported = paths[endpoint.path]["get"], paths[f"{endpoint.path}/export"]["get"]
        assert list(listed["responses"]["200"]["content"]) == ["application/json"]
        assert list(exported["responses"]["200"]["content"]) == ["text/csv"]
        assert {"$ref": "#/components/parameters/Formato"} in exported["parameters"]
        assert {"$ref": "#/components/parameters/TimeZone"} in exported["parameters"]
        assert "columns" in {each.get("name") for each in exported["parameters"]}
