"""DNS and TLS that lie, hang or expire."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.serialization import Encoding

from tests.chaos import answers
from tests.chaos.conftest import OpenWorld
from tests.chaos.environment import World
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
    """What came of the attempts at each name, by its first label."""
    found: dict[str, Counter[str | None]] = defaultdict(Counter)
    for row in rows:
        found[urlsplit(row["url"]).hostname.partition(".")[0]][row["error_code"]] += 1
    return found


@experiment(
    "14",
    "DNS: good at registration, private at delivery; alternating, mixed; 5 s black hole for 50 endpoints",
    "zero bytes to a refused address; others' DNS wait < 100 ms",
)
async def test_experiment_14_names_that_lie(open_world: OpenWorld, result: Result) -> None:
    trap = {"name": "trap", "host": FORBIDDEN, "chain": None, "tls": None}
    world: World = await open_world([trap], WEBHOOK_RETRY_SCALE="0.0001")
    names = {**LYING, "good.merchant.test": [[GOOD]]} | {f"hole{n}.merchant.test": [5] for n in range(BLACK_HOLES)}
    # All are good when they are registered; those that aren't even then are turned away.
    early = {f"early-{name}": answers for name, answers in LYING.items() if [GOOD] not in answers}
    at_first = {name: [[GOOD]] for name in names}
    await asyncio.gather(world.odd_worker(names=names), world.odd_api(names=early | at_first))
    liars, good, *crowd = [await world.shop() for _ in range(5)]
    for name in early:
        order = {"name": name, "url": world.receivers.url("/", "main", name)}
        refused = await liars.send("POST", "/webhook-endpoints", order, token=liars.tokens["test"])
        assert refused.status_code == 400, name
    for name in LYING:
        # The port of the trap: whoever dialled the forbidden answer would be heard there.
        await world.register(liars, f"/{name}", url=world.receivers.url(f"/{name}", "trap", name))
        await world.register(liars, f"/main/{name}", url=world.receivers.url(f"/main/{name}", "main", name))
    await world.emit(liars.id, 2)
    await world.settled()
    outcomes = _by_name(await world.rows(OUTCOMES))
    for name in ("mixed", "inside", "mapped"):
        assert outcomes[name] == {"blocked_address": 16}, name  # Four deliveries, four attempts of each.
    for name in ("rebinds", "alternates"):
        # A good answer leads to the receiver, or to its side of the trap's port, where nobody
        # listens; a bad one nowhere.
        assert outcomes[name].keys() <= {None, "connection_refused", "blocked_address"}, name
        assert outcomes[name]["blocked_address"], name
        assert outcomes[name][None] + outcomes[name]["connection_refused"], name
    blocked = sum(codes["blocked_address"] for codes in outcomes.values())
    assert world.receivers.connections("trap") == 0
    result.note(f"{len(early)} names that are bad from the start refused at registration")
    result.note(f"{blocked} attempts refused before dialling, 0 connections to a forbidden address")
    for number in range(BLACK_HOLES):  # No store may have more than twenty endpoints.
        url = world.receivers.url(f"/hole/{number}", "main", f"hole{number}.merchant.test")
        await world.register(crowd[number % len(crowd)], f"/hole/{number}", url=url)
    url = world.receivers.url("/good", "main", "good.merchant.test")
    await world.register(good, "/good", url=url, healthy=True)
    for shop in crowd:
        await world.emit(shop.id, 4)
    for _ in range(100):
        await world.emit(good.id)
        await asyncio.sleep(0.05)
    await world.run("update webhook_endpoints set active = false where url like '%/hole/%'")
    await world.settled()
    outcomes = _by_name(await world.rows(OUTCOMES))
    assert {code for name, codes in outcomes.items() if name.startswith("hole") for code in codes} == {"dns_failure"}
    assert outcomes["good"] == {None: 100}
    spent = [row["duration_ms"] for row in await world.rows(OUTCOMES) if row["url"] == url]
    assert len(spent) == 100
    result.note(
        f"beside 50 black holes an attempt at a good name took p50 {percentile(spent, 50):.0f} ms, p95 {percentile(spent, 95):.0f} ms"
    )
    assert percentile(spent, 95) < 100 * world.slack


@experiment(
    "15",
    "TLS: expired, self-signed, wrong name, TLS 1.0, two tenants on one IP",
    "all refused except the two tenants, which never share a connection",
    quick=True,
)
async def test_experiment_15_certificates(open_world: OpenWorld, result: Result, tmp_path: Path) -> None:
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
    world: World = await open_world([*listeners, tenants], WEBHOOK_RETRY_SCALE="0.0001")
    names = {f"{tenant}.merchant.test": [[GOOD]] for tenant in "ab"}
    await world.odd_worker(names=names, environment={"SSL_CERT_FILE": str(trusted)})
    store = await world.store()
    for number, name in enumerate(bad):
        url = world.receivers.url(f"/bad/{number}", name, "a.merchant.test", "https")
        await world.plant_endpoint(store, f"/bad/{number}", url=url)
    for tenant in "ab":
        url = world.receivers.url(f"/{tenant}", "tenants", f"{tenant}.merchant.test", "https")
        await world.plant_endpoint(store, f"/{tenant}", answers.ok, url=url, healthy=True)
    await world.emit(store, 5)
    await world.settled()
    refused = [row for row in await world.rows(OUTCOMES) if "/bad/" in row["url"]]
    assert {row["error_code"] for row in refused} == {"tls_failure"}
    assert len(refused) == len(bad) * 5 * 4
    requests = world.requests()
    assert {(request.path, request.host.partition(":")[0]) for request in requests} == {
        ("/a", "a.merchant.test"),
        ("/b", "b.merchant.test"),
    }
    assert len({request.peer for request in requests}) == len(requests) == 10
    result.note(f"{len(refused)} attempts at 5 wrong servers refused in the handshake, no request sent")
    result.note("two tenants of one address got 10 requests over 10 connections")
