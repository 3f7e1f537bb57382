"""Documents by tickets: addresses that are good once and need no credential."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest

from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from tests import sql
from tests.api_client import PASSWORD, Api, Merchant
from tests.applicants import PDF, PNG, begin_download, begin_upload, prepare, staff_member
from tests.fake_clock import MovedClock

DOCUMENTS = "{ productionDocuments { type fileName size contentType } }"


async def upload_address(merchant: Merchant, **changes: Any) -> str:
    answer = (await begin_upload(merchant, **changes)).json()
    address: str = answer["data"]["beginDocumentUpload"]["url"]
    return address


async def test_a_document_is_sent_to_the_address_of_a_ticket(
    api: Api, merchant: Merchant, services: Services, database: Database
) -> None:
    address = await upload_address(merchant, size=len(PNG), name="pasta/conta de luz.png")
    assert address.startswith(f"{services.settings.base_url}/uploads/")
    sent = await api.client.put(address, content=PNG, headers={"content-type": "text/html"})
    assert sent.status_code == 201, sent.text
    listed = (await api.graphql(DOCUMENTS, token=merchant.token))["data"]["productionDocuments"]
    (document,) = listed
    assert (document["type"], document["fileName"]) == ("proof_of_address", "conta de luz.png")
    assert document["contentType"] == "image/png"
    audit = await sql.row(
        database,
        "select store_id, actor_type, actor_id from audit_trail where action = 'production.document_uploaded'",
    )
    assert tuple(audit) == (merchant.id, "user", merchant.id)


async def test_the_address_of_an_upload_is_good_once_and_for_ten_minutes(
    api: Api, merchant: Merchant, clock: MovedClock
) -> None:
    used, late = await upload_address(merchant), await upload_address(merchant)
    assert (await api.client.put(used, content=PDF)).status_code == 201
    assert (await api.client.put(used, content=PDF)).status_code == 404
    clock.advance(timedelta(minutes=10))
    assert (await api.client.put(late, content=PDF)).status_code == 404
    assert (await api.client.put(used[:-4] + "AAAA", content=PDF)).status_code == 404
    assert (await api.client.put(f"{urlsplit(used).path.rpartition('/')[0]}/é", content=PDF)).status_code == 404


async def test_a_file_is_validated_as_in_a_form(api: Api, merchant: Merchant) -> None:
    text = b"not a document"
    refused = await api.client.put(await upload_address(merchant, size=len(text)), content=text)
    assert (refused.status_code, refused.json()["error"]["campos"][0]["campo"]) == (400, "file")
    shortened = await api.client.put(await upload_address(merchant), content=PDF[:-1])
    assert shortened.status_code == 400
    large = (await begin_upload(merchant, size=10 * 1024 * 1024 + 1)).json()
    assert large["errors"][0]["extensions"]["status"] == 413
    longer = await api.client.put(await upload_address(merchant), content=b"x" * (10 * 1024 * 1024 + 1))
    assert longer.status_code == 413
    assert (await api.graphql(DOCUMENTS, token=merchant.token))["data"]["productionDocuments"] == []


async def test_an_upload_ends_with_the_session(api: Api, merchant: Merchant) -> None:
    address = await upload_address(merchant)
    login = await api.post("/auth/login", {"email": merchant.email, "password": PASSWORD})
    await api.post("/auth/sessions/end-others", token=login.json()["data"]["accessToken"])
    assert (await api.client.put(address, content=PDF)).status_code == 401


async def test_staff_downloads_a_document_once(
    api: Api, merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    staff = await staff_member(api, services)
    document = (await prepare(merchant))["company_registration"]
    begun = (await begin_download(staff, merchant, document["id"])).json()["data"]["documentDownload"]
    assert begun["fileName"] == f"company_registration-{document['id']}.pdf"
    got = await api.client.get(begun["url"])
    assert (got.status_code, got.headers["content-type"]) == (200, "application/pdf")
    assert begun["fileName"] in got.headers["content-disposition"]
    assert (await api.client.get(begun["url"])).status_code == 404
    trail = "select actor_id from audit_trail where action = 'production.document_downloaded'"
    assert await sql.value(database, trail) == staff.id

    late = (await begin_download(staff, merchant, document["id"])).json()["data"]["documentDownload"]["url"]
    clock.advance(timedelta(seconds=60))
    assert (await api.client.get(late)).status_code == 404


async def test_only_staff_gets_the_address_of_a_document(api: Api, merchant: Merchant, services: Services) -> None:
    document = (await prepare(merchant))["company_registration"]
    refused = (await begin_download(merchant, merchant, document["id"])).json()
    assert refused["errors"][0]["extensions"]["codigo"] == "SOMENTE_ADMIN"
    staff = await staff_member(api, services)
    missing = (await begin_download(staff, merchant, merchant.id)).json()
    assert missing["errors"][0]["extensions"]["status"] == 404


@pytest.mark.parametrize("method", ["GET", "PUT"])
async def test_a_ticket_is_good_for_its_own_operation_only(
    api: Api, merchant: Merchant, services: Services, method: str
) -> None:
    staff = await staff_member(api, services)
    document = (await prepare(merchant))["company_registration"]
    download = (await begin_download(staff, merchant, document["id"])).json()["data"]["documentDownload"]["url"]
    upload = await upload_address(merchant)
    address = (
        download.replace("/downloads/", "/uploads/") if method == "PUT" else upload.replace("/uploads/", "/downloads/")
    )
    assert (await api.client.request(method, address, content=PDF if method == "PUT" else None)).status_code == 404
