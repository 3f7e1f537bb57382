"""Merchants as staff sees them: the ordered review queue, details, and document downloads."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.key_rotation import rotate_keys
from gateway.security import Vault
from gateway.settings import Settings
from tests.api.actors import CALLERS, Scene
from tests.api.rows import fingerprint
from tests.api_client import Api, Merchant
from tests.applicants import FILES, PDF, PNG, apply, decide, send, staff_member
from tests.conftest import SECRET
from tests.fake_clock import MovedClock

UNKNOWN = "01890000-0000-7000-8000-000000000000"


@pytest.fixture
async def staff(api: Api, services: Services) -> Merchant:
    return await staff_member(api, services, company="Equipe")


async def listed(staff: Merchant, query: str = "") -> list[str]:
    answer = await staff.api.get(f"/admin/lojistas{query}", token=staff.token)
    assert answer.status_code == 200, answer.text
    return [row["id"] for row in answer.json()["data"]]


@pytest.fixture
async def queue(api: Api, clock: MovedClock, staff: Merchant) -> dict[str, Merchant]:
    """Merchants in order of registration. Their requests have another order."""
    made = {}
    for name in ("third", "idle", "first", "second", "newest"):
        clock.advance(timedelta(seconds=1))
        made[name] = await api.register_merchant(company=f"Loja {name}", name=f"Ana {name}")
    for name in ("first", "second", "third"):
        clock.advance(timedelta(seconds=1))
        await apply(made[name])
    return made


async def test_the_longest_waiting_review_comes_first(staff: Merchant, queue: dict[str, Merchant]) -> None:
    order = [queue[name].id for name in ("first", "second", "third", "newest", "idle")] + [staff.id]
    assert await listed(staff) == order
    assert await listed(staff, "?page=1&limit=2") == order[:2]
    assert await listed(staff, "?page=2&limit=2") == order[2:4]
    assert await listed(staff, "?status=pending") == order[:3]
    assert await listed(staff, "?status=sandbox&limit=10") == order[3:]
    assert await listed(staff, "?sort=created_at&limit=1") == [staff.id]
    assert await listed(staff, "?q=loja+SECOND") == [queue["second"].id]
    assert await listed(staff, f"?q={queue['idle'].email}&status=pending") == []
    assert len(await listed(staff, "?q=11.222.333/0001-81")) == 6
    page = (await staff.api.get("/admin/lojistas?limit=2&status=pending", token=staff.token)).json()["pagination"]
    assert (page["total"], page["has_more"]) == (3, True)

    await decide(staff, queue["first"], "recusar", motivo="CNPJ ilegível.")
    assert (await listed(staff, "?status=pending"))[0] == queue["second"].id
    assert await listed(staff, "?status=rejected") == [queue["first"].id]


async def test_pages_of_the_queue_have_no_gaps(staff: Merchant, queue: dict[str, Merchant]) -> None:
    whole = await listed(staff)
    query = """query($after: String, $before: String, $first: Int, $last: Int) {
        merchants(first: $first, after: $after, last: $last, before: $before) {
            totalCount edges { cursor node { id productionStatus } } pageInfo { endCursor hasNextPage } } }"""
    seen: list[str] = []
    after = None
    while True:
        answer = await staff.api.graphql(query, token=staff.token, first=2, after=after)
        found = answer["data"]["merchants"]
        seen += [edge["node"]["id"] for edge in found["edges"]]
        assert found["totalCount"] == len(whole)
        after = found["pageInfo"]["endCursor"]
        if not found["pageInfo"]["hasNextPage"]:
            break
    assert seen == whole
    back = await staff.api.graphql(query, token=staff.token, last=2, before=after)
    assert [edge["node"]["id"] for edge in back["data"]["merchants"]["edges"]] == whole[-3:-1]


@pytest.mark.parametrize("query", ["?status=aprovado", "?sort=name", "?limit=101", "?page=0", "?created_from=ontem"])
async def test_an_invalid_list_query_is_refused(staff: Merchant, query: str) -> None:
    assert (await staff.api.get(f"/admin/lojistas{query}", token=staff.token)).status_code == 400


async def test_a_merchants_detail_has_all_review_fields(staff: Merchant, merchant: Merchant) -> None:
    sent = await apply(merchant)
    detail = (await staff.api.get(f"/admin/lojistas/{merchant.id}", token=staff.token)).json()["data"]
    assert {document["type"]: document for document in detail["documents"]} == sent
    assert set(detail["documents"][0]) == {
        *("id", "type", "file_name", "content_type", "size", "sha256", "uploaded_at"),
    }
    (move,) = detail["history"]
    assert (move["from_status"], move["to_status"], move["actor_name"]) == ("sandbox", "pending", "Ana Lojista")
    assert move["submitted"] == {
        "company": "Loja da Ana",
        "cnpj": "11222333000181",
        "documents": {kind: document["sha256"] for kind, document in sent.items()},
    }
    assert detail["production_status"] == "pending"
    for secret in ("password", "object_key", "session_version"):
        assert secret not in str(detail)


async def download(staff: Merchant, merchant_id: str, document_id: str, token: str | None = "") -> Any:
    path = f"/admin/lojistas/{merchant_id}/documentos/{document_id}"
    return await staff.api.get(path, token=staff.token if token == "" else token)


async def test_staff_downloads_a_document_and_the_download_is_audited(
    staff: Merchant, merchant: Merchant, database: Database
) -> None:
    sent = await apply(merchant)
    endings = {"application/pdf": "pdf", "image/jpeg": "jpg", "image/png": "png"}
    for kind, (_, content) in FILES.items():
        document = sent[kind]
        answer = await download(staff, merchant.id, document["id"])
        assert answer.status_code == 200
        assert answer.content == content
        assert answer.headers["content-type"] == document["content_type"]
        name = f"{kind}-{document['id']}.{endings[document['content_type']]}"
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    async with database.pool.acquire() as connection:
        acts = await connection.fetch(
            "select * from audit_trail where action = 'production.document_downloaded' order by id"
        )
    assert [act["resource_id"] for act in acts] == [sent[kind]["id"] for kind in FILES]
    assert {(act["store_id"], act["actor_type"], act["actor_id"]) for act in acts} == {(merchant.id, "staff", staff.id)}


async def test_a_document_is_found_only_through_its_merchant(
    api: Api, staff: Merchant, merchant: Merchant, database: Database
) -> None:
    sent = await apply(merchant)
    document = sent["company_registration"]["id"]
    other = await api.register_merchant()
    before = await fingerprint(database)
    for merchant_id, document_id in (
        (other.id, document),
        (merchant.id, UNKNOWN),
        (UNKNOWN, document),
        (merchant.id, "x"),
        ("x", document),
    ):
        answer = await download(staff, merchant_id, document_id)
        assert answer.status_code in {400, 404}, answer.text
        assert answer.headers["content-type"] == "application/json"
    assert await fingerprint(database) == before


@pytest.mark.parametrize("caller", [each for each in CALLERS if not each.staff], ids=lambda caller: caller.name)
async def test_only_staff_reads_a_document(api: Api, services: Services, staff: Merchant, caller: Any) -> None:
    scene = Scene(api, services, await api.register_merchant(), await api.register_merchant())
    document = (await send(api, scene.owner.token, "proof_of_address", PNG)).json()["data"]["id"]
    credential = await caller.credential(scene)
    answer = await download(staff, scene.owner.id, document, credential)
    if caller.refused is not None:
        assert answer.status_code == caller.refused.status
    else:
        assert (answer.status_code, answer.json()["error"]["codigo"]) == (403, "SOMENTE_ADMIN")
    assert PNG not in answer.content


async def test_a_file_modified_in_storage_is_not_returned(
    staff: Merchant, merchant: Merchant, documents: Path, database: Database
) -> None:
    first = (await send(staff.api, merchant.token, "company_registration", PDF)).json()["data"]
    (path,) = [path for path in documents.rglob("*") if path.is_file()]
    encrypted = path.read_bytes()
    path.write_bytes(encrypted[:-1] + bytes([encrypted[-1] ^ 1]))
    assert (await download(staff, merchant.id, first["id"])).status_code == 503
    # The object of another document is refused, too.
    other = (await send(staff.api, merchant.token, "proof_of_address", PNG)).json()["data"]
    (theirs,) = [each for each in documents.rglob("*") if each.is_file() and each != path]
    for swapped in (theirs.read_bytes(), encrypted[:-1], encrypted[:20], b"\x01", b"", PDF):
        path.write_bytes(swapped)
        assert (await download(staff, merchant.id, first["id"])).status_code == 503
    assert (await download(staff, merchant.id, other["id"])).content == PNG
    path.unlink()
    assert (await download(staff, merchant.id, first["id"])).status_code == 503
    async with database.pool.acquire() as connection:
        result = await connection.fetch("select resource_id from audit_trail where action like '%downloaded'")
    assert [record["resource_id"] for record in result] == [other["id"]]


async def test_documents_are_re_encrypted_and_the_old_key_can_be_removed(
    settings: Settings, services: Services, staff: Merchant, merchant: Merchant
) -> None:
    document = (await send(staff.api, merchant.token, "company_registration", PDF)).json()["data"]["id"]
    path = f"/admin/lojistas/{merchant.id}/documentos/{document}"
    new = "another secret key for tests and also 32 characters or more"
    statuses = []
    for older, reencrypts in (((SECRET,), False), ((), False), ((SECRET,), True), ((), False)):
        turned = replace(services, vault=Vault(new, *older))
        async with Api.of(Gateway(settings, turned)) as api:
            statuses.append((await api.get(path, token=staff.token)).status_code)
        if reencrypts:
            await rotate_keys(system_context(turned, source="job", request_id="reencrypt"))
    assert statuses == [200, 503, 200, 200]
