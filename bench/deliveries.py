"""Webhook deliveries of one `gateway worker`: `python -m bench.deliveries [--charges 200] [--seconds 5]`.

* **Rate**: a store with 20 endpoints issues charges while no worker runs. Then a worker starts, and the time from the
  first to the last arrival counts.
* **Latency**: a store with one endpoint issues 50 charges a second over REST. The time from the response, before which
  the event was committed, to its arrival counts. The worker is notified through Redis.

The receiver is a process of its own on the same cores, with plain HTTP.
"""

import argparse
import asyncio
import multiprocessing
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import TypeAlias, cast

import httpx
import orjson
import uvloop

from bench.environment import ORDER, open_client, open_servers, read_data, register_merchant, run_api, run_module
from bench.targets import check, leave, percentile

MIN_RATE, MAX_P99_MS, EVENTS_PER_SECOND, ENDPOINTS = 400, 1000, 50, 20
_DEADLINE_SECONDS = 120
_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)
Arrivals: TypeAlias = list[tuple[str, float]]
"""The id of each event's charge, and when it arrived."""


class Receiver(asyncio.Protocol):
    """Responds with 200 when a body is complete."""

    arrivals: Arrivals = []  # noqa: RUF012  # One list for the whole process.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._data = b""

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, separator, body = self._data.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if separator and length and len(body) >= int(length[1]):
            self.arrivals.append((orjson.loads(body)["data"]["id"], time.time()))
            self._data = b""
            self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nServer: bench\r\n\r\nok")


def receive(pipe: Connection) -> None:
    """The receiver's process: sends its port, then all arrivals at each message until `None`."""

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Receiver, "127.0.0.1", 0, backlog=1024)
        pipe.send(server.sockets[0].getsockname()[1])
        while await loop.run_in_executor(None, pipe.recv):
            pipe.send(Receiver.arrivals)

    uvloop.run(serve())


@contextmanager
def run_receiver() -> Iterator[tuple[int, Connection]]:
    """Its port, and the pipe to it."""
    pipe, child_pipe = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=receive, args=(child_pipe,), daemon=True)
    process.start()
    try:
        yield pipe.recv(), pipe
    finally:
        pipe.send(None)
        process.join(10)


def wait_for_arrivals(pipe: Connection, count: int) -> Arrivals:
    deadline = time.monotonic() + _DEADLINE_SECONDS
    while True:
        pipe.send("arrivals")
        arrivals: Arrivals = pipe.recv()
        if len(arrivals) >= count:
            return arrivals
        if time.monotonic() > deadline:
            raise SystemExit(f"{len(arrivals)} of {count} deliveries arrived")
        time.sleep(0.2)


def open_store(port: int, name: str, url: str, endpoints: int) -> httpx.Client:
    """A client with the key of a store that has so many endpoints."""
    merchant = register_merchant(port, name)
    with open_client(port, merchant.session) as client:
        for number in range(endpoints):
            read_data(client.post("/webhook-endpoints", json={"name": f"loja {number}", "url": url}))
    return open_client(port, merchant.key)


def issue_steadily(client: httpx.Client, seconds: int) -> dict[str, float]:
    """Issue 50 charges a second. Returns when the response to each came."""
    committed = {}
    started = time.perf_counter()
    for number in range(seconds * EVENTS_PER_SECOND):
        time.sleep(max(0.0, started + number / EVENTS_PER_SECOND - time.perf_counter()))
        charge = read_data(client.post("/pix", json=ORDER))
        committed[charge["id"]] = time.time()
    return committed


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.deliveries", description=__doc__)
    parser.add_argument("--charges", type=int, default=200, help="of the store with 20 endpoints")
    parser.add_argument("--seconds", type=int, default=5, help="of 50 charges a second")
    options = parser.parse_args()
    networks = {"GATEWAY_WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8"}
    with open_servers() as servers, run_receiver() as (hook_port, pipe), run_api(servers, **networks) as (port, _):
        url = f"http://127.0.0.1:{hook_port}/hook"
        busy, calm = open_store(port, "busy", url, ENDPOINTS), open_store(port, "calm", url, 1)
        for _ in range(options.charges):
            read_data(busy.post("/pix", json=ORDER))
        count = options.charges * ENDPOINTS
        with run_module(["gateway", "worker"], servers, **networks):
            times = [at for _, at in wait_for_arrivals(pipe, count)]
            rate = count / (max(times) - min(times))
            committed = issue_steadily(calm, options.seconds)
            arrivals = wait_for_arrivals(pipe, count + len(committed))[count:]
    latencies = [(at - committed[charge]) * 1000 for charge, at in arrivals]
    note = f"p50 {percentile(latencies, 0.5):.0f} ms"
    name = f"commit to receipt at {EVENTS_PER_SECOND} events/s, p99"
    leave(
        [
            check("deliveries of one worker", rate, MIN_RATE, "/s", at_least=True),
            check(name, percentile(latencies, 0.99), MAX_P99_MS, "ms", note=note),
        ]
    )


if __name__ == "__main__":
    main()
