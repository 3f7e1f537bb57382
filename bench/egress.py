"""Deliveries per second of `EgressClient.post` beside an httpx client, against a receiver in a process of its own.

`python bench/egress.py [--deliveries 5000] [--concurrent 64]`: plain HTTP over loopback, 1.5 KB bodies,
a new connection each, uvloop. CPU is the client process's. The httpx client is the nearest equal:
pinned backend, keep-alive off.
"""

import argparse
import asyncio
import multiprocessing
import time
from collections.abc import Awaitable, Callable
from ipaddress import ip_network
from multiprocessing.connection import Connection
from typing import cast

import httpcore
import httpx
import uvloop

from gateway.egress import AddressGuard, EgressClient, Resolver
from gateway.egress.dial import PinnedBackend
from gateway.webhook_signatures import delivery_headers

BODY = b'{"id":"01931e7e","event":"charge.paid","data":{"description":"' + b"x" * 1430 + b'"}}'
HEADERS = delivery_headers(
    body=BODY,
    event="charge.paid",
    event_id="01931e7e-0000-7000-8000-000000000001",
    delivery_id="01931e7e-0000-7000-8000-000000000002",
    attempt=1,
    timestamp=1700000000,
    secret="whsec_0123456789abcdef0123456789abcdef",  # noqa: S106 -- signs the bodies of this benchmark.
)
GUARD = AddressGuard([ip_network("127.0.0.0/8")])
Post = Callable[[str], Awaitable[int | None]]


class Receiver(asyncio.Protocol):
    """Answers 200 at the end of the body; cheap, so that the client is what is measured."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if data.endswith(BODY[-16:]):
            self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nServer: bench\r\n\r\nok")


def receive(pipe: Connection) -> None:
    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(Receiver, "127.0.0.1", 0, backlog=1024)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    uvloop.run(serve())


def with_egress(resolver: Resolver) -> Post:
    client = EgressClient(GUARD, resolver)

    async def post(url: str) -> int | None:
        return (await client.post(url, BODY, HEADERS)).status

    return post


def with_httpx(resolver: Resolver) -> Post:
    context = httpcore.default_ssl_context()
    transport = httpx.AsyncHTTPTransport(verify=context, trust_env=False)
    transport._pool = httpcore.AsyncConnectionPool(  # noqa: SLF001 -- the only way to give httpx a network backend.
        ssl_context=context, network_backend=PinnedBackend(GUARD, resolver), max_keepalive_connections=0
    )
    client = httpx.AsyncClient(transport=transport, timeout=10)

    async def post(url: str) -> int | None:
        async with asyncio.timeout(10), client.stream("POST", url, content=BODY, headers=HEADERS) as response:
            async for _ in response.aiter_raw():
                pass
            return response.status_code

    return post


async def measure(post: Post, url: str, deliveries: int, concurrent: int) -> tuple[float, float]:
    """Deliveries per second, and milliseconds of CPU for each."""
    numbers = iter(range(deliveries))

    async def lane() -> None:
        for _ in numbers:
            assert await post(url) == 200

    cpu, clock = time.process_time(), time.perf_counter()
    await asyncio.gather(*(lane() for _ in range(concurrent)))
    return deliveries / (time.perf_counter() - clock), (time.process_time() - cpu) / deliveries * 1000


async def compare(port: int, deliveries: int, concurrent: int) -> None:
    resolver = Resolver(lambda _: ["127.0.0.1"])
    variants = {"EgressClient": with_egress(resolver), "httpx": with_httpx(resolver)}
    for host in ("127.0.0.1", "hook.merchant.test"):
        for round_number in range(3):
            for name, post in variants.items():
                rate, cpu = await measure(post, f"http://{host}:{port}/hook", deliveries, concurrent)
                print(f"{host:20} round {round_number}  {name:13} {rate:6.0f}/s  {cpu:.3f} ms CPU")
    resolver.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deliveries", type=int, default=5000)
    parser.add_argument("--concurrent", type=int, default=64)
    options = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    receiver = multiprocessing.get_context("spawn").Process(target=receive, args=(theirs,), daemon=True)
    receiver.start()
    try:
        uvloop.run(compare(ours.recv(), options.deliveries, options.concurrent))
    finally:
        receiver.terminate()


if __name__ == "__main__":
    main()
