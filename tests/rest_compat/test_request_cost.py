"""The CPU time of the most expensive request of each kind on a real `gateway serve`.

A request may take 250 ms, an anonymous one 100 ms. Each is sent several times, as the kernel counts CPU in hundredths
of a second, and the bounds have a tolerance for slow and busy machines.
"""

import asyncio
import gzip
import os
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from msgspec import Struct

from gateway.settings import Settings
from tests.api_client import Merchant
from tests.ports import free_port

TIMES = 4
MARGIN = 2.0
MAX_SECONDS = 0.250 * MARGIN
MAX_ANONYMOUS_SECONDS = 0.100 * MARGIN
BODY = 1024 * 1024 - 64
HEAD = 60 * 1024
JSON = "content-type: application/json"


class ExpensiveRequest(Struct, frozen=True):
    """One request; its body is `body`, or is sent in `chunks`."""

    name: str
    target: str
    headers: tuple[str, ...] = ()
    body: bytes = b""
    method: str = "POST"
    chunks: bytes = b""
    anonymous: bool = True

    def raw(self, credential: str) -> bytes:
        lines = [f"{self.method} {self.target} HTTP/1.1", "Host: gateway.test", "Connection: close", *self.headers]
        if not self.anonymous:
            lines.append(f"Authorization: Bearer {credential}")
        if self.chunks:
            lines.append("Transfer-Encoding: chunked")
        elif self.method != "GET":
            lines.append(f"Content-Length: {len(self.body)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + (self.chunks or self.body)


def filled(opening: bytes, unit: bytes, closing: bytes, size: int = BODY) -> bytes:
    """As many units as fit into `size`, between `opening` and `closing`."""
    return opening + unit * ((size - len(opening) - len(closing)) // len(unit)) + closing


def numbered(unit: str, count: int) -> bytes:
    return ",".join(unit % number for number in range(count)).encode()


BODIES = {
    "deep arrays": b'{"email":' + b"[" * (BODY // 2 - 20) + b"]" * (BODY // 2 - 20) + b"}",
    "deep objects": filled(b"", b'{"a":', b"0"),
    "32 levels of arrays": b'{"email":' + b"[" * 30 + filled(b"[", b"0,", b"0]", BODY - 100) + b"]" * 30 + b"}",
    "an array of numbers": filled(b'{"email":[', b"0,", b"0]}"),
    "an array of arrays": filled(b'{"email":[', b"[],", b"0]}"),
    "an array of objects": filled(b'{"email":[', b"{},", b"0]}"),
    "objects with a key": filled(b'{"email":[', b'{"":0},', b"0]}"),
    "long decimals": filled(b'{"email":[', b"0.12345678901234567,", b"0]}"),
    "longer decimals": filled(b'{"email":[', b"1.%b," % (b"1" * 4000), b"0]}"),
    "a decimal of a megabyte": filled(b'{"email":1.', b"1", b"}"),
    "exponents": filled(b'{"email":[', b"1.234567890123456789e300,", b"0]}"),
    "huge exponents": filled(b'{"email":[', b"0.12345678901234567e-999999,", b"0]}"),
    "an infinite number": b'{"email":1e999999}',
    "long integers": filled(b'{"email":[', b"%b," % (b"9" * 18), b"0]}"),
    "integers of 5,000 digits": filled(b'{"email":[', b"%b," % (b"9" * 5000), b"0]}"),
    "an integer of a megabyte": filled(b'{"email":', b"9", b"}"),
    "a long text": filled(b'{"email":"', b"a", b'","password":"a"}'),
    "a text of escapes": filled(b'{"email":"', b"\\u0130", b'","password":"a"}'),
    "a text of quotes": filled(b'{"email":"', b'\\":', b'","password":"a"}'),
    "a text that folds": filled(b'{"email":"', "ﷺ".encode(), b'","password":"a"}'),
    "many keys": b"{" + numbered('"%d":0', 95_000) + b"}",
    "a repeated key": b"{" + numbered('"%d":0', 95_000) + b',"1":0}',
    "keys in texts": b"{" + numbered('"%d":"\\":"', 60_000) + b"}",
    "spaces": b"{" + b" " * (BODY - 2) + b"}",
    "arrays up to the bound": b'{"email":[' + b"[]," * 24_000 + b"0]}",
    "objects up to the bound": b'{"email":[' + b'{"":"\\":"},' * 24_000 + b"0]}",
    "keys up to the bound": b"{" + numbered('"%d":"aaaaaaaaaa"', 49_000) + b"}",
    "a repeated key up to the bound": b"{" + numbered('"%d":"\\":"', 49_000) + b',"1":0}',
    "long numbers up to the bound": b'{"email":[' + b"0.%b," % (b"9" * 1000) * 900 + b"0]}",
    "no JSON": b"a" * BODY,
    "nearly JSON": filled(b'{"email":[', b'{"":0},', b"0]"),
}


def anonymous() -> Iterator[ExpensiveRequest]:
    for name, body in BODIES.items():
        yield ExpensiveRequest(name, "/auth/login", (JSON,), body)
    yield ExpensiveRequest("tiny chunks", "/auth/login", (JSON,), chunks=b"1\r\n \r\n" * BODY + b"0\r\n\r\n")
    extended = b"1;" + b"a" * 60_000 + b"\r\n \r\n"
    yield ExpensiveRequest("chunk extensions", "/auth/login", (JSON,), chunks=extended * 100 + b"0\r\n\r\n")
    yield ExpensiveRequest("many headers", "/health/live", ("a:",) * 10_000 + ("a:b",), method="GET")
    yield ExpensiveRequest(
        "long headers", "/health/live", tuple(f"x-{i}: {'a' * 600}" for i in range(96)), method="GET"
    )
    yield ExpensiveRequest("a header in many lines", "/health/live", (f"x: {'a' * 600}",) * 96, method="GET")
    for name in (
        *("accept", "accept-encoding", "accept-language", "authorization", "cookie", "idempotency-key", "user-agent"),
        *("x-store", "x-request-id", "x-forwarded-for", "if-none-match", "origin", "traceparent"),
    ):
        for unit in ("a,", "a;q=0.1,", "text/csv;q=", " ", ";", '"', "\xe9"):
            header = f"{name}: {unit * (HEAD // len(unit))}"
            yield ExpensiveRequest(f"{name} of {unit!r}", "/openapi.json", (header,), method="GET")
    for unit in (";charset=utf-8", ";charset=", ";", " ", '"', ';a="b"'):
        kind = f"{JSON}{unit * (HEAD // len(unit))}"
        yield ExpensiveRequest(f"content-type of {unit!r}", "/auth/login", (kind,), b"{}")
        form = f"content-type: multipart/form-data{unit * (HEAD // len(unit))}"
        yield ExpensiveRequest(f"form of {unit!r}", "/production/documents", (form,), b"{}")
    blanks = f"{JSON};charset=a{' ' * HEAD}x"
    yield ExpensiveRequest("a charset that ends after many blanks", "/auth/login", (blanks,), b"{}")
    yield ExpensiveRequest("the same for GraphQL", "/graphql", (blanks,), b"{}")
    for unit in ("/", "a/", "%2f", "%C3%A9", "%c4%b0", "%00", "A", "..;/", "pix/"):
        yield ExpensiveRequest(f"a path of {unit}", "/" + unit * (HEAD // len(unit)), method="GET")
        yield ExpensiveRequest(f"a checkout path of {unit}", "/pay/" + unit * (HEAD // len(unit)), method="GET")
        yield ExpensiveRequest(f"a charge of {unit}", "/checkout/" + unit * (HEAD // len(unit)), method="GET")
    for unit in ("a&", "a=b&", "&", "=", "%C3%A9=%C3%A9&", "%", "+", "a[]=1&", ";"):
        query = unit * (HEAD // len(unit))
        yield ExpensiveRequest(f"a query of {unit}", f"/checkout/link/abcdefghij?{query}", method="GET")
    many = "&".join(f"a{number}={'b' * 500}" for number in range(100))
    yield ExpensiveRequest("100 parameters", f"/checkout/link/abcdefghij?{many}", method="GET")
    payer = b'{"customer_name":"%b","customer_email":"%b","customer_cpf":"%b"}'
    third = BODY // 3 - 40
    for unit in (b"a", b"a.", b"1", b" ", b"@", "é".encode(), "\u0130".encode(), "\u200b".encode()):
        text = unit * (third // len(unit))
        yield ExpensiveRequest(
            f"a payer of {unit!r}", "/checkout/link/abcdefghij/pay", (JSON,), payer % (text, text, text)
        )


def by_key() -> Iterator[ExpensiveRequest]:
    def post(name: str, target: str, body: bytes) -> ExpensiveRequest:
        return ExpensiveRequest(name, target, (JSON,), body, anonymous=False)

    for name in ("long decimals", "objects with a key", "a repeated key", "many keys", "a text of escapes"):
        yield post(f"an order with {name}", "/pix", BODIES[name])
    yield post("metadata of many pairs", "/pix", b'{"metadata":{' + numbered('"%d":"0"', 49_000) + b"}}")
    yield post("metadata of long pairs", "/pix", b'{"metadata":{' + numbered('"%d' + "a" * 50_000 + '":0', 20) + b"}}")
    for unit in (b"0,", b'"",', b"null,", b'"0198f3b9-0d4c-7b55-8a3e-2f60b1d4c9ee",'):
        yield post(f"products of {unit!r}", "/coupons", b'{"product_ids":[' + unit * 24_000 + b"0]}")
    for name in ("name", "description", "sku", "image_url", "external_reference", "price"):
        for unit in ("a", "9", "\u0130", " ", "\u200b"):
            field = f'{{"{name}":"'.encode()
            yield post(f"a {name} of {unit!r}", "/products", filled(field, unit.encode(), b'"}'))
    for name in ("q", "created_from", "amount_min", "customer_id", "txid", "sort", "after", "page", "limit"):
        for unit in ("a", "9", "%C3%A9", "%EF%B7%BA", "a+", "-"):
            target = f"/pix?{name}={unit * (HEAD // len(unit))}"
            yield ExpensiveRequest(f"{name} of {unit}", target, method="GET", anonymous=False)
    yield ExpensiveRequest("q of words", "/pix?limit=10&q=" + "+".join(["ab"] * 80), method="GET", anonymous=False)


def by_session() -> Iterator[ExpensiveRequest]:
    kind = "content-type: multipart/form-data; boundary=x"
    part = b'--x\r\ncontent-disposition: form-data; name="%b"\r\n\r\n%b\r\n'
    file = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n%b\r\n%b\r\n--x--\r\n'
    forms = {
        "many parts": (part % (b"a", b"b")) * 20_000,
        "part headers": file % (b"x: y\r\n" * 150_000, b""),
        "a part's long header": file % (b"x: " + b"y" * BODY + b"\r\n", b""),
        "a long field": part % (b"type", b"a" * BODY),
        "half boundaries": file % (b"", b"\r\n--" * (10 * 1024 * 1024 // 4)),
        "line ends": file % (b"", b"\r\n" * (10 * 1024 * 1024 // 2)),
    }
    for name, form in forms.items():
        yield ExpensiveRequest(f"a form with {name}", "/production/documents", (kind,), form, anonymous=False)
    for unit in (b'{"":"0"},', b"0,", b'{"a":{"b":[]}},'):
        body = filled(b'{"extra":[', unit, b"0]}")
        yield ExpensiveRequest(f"answers of {unit!r}", "/auth/onboarding", (JSON,), body, anonymous=False)
    body = b"{" + numbered('"%d":"a"', 80_000) + b"}"
    yield ExpensiveRequest("many answers", "/auth/onboarding", (JSON,), body, anonymous=False)
    for unit, count in ((b'{"":"0"},', 24_000), (b'{"a":{"b":[]}},', 12_000)):
        body = b'{"extra":[' + unit * count + b"0]}"
        yield ExpensiveRequest(
            f"answers of {unit!r} up to the bound", "/auth/onboarding", (JSON,), body, anonymous=False
        )
    body = b"{" + numbered('"%d":"a"', 49_000) + b"}"
    yield ExpensiveRequest("answers up to the bound", "/auth/onboarding", (JSON,), body, anonymous=False)
    yield ExpensiveRequest(
        "scopes", "/api-keys", (JSON,), filled(b'{"name":"a","scopes":[', b"0,", b"0]}"), anonymous=False
    )
    body = filled(b'{"name":"a","url":"https://a.example","events":[', b'"a",', b"0]}")
    yield ExpensiveRequest("events", "/webhook-endpoints", (JSON,), body, anonymous=False)


@pytest.mark.timeout(600)
async def test_no_request_exceeds_its_cpu_limit(settings: Settings, merchant: Merchant, tmp_path: Path) -> None:
    async with _serving(settings, tmp_path) as (process, port):
        dear = [
            f"{each.name}: {cost * 1000:.0f} ms"
            for each in [*anonymous(), *by_key(), *by_session()]
            if (cost := await _cost(process, port, each, merchant))
            > (MAX_ANONYMOUS_SECONDS if each.anonymous else MAX_SECONDS)
        ]
    assert not dear, "\n".join(dear)


async def test_the_first_view_of_the_reference_is_cheap(settings: Settings, tmp_path: Path) -> None:
    """Its examples contain the request's host, so each host has its own page."""
    async with _serving(settings, tmp_path) as (process, port):
        for host in ("gateway.test", "another.test"):
            request = f"GET /docs HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
            before = _cpu_seconds(process.pid)
            answer = await _answer(port, request.encode())
            seconds = _cpu_seconds(process.pid) - before
            head, _, body = answer.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            assert f"http://{host}/pix".encode() in gzip.decompress(body)
            assert seconds <= MAX_ANONYMOUS_SECONDS, f"{host}: {seconds * 1000:.0f} ms"


async def _cost(process: Process, port: int, each: ExpensiveRequest, merchant: Merchant) -> float:
    """Seconds of CPU of one request."""
    raw = each.raw(merchant.token)
    before = _cpu_seconds(process.pid)
    answers = [await _answer(port, raw) for _ in range(TIMES)]
    seconds = (_cpu_seconds(process.pid) - before) / TIMES
    assert each.anonymous or all(not answer.startswith(b"HTTP/1.1 401") for answer in answers), each.name
    return seconds


async def _answer(port: int, raw: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = b""
    # The server refuses some requests before reading all of them.
    with suppress(ConnectionError):
        writer.write(raw)
        await writer.drain()
        answer = await reader.read()
    writer.close()
    return answer


def _cpu_seconds(pid: int) -> float:
    """The CPU time of a process so far (proc(5): utime, stime)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def _serving(settings: Settings, folder: Path) -> AsyncIterator[tuple[Process, int]]:
    """A process of the API without rate limits, which would refuse the measured requests."""
    port = free_port()
    variables = {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "SECRET_KEY": settings.secret_key.get_secret_value(),
        "RATE_LIMITS": "off",
        "DOCUMENTS_URL": folder.as_uri(),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway", "serve", "--port", str(port), "--workers", "1"),
        env={**os.environ, **{f"GATEWAY_{name}": value for name, value in variables.items()}},
        cwd=folder,
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(100):
            while not await _is_ready(port):  # noqa: ASYNC110  # A process has no event.
                await asyncio.sleep(0.1)
        yield process, port
    finally:
        process.terminate()
        await process.wait()


async def _is_ready(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except ConnectionRefusedError:
        return False
    writer.close()
    return True
