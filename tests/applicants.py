"""Merchants that request production and staff that reviews them, through the API."""

import io
from typing import Any

import httpx
from PIL import Image

from gateway.models.production import DocumentType
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.staff.access import set_staff
from gateway.values.ids import new_id
from tests.api_client import Api, Merchant


def drawn(kind: str, size: tuple[int, int] = (40, 30), colour: str = "navy", **options: Any) -> bytes:
    """A real file of a format that Pillow writes."""
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, kind, **options)
    return file.getvalue()


PNG, JPEG, PDF = drawn("PNG"), drawn("JPEG"), drawn("PDF")
FILES = {
    DocumentType.company_registration: ("contrato.pdf", PDF),
    DocumentType.responsible_document: ("rg.jpg", JPEG),
    DocumentType.proof_of_address: ("conta de luz.png", PNG),
}


async def send(
    api: Api, token: str | None, kind: str, content: bytes = PDF, name: str = "arquivo.pdf", **headers: str
) -> httpx.Response:
    """Upload one document."""
    sent = {key.replace("_", "-"): value for key, value in headers.items()}
    sent |= {"authorization": f"Bearer {token}"} if token else {}
    files = {"file": (name, content, "text/html")}  # The declared media type must not matter.
    return await api.client.post("/production/documents", data={"type": kind}, files=files, headers=sent)


BEGIN_UPLOAD = """mutation ($type: DocumentType!, $name: String!, $size: Int!) {
    beginDocumentUpload(type: $type, fileName: $name, size: $size) { url expiresAt } }"""
BEGIN_DOWNLOAD = """mutation ($merchant: ID!, $document: ID!) {
    documentDownload(merchantId: $merchant, documentId: $document) { url fileName expiresAt } }"""


async def begin_upload(
    merchant: Merchant, kind: str = "proof_of_address", name: str = "conta.pdf", size: int = len(PDF)
) -> httpx.Response:
    """Get a ticket for one document."""
    body = {"query": BEGIN_UPLOAD, "variables": {"type": kind, "name": name, "size": size}}
    return await merchant.api.post("/graphql", body, token=merchant.token)


async def begin_download(staff: Merchant, merchant: Merchant, document_id: str) -> httpx.Response:
    """Get the address of one document's file."""
    body = {"query": BEGIN_DOWNLOAD, "variables": {"merchant": merchant.id, "document": document_id}}
    return await staff.api.post("/graphql", body, token=staff.token)


async def prepare(merchant: Merchant) -> dict[str, dict[str, Any]]:
    """Send everything that a production request needs; returns the documents by type."""
    accepted = await merchant.api.put("/auth/profile", {"accept_production_terms": True}, token=merchant.token)
    assert accepted.status_code == 200, accepted.text
    documents = {}
    for kind, (name, content) in FILES.items():
        answer = await send(merchant.api, merchant.token, kind, content, name)
        assert answer.status_code == 201, answer.text
        documents[kind.value] = answer.json()["data"]
    return documents


async def apply(merchant: Merchant) -> dict[str, dict[str, Any]]:
    """Prepare everything and request approval; returns the documents by type."""
    documents = await prepare(merchant)
    requested = await merchant.api.post("/production/request", token=merchant.token)
    assert requested.status_code == 200, requested.text
    return documents


async def staff_member(api: Api, services: Services, **changes: Any) -> Merchant:
    """A platform admin's account."""
    member = await api.register_merchant(name="Bia Equipe", **changes)
    await set_staff(system_context(services, source="job", request_id=new_id()), member.email, staff=True)
    return member


async def decide(staff: Merchant, merchant: Merchant, action: str, **body: Any) -> httpx.Response:
    """Review the merchant: `aprovar`, `recusar`, `suspender` or `reativar`."""
    return await staff.api.post(f"/admin/lojistas/{merchant.id}/{action}", body or None, token=staff.token)
