"""Hostile responses of receivers: redirects, which are not followed, and malicious bodies."""

import asyncio
from collections import Counter

from tests.chaos import answers
from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import BYSTANDER, ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.report import Result

REDIRECTS = (301, 302, 303, 307, 308)
METADATA = "http://169.254.169.254/latest/meta-data/"
TRAP = {"name": "trap", "host": "127.0.0.2", "chain": None, "tls": None}
ATTEMPTS = """select e.url, a.status, a.error_code, a.duration_ms, a.response, a.address
                from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
                join webhook_endpoints e on e.id = d.endpoint_id order by a.number"""
CAME: dict[str, tuple[int | None, str | None]] = {
    "drip_body": (200, None),
    "drip_header": (None, "timeout"),
    "flood_1xx": (None, "protocol_error"),
    "endless": (200, None),
    "huge": (500, "http_status"),
    "gzip_bomb": (200, None),
    "garbage": (None, "protocol_error"),
    "early_close": (None, "connection_failed"),
    "nul_body": (500, "http_status"),
}
"""The expected status and error of each hostile response."""


@experiment(
    "12",
    "301/302/303/307/308 to the metadata address, to itself, to another public host",
    "recorded as failure with status; second URL never requested",
)
async def test_experiment_12_redirects(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment([TRAP], WEBHOOK_RETRY_SCALE="0.0001")
    await env.worker()
    store = await env.store()
    trap = f"http://127.0.0.2:{env.receivers.ports['trap']}/"
    for code in REDIRECTS:
        places = {"metadata": METADATA, "itself": env.receivers.url(f"/{code}/itself"), "host": trap}
        for name, to in places.items():
            await env.insert_endpoint(store, f"/{code}/{name}", answers.redirect, code=code, to=to)
    await env.emit(store)
    await env.settled()
    rows = [row for row in await env.rows(ATTEMPTS) if not row["url"].endswith(BYSTANDER)]
    assert {(int(row["url"].split("/")[3]), row["status"], row["error_code"]) for row in rows} == {
        (code, code, "redirect") for code in REDIRECTS
    }
    arrived = Counter(request.path for request in env.requests())
    assert set(arrived.values()) == {4}
    assert len(arrived) == 15
    result.note(
        f"15 endpoints, {len(rows)} attempts recorded with their 3xx, {sum(arrived.values())} requests, none elsewhere"
    )


@experiment(
    "13",
    "Huge, endless, gzip-bomb, dripped, 1xx-flood, garbage, NUL bodies",
    "each attempt ends ≤ 10 s; RSS +< 20 MB; attempt row written",
    seconds=240,
)
async def test_experiment_13_hostile_bodies(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment(WEBHOOK_RETRY_SCALE="0.0001")
    worker = await env.worker()
    store = await env.store()
    await env.insert_endpoint(store, "/ok", healthy=True)
    for _ in range(20):
        await env.emit(store, 10)
        await asyncio.sleep(0.05)
    await env.settled()
    before = worker.resident_mib
    for mode in answers.HOSTILE:
        await env.insert_endpoint(store, f"/{mode.__name__}", mode)
    await env.emit(store)
    most = before
    while await env.any_due():
        most = max(most, worker.resident_mib)
        await asyncio.sleep(0.1)
    rows = [row for row in await env.rows(ATTEMPTS) if not row["url"].endswith(("/ok", BYSTANDER))]
    outcomes: dict[str, Counter[tuple[int | None, str | None]]] = {}
    for row in rows:
        outcomes.setdefault(row["url"].rpartition("/")[2], Counter())[row["status"], row["error_code"]] += 1
    # A 2xx counts as delivered, even with a broken body; each failure is repeated three times.
    assert outcomes == {mode: Counter({came: 4 if came[1] else 1}) for mode, came in CAME.items()}
    longest = max(row["duration_ms"] for row in rows)
    assert longest <= 10_000 + 500 * env.slack
    assert most - before < 20
    assert all(row["response"] == b"\x00\xff\xfe\xc3\x28 \x00" for row in rows if row["url"].endswith("/nul_body"))
    failed = sum(1 for row in rows if row["error_code"])
    result.note(f"{len(rows)} attempts at {len(answers.HOSTILE)} hostile receivers ({failed} failed) all written")
    result.note(f"the longest took {longest / 1000:.1f} s; RSS {before:.0f} MiB, at most {most - before:+.1f} MiB")
