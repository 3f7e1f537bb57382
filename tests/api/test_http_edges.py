"""Errors of HTTP have one form on every path, including GraphQL and unknown paths; no framework's text is returned."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from ipaddress import ip_network
from typing import Any

import httpx
import orjson
import pytest
import uvicorn
from msgspec.structs import replace
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from gateway.app import Gateway
from gateway.http.protocol import MAX_HEAD_BYTES, HttpProtocol
from gateway.resolvers.core.context import Services
from gateway.rest_compat.routes import ENDPOINTS
from gateway.settings import Settings
from tests.api_client import PASSWORD, Api, Merchant
from tests.live_server import served

TOO_LARGE = 1024 * 1024 + 1
JSON = {"content-type": "application/json"}

TRANSPORTS = ["/pix", "/auth/login", "/graphql"]


class ShortTimeout(HttpProtocol):
    """The gateway's protocol with a read timeout of a quarter of a second."""

    read_timeout = 0.25


@pytest.fixture
async def address(settings: Settings, services: Services) -> AsyncIterator[tuple[str, int]]:
    """The application behind the real server of `gateway serve`, with proxies on this machine trusted."""
    trusting = settings.model_copy(update={"trusted_proxies": (ip_network("127.0.0.0/8"),)})
    async with served(Gateway(trusting, replace(services, settings=trusting))) as address:
        yield address


def assert_error(answer: httpx.Response, status: int) -> dict[str, Any]:
    """The error of a response, in the standard form and with the standard headers. GraphQL's is in `errors`."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-service-version"] == "2.0.0"
    assert len(answer.headers["x-request-id"]) == 36
    body = answer.json()
    if answer.request.url.path == "/graphql":
        assert list(body) == ["errors"]
        (error,) = body["errors"]
        assert error["message"]
        assert error["extensions"]["status"] == status
        merged: dict[str, Any] = error["extensions"] | {"message": error["message"]}
        return merged
    assert list(body) == ["error"]
    assert body["error"]["message"]
    error: dict[str, Any] = body["error"]
    return error


@pytest.mark.parametrize(
    "path",
    [
        *("/nothing", "/pix/a/b", "/%00", "/auth", "/docs/assets/x/y", "/graphql/assets/x/y", "/docs/x"),
        *("/pay/c/a%0d%0aX:1", "/a%0ab"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_an_unknown_path_is_404(api: Api, method: str, path: str) -> None:
    answer = await api.client.request(method, path)
    if "/assets/" in path and method != "GET":
        assert_error(answer, 405)
    else:
        assert_error(answer, 404)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/pix", "GET, HEAD, POST"),
        ("PATCH", "/auth/profile", "PUT"),
        ("DELETE", "/charges/0198f3c2-5d0e-7c31-8000-000000000000", "GET, HEAD"),
        ("POST", "/health", "GET, HEAD"),
        ("POST", "/docs", "GET, HEAD"),
        ("OPTIONS", "/pix/cancel", "POST"),
        ("TRACE", "/pix", "GET, HEAD, POST"),
        ("PUT", "/graphql", "GET, HEAD, POST"),
        ("OPTIONS", "/graphql", "GET, HEAD, POST"),
    ],
)
async def test_a_wrong_method_is_405_with_allow(api: Api, method: str, path: str, allowed: str) -> None:
    answer = await api.client.request(method, path)
    assert_error(answer, 405)
    assert answer.headers["allow"] == allowed


@pytest.mark.parametrize("path", TRANSPORTS)
@pytest.mark.parametrize("body", [b"{", b'{"a":1,}', b"[1]", b'"x"', b"\xff\xfe", b'{"a":1,"a":2}', b"nul", b"1e400"])
async def test_a_malformed_body_is_400(api: Api, merchant: Merchant, path: str, body: bytes) -> None:
    headers = JSON | {"authorization": f"Bearer {merchant.key}"}
    assert_error(await api.client.post(path, content=body, headers=headers), 400)


REPEATED = b"{%b}" % b",".join(b'"%d":0' % number for number in [*range(40_000), 39_999])
DEEP = b'{"a":%b,"a":1}' % (b"[" * 1000 + b"]" * 1000)


@pytest.mark.parametrize("path", TRANSPORTS)
async def test_repeated_keys_are_found_in_linear_time(api: Api, merchant: Merchant, path: str) -> None:
    headers = JSON | {"authorization": f"Bearer {merchant.key}"}
    started = time.thread_time()
    for body, word in ((REPEATED, "39999"), (DEEP, "profundo")):
        assert word in assert_error(await api.client.post(path, content=body, headers=headers), 400)["message"]
    assert time.thread_time() - started < 5  # A quadratic comparison takes half a minute.


@pytest.mark.parametrize("path", TRANSPORTS)
@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data"]
)
async def test_another_content_type_is_415(api: Api, merchant: Merchant, path: str, kind: str) -> None:
    headers = {"content-type": kind, "authorization": f"Bearer {merchant.key}"}
    assert_error(await api.client.post(path, content=b'{"query":"{me{user{id}}}"}', headers=headers), 415)


@pytest.mark.parametrize("path", [*TRANSPORTS, "/nothing", "/health"])
async def test_an_announced_body_over_a_mebibyte_is_413_on_any_path(api: Api, path: str) -> None:
    assert_error(await api.client.post(path, content=b"x" * TOO_LARGE, headers=JSON), 413)


@pytest.mark.parametrize("path", TRANSPORTS)
async def test_an_unannounced_body_over_a_mebibyte_is_413(api: Api, merchant: Merchant, path: str) -> None:
    headers = JSON | {"authorization": f"Bearer {merchant.key}"}
    assert_error(await api.client.post(path, content=_chunks(), headers=headers), 413)


async def _chunks() -> AsyncIterator[bytes]:
    for _ in range(17):
        yield b" " * 65_536


async def test_a_chunked_body_over_a_mebibyte_is_413_behind_the_real_server(
    address: tuple[str, int], merchant: Merchant
) -> None:
    host, port = address
    async with httpx.AsyncClient(base_url=f"http://{host}:{port}") as client:
        for path in TRANSPORTS:
            headers = JSON | {"authorization": f"Bearer {merchant.key}"}
            assert_error(await client.post(path, content=_chunks(), headers=headers), 413)
        assert_error(await client.post("/pix", content=b" " * TOO_LARGE, headers=JSON), 413)


async def test_a_body_just_under_the_limit_is_read(api: Api, merchant: Merchant) -> None:
    body = orjson.dumps({"metadata": {"x": "y"}}).ljust(1024 * 1024)
    headers = JSON | {"authorization": f"Bearer {merchant.key}"}
    error = assert_error(await api.client.post("/pix", content=body, headers=headers), 400)
    assert {field["campo"] for field in error["campos"]} >= {"amount", "description"}


@pytest.mark.parametrize("request_line", [b"GARBAGE\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /\x00 HTTP/1.1\r\n\r\n"])
async def test_invalid_http_gets_the_standard_error(address: tuple[str, int], request_line: bytes) -> None:
    head, body = await _raw(address, request_line)
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"x-request-id: " in head
    assert list(orjson.loads(body)) == ["error"]


def _just_too_long(start: bytes) -> bytes:
    """One byte over the limit: closing with unread bytes would reset the connection and lose the response."""
    return start.ljust(MAX_HEAD_BYTES + 1, b"x")


HEADS_WITHOUT_END = {
    "a path": _just_too_long(b"GET /"),
    "a header": _just_too_long(b"GET /health HTTP/1.1\r\nx: "),
    "a header's name": _just_too_long(b"GET /health HTTP/1.1\r\n"),
    "nothing but line ends": (b"\r\n" * MAX_HEAD_BYTES)[: MAX_HEAD_BYTES + 1],
}


@pytest.mark.parametrize("head", HEADS_WITHOUT_END.values(), ids=HEADS_WITHOUT_END.keys())
async def test_an_endless_head_is_431_after_64_kib(address: tuple[str, int], head: bytes) -> None:
    response_head, body = await _raw(address, head)
    assert response_head.startswith(b"HTTP/1.1 431 ")
    assert b"x-request-id: " in response_head
    assert list(orjson.loads(body)) == ["error"]


OK = b"GET /health/live HTTP/1.1\r\n"
TO_LOGIN = b"POST /auth/login HTTP/1.1\r\nhost: gateway.test\r\n"
NO_CHUNKS = b"\r\n\r\n0\r\n\r\n"
AMBIGUOUS = {
    "no host": OK + b"\r\n",
    "two hosts": OK + b"host: a\r\nhost: a\r\n\r\n",
    "an empty host": OK + b"host:\r\n\r\n",
    "a host of two words": OK + b"host: a b\r\n\r\n",
    "a list of hosts": OK + b"host: a, b\r\n\r\n",
    "a host with a path": OK + b"host: a/b\r\n\r\n",
    "a host with a user": OK + b"host: u@a\r\n\r\n",
    "a host with half an escape": OK + b"host: a%zz\r\n\r\n",
    "a host in brackets that is no address": OK + b"host: [:1]\r\n\r\n",
    "a host with a port beyond all": OK + b"host: a:65536\r\n\r\n",
    "a host with a port that is none": OK + b"host: a:b\r\n\r\n",
    "two codings": TO_LOGIN + b"transfer-encoding: gzip, chunked" + NO_CHUNKS,
    "two lines of codings": TO_LOGIN + b"transfer-encoding: gzip\r\ntransfer-encoding: chunked" + NO_CHUNKS,
    "chunked twice": TO_LOGIN + b"transfer-encoding: chunked\r\ntransfer-encoding: chunked" + NO_CHUNKS,
    "another coding": TO_LOGIN + b"transfer-encoding: identity" + NO_CHUNKS,
    "a length and chunks": TO_LOGIN + b"content-length: 5\r\ntransfer-encoding: chunked" + NO_CHUNKS,
    "chunks and a length": TO_LOGIN + b"transfer-encoding: chunked\r\ncontent-length: 5" + NO_CHUNKS,
    "chunks in HTTP/1.0": TO_LOGIN.replace(b"1.1", b"1.0") + b"transfer-encoding: chunked" + NO_CHUNKS,
    "two lengths": TO_LOGIN + b"content-length: 0\r\ncontent-length: 1\r\n\r\n",
    "a folded header": OK + b"host: a\r\nx: b\r\n c\r\n\r\n",
    "line feeds alone": b"GET /health/live HTTP/1.1\nhost: a\n\n",
    "a line feed after a header": OK + b"host: a\r\nx: b\ny: c\r\n\r\n",
    "a line feed after a chunk's size": TO_LOGIN + b"transfer-encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n",
    "a blank before the colon": OK + b"host: a\r\nx : b\r\n\r\n",
    "HTTP/2.0 in text": OK.replace(b"1.1", b"2.0") + b"host: a\r\n\r\n",
    "an address that is none": b"GET http://[::1/x HTTP/1.1\r\nhost: a\r\n\r\n",
    "a tunnel": b"CONNECT a:80 HTTP/1.1\r\nhost: a\r\n\r\n",
}


@pytest.mark.parametrize("request_", AMBIGUOUS.values(), ids=AMBIGUOUS.keys())
async def test_ambiguous_requests_are_400_and_close_the_connection(address: tuple[str, int], request_: bytes) -> None:
    head, body = await _raw(address, request_)
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"\r\nconnection: close\r\n" in head
    assert list(orjson.loads(body)) == ["error"]


@pytest.mark.parametrize(
    "host", [b"gateway.test", b"gateway.test:8000", b"127.0.0.1:8000", b"[::1]:8000", b"a_b.test", b"xn--caf-dma.test."]
)
async def test_any_well_formed_host_is_served(address: tuple[str, int], host: bytes) -> None:
    head, _ = await _raw(address, OK + b"connection: close\r\nhost: %b\r\n\r\n" % host)
    assert head.startswith(b"HTTP/1.1 200 ")


async def test_http_1_0_needs_no_host(address: tuple[str, int]) -> None:
    head, _ = await _raw(address, b"GET /health/live HTTP/1.0\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("path", [b"/health/live", b"/graphql", b"/docs", b"/pay/x", b"/nothing"])
async def test_more_than_a_hundred_headers_are_431(address: tuple[str, int], path: bytes) -> None:
    line = b"GET %b HTTP/1.1\r\nhost: a\r\nconnection: close\r\n" % path
    head, _ = await _raw(address, line + b"a:\r\n" * 98 + b"\r\n")
    assert not head.startswith(b"HTTP/1.1 431 ")
    head, body = await _raw(address, line + b"a:\r\n" * 99 + b"\r\n")
    assert head.startswith(b"HTTP/1.1 431 ")
    if path == b"/graphql":
        [error] = orjson.loads(body)["errors"]
        assert error["extensions"] == {"status": 431}
    else:
        assert list(orjson.loads(body)) == ["error"]


async def test_more_than_a_hundred_trailers_are_431(address: tuple[str, int]) -> None:
    chunks = b"transfer-encoding: chunked\r\n\r\n0\r\n"
    head, _ = await _raw(address, TO_LOGIN + chunks + b"a:\r\n" * 101 + b"\r\n")
    assert head.startswith(b"HTTP/1.1 431 ")


async def test_a_body_of_tiny_chunks_is_refused_and_one_of_usual_chunks_is_not(address: tuple[str, int]) -> None:
    start = TO_LOGIN + b"connection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    tiny, usual = b"1\r\n \r\n" * 1001, b"100\r\n%b\r\n" % (b" " * 256) * 2000
    for chunks, message in ((tiny, "pedaços"), (usual, "email")):
        head, body = await _raw(address, start + chunks + b"2\r\n{}\r\n0\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert message in orjson.loads(body)["error"]["message"]


async def test_an_error_waits_for_the_response_to_an_earlier_request() -> None:
    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.2)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async with served(app) as address:
        assert await _raw(address, OK + b"host: a\r\n\r\n" + OK + b"host: a b\r\n\r\n") == (b"", b"")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content-type": "application/json; charset=utf-8"}, 201),
        ({"content-type": 'application/json;charset="UTF-8"'}, 201),
        ({"content-type": "application/json; charset=us-ascii"}, 201),
        ({"content-type": "application/json; charset=utf-16"}, 415),
        ({"content-type": "application/json; charset=iso-8859-1"}, 415),
        ({"content-type": "application/json; profile=x; charset='latin1'"}, 415),
        (JSON | {"content-encoding": "identity"}, 201),
        (JSON | {"content-encoding": "gzip"}, 415),
        (JSON | {"content-encoding": "br"}, 415),
        (JSON | {"content-encoding": "gzip, identity"}, 415),
    ],
)
async def test_a_body_in_another_encoding_is_415(
    api: Api, merchant: Merchant, headers: dict[str, str], status: int
) -> None:
    sent = headers | {"authorization": f"Bearer {merchant.key}"}
    answer = await api.client.post("/customers", content=b'{"name": "Maria"}', headers=sent)
    assert answer.status_code == status, answer.text
    if status == 415:
        assert_error(answer, 415)


async def test_a_body_may_begin_with_a_byte_order_mark(api: Api, merchant: Merchant) -> None:
    headers = JSON | {"authorization": f"Bearer {merchant.key}"}
    answer = await api.client.post("/customers", content=b'\xef\xbb\xbf{"name": "Maria"}', headers=headers)
    assert answer.status_code == 201, answer.text
    assert_error(await api.client.post("/customers", content='{"name": "a"}'.encode("utf-16"), headers=headers), 400)


async def test_location_leads_to_the_created_object(api: Api, merchant: Merchant) -> None:
    customer = await api.post("/customers", {"name": "Maria"}, token=merchant.key, idempotency_key="um")
    again = await api.post("/customers", {"name": "Maria"}, token=merchant.key, idempotency_key="um")
    product = await api.post("/products", {"name": "Caneca", "price": 40}, token=merchant.key)
    link = await api.post("/payment-links", {"title": "Aula", "amount": 80}, token=merchant.token)
    for answer in (customer, again, product, link):
        assert answer.status_code == 201, answer.text
        found = await api.get(answer.headers["location"], token=merchant.key)
        assert found.json()["data"]["id"] == answer.json()["data"]["id"]
    assert again.headers["idempotent-replayed"] == "true"


def test_every_creation_has_a_readable_location() -> None:
    reads = {_nameless(endpoint.path) for endpoint in ENDPOINTS if endpoint.method == "GET"}
    for endpoint in ENDPOINTS:
        if endpoint.status == 201:
            assert _nameless(endpoint.location or "") in reads, endpoint.path


def _nameless(path: str) -> str:
    return re.sub(r"{\w+}", "{}", path)


async def _raw(address: tuple[str, int], request: bytes) -> tuple[bytes, bytes]:
    """Head and body of the response, read until the server closes."""
    reader, writer = await asyncio.open_connection(*address)
    writer.write(request)
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    return head, body


class FakeTransport(asyncio.Transport):
    """A transport that records the written bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.closed = False

    def write(self, data: Any) -> None:
        self.written += data

    def pause_reading(self) -> None:
        """Ignored: the test controls the input."""

    def resume_reading(self) -> None:
        """Ignored, as above."""

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


async def test_only_heads_are_limited_in_any_split() -> None:
    started: list[str] = []

    async def app(scope: Scope, _receive: Receive, send: Send) -> None:
        started.append(scope["path"])
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    config = uvicorn.Config(app, ws="none", lifespan="off", log_config=None)
    config.load()

    async def respond(*parts: bytes) -> bytes:
        protocol, wire = HttpProtocol(config, ServerState(), {}), FakeTransport()
        protocol.connection_made(wire)
        for part in parts:
            if not wire.is_closing():
                protocol.data_received(part)
        while protocol.tasks:
            await asyncio.gather(*protocol.tasks)
        protocol.connection_lost(None)
        return wire.written

    header = b"x-long: " + b"a" * (MAX_HEAD_BYTES - 100) + b"\r\n"
    long, longer = (b"GET /%d HTTP/1.1\r\nhost: a\r\n" % count + header * count + b"\r\n" for count in (1, 2))
    upload = b"POST /upload HTTP/1.1\r\nhost: a\r\ncontent-length: 300000\r\n\r\n" + b"x" * 300_000
    assert (await respond(long)).startswith(b"HTTP/1.1 204 ")
    assert (await respond(long[:70], long[70:], upload)).count(b"HTTP/1.1 204 ") == 2
    assert (await respond(upload[:100], upload[100:200_000], upload[200_000:])).startswith(b"HTTP/1.1 204 ")
    assert (await respond(longer)).startswith(b"HTTP/1.1 431 ")
    assert (await respond(long[:70], longer[70:])).startswith(b"HTTP/1.1 431 ")
    trailers = b"POST /trailers HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\n"
    assert b"HTTP/1.1 431 " in await respond(trailers, header, header)
    assert started == ["/1", "/1", "/upload", "/upload", "/trailers"]


SLOW_BODY = (
    b"POST /auth/login HTTP/1.1\r\nhost: gateway.test\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
)


@pytest.mark.parametrize("part", [b"G", b"GET /pix HTTP/1.1\r\nhost: gateway.test\r\nx-slow", SLOW_BODY % 2 + b"{"])
async def test_an_incomplete_request_is_408(settings: Settings, services: Services, part: bytes) -> None:
    async with served(Gateway(settings, services), ShortTimeout) as address:
        head, body = await _raw(address, part)
        assert head.startswith(b"HTTP/1.1 408 ")
        assert b"\r\nx-content-type-options: nosniff\r\n" in head
        assert list(orjson.loads(body)) == ["error"]
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"HEAD /health/live HTTP/1.1\r\nhost: gateway.test\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        writer.write(part)
        assert (await reader.read()).startswith(b"HTTP/1.1 408 ")
        writer.close()


async def test_an_idle_connection_is_closed(settings: Settings, services: Services) -> None:
    async with served(Gateway(settings, services), ShortTimeout) as address:
        assert await _raw(address, b"") == (b"", b"")


async def test_the_read_timeout_grows_with_the_received_bytes(settings: Settings, services: Services) -> None:
    spaces = b" " * 30_000  # A minute at the minimum rate.
    async with served(Gateway(settings, services), ShortTimeout) as address:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(SLOW_BODY % (len(spaces) + 2) + spaces)
        await asyncio.sleep(3 * ShortTimeout.read_timeout)
        writer.write(b"{}")
        assert (await reader.readline()).startswith(b"HTTP/1.1 400 ")
        writer.close()


async def test_a_slow_response_has_no_timeout() -> None:
    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(3 * ShortTimeout.read_timeout)
        await send({"type": "http.response.body", "body": b"late"})

    async with served(app, ShortTimeout) as address:
        head, body = await _raw(address, b"GET / HTTP/1.1\r\nhost: gateway.test\r\nconnection: close\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        assert b"late" in body


async def test_trailers_are_not_headers(address: tuple[str, int], merchant: Merchant) -> None:
    """A proxy sets the client's address in a header, while the client may send any trailers."""
    body = orjson.dumps({"email": merchant.email, "password": PASSWORD})
    chunk = b"%x\r\n%b\r\n0\r\n" % (len(body), body)
    head = (
        b"host: gateway.test\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n"
    )
    by_proxy = b"x-forwarded-for: 198.51.100.7\r\n\r\n"
    forged = b"x-forwarded-for: 203.0.113.9\r\nauthorization: Bearer %b\r\n\r\n" % merchant.token.encode()

    response_head, answer = await _raw(address, b"POST /auth/login HTTP/1.1\r\n" + head + by_proxy + chunk + forged)
    assert response_head.startswith(b"HTTP/1.1 200 "), answer
    token = orjson.loads(answer)["data"]["accessToken"]
    sessions = (await merchant.api.get("/auth/sessions", token=token)).json()["data"]
    assert [session["ip"] for session in sessions if session["current"]] == ["198.51.100.7"]

    response_head, _ = await _raw(address, b"POST /customers HTTP/1.1\r\n" + head + by_proxy + chunk + forged)
    assert response_head.startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize(
    "path", ["/health", "/HEALTH", "/Health/", "/health//", "/hEaLtH/LIVE/", "/OpenAPI.json", "/DOCS/"]
)
async def test_letter_case_and_trailing_slashes_do_not_matter(api: Api, path: str) -> None:
    answer = await api.get(path)
    assert answer.status_code == 200
    assert "location" not in answer.headers


@pytest.mark.parametrize("path", ["/graphql", "/graphql/", "/GraphQL", "/GRAPHQL/"])
async def test_graphql_s_path_ignores_case_and_trailing_slashes(api: Api, merchant: Merchant, path: str) -> None:
    answer = await api.post(path, {"query": "{ me { environment } }"}, token=merchant.key)
    assert answer.json() == {"data": {"me": {"environment": "test"}}}
    page = await api.get(path, accept="text/html")
    assert page.headers["content-type"].startswith("text/html")


async def test_rules_follow_the_operation_and_not_the_spelling_of_its_path(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue()
    assert (await api.get(f"/PIX/{charge['id']}/")).status_code == 401
    assert (await api.get(f"/PIX/{charge['id']}/", token=merchant.key)).status_code == 200
    assert (await api.post("/API-KEYS/", {"name": "x"}, token=merchant.key)).status_code == 403


async def test_head_answers_like_get_without_a_body(address: tuple[str, int]) -> None:
    host, port = address
    async with httpx.AsyncClient(base_url=f"http://{host}:{port}") as client:
        for path in ("/health/live", "/docs", "/openapi.json"):
            for coding in ("identity", "gzip"):
                got = await client.get(path, headers={"accept-encoding": coding})
                head = await client.head(path, headers={"accept-encoding": coding})
                assert (head.status_code, head.content) == (200, b"")
                assert head.headers["content-length"] == str(got.num_bytes_downloaded)
                assert head.headers.get("content-encoding") == got.headers.get("content-encoding")
        assert (await client.head("/auth/login")).headers["allow"] == "POST"


async def test_a_harmless_request_id_is_used(api: Api) -> None:
    assert (await api.get("/health/live", x_request_id="order-4711.a_b")).headers["x-request-id"] == "order-4711.a_b"
    for strange in ("short", "x" * 65, "with space", 'quote"quote', "new\tline"):
        answer = await api.get("/health/live", x_request_id=strange)
        assert len(answer.headers["x-request-id"]) == 36


@pytest.mark.parametrize(
    ("name", "first", "status"),
    [("Idempotency-Key", "um", 400), ("Authorization", "Bearer nada", 401), ("x-store", "outra", 400)],
)
async def test_repeated_headers_are_not_reduced_to_the_last(
    api: Api, merchant: Merchant, name: str, first: str, status: int
) -> None:
    right = {"Authorization": f"Bearer {merchant.token}", "Idempotency-Key": "outro", "x-store": merchant.id}
    order = {"name": "Caneca", "price": 49.9}
    created = await api.client.post("/products", headers=right, json=order)
    assert created.status_code == 201, created.text
    answer = await api.client.post("/products", headers=[(name, first), *right.items()], json=order)
    assert answer.status_code == status, answer.text


async def test_every_answer_carries_the_security_headers(api: Api) -> None:
    for answer in (await api.get("/health/live"), await api.get("/nothing"), await api.get("/auth/me")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    page = await api.get("/docs")
    assert page.headers.get_list("content-security-policy")[0].startswith("default-src 'none'; script-src 'self'")
    assert len(page.headers.get_list("content-security-policy")) == 1
    assert len(page.headers.get_list("x-content-type-options")) == 1


async def test_cors_is_off_unless_origins_are_set(api: Api) -> None:
    answer = await api.get("/health/live", origin="https://painel.example")
    assert "access-control-allow-origin" not in answer.headers
    preflight = {"origin": "https://painel.example", "access-control-request-method": "POST"}
    assert_error(await api.client.options("/pix", headers=preflight), 405)


async def test_cors_admits_the_origins_of_the_setting_and_no_other(settings: Settings, services: Services) -> None:
    origins = settings.model_copy(update={"cors_origins": ("https://painel.example",)})
    preflight = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,idempotency-key",
    }
    async with Api.of(Gateway(origins, services)) as api:
        admitted = await api.client.options("/pix", headers=preflight | {"origin": "https://painel.example"})
        assert (admitted.status_code, admitted.content) == (204, b"")
        assert len(admitted.headers["x-request-id"]) == 36
        assert admitted.headers["access-control-allow-origin"] == "https://painel.example"
        assert "idempotency-key" in admitted.headers["access-control-allow-headers"]
        tracing = preflight | {"access-control-request-headers": "traceparent,baggage,x-apollo-operation-name"}
        traced = await api.client.options("/pix", headers=tracing | {"origin": "https://painel.example"})
        assert (traced.status_code, traced.headers["access-control-allow-headers"]) == (
            204,
            "traceparent,baggage,x-apollo-operation-name",
        )
        assert "access-control-allow-credentials" not in admitted.headers
        head = preflight | {"access-control-request-method": "HEAD", "origin": "https://painel.example"}
        assert (await api.client.options("/pix", headers=head)).status_code == 204

        answer = await api.get("/auth/me", origin="https://painel.example")
        assert answer.status_code == 401
        assert answer.headers["access-control-allow-origin"] == "https://painel.example"
        exposed = answer.headers["access-control-expose-headers"]
        assert "x-request-id" in exposed
        assert "content-disposition" in exposed

        for path in ("/pix", "/graphql"):
            stranger = await api.client.options(path, headers=preflight | {"origin": "https://evil.example"})
            assert_error(stranger, 400)
            assert "access-control-allow-origin" not in stranger.headers
        foreign = await api.get("/health/live", origin="https://evil.example")
        assert "access-control-allow-origin" not in foreign.headers


async def test_cors_headers_are_on_errors_before_any_transport(settings: Settings, services: Services) -> None:
    origins = settings.model_copy(update={"cors_origins": ("https://painel.example",)})
    broken = replace(services, limiter=None)  # Causes an unexpected error.
    async with Api.of(Gateway(origins, broken)) as api:
        headers = JSON | {"origin": "https://painel.example"}
        large = await api.client.post("/pix", content=b"x" * TOO_LARGE, headers=headers)
        failed = await api.client.post("/auth/login", json={"email": "a@example.com", "password": "x"}, headers=headers)
        stranger = await api.client.post(
            "/pix", content=b"x" * TOO_LARGE, headers=JSON | {"origin": "https://evil.example"}
        )

    assert_error(large, 413)
    assert assert_error(failed, 500)["id"] == failed.headers["x-request-id"]
    for answer in (large, failed):
        assert answer.headers.get_list("access-control-allow-origin") == ["https://painel.example"]
        assert "x-request-id" in answer.headers["access-control-expose-headers"]
    assert "access-control-allow-origin" not in stranger.headers
