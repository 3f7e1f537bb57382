"""Uploads of documents: validation, encrypted storage, replacement, and clean-up after failures."""

import asyncio
import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from strawberry.utils.str_converters import to_snake_case

from gateway.app import Gateway
from gateway.errors import ArchiveUnavailable
from gateway.integrations.object_storage import NullObjectStorage
from gateway.models.database import Database
from gateway.resolvers.core.context import Context, Services, system_context
from gateway.resolvers.production.document_storage import (
    RETRY_INTERVAL,
    UPLOAD_TIMEOUT,
    delete_orphaned_objects,
    discard_file,
)
from gateway.resolvers.production.documents import UPLOADS_PER_STORE
from gateway.resolvers.production.types import MAX_FILE_BYTES
from gateway.rest_compat.production_documents import MAX_FORM_BYTES
from gateway.settings import Settings
from gateway.values.ids import new_id
from tests.api.actors import CALLERS, Scene
from tests.api.rows import fingerprint
from tests.api_client import Api, Merchant
from tests.applicants import FILES, JPEG, PDF, PNG, apply, decide, prepare, send, staff_member
from tests.fake_clock import MovedClock

COMPANY = "company_registration"
FORM_START = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'


def stored(documents: Path) -> list[Path]:
    return sorted(path for path in documents.rglob("*") if path.is_file())


def large_png(size: int) -> bytes:
    """A PNG of exactly `size` bytes."""
    padding = size - len(PNG) - 12
    text = b"teXt" + bytes(padding)
    return PNG[:33] + padding.to_bytes(4) + text + crc32(text).to_bytes(4) + PNG[33:]


async def orphans(database: Database) -> list[dict[str, Any]]:
    async with database.pool.acquire() as connection:
        return [dict(row) for row in await connection.fetch("select * from orphaned_objects")]


async def test_a_store_s_uploads_are_bounded(merchant: Merchant) -> None:
    most = UPLOADS_PER_STORE[0]
    answers = [(await send(merchant.api, merchant.token, COMPANY)).status_code for _ in range(most + 1)]
    assert answers == [201] * most + [429]


@pytest.fixture
def job(services: Services) -> Context:
    return system_context(services, source="job", request_id=new_id())


@pytest.mark.parametrize(
    ("content", "kind"),
    [(PDF, "application/pdf"), (JPEG, "image/jpeg"), (PNG, "image/png")],
    ids=["pdf", "jpeg", "png"],
)
async def test_the_content_decides_the_file_type(api: Api, merchant: Merchant, content: bytes, kind: str) -> None:
    answer = await send(api, merchant.token, COMPANY, content, "../../etc/contrato\u202e.html")
    assert answer.status_code == 201, answer.text
    document = answer.json()["data"]
    assert document.pop("id")
    assert document.pop("uploaded_at")
    assert document == {
        "type": COMPANY,
        "file_name": "contrato.html",
        "content_type": kind,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


@pytest.mark.parametrize(
    ("name", "shown_name"),
    [
        ("C:\\Documentos\\rg.png", "rg.png"),
        ("a" * 300 + ".png", "a" * 120),
        ("..", ".."),
        ("/", "documento"),
        ("ação.png", "ação.png"),
    ],
)
async def test_a_file_name_is_only_shown(api: Api, merchant: Merchant, name: str, shown_name: str) -> None:
    answer = await send(api, merchant.token, COMPANY, PNG, name)
    assert answer.json()["data"]["file_name"] == shown_name


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "está vazio"),
        (b"<svg onload=alert(1)>", "envie um PDF, um JPEG ou um PNG"),
        (PNG[:-9], "incompleta ou danificada"),
        (PDF[:-40], "incompleto ou danificado"),
    ],
)
async def test_an_unsupported_file_is_refused_and_not_stored(
    api: Api, merchant: Merchant, database: Database, documents: Path, content: bytes, reason: str
) -> None:
    before = await fingerprint(database)
    answer = await send(api, merchant.token, COMPANY, content, "rg.png")
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert [field["campo"] for field in error["campos"]] == ["file"]
    assert reason in error["message"]
    assert await fingerprint(database) == before
    assert stored(documents) == []


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ({"data": {"type": "selfie"}, "files": {"file": ("a.png", PNG)}}, {"type"}),
        ({"data": {}, "files": {"file": ("a.png", PNG)}}, {"type"}),
        ({"data": {"type": COMPANY}, "files": {"other": ("a.png", PNG)}}, {"file"}),
        ({"data": {"type": "x", "file": "só texto"}, "files": {"other": ("a.png", PNG)}}, {"type", "file"}),
    ],
)
async def test_every_form_error_is_reported(
    api: Api, merchant: Merchant, form: dict[str, Any], fields: set[str]
) -> None:
    headers = {"authorization": f"Bearer {merchant.token}"}
    answer = await api.client.post("/production/documents", headers=headers, **form)
    assert answer.status_code == 400, answer.text
    assert {field["campo"] for field in answer.json()["error"]["campos"]} == fields


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("application/json", b"{}", 415),
        ("application/pdf", PDF, 415),
        ("", PDF, 415),
        ("multipart/form-data", b"--x\r\n\r\n", 400),
        ("multipart/form-data; boundary=x", b"not a form", 400),
        *(
            (
                f"multipart/form-data; boundary=x; charset={charset}",
                b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xff\r\n--x--\r\n',
                400,
            )
            for charset in ("undefined", "punycode", "no-charset")
        ),
        ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--\r\n", 400),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n' + PDF,
            400,
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\na\r\n' * 2 + b"--x--",
            400,
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n' + b"a" * 2000 + b"\r\n--x--",
            400,
        ),
    ],
)
async def test_a_body_that_is_not_a_form_has_a_portuguese_error(
    api: Api, merchant: Merchant, kind: str, body: bytes, status: int
) -> None:
    headers = {"authorization": f"Bearer {merchant.token}", "content-type": kind}
    answer = await api.client.post("/production/documents", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["message"]


async def test_ten_megabytes_are_accepted_and_a_byte_more_is_refused(
    api: Api, merchant: Merchant, database: Database, documents: Path
) -> None:
    taken = await send(api, merchant.token, COMPANY, large_png(MAX_FILE_BYTES), "a.png")
    assert taken.status_code == 201, taken.text
    assert taken.json()["data"]["size"] == MAX_FILE_BYTES
    files, before = stored(documents), await fingerprint(database)
    refused = await send(api, merchant.token, COMPANY, large_png(MAX_FILE_BYTES + 1), "a.png")
    assert refused.status_code == 413
    assert refused.json() == {"error": {"message": "O arquivo passa do limite de 10 MB."}}
    assert await fingerprint(database) == before
    assert stored(documents) == files


async def test_an_endless_body_is_not_read_completely(api: Api, merchant: Merchant) -> None:
    parts = [FORM_START, *[bytes(65536)] * (MAX_FORM_BYTES // 65536), b"x"]
    assert await _answered(api, merchant, parts) == 413


async def _answered(api: Api, merchant: Merchant, parts: list[bytes], *, leaves: bool = False) -> int | None:
    """The status of a response to an unfinished body. Reading beyond these parts fails."""
    sent: list[Any] = []
    transport: Any = api.client._transport
    headers = {"authorization": f"Bearer {merchant.token}", "content-type": "multipart/form-data; boundary=x"}
    messages: list[dict[str, Any]] = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    waiting = iter([*messages, {"type": "http.disconnect"}] if leaves else messages)
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/production/documents",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
    }

    async def receive() -> Any:
        return next(waiting)

    async def tell(message: Any) -> None:
        sent.append(message)

    await transport.app(scope, receive, tell)
    return int(sent[0]["status"]) if sent else None


async def test_an_interrupted_upload_leaves_nothing(
    api: Api, merchant: Merchant, database: Database, documents: Path
) -> None:
    before = await fingerprint(database)
    assert await _answered(api, merchant, [FORM_START, bytes(2_000_000)], leaves=True) is None
    assert await fingerprint(database) == before
    assert stored(documents) == []


@pytest.mark.parametrize("path", ["/production/documents", "/PRODUCTION/Documents/"])
async def test_the_content_length_is_checked_before_the_body_is_read(api: Api, merchant: Merchant, path: str) -> None:
    headers = {"authorization": f"Bearer {merchant.token}", "content-length": str(MAX_FORM_BYTES + 1)}
    answer = await api.client.post(path, headers=headers)
    assert (answer.status_code, "10 MB" in answer.text) == (413, True)
    elsewhere = await api.client.post("/production/request", headers=headers | {"content-length": "2000000"})
    assert (elsewhere.status_code, "1 MiB" in elsewhere.text) == (413, True)


async def test_a_newer_document_replaces_the_earlier_one(
    api: Api, merchant: Merchant, database: Database, documents: Path, job: Context
) -> None:
    first = (await send(api, merchant.token, COMPANY, PDF)).json()["data"]
    old_files = stored(documents)
    second = (await send(api, merchant.token, COMPANY, PNG)).json()["data"]
    assert second["id"] != first["id"]
    async with database.pool.acquire() as connection:
        assert await connection.fetchval("select array_agg(id) from production_documents") == [second["id"]]
    assert len(stored(documents)) == 2
    assert await delete_orphaned_objects(job) == 1
    assert [path for path in stored(documents) if path in old_files] == []
    assert len(stored(documents)) == 1
    assert await orphans(database) == []
    assert await delete_orphaned_objects(job) == 0


async def test_a_store_sees_its_documents_after_any_decision(api: Api, merchant: Merchant, services: Services) -> None:
    assert await listed(merchant) == []
    await apply(await api.register_merchant())  # Other stores do not see them.
    sent = await apply(merchant)
    assert await listed(merchant) == [sent[kind] for kind in sorted(sent)]
    staff = await staff_member(api, services)
    await decide(staff, merchant, "recusar", motivo="O contrato está ilegível.")
    assert await listed(merchant) == [sent[kind] for kind in sorted(sent)]
    sent[COMPANY] = (await send(api, merchant.token, COMPANY, PNG, "contrato legível.png")).json()["data"]
    assert await listed(merchant) == [sent[kind] for kind in sorted(sent)]
    assert set(sent[COMPANY]) == {"id", "type", "file_name", "content_type", "size", "sha256", "uploaded_at"}


async def listed(merchant: Merchant) -> list[dict[str, Any]]:
    """The store's documents, by REST and by GraphQL."""
    by_rest = (await merchant.api.get("/production/documents", token=merchant.token)).json()
    query = "{ productionDocuments { id type fileName contentType size sha256 uploadedAt } }"
    by_graphql = (await merchant.api.graphql(query, token=merchant.token))["data"]["productionDocuments"]
    assert by_rest == {"data": [{to_snake_case(name): value for name, value in each.items()} for each in by_graphql]}
    found: list[dict[str, Any]] = by_rest["data"]
    return found


async def test_stored_files_are_encrypted(api: Api, merchant: Merchant, documents: Path) -> None:
    answer = (await send(api, merchant.token, COMPANY, PDF, "contrato.pdf")).json()["data"]
    (path,) = stored(documents)
    encrypted = path.read_bytes()
    assert b"PDF" not in encrypted
    assert len(encrypted) == len(PDF) + 29
    assert len(path.name) == 64
    assert merchant.id not in str(path)
    assert answer["id"] not in str(path)
    assert documents.stat().st_mode & 0o077 == 0


async def test_an_idempotency_key_stores_a_document_once(api: Api, merchant: Merchant, documents: Path) -> None:
    first = await send(api, merchant.token, COMPANY, PDF, idempotency_key="k-1")
    again = await send(api, merchant.token, COMPANY, PDF, idempotency_key="k-1")
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json() == first.json()
    assert len(stored(documents)) == 1
    other = await send(api, merchant.token, COMPANY, PNG, idempotency_key="k-1")
    assert (other.status_code, other.json()["error"]["codigo"]) == (409, "IDEMPOTENCIA_CONFLITO")


class FaultyArchive:
    """The real storage, with failures on demand."""

    def __init__(self, archive: Any) -> None:
        self.archive, self.failing = archive, {"put"}

    def __getattr__(self, method: str) -> Any:
        async def act(*words: Any) -> Any:
            if method in self.failing:
                raise ArchiveUnavailable
            return await getattr(self.archive, method)(*words)

        return act


async def test_a_storage_failure_is_an_error_and_leaves_no_orphan(
    settings: Settings, services: Services, database: Database, clock: MovedClock, documents: Path
) -> None:
    archive = FaultyArchive(services.object_storage)
    faulty = _with(services, object_storage=archive)
    job = system_context(faulty, source="job", request_id=new_id())
    async with Api.of(Gateway(settings, faulty)) as api:
        merchant = await api.register_merchant()
        answer = await send(api, merchant.token, COMPANY)
        assert (answer.status_code, list(answer.json()["error"])) == (503, ["message"])
        assert (await api.get("/production", token=merchant.token)).json()["data"]["pendencias"][0] == COMPANY
        assert [row["writing"] for row in await orphans(database)] == [True]
        assert await delete_orphaned_objects(job) == 0
        clock.advance(UPLOAD_TIMEOUT)
        assert await delete_orphaned_objects(job) == 1

        archive.failing = {"delete"}
        merchant = await api.register_merchant()  # The session of the first one has expired.
        for content in (PDF, PNG):
            assert (await send(api, merchant.token, COMPANY, content)).status_code == 201
        with pytest.raises(ArchiveUnavailable):
            await delete_orphaned_objects(job)
        assert len(stored(documents)) == 2
        archive.failing = set()
        assert await delete_orphaned_objects(job) == 0
        clock.advance(RETRY_INTERVAL)
        assert await delete_orphaned_objects(job) == 1
        assert len(stored(documents)) == 1
        assert await orphans(database) == []


@pytest.mark.parametrize(("stuck", "requested"), [(1, 10), (2, 10), (3, 3), (10, 3)])
async def test_one_object_that_can_not_be_deleted_does_not_stop_the_others(
    services: Services, database: Database, clock: MovedClock, stuck: int, requested: int
) -> None:
    tried: list[str] = []

    class UndeletableObject(NullObjectStorage):
        async def delete(self, key: str) -> None:
            tried.append(key)
            if len(tried) <= stuck:
                raise ArchiveUnavailable

    faulty = _with(services, object_storage=UndeletableObject())
    job = system_context(faulty, source="job", request_id=new_id())
    for n in range(10):
        await discard_file(job, database, f"{n}")
    with pytest.raises(ArchiveUnavailable):
        await delete_orphaned_objects(job)
    assert len(tried) == requested
    assert sorted(row["object_key"] for row in await orphans(database)) == sorted(
        {*map(str, range(10))} - {*tried[stuck:]}
    )


async def test_an_object_that_is_being_deleted_is_never_confirmed(
    settings: Settings, services: Services, database: Database, clock: MovedClock
) -> None:
    """A process suspended for an hour between the upload and the commit."""

    class SlowArchive(FaultyArchive):
        async def put(self, key: str, content: bytes) -> None:
            await self.archive.put(key, content)
            clock.advance(UPLOAD_TIMEOUT + timedelta(seconds=1))
            assert await delete_orphaned_objects(system_context(services, source="job", request_id=new_id())) == 1

    async with Api.of(Gateway(settings, _with(services, object_storage=SlowArchive(services.object_storage)))) as api:
        merchant = await api.register_merchant()
        assert (await send(api, merchant.token, COMPANY)).status_code == 503
    async with database.pool.acquire() as connection:
        assert await connection.fetchval("select count(*) from production_documents") == 0


async def test_without_object_storage_uploads_are_unavailable(settings: Settings, services: Services) -> None:
    async with Api.of(Gateway(settings, _with(services, object_storage=NullObjectStorage()))) as api:
        merchant = await api.register_merchant()
        answer = await send(api, merchant.token, COMPANY)
        assert answer.status_code == 501
        assert answer.json() == {"error": {"message": "O envio de documentos não está configurado neste serviço."}}
        assert (await api.get("/production", token=merchant.token)).status_code == 200


def _with(services: Services, **changes: Any) -> Services:
    return Services(**{name: getattr(services, name) for name in Services.__slots__} | changes)


async def test_documents_under_review_can_not_be_changed(
    api: Api, merchant: Merchant, services: Services, database: Database, documents: Path
) -> None:
    await apply(merchant)
    staff = await staff_member(api, services)
    files, before = stored(documents), await fingerprint(database)
    refused = await send(api, merchant.token, COMPANY, PNG)
    assert (refused.status_code, refused.json()["error"]["codigo"]) == (409, "PRODUCAO_EM_ANALISE")
    assert (stored(documents), await fingerprint(database)) == (files, before)

    await decide(staff, merchant, "aprovar")
    refused = await send(api, merchant.token, COMPANY, PNG)
    assert (refused.status_code, "codigo" in refused.json()["error"]) == (409, False)
    assert stored(documents) == files

    await decide(staff, merchant, "suspender")
    assert (await send(api, merchant.token, COMPANY, PNG)).status_code == 201


async def test_concurrent_uploads_and_a_request_agree_on_the_submitted_documents(
    api: Api, merchant: Merchant, services: Services
) -> None:
    await prepare(merchant)
    staff = await staff_member(api, services)
    requested, *sent = await asyncio.gather(
        api.post("/production/request", token=merchant.token),
        *(send(api, merchant.token, kind, PNG) for kind in FILES for _ in range(3)),
    )
    assert requested.status_code == 200, requested.text
    assert {answer.status_code for answer in sent} <= {201, 409}
    detail = (await api.get(f"/admin/lojistas/{merchant.id}", token=staff.token)).json()["data"]
    assert {each["type"]: each["sha256"] for each in detail["documents"]} == detail["history"][0]["submitted"][
        "documents"
    ]


@pytest.mark.parametrize(
    "caller", [each for each in CALLERS if each.refused or not each.panel], ids=lambda each: each.name
)
async def test_an_upload_without_permission_is_refused_before_the_body_is_read(
    api: Api, services: Services, database: Database, documents: Path, caller: Any
) -> None:
    scene = Scene(api, services, await api.register_merchant(), await api.register_merchant())
    credential = await caller.credential(scene)
    await api.get("/auth/me", token=credential)
    before = await fingerprint(database)
    answer = await send(api, credential, COMPANY, b"nothing")
    if caller.refused is None:
        assert (answer.status_code, answer.json()["error"]["codigo"]) == (403, "SOMENTE_PAINEL")
    else:
        assert answer.status_code == caller.refused.status
    assert (await fingerprint(database), stored(documents)) == (before, [])
