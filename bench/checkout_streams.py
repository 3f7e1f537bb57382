"""How many open checkout pages one process bears: `python bench/checkout_streams.py [--pages 5000]`.

Pages that listen (server-sent events), then pages that ask every five seconds, against our API as `gateway serve` runs
it. CPU is the server process's alone; the pages live in this process, which is why they are raw sockets.
"""

import argparse
import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import httpx
import uvloop

from bench.stage import ORDER, Stage, open_stage

_TICKS = os.sysconf("SC_CLK_TCK")
SECONDS = 15.0
ASKING_EVERY = 5.0
PAID = 20


@dataclass
class Page:
    """An open page: its charge, and its connection."""

    txid: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def main(stage: Stage, pages: int) -> None:
    txids = await issue(stage, pages)
    print(f"{pages} charges wait; the process holds {memory(stage.gateway_pid)} MB")
    await listen(stage, txids)
    await ask(stage, txids)


async def issue(stage: Stage, count: int) -> list[str]:
    headers = {"authorization": f"Bearer {stage.issuer.key}"}
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{stage.gateway_port}", trust_env=False) as client:
        gate = asyncio.Semaphore(16)

        async def one() -> str:
            async with gate:
                answer = await client.post("/pix", json=ORDER, headers=headers, timeout=60)
                return str(answer.json()["data"]["txid"])

        return await asyncio.gather(*(one() for _ in range(count)))


async def listen(stage: Stage, txids: list[str]) -> None:
    started = time.perf_counter()
    opened: list[Page] = []
    for first in range(0, len(txids), 100):
        opened += await asyncio.gather(*(open_stream(stage, txid) for txid in txids[first : first + 100]))
    print(f"listening: {len(opened)} streams opened in {time.perf_counter() - started:.1f} s")
    share = await cpu_share(stage.gateway_pid)
    print(f"listening: {share:.1%} of one core, {memory(stage.gateway_pid)} MB")
    delays = await asyncio.gather(*(pay(stage, page) for page in opened[:PAID]))
    print(f"listening: paid to told, p50 {quantiles(delays)[1]:.2f} s, worst {max(delays):.2f} s")
    for page in opened:
        page.writer.close()


async def open_stream(stage: Stage, txid: str) -> Page:
    reader, writer = await asyncio.open_connection("127.0.0.1", stage.gateway_port, limit=4096)
    writer.write(f"GET /pay/c/{txid}/events HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
    await reader.readuntil(b"data: pending\n\n")
    return Page(txid, reader, writer)


async def pay(stage: Stage, page: Page) -> float:
    headers = {"authorization": f"Bearer {stage.issuer.key}"}
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{stage.gateway_port}", trust_env=False) as client:
        await client.post("/pix/simulate-payment", json={"txid": page.txid}, headers=headers, timeout=60)
    paid = time.perf_counter()
    await page.reader.readuntil(b"data: paid\n\n")
    return time.perf_counter() - paid


async def ask(stage: Stage, txids: list[str]) -> None:
    """Every page asks once in five seconds, over keep-alive connections, as browsers do."""
    late: list[float] = []
    until = time.perf_counter() + SECONDS + ASKING_EVERY
    asking = [
        asyncio.create_task(keep_asking(stage, txid, ASKING_EVERY * index / len(txids), until, late))
        for index, txid in enumerate(txids)
    ]
    await asyncio.sleep(ASKING_EVERY)
    before = len(late)
    share = await cpu_share(stage.gateway_pid, SECONDS - 1)
    rate = (len(late) - before) / (SECONDS - 1)
    await asyncio.gather(*asking)
    p50, p99 = quantiles(late, n=100)[49], quantiles(late, n=100)[98]
    print(f"asking: {share:.1%} of one core for {rate:.0f} requests/s, {share / rate * 1e6:.0f} µs of CPU each")
    print(f"asking: p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, as seen by the busy asker")


async def keep_asking(stage: Stage, txid: str, offset: float, until: float, late: list[float]) -> None:
    await asyncio.sleep(offset)
    reader, writer = await asyncio.open_connection("127.0.0.1", stage.gateway_port, limit=4096)
    while (started := time.perf_counter()) < until:
        writer.write(f"GET /pay/c/{txid}/status HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
        await reader.readuntil(b"}")
        late.append(time.perf_counter() - started)
        await asyncio.sleep(ASKING_EVERY)
    writer.close()


async def cpu_share(pid: int, seconds: float = SECONDS) -> float:
    before = ticks(pid)
    await asyncio.sleep(seconds)
    return (ticks(pid) - before) / _TICKS / seconds


def ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def memory(pid: int) -> int:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=5000)
    options = parser.parse_args()
    with open_stage() as open_for_business:
        uvloop.run(main(open_for_business, options.pages))
