"""False, hanging or expired DNS and TLS."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.serialization import Encoding

from tests.chaos import answers
from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.invariants import percentile
from tests.chaos.report import Result
from tests.egress.receivers import Authority

GOOD, FORBIDDEN = "127.0.0.1", "127.0.0.2"
LYING: dict[str, list[Any]] = {
    "rebinds.merchant.test": [[GOOD], [FORBIDDEN]],
    "alternates.merchant.test": [[GOOD], [FORBIDDEN], [GOOD], [FORBIDDEN]],
    "mixed.merchant.test": [[GOOD, FORBIDDEN]],
    "inside.merchant.test": [["169.254.169.254"]],
    "mapped.merchant.test": [["::ffff:127.0.0.1"]],
}
OUTCOMES = """select e.name, e.url, a.number, a.error_code, a.duration_ms, a.address
                from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
                join webhook_endpoints e on e.id = d.endpoint_id order by a.started_at, a.number"""
BLACK_HOLES = 50


def _by_name(rows: Sequence[Any]) -> dict[str, Counter[str | None]]:
    """The results of the attempts at each name, by its first label."""
    found: dict[str, Counter[str | None]] = defaultdict(Counter)
    for row in rows:
        found[urlsplit(row["url"]).hostname.partition(".")[0]][row["error_code"]] += 1
    return found


@experiment(
    "14",
    "DNS: good at registration, private at delivery; alternating, mixed; 5 s black hole for 50 endpoints",
    "zero bytes to a refused address; others' DNS wait < 100 ms",
)
async def test_experiment_14_names_that_lie(open_environment: OpenEnvironment, result: Result) -> None:
    trap = {"name": "trap", "host": FORBIDDEN, "chain": None, "tls": None}
    env: ChaosEnvironment = await open_environment([trap], WEBHOOK_RETRY_SCALE="0.0001")
    names = {**LYING, "good.merchant.test": [[GOOD]]} | {f"hole{n}.merchant.test": [5] for n in range(BLACK_HOLES)}
    # All names are valid at registration, which refuses others.
    early = {f"early-{name}": answers for name, answers in LYING.items() if [GOOD] not in answers}
    at_first = {name: [[GOOD]] for name in names}
    await asyncio.gather(env.faulty_worker(names=names), env.faulty_api(names=early | at_first))
    liars, good, *crowd = [await env.merchant() for _ in range(5)]
    for name in early:
        order = {"name": name, "url": env.receivers.url("/", "main", name)}
        refused = await liars.send("POST", "/webhook-endpoints", order, token=liars.tokens["test"])
        assert refused.status_code == 400, name
    for name in LYING:
        # The port of the trap, which would log a connection to the forbidden address.
        await env.register(liars, f"/{name}", url=env.receivers.url(f"/{name}", "trap", name))
        await env.register(liars, f"/main/{name}", url=env.receivers.url(f"/main/{name}", "main", name))
    await env.emit(liars.id, 2)
    await env.settled()
    outcomes = _by_name(await env.rows(OUTCOMES))
    for name in ("mixed", "inside", "mapped"):
        assert outcomes[name] == {"blocked_address": 16}, name  # Four deliveries of four attempts.
    for name in ("rebinds", "alternates"):
        # An allowed address leads to the receiver, or to a port without a listener; a forbidden one is never dialled.
        assert outcomes[name].keys() <= {None, "connection_refused", "blocked_address"}, name
        assert outcomes[name]["blocked_address"], name
        assert outcomes[name][None] + outcomes[name]["connection_refused"], name
    blocked = sum(codes["blocked_address"] for codes in outcomes.values())
    assert env.receivers.connections("trap") == 0
    result.note(f"{len(early)} names that are bad from the start refused at registration")
    result.note(f"{blocked} attempts refused before dialling, 0 connections to a forbidden address")
    for number in range(BLACK_HOLES):  # A store may have twenty endpoints.
        url = env.receivers.url(f"/hole/{number}", "main", f"hole{number}.merchant.test")
        await env.register(crowd[number % len(crowd)], f"/hole/{number}", url=url)
    url = env.receivers.url("/good", "main", "good.merchant.test")
    await env.register(good, "/good", url=url, healthy=True)
    for merchant in crowd:
        await env.emit(merchant.id, 4)
    for _ in range(100):
        await env.emit(good.id)
        await asyncio.sleep(0.05)
    await env.run("update webhook_endpoints set active = false where url like '%/hole/%'")
    await env.settled()
    outcomes = _by_name(await env.rows(OUTCOMES))
    assert {code for name, codes in outcomes.items() if name.startswith("hole") for code in codes} == {"dns_failure"}
    assert outcomes["good"] == {None: 100}
    spent = [row["duration_ms"] for row in await env.rows(OUTCOMES) if row["url"] == url]
    assert len(spent) == 100
    result.note(
        f"with 50 black holes an attempt at a good name took p50 {percentile(spent, 50):.0f} ms, p95 {percentile(spent, 95):.0f} ms"
    )
    assert percentile(spent, 95) < 100 * env.slack


@experiment(
    "15",
    "TLS: expired, self-signed, wrong name, TLS 1.0, two tenants on one IP",
    "all refused except the two tenants, which never share a connection",
    quick=True,
)
async def test_experiment_15_certificates(open_environment: OpenEnvironment, result: Result, tmp_path: Path) -> None:
    authority, stranger = Authority(), Authority()
    trusted = tmp_path / "authority.pem"
    trusted.write_bytes(authority.certificate.public_bytes(Encoding.PEM))

    def chain(by: Authority, *names: str, expired: bool = False) -> str:
        before = set(tmp_path.glob("*.pem"))
        by.server_context(tmp_path, *names, expired=expired)
        return str((set(tmp_path.glob("*.pem")) - before).pop())

    bad = {
        "expired": (chain(authority, "a.merchant.test", expired=True), None),
        "unknown authority": (chain(stranger, "a.merchant.test"), None),
        "wrong name": (chain(authority, "b.merchant.test", GOOD), None),
        "tls 1.0": (chain(authority, "a.merchant.test"), "TLSv1"),
        "tls 1.1": (chain(authority, "a.merchant.test"), "TLSv1_1"),
    }
    listeners = [{"name": name, "host": GOOD, "chain": chained, "tls": tls} for name, (chained, tls) in bad.items()]
    tenants = {
        "name": "tenants",
        "host": GOOD,
        "chain": chain(authority, "a.merchant.test", "b.merchant.test"),
        "tls": None,
    }
    env: ChaosEnvironment = await open_environment([*listeners, tenants], WEBHOOK_RETRY_SCALE="0.0001")
    names = {f"{tenant}.merchant.test": [[GOOD]] for tenant in "ab"}
    await env.faulty_worker(names=names, environment={"SSL_CERT_FILE": str(trusted)})
    store = await env.store()
    for number, name in enumerate(bad):
        url = env.receivers.url(f"/bad/{number}", name, "a.merchant.test", "https")
        await env.insert_endpoint(store, f"/bad/{number}", url=url)
    for tenant in "ab":
        url = env.receivers.url(f"/{tenant}", "tenants", f"{tenant}.merchant.test", "https")
        await env.insert_endpoint(store, f"/{tenant}", answers.ok, url=url, healthy=True)
    await env.emit(store, 5)
    await env.settled()
    refused = [row for row in await env.rows(OUTCOMES) if "/bad/" in row["url"]]
    assert {row["error_code"] for row in refused} == {"tls_failure"}
    assert len(refused) == len(bad) * 5 * 4
    requests = env.requests()
    assert {(request.path, request.host.partition(":")[0]) for request in requests} == {
        ("/a", "a.merchant.test"),
        ("/b", "b.merchant.test"),
    }
    assert len({request.peer for request in requests}) == len(requests) == 10
    result.note(f"{len(refused)} attempts at 5 wrong servers refused in the handshake, no request sent")
    result.note("two tenants of one address got 10 requests over 10 connections")
