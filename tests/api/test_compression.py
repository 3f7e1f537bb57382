"""Responses of a kilobyte or more are gzipped if the client accepts it, except streams and compressed formats."""

import gzip
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.http.compression import MIN_COMPRESSED_BYTES, CompressingSend, takes_gzip
from gateway.http.static_files import StaticResponse
from tests.api_client import Api, Merchant


@pytest.mark.parametrize(
    ("accepted", "gzipped"),
    [
        *(("gzip", True), ("GZIP", True), ("deflate, gzip;q=0.5", True), ("*", True), ("x-gzip", True)),
        *(("gzip;q=0", False), ("gzip;q=0.000, br", False), ("*;q=0", False), ("*, gzip;q=0", False)),
        *(("", False), ("br", False), ("identity", False), ("gzip;q=0.5, identity;q=1", False)),
        *(("gzip;q=1.0, identity;q=0.5", True), ("gzip; q=0.3", True), ("gzip;q=x", False)),
    ],
)
def test_accept_encoding_is_read_with_its_weights(accepted: str, gzipped: bool) -> None:
    assert takes_gzip(accepted) is gzipped


async def raw(api: Api, path: str, accepted: str, **headers: str) -> tuple[httpx.Response, bytes]:
    """A response, and its body as sent."""
    async with api.client.stream("GET", path, headers={"accept-encoding": accepted, **headers}) as answer:
        body = b"".join([part async for part in answer.aiter_raw()])
    return answer, body


async def test_a_list_is_compressed_and_varies_by_accept_encoding(api: Api, merchant: Merchant) -> None:
    for _ in range(3):
        await merchant.issue()
    bearer = {"authorization": f"Bearer {merchant.key}"}
    plain, whole = await raw(api, "/pix?limit=100", "identity", **bearer)
    packed, body = await raw(api, "/pix?limit=100", "gzip", **bearer)
    assert len(whole) >= MIN_COMPRESSED_BYTES
    assert gzip.decompress(body) == whole
    assert len(body) < len(whole) / 2
    assert ("content-encoding" in plain.headers, packed.headers["content-encoding"]) == (False, "gzip")
    assert packed.headers["content-length"] == str(len(body))
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"
    assert packed.headers["cache-control"] == "no-store"


async def test_short_responses_are_not_compressed(api: Api, merchant: Merchant) -> None:
    answer, body = await raw(api, "/health/live", "gzip")
    assert "content-encoding" not in answer.headers
    assert len(body) < MIN_COMPRESSED_BYTES


async def test_graphql_and_pages_are_compressed_and_a_csv_is_not(api: Api, merchant: Merchant) -> None:
    link = (await api.post("/payment-links", {"title": "Aula", "amount": 80}, token=merchant.token)).json()["data"]
    page, _ = await raw(api, f"/pay/{link['slug']}", "gzip")
    assert page.headers["content-encoding"] == "gzip"
    query = {"query": "{ __schema { types { name description } } }"}
    answer = await api.client.post("/graphql", json=query, headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    for _ in range(5):
        await merchant.issue()
    file, body = await raw(api, "/pix", "gzip", authorization=f"Bearer {merchant.key}", accept="text/csv")
    assert "content-encoding" not in file.headers
    assert len(body) > MIN_COMPRESSED_BYTES


@pytest.mark.parametrize(
    ("headers", "encoded"),
    [
        ({b"content-type": b"application/json", b"etag": b'"a"'}, True),
        ({b"content-type": b"image/svg+xml"}, True),
        ({b"content-type": b"application/graphql-response+json; charset=utf-8"}, True),
        ({b"content-type": b"image/png"}, False),
        ({b"content-type": b"application/pdf"}, False),
        ({b"content-type": b"text/event-stream"}, False),
        ({b"content-type": b"text/html", b"content-encoding": b"br"}, False),
    ],
)
async def test_compressible_types_only(headers: dict[bytes, bytes], encoded: bool) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    sending = CompressingSend(send, b"gzip")
    body = b"a" * MIN_COMPRESSED_BYTES
    start = [*headers.items(), (b"content-length", b"%d" % len(body))]
    await sending({"type": "http.response.start", "status": 200, "headers": start})
    await sending({"type": "http.response.body", "body": body})
    sent_headers = dict(sent[0]["headers"])
    assert (sent_headers.get(b"content-encoding") == b"gzip") is encoded
    assert (sent[1]["body"] != body) is encoded
    assert not sending.is_waiting
    if b"etag" in headers:
        assert sent_headers[b"etag"] == b'W/"a"'


@pytest.mark.parametrize("path", ["/openapi.json", "/docs", "/docs/ambiente-de-teste"])
async def test_a_matching_etag_is_not_modified(api: Api, path: str) -> None:
    plain = await api.get(path, accept_encoding="identity")
    packed = await api.get(path, accept_encoding="gzip")
    tags = [answer.headers["etag"] for answer in (plain, packed)]
    assert len(set(tags)) == 2
    for known in (*tags, f"W/{tags[0]}", f'"another", {tags[1]}', "*"):
        again = await api.get(path, if_none_match=known, accept_encoding="identity")
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tags[0])
        assert again.headers["vary"] == "Accept-Encoding"
    assert (await api.get(path, if_none_match='"another"')).status_code == 200


async def test_assets_have_an_etag(api: Api) -> None:
    page = await api.get("/docs")
    script = next(part.split('"')[1] for part in page.text.split("src=")[1:] if "reference.js" in part)
    etag = (await api.get(script)).headers["etag"]
    again = await api.get(script, if_none_match=etag)
    assert again.status_code == 304
    assert "immutable" in again.headers["cache-control"]


def test_another_content_has_another_etag() -> None:
    tags = {StaticResponse(content, "text/plain", {}).headers["etag"] for content in (b"a", b"b")}
    assert len(tags) == 2


def test_the_proxy_in_front_compresses_no_stream() -> None:
    caddyfile = (Path(__file__).parents[2] / "deploy" / "Caddyfile").read_text()
    kinds = re.findall(r"header Content-Type (\S+)", caddyfile.partition("encode zstd gzip {")[2])
    assert "application/json*" in kinds
    assert [kind for kind in kinds if "event-stream" in kind or "csv" in kind or kind.startswith("text/*")] == []
